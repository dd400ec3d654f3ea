/* Which launch of the new side stands against which of the old one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_LAUNCH_PAIRS_H
#define OVL_TOOL_COMPARE_LAUNCH_PAIRS_H

#include "tool/cells/lost.h"

struct ovl_launch_pairs {
    const struct ovl_member **old, **new; /* as many of either side */
    size_t count;
    size_t unusable;  /* launches left out for what they hold */
    size_t unmatched; /* launches left out because the other side has none for them */
    size_t apart;     /* of these, launches of one number between whose starts other launches began: no pair */
    bool one_order;   /* of two and more pairs the same side began first in each */
    bool in_turns;    /* now the one side began first and now the other, and both launches of each pair had a machine in
                         common */
    bool by_number;   /* paired by launch number, else by start */
};

/* Pairs: old and new launch of one number (NNN of FOLDER/JOB/NNN.jsonl) that follow each other in time: what drifts
   over months must not pass for the difference of the sides. Where a launch has no number, or a side has a number
   twice, launches that follow each other in time, so that as many pairs as possible come about and then the shortest
   ways between them. No other launch of the cell lies between the two of a pair. A launch that is missing leaves the
   pairs of all others as they are, and a pair with an unusable launch is left out whole. */
void ovl_launch_pairs_match(struct ovl_launch_pairs *p, const struct ovl_group *group, ovl_launch_usable *usable,
                            const void *with);

/* The value of a launch that counts. */
typedef double ovl_launch_value(const struct ovl_member *m, const void *with);

/* No pairs: equal numbers of usable launches; of the side that has more those that are evenly spaced in the order of
   their values. */
void ovl_launch_pairs_level(struct ovl_launch_pairs *p, const struct ovl_group *group, ovl_launch_usable *usable,
                            ovl_launch_value *value, const void *with);
void ovl_launch_pairs_free(struct ovl_launch_pairs *p);

#endif
