/* The verdicts of a comparison: per cell the change from old launches to new ones, and what may be said of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_VERDICT_H
#define OVL_TOOL_VERDICT_H

#include "tool/group.h"
#include "tool/metric.h"

enum ovl_verdict {
    OVL_VERDICT_REGRESSED,
    OVL_VERDICT_INCONCLUSIVE,
    OVL_VERDICT_OK,
    OVL_VERDICT_IMPROVED,
    OVL_VERDICTS
};
extern const char *const ovl_verdict_names[OVL_VERDICTS];

struct ovl_gate {
    const struct ovl_field *metric;
    double delta;  /* how much worse is still well: part of the old value, or a difference for fractions */
    bool paired;   /* the first old launch with the first new one, and so on, in the order in which they began */
    bool any_work; /* compare values that follow the amount of work (metric->of_work) at unequal units too */
};

/* Ratios are new / old, differences new - old. */
struct ovl_change {
    const struct ovl_group *group;
    size_t old, new;    /* launches that count */
    size_t left_out;    /* invalid, unshaped or without a value */
    double before, now; /* medians over launches */
    double value, low, high;
    double p;          /* one-sided, of "at most delta worse", adjusted by Holm over the cells that have one */
    double detectable; /* the true change that is found REGRESSED in 80 % of cases at Holm's strictest step; NaN when
                          the spread is not known, and not finite when no change can be */
    double work;       /* new / old units of work, medians over launches */
    bool same_work;    /* all launches that count did exactly the same units */
    enum ovl_verdict verdict;
    char reason[96]; /* of INCONCLUSIVE */
};

struct ovl_changes {
    struct ovl_change *change; /* a row per group that the old side has */
    size_t count;
    size_t tested; /* those with a p value: the family of Holm */
    size_t verdicts[OVL_VERDICTS];
    size_t added;  /* groups that only the new side has */
    size_t unlike; /* cells whose launches did not the same work */
    size_t needed; /* launches a side with which one cell could be REGRESSED at Holm's strictest step */
};

/* Compares side 0 with side 1 of the groups. -1 when there is no memory. */
int ovl_changes_make(struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate,
                     struct ovl_error *err);
void ovl_changes_free(struct ovl_changes *c);

/* 1 when a cell is REGRESSED, else 2 when one is INCONCLUSIVE or none was compared, else 0. */
int ovl_changes_exit(const struct ovl_changes *c);

/* The value from which on a cell is worse than the gate allows: 1.05, 1 / 1.05 where more is better, or +-delta. */
double ovl_gate_line(const struct ovl_gate *gate);

#endif
