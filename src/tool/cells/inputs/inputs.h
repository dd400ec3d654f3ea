/* The record files that a command line names: files, and folders with all that is in them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_INPUTS_INPUTS_H
#define OVL_TOOL_CELLS_INPUTS_INPUTS_H

#include "record/record.h"
#include "tool/cells/inputs/unwritten.h"

#include <stdio.h>

struct ovl_inputs {
    char **path; /* sorted within a folder */
    size_t count;
    bool offloads; /* lines of ovl offload are enough */
    bool noise;    /* runs of ovl_noise are kept, too */
    bool filtered; /* cells are chosen: a job that left none may be of others */
    bool within;   /* links out of the folder in which they stand are refused */
    bool failed;   /* of folders also the NNN.partial of a sweep's failed launches, for their cells with wrong data, and
                      the .NNN.jsonl of one that a killed sweep left, or that is under way (wrong_data.h) */
    struct ovl_unwritten_list owed; /* and with that the NNN.log of those that left nothing else, or nothing at all */
    size_t beside; /* of files: how many launches that failed stand beside them and are not read, and the first */
    char *beside_first;
    size_t launches, again; /* that count, and of them those of which an earlier attempt failed */
    json_t *made;           /* how many these are in each folder: [launches, again] */
    size_t together;        /* folders in one that was given, whose jobs no plan tells apart */
    size_t thinned;         /* records of a sweep without the samples by which their values could be computed again */
};

/* Adds a file, or all *.jsonl files of a folder and of the folders in it, of any depth; names that begin with a dot are
   passed over but for those of `failed`, and links that lead back. Start with a zeroed struct. -1 and OVL_ENVIRONMENT
   when it, or something in it, cannot be read or is not to be (ovl_entry_fault; with `failed` an NNN.jsonl beside
   NNN.log is passed over), or a folder has none. */
int ovl_inputs_add(struct ovl_inputs *s, const char *path, struct ovl_error *err);

/* Is it what a failed launch left, or one under way? */
bool ovl_inputs_partial(const char *path);

/* And does it tell of wrong data? */
bool ovl_inputs_partial_wrong(const char *path);
void ovl_inputs_free(struct ovl_inputs *s);

/* Reads them all, with or without the samples, into *record, whose runs point to the sources' paths. A run that was
   read already (a copy of its file) is left out, and counted in *copies: it must not pass for another launch. Runs of
   ovl_noise, which have no cells, are left out without `noise`; OVL_USAGE where there is nothing else, or only lines of
   ovl offload, unless these are enough. */
int ovl_inputs_read(struct ovl_inputs *s, bool brief, struct ovl_record *record, size_t *copies, struct ovl_error *err);

/* Prints a note where launches did not come to their end, whose cells no command takes for values (group.h): how many,
   and which is the first; another of those that left no record. `side`: "old ", "new " or "". */
void ovl_inputs_note_unended(FILE *out, const struct ovl_record *record, const char *side);

/* Looks at a file that was read, and no failed launch left: it is untold, too, where the sweep.log tells of no such
   launch, or it began over a day before or after its attempt there, or has another SHA-256. Its runs are those from
   `first` on, of which those before `kept` count, and get the start of the attempt; a
   launch of which none does, such as one that a copy or a record of ovl_noise was written over, is owed then. */
void ovl_inputs_look_at_record(struct ovl_inputs *s, struct ovl_record *record, const char *path, size_t first,
                               size_t kept, struct ovl_unwritten_told *told);

/* Once all were: of over half of the launches, or of those of one job, an attempt failed before the one that is there.
   That is untold, too. */
void ovl_inputs_look_at_attempts(struct ovl_inputs *s);

/* Also untold is a cell that the options of all launches of a job ask for, and none has, where they ran to their end,
   and, unless cells are `filtered`, a job no launch of which left a cell: what all lost is not lost by one side. */
void ovl_inputs_look_at_cells(struct ovl_inputs *s, const struct ovl_record *record);

/* As ovl_inputs_look_at_attempts(), of all launches that began from `since` on, a start as in records: prints its line,
 * if nothing is untold yet. */
void ovl_inputs_look_since(struct ovl_inputs *s, const struct ovl_record *record, const char *since, FILE *out);

/* Counts the folders without a plan in which the files from `first` on lie, which one call added. */
void ovl_inputs_look_at_folders(struct ovl_inputs *s, size_t first);

/* Counts those beside a file that is to be added, once a folder; and a note of them, and of what is untold. */
void ovl_inputs_look_beside(struct ovl_inputs *s, const char *path);
void ovl_inputs_note_beside(FILE *out, const struct ovl_inputs *s);

/* What is untold of each of `sides` inputs, first faults alone, as JSON for an answer. A new reference. */
json_t *ovl_inputs_untold(const struct ovl_inputs *s, size_t sides);

/* A verdict over what was read: where the log of a sweep does not tell how records came about (`owed.untold`), what
   would be OVL_OK is OVL_INCONCLUSIVE. */
int ovl_inputs_exit(const struct ovl_inputs *s, int code);

/* The same where data were not checked (ovl_cell_unchecked in record/status.h). */
void ovl_inputs_note_unchecked(FILE *out, const struct ovl_record *record);

/* The same where others used the cores, by the load when it began or by stolen time: of baselines that is no gain. */
void ovl_inputs_note_disturbed(FILE *out, const struct ovl_record *record, const char *side);

/* The same of warnings that launches gave, such as of a quota, or of other processes, each with how many did; but for
   `all` not of those that each gave. */
void ovl_inputs_note_warnings(FILE *out, const struct ovl_record *record, bool all);
/* Each warning of the runs, and in how many it is. The caller gives it back. */
json_t *ovl_inputs_count_warnings(const struct ovl_record *record);

/* How many launches left nothing: no record, or one that breaks off before its first cell. */
size_t ovl_inputs_lost(const struct ovl_record *record);

#endif
