/* DIR/sweep.log of a sweep: a line of JSON when the sweep starts or is resumed, when an attempt at a launch starts, and
 * when it ends. No line is ever replaced: each holds the SHA-256 of the line before it, the first one that of the plan.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_LOG_H
#define OVL_TOOL_SWEEP_LOG_H

#include "tool/sweep/plan/plan.h"
#include "tool/util/process.h"

#include <stdbool.h>

/* The attempts at one launch. */
struct ovl_attempts {
    size_t count;
    size_t failed;   /* of these, ended without a whole record */
    size_t wrong;    /* that left a cell with wrong data, by "wrong_data", or by their files where one has no end */
    size_t said;     /* of the others, with OVL_WRONG_DATA, which means that of our own programs only */
    size_t unended;  /* of these, without a line for their end: the sweep was killed, or is still at work */
    bool open;       /* the latest has no such line yet */
    bool latest_odd; /* another launcher started it than the plan's (started_by.h) */
    char began[32];  /* when the latest started, "" where the log does not tell */

    /* Of the last attempt that left a whole record: when it ran, and what it left; "" where the log does not tell. */
    char started[32], ended[32], record_sha256[65];
    size_t whole;   /* the number of that attempt; 0: none */
    bool odd;       /* latest_odd of it */
    size_t line;    /* of the log, that tells its end */
    bool no_record; /* by ovl_sweep_there_ask: what has the name of its record is none */
    bool unnamed;   /* by that: its record has not got its name yet */
    char named[65]; /* SHA-256 of the record that got its name in this very sweep; "": none did */
    bool doubtful;  /* it ended with OVL_INCONCLUSIVE: a cell of its record is invalid */
    double seconds; /* that it took; 0 where the log does not tell, and */
    bool timed;     /* whether it does */
};

/* When and how the sweep was at work, for who judges it: a log whose end was cut off and measured again has a start
   more, and a pause in which the lines that are gone were made. */
struct ovl_sweep_work {
    size_t starts;     /* lines of a start or a resume; 0: the log is of an older version */
    double pause;      /* seconds, the longest between the end of an attempt and the start of the next */
    char before[128];  /* that next attempt, "host, launch 3" */
    json_t *hosts;     /* on which it was started, and */
    json_t *launchers; /* the words before the program, as objects TEXT -> how often */
    size_t ended;      /* attempts whose end it tells */
    json_t *digests;   /* SHA-256 of each line that holds that of the one before -> how many had ended by then, or -1 of
                          a line that tells of no attempt */
};

struct ovl_sweep_log {
    const char *path;            /* of the caller */
    int fd;                      /* open for adding lines, by the caller, and closed by ovl_sweep_log_free; 0: not */
    struct ovl_attempts *launch; /* by ovl_plan_place() */
    struct ovl_sweep_work work;
    bool cut;      /* its last line has no line end */
    bool budgeted; /* --budget left launches out, of which some may have followed */
    size_t lines;
    size_t resumed;   /* lines that say that the one before was cut */
    bool chained;     /* a line holds the SHA-256 of the one before it, so that all that follow must */
    size_t unchained; /* lines before that one: of an older version */
    char last[65];    /* SHA-256 of the last line without its line end; of a log without lines that of the plan */
};

/* Reads the log of a plan's sweep; without a file of that name there were no attempts. Lines of version 0.1, which
   wrote only ends, are attempts too. A line that was cut short by a crash is passed over where it is the last, or where
   the sweep said so when it went on: a launch starts only after its line is on disk. -1 with *err: OVL_WRONG_DATA with
   file and line when another one is damaged, or when a line does not follow from the one before it: from the first
   line that holds a SHA-256 on all must. OVL_ENVIRONMENT when the file cannot be read. */
int ovl_sweep_log_read(struct ovl_sweep_log *log, const struct ovl_plan *plan, const char *path, struct ovl_error *err);
void ovl_sweep_log_free(struct ovl_sweep_log *log);

/* Each adds one line, on disk when it returns. After a cut line, before any other. */
int ovl_sweep_log_resumed(struct ovl_sweep_log *log, struct ovl_error *err);
/* That the sweep starts, or goes on (`resume`), on this machine, with the `jobs` of --job, NULL where all are wanted.
 */
int ovl_sweep_log_opened(struct ovl_sweep_log *log, bool resume, const char *jobs, json_t *set, struct ovl_error *err);

/* With the launcher's words, of which the environment may have some; NULL: they are not told. */
int ovl_sweep_log_started(struct ovl_sweep_log *log, const struct ovl_launch *l, size_t attempt, json_t *launcher,
                          struct ovl_error *err);

/* That the budget left out so many launches, which have no attempt then. */
int ovl_sweep_log_budgeted(struct ovl_sweep_log *log, double seconds, size_t left_out, struct ovl_error *err);

/* How an attempt ended. */
struct ovl_attempt_end {
    const char *why;           /* may hold any bytes */
    const char *record_sha256; /* of the whole record that it left; NULL when it failed */
    const struct ovl_process *process;
    bool wrong_data; /* some cell of what it left has wrong data, whatever it ended with */
};
int ovl_sweep_log_ended(struct ovl_sweep_log *log, const struct ovl_launch *l, size_t attempt,
                        const struct ovl_attempt_end *end, struct ovl_error *err);

#endif
