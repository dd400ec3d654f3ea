/* DIR/sweep.log of a sweep: a line of JSON when an attempt at a launch starts, and one when it ends. No line is ever
 * replaced. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_LOG_H
#define OVL_TOOL_SWEEP_LOG_H

#include "tool/plan.h"
#include "tool/process.h"

#include <stdbool.h>

/* The attempts at one launch. */
struct ovl_attempts {
    size_t count;
    size_t failed;  /* of these, ended without a whole record */
    size_t unended; /* of these, without a line for their end: the sweep was killed, or is still at work */
    bool open;      /* the latest has no such line yet */
};

struct ovl_sweep_log {
    struct ovl_attempts *launch; /* by ovl_plan_place() */
    bool cut;                    /* its last line has no line end */
    size_t lines;
};

/* Reads the log of a plan's sweep; without a file of that name there were no attempts. Lines of version 0.1, which
   wrote only ends, are attempts too. A line that was cut short by a crash is passed over where it is the last, or where
   the sweep said so when it went on: a launch starts only after its line is on disk. -1 with *err: OVL_WRONG_DATA with
   file and line when another one is damaged, OVL_ENVIRONMENT when the file cannot be read. */
int ovl_sweep_log_read(struct ovl_sweep_log *log, const struct ovl_plan *plan, const char *path, struct ovl_error *err);
void ovl_sweep_log_free(struct ovl_sweep_log *log);

/* Each adds one line, on disk when it returns; `path` is for the error. After a cut line, before any other. */
int ovl_sweep_log_resumed(const struct ovl_sweep_log *log, int fd, const char *path, struct ovl_error *err);
int ovl_sweep_log_started(int fd, const char *path, const struct ovl_launch *l, size_t attempt, struct ovl_error *err);

/* `why` may hold any bytes. */
int ovl_sweep_log_ended(int fd, const char *path, const struct ovl_launch *l, size_t attempt, bool done,
                        const char *why, const struct ovl_process *p, struct ovl_error *err);

#endif
