/* Record files: JSON Lines, written so that a killed job keeps its finished cells, read so that a truncated file is
 * usable. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_RECORD_H
#define OVL_RECORD_RECORD_H

#include "record/cell.h"
#include "record/node.h"

#define OVL_RECORD_SCHEMA "2.11.0"

/* Bytes of the longest line that is read: a cell of a million blocks, the most that a driver takes, has about 350 MB.
 */
enum { OVL_RECORD_LINE_MOST = 512 << 20 };

/* One run of a file: the `run` line, its cells, the nodes of ovl_noise, and the `end` line (NULL: truncated, but
   usable). */
struct ovl_run {
    const char *file; /* as given to ovl_record_read; of the caller */
    json_t *head, *end;
    double began; /* of a sweep's launch: when its attempt began by sweep.log (tool/cells/inputs/inputs.h), in seconds;
                     else 0 */
    bool
        again; /* of a sweep's launch: an earlier attempt might have been chosen against (tool/cells/inputs/inputs.h) */
    struct ovl_cell *cells;
    size_t cell_count;
    struct ovl_node *nodes;
    size_t node_count;
};

/* A launch of a sweep that left no run line. */
struct ovl_unwritten {
    const char *file; /* of what it left, NNN.log or NNN.partial; of the caller */
    char started[24]; /* as in a run line */
    char *benchmark;  /* "" where it is not known */
};

struct ovl_record {
    struct ovl_run *runs;
    size_t run_count;
    struct ovl_unwritten *unwritten; /* of who reads what failed launches left (tool/cells/inputs/inputs.h) */
    size_t unwritten_count;
    bool ways_chosen; /* a filter left out cells by the way of doing their work, such as the mode */
    json_t *offloads; /* an array of offload and launch lines, which belong to no run; NULL: there are none */
};

/* Adds all runs and offload lines of a file to *record (start with a zeroed one), without control characters in its
   texts (printable.h). Derived values are those of the line. A line that a killed job cut short is passed over: the
   last one, or one before a new `run` line. -1 with the file, line and field: OVL_ENVIRONMENT when it cannot be read,
   OVL_WRONG_DATA when it is damaged or no record; what was read until then stays in *record. Free it by ovl_record_free
   in any case. */
int ovl_record_read(struct ovl_record *record, const char *path, struct ovl_error *err);

/* The same without the samples, which are most of a file: what is derived is taken as it is stored (`ovl validate`
   checks that). */
int ovl_record_read_brief(struct ovl_record *record, const char *path, struct ovl_error *err);
void ovl_record_free(struct ovl_record *record);

/* Keeps the first `count` runs and frees the others. */
void ovl_record_cut(struct ovl_record *record, size_t count);

/* Calls `visit` with every parsed line of the file, in order; the json is lent, and null for a last line that is
   cut short, as a killed job leaves it. Stops at the first -1. For ovl_record_read and for validation. */
int ovl_record_lines(const char *path, int (*visit)(void *to, json_t *line, size_t number, struct ovl_error *err),
                     void *to, struct ovl_error *err);

/* Why this ovl does not read a line: a run of another `schema` than 2.y, or what is simulated. NULL where it does. */
const char *ovl_record_foreign(const json_t *line);

/* The host cell of the same run that was measured in the same blocks and carries a claim, of several the quickest; NULL
   without one. */
const struct ovl_cell *ovl_run_host_beside(const struct ovl_run *run, const struct ovl_cell *cell);

/* T of that cell over T of this one, which is of dpu mode; from the samples. NaN where there is none. */
double ovl_run_offload_efficiency(const struct ovl_run *run, const struct ovl_cell *cell);

/* NULL where the program came to its end; else what its end line says instead: "failed", "interrupted", "no end line",
   and "damaged" where it tells of another number of cells than the file has.
   What such a launch measured before shows nothing of the launch, which crashed, hung or was killed. Lent. */
const char *ovl_run_unended(const struct ovl_run *run);

/* Why no value of that cell may be taken for a measurement of the launch, whatever is made of it, a median, a chart or
   a ratio: NULL where it may; else "wrong" (data), "invalid", "unshaped", "emulated", "one rank", "idle workers", by
   ovl_cell_claims (status.h), or "cut short", where the launch did not come to its end. Every command that reads
   records asks this. */
const char *ovl_run_no_claim(const struct ovl_run *run, const struct ovl_cell *cell);

/* Is it one of ovl_noise, with nodes in place of cells? */
bool ovl_run_is_noise(const struct ovl_run *run);

/* A text field of a `run` line, or "" when it is not there. */
const char *ovl_run_text(const struct ovl_run *run, const char *field);

/* Of the "ovl_version" of a line: is it of a version whose options, defaults and fields this one knows, by the schema?
   Those from 0.2.0 up to this one. A newer one may have others. */
bool ovl_version_is_known(const char *version);

/* Ranks of one operation of the cell: those of its communicator, of which --group makes several. */
double ovl_run_operation_ranks(const struct ovl_run *run, const struct ovl_cell *cell);

#endif
