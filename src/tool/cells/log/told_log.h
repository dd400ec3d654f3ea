/* What the sweep.log of a folder tells. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_LOG_TOLD_LOG_H
#define OVL_TOOL_CELLS_LOG_TOLD_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { OVL_LOG_LINE = 1 << 20 }; /* bytes that no line of a log comes to */

/* Launches are "JOB<tab>NUMBER". */
struct ovl_told_log {
    json_t *began;  /* when the last attempt at each began */
    json_t *done;   /* of which an attempt ended with a whole record: its SHA-256; "": the line holds none */
    json_t *failed; /* seconds of the longest attempt that failed */
    json_t *again;  /* of which an attempt before the last was good, or failed and took a tenth of its seconds or more:
                       who saw it may have chosen */
    json_t *said; /* jobs of which an attempt ended with OVL_WRONG_DATA, and left no wrong cell: the line of the log */
    json_t *open; /* seconds when an attempt began that has no end yet: its sweep may have been killed */
    json_t *last; /* when its last line was written */
    char *odd;    /* what is wrong with it, or NULL: "3: it does not follow", with the line */
    char first[65];        /* what its first line follows: the SHA-256 of the plan; "" in one of an older version */
    size_t lines, entries; /* of which are JSON objects */
    char **jobs;           /* --job of each time that it was opened; whole: it was opened without */
    size_t job_count;
    bool chained, budgeted, whole; /* each entry holds the SHA-256 of the line before; --budget left launches out */
};

/* Reads PREFIXsweep.log, whose prefix is "FOLDER/" or "", and frees what it has. A log that is not there has no line.
   It is odd, too, where what an attempt with wrong data left is gone or shows none. */
struct ovl_told_log ovl_told_log_read(const char *prefix);
void ovl_told_log_free(struct ovl_told_log *l);

/* Was a job among those that --job named, or were all wanted? */
bool ovl_told_log_wants(const struct ovl_told_log *l, const char *job);

/* Is the log of that plan (NULL: damaged), as it was read or with whole numbers as integers, as ovl sweep has it?
   `path` is the plan's. A log of an older version may be of any. */
bool ovl_told_log_is_of(const struct ovl_told_log *l, const json_t *plan, const char *path);

#endif
