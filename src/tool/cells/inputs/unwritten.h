/* Launches that ovl sweep left without a record: NNN.log, NNN.partial, or NNN.before.log alone, beside no NNN.jsonl,
   and those of jobs that it never came to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_INPUTS_UNWRITTEN_H
#define OVL_TOOL_CELLS_INPUTS_UNWRITTEN_H

#include "record/record.h"

/* Is it NNN.jsonl, the name of a sweep's launch? */
bool ovl_unwritten_launch(const char *path);

/* Is it NNN.jsonl beside an NNN.log of which ovl_unwritten_log holds? */
bool ovl_unwritten_record(const char *path);

/* Is it NNN.log, or the NNN.before.log of a launch without one, and neither NNN.jsonl nor NNN.partial is there? */
bool ovl_unwritten_log(const char *path);

/* Is it NNN.partial of a launch that no later attempt left a record of? */
bool ovl_unwritten_partial(const char *path);

/* What the folders of sweeps owe, and do not tell. Start with a zeroed one. */
struct ovl_unwritten_list {
    bool attempts; /* the caller's: it looks at each attempt of the log itself, so wrong data of no cell are no error */
    char **path;   /* FOLDER/JOB/NNN.jsonl of launches of which nothing is there; texts of their own */
    size_t count;
    char *untold; /* of the first folder whose log does not tell how its records came about: what; NULL: of none */
    size_t untold_count;
    char *unasked; /* jobs that --job left out each time, with commas; NULL: none */
};

/* Of a folder with a sweep's plan.json, and of one of its jobs alone where `only` is not NULL: adds each launch of
   which nothing is there: the sweep may have been killed before it, or its lines at the end of sweep.log were removed
   with its files. Launches that by the log --budget left out are passed over, but for the first of each job, and so are
   jobs that --job left out each time. A log that is gone, or whose lines hold no SHA-256, is untold where there
   are records. Without a log and records no sweep was there. -1 and OVL_WRONG_DATA where a line of the log does not
   follow from the one before, or the first one from the plan, or what an attempt with wrong data left is gone, or shows
   none; or where one of our programs ended with the code of wrong data and left no wrong cell. */
int ovl_unwritten_jobs(struct ovl_unwritten_list *list, const char *folder, const char *only, struct ovl_error *err);

/* What the folders of sweeps tell, each of which is read once. Start with a zeroed one. */
struct ovl_unwritten_told {
    json_t *folders;
};

/* Adds such a launch, whose `path` must outlive the record: when it began, by the sweep.log of its folder, or by the
   time of the file, or, where it never did, when that log ends; and its benchmark, by the program of the job in
   plan.json. */
void ovl_unwritten_add(struct ovl_record *record, const char *path, struct ovl_unwritten_told *told);

/* Was there an attempt at the launch FOLDER/JOB/NNN.jsonl before the last, by its sweep.log, that was good, or failed
   and took a tenth of the good one or more? */
bool ovl_unwritten_again(struct ovl_unwritten_told *told, const char *path);

/* When the last attempt at the launch FOLDER/JOB/NNN.jsonl began by its sweep.log; NULL: that does not tell. Lent by
 *told. */
const char *ovl_unwritten_began(struct ovl_unwritten_told *told, const char *path);
/* The SHA-256 of its record by there; NULL or "": that does not tell. */
const char *ovl_unwritten_sha256(struct ovl_unwritten_told *told, const char *path);

/* Is the record in the folder of a sweep, at any depth, and tells a sweep.log there, each of whose lines holds a
   SHA-256, of no whole record by this name? */
bool ovl_unwritten_stranger(struct ovl_unwritten_told *told, const char *path);
void ovl_unwritten_told_free(struct ovl_unwritten_told *told);

#endif
