/* One metric of each point over launches in order of time, and where it changed (stats/change_points.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_HISTORY_H
#define OVL_TOOL_COMPARE_HISTORY_H

#include "stats/change_points.h"
#include "table/columns.h"
#include "tool/cells/group.h"
#include "tool/cells/metric.h"

#include <stdio.h>

struct ovl_history_how {
    const struct ovl_field *metric;
    const char *since; /* a date, or the beginning of a revision: changes from there on are new; NULL: none is */
    double delta;      /* changes that are not greater do not count: a part of the value, a difference for fractions */
    bool any_work;     /* look at values that follow the amount of work (metric->of_work) at unequal units too */
};

struct ovl_history_change {
    size_t at;            /* index of the first launch behind it */
    size_t first, last;   /* the same of the first and the last place that it may have (stats/change_points.h) */
    double before, after; /* medians of the launches from the change before to this one, and on to the next */
    double value;         /* after / before, NaN where one of them is not above 0; or after - before */
    double mean;  /* the same of means, of logarithms where there is a ratio, without the worst launch of each */
    double sum;   /* of a fresh one that is not the first: the same from before the first fresh one on */
    bool worse;   /* its median or its mean */
    bool by_mean; /* only its mean is worse, or worse by more than delta */
    bool within;  /* not greater than delta: what is worse, or the median */
    bool in_sum;  /* is within, but with the changes since `since` before it worse by more than delta */
    bool fresh;   /* may be at `since` or later: its last possible place is */
};

/* Is the order of launches, which is by their dates, known? */
struct ovl_history_order {
    const struct ovl_run *odd; /* a launch whose date cannot be right; NULL: it is known */
    const char *why;
};

/* A cell, or what it did at one amount of work. */
struct ovl_history_point {
    const struct ovl_group *group;
    char label[384];                  /* the group's, and its work where it has several points */
    const struct ovl_member **launch; /* those with a value and a claim, by the start of their run, then its revision */
    double *value;
    size_t count;
    size_t unusable;   /* left out of the group, told at its first point: of no claim or without a value */
    size_t other_work; /* the same: did work that too few launches did */
    bool looked_at;    /* has enough launches */
    struct ovl_history_change *change;
    size_t change_count;
};

struct ovl_history {
    struct ovl_history_how how;
    char since[24]; /* the start from which on changes are new; "" without `since` */
    struct ovl_history_point *point;
    size_t count, looked_at;
    size_t needed;        /* launches that a point must have to be looked at */
    size_t worse, better; /* changes beyond delta */
    size_t new_worse;     /* new ones for the worse, beyond delta each or in sum */
    size_t in_sum;        /* of these: in sum alone */
    size_t by_mean;       /* changes that fail in the mean alone */
    size_t blind;         /* cells with launches enough of which nothing is known from `since` on (history_since.c) */
    bool pastless;        /* no cell has a value before `since`: all of these are blind */
    size_t silent; /* others of these that are measured no more, while a cell beside them is; the first of them */
    const struct ovl_group *silent_first;
    const char *silent_last;        /* when its last launch began */
    size_t moved;                   /* launches from `since` on at settings that none had before */
    const struct ovl_run *moved_to; /* the first of them */
    struct ovl_history_order order;
    size_t undated; /* launches that tell no time at which they began: in no point */
    const struct ovl_run *undated_first;
    size_t wrong; /* cells in which a launch from `since` on has wrong data */
};

/* Looks at all points of the groups, which must outlive it, as one family: a false change anywhere has at most the
   probability OVL_CHANGE_ALPHA. -1 and OVL_USAGE when no launch is of the revision `since`. */
int ovl_history_make(struct ovl_history *h, const struct ovl_groups *groups, const struct ovl_history_how *how,
                     struct ovl_error *err);
void ovl_history_free(struct ovl_history *h);

/* history_since.c: finds blind, silent and wrong cells. A launch from `since` on shows something of a cell where it was
   looked at beside launches before `since`; of a cell that none of them had, beside others that they had, each does. A
   cell is blind where none does, where more launches show nothing than something, or where the last OVL_HISTORY_SILENT
   show nothing: as many show a large regression. A launch of the cell's benchmark and job that was cut short shows
   nothing, even where it did not come to the cell, and neither do those at settings that none had before, such as on
   other ranks: the job may have been moved there. A cell is silent where it should have been measured
   OVL_HISTORY_SILENT times since its last launch, by another cell: that one has over so many times as many launches
   since then as it ever had between two launches of this one, or over so many where it had none there. */
enum { OVL_HISTORY_SILENT = 3 };
void ovl_history_look_since(struct ovl_history *h, const struct ovl_groups *groups);

/* history_clock.c: not known where a launch began over a day after now, or before 2020, or over a day before or after
   its attempt in sweep.log, or where launches of a folder did not begin in the order of their attempts there or,
   without a log, of their numbers (NNN.jsonl). */
struct ovl_history_order ovl_history_order(const struct ovl_groups *groups);

/* Does its `started` tell a time, such as 2026-01-31T23:59:59Z? */
bool ovl_history_dated(const struct ovl_run *run);

/* 1 when there is a new change for the worse, or new wrong data, 2 when no point could be looked at, a cell is blind
   or silent, or with `since` the order is not known or a launch is undated, else 0. */
int ovl_history_exit(const struct ovl_history *h);

/* history_judge.c: says of each change of a point whether it is worse, and how much, and counts it. */
void ovl_history_judge(struct ovl_history *h, const struct ovl_history_point *p);

/* Is it one for the worse that does not pass? */
bool ovl_history_fails(const struct ovl_history_change *c);

/* "WORSE", "new BETTER", "WORSE, within 0.05", "new WORSE in the mean 1.320", "new WORSE, within 0.05, but 1.082 since
   2026-08-20". */
enum { OVL_HISTORY_VERDICT = 112 };
void ovl_history_verdict(const struct ovl_history *h, const struct ovl_history_change *c,
                         char text[OVL_HISTORY_VERDICT]);

/* "149-151": the numbers of the launches at which it may be; one where it can be at no other. */
void ovl_history_places(const struct ovl_history_change *c, char text[48]);

/* "v1.0 -> v1.1": of the launches on both sides of its possible places; one where they are the same. */
void ovl_history_revisions(const struct ovl_history_point *p, const struct ovl_history_change *c, char text[96]);

/* The table, in any form: a row for each change, and each point without one. */
extern const struct ovl_column ovl_history_columns[];
void ovl_history_table(FILE *out, const struct ovl_table_writer *writer, const struct ovl_history *h);

/* Prints it, what differs in the settings over the possible places of each change, and the outcome. */
void ovl_history_print(const struct ovl_history *h);

/* Lines of it: how changes are found, what was left out, and what the exit code says. */
void ovl_history_put_method(FILE *out, const struct ovl_history *h);
void ovl_history_put_left_out(FILE *out, const struct ovl_history *h);
void ovl_history_put_outcome(FILE *out, const struct ovl_history *h);

/* Draws by plot/history.gp into FILE (tool/chart/file.h): a panel per point, those that changed first, 12 at most.
   OVL_INCONCLUSIVE when no point has two launches. */
int ovl_history_chart(const struct ovl_history *h, const char *subtitle, const char *file, struct ovl_error *err);

#endif
