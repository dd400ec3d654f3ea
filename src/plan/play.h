/* Plays the lanes of all ranks of a plan, in no time: an order in which each step follows all that it has to wait for.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_PLAY_H
#define OVL_PLAN_PLAY_H

#include "plan/match.h"

/* What of a plan is run. Steps that are not keep their places in groups. */
enum ovl_app_mask {
    OVL_MASK_TOTAL, /* T: all of it */
    OVL_MASK_COMM,  /* C: POST, WAIT and SYNC, in the plan's order */
    OVL_MASK_WORK,  /* W: COMPUTE */
    OVL_MASK_APART, /* T, but each operation is waited for as soon as it is posted: nothing overlaps */
};

struct ovl_app_at {
    int rank;
    enum ovl_app_lane lane;
    size_t index;
};

/* Fills order[all steps]. What may go on goes on, in either lane, so any plan that can end ends here. -1 and OVL_USAGE
   with one line on a rank that never ends under that mask. */
int ovl_app_play(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, enum ovl_app_mask mask,
                 struct ovl_app_at *order, struct ovl_error *err);

#endif
