/* The verdicts of a comparison: per cell the change from old launches to new ones, and what may be said of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_VERDICT_H
#define OVL_TOOL_COMPARE_VERDICT_H

#include "stats/family.h"
#include "tool/cells/group.h"
#include "tool/cells/metric.h"

extern const char *const ovl_verdict_names[OVL_VERDICTS];

struct ovl_gate {
    const struct ovl_field *metric;
    double delta;  /* how much worse is still well: part of the old value, or a difference for fractions */
    bool paired;   /* launches were taken in turns: see launch_pairs.h */
    bool any_work; /* compare values that follow the amount of work (metric->of_work) at unequal units too */
};

/* Ratios are new / old, differences new - old. */
struct ovl_change {
    const struct ovl_group *group;
    size_t launches;    /* that count, of either side */
    size_t unusable;    /* left out: of no claim or without a value, and the other one of such a pair */
    size_t wrong;       /* launches of the new side with wrong data: REGRESSED, however quick the others are */
    size_t unmatched;   /* left out: the other side has no launch for them */
    size_t apart;       /* of these: of one number, but other launches began between them */
    size_t gone;        /* of either side: did not come to their end, lack the cell, or left no record */
    double before, now; /* medians over launches */
    double value;
    double low, high; /* where the true change is, for all cells together: each end with 95 %; not finite without one */
    double p;         /* one-sided, of "at most delta worse", adjusted for all cells that have one */
    double detectable; /* the true change that is found REGRESSED in 80 % of cases at the strictest step; NaN when the
                          spread is not known, and not finite when no change can be */
    double work;       /* new / old units of work, medians over launches */
    double beside;     /* the same of W / C */
    bool same_work;    /* all launches that count did exactly the same units */
    bool same_model;   /* and had the same model, whatever the metric */
    double odd_ratio;  /* W / C as a multiple of compute.ratio where it is far from 1 (odd_ratio.h), else NaN */
    double pace;       /* new / old time of the same work where its 95 % interval lies outside 0.98 .. 1.02, else NaN */
    size_t stalls;     /* pairs that are worse by over twice the margin, where they are too many (stalls.h), else 0 */
    bool own_work;     /* that work is the program's own: no record tells its units */
    bool in_turns;     /* pairs on one machine, of which now the one side began first and now the other */
    bool by_rest;      /* T - W was asked, too */
    bool slower;       /* then: T by itself is worse than the margin */
    bool by_difference; /* a ratio's values are not all above 0: the change is 1 + (new - old) / (median of old) */
    bool passes;        /* the cell alone shows that it is less than delta worse */
    enum ovl_verdict verdict;
    char reason[160]; /* of INCONCLUSIVE, and of what is REGRESSED for its data */
};

struct ovl_changes {
    struct ovl_change *change; /* a row per group that the old side has, or in which the new side has wrong data */
    size_t count;
    size_t tested; /* those with a p value: the family */
    size_t verdicts[OVL_VERDICTS];
    size_t passing;   /* cells that pass */
    size_t wrong;     /* cells in which the new side has wrong data */
    size_t added;     /* groups that only the new side has, and that have no row */
    size_t unlike;    /* cells whose launches did not the same work */
    size_t needed;    /* launches a side, or pairs, with which one cell could be REGRESSED at the strictest step */
    size_t by_number; /* cells whose launches were paired by their numbers */
    size_t one_order; /* cells in all of whose pairs the same side began first */
};

/* Compares side 0 with side 1 of the groups. */
void ovl_changes_make(struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate);
void ovl_changes_free(struct ovl_changes *c);

/* 1 when a cell is REGRESSED, by its values or its data; 0 when the gate passes, that is, when each cell does; else 2.
 */
int ovl_changes_exit(const struct ovl_changes *c);

/* The value from which on a cell is worse than the gate allows: 1.05, 1 / 1.05 where more is better, or +-delta. */
double ovl_gate_line(const struct ovl_gate *gate);

/* Of a change with a pace: "the machine computes 3.7 % slower", in turns "the same work takes 3.7 % longer", or, of
   work of the program's own, "its own computation takes 3.7 % longer". */
void ovl_change_pace(const struct ovl_change *c, char text[80]);

/* Writes why a cell that was tested among so many is INCONCLUSIVE into its reason. */
void ovl_change_reason(struct ovl_change *c, size_t cells);

/* What ovl_change_pace says, a value that is no ratio, launches left out: what belongs to a verdict besides
   its reason; "" for most. */
void ovl_change_note(const struct ovl_change *c, char note[200]);

#endif
