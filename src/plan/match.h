/* The operations of a plan: whose posts belong together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_MATCH_H
#define OVL_PLAN_MATCH_H

#include "plan/plan.h"

#include <stdint.h>

#define OVL_APP_NO_OP SIZE_MAX

struct ovl_app_op {
    int team, ranks, root, what;
    enum ovl_app_kind kind; /* POST or SYNC: the same at all members */
    enum ovl_app_needs needs;
    enum ovl_app_lane lane; /* where it stands: the same at all members, and for all operations of a team */
    size_t place;           /* its turn among the team's, from 0 */
    /* POST or SYNC, and WAIT (SYNC again), of each member: steps of that lane, in the order of ranks. */
    struct ovl_app_member {
        int rank;
        size_t post, wait;
    } * members;
    int count;
};

struct ovl_app_ops {
    struct ovl_app_op *ops;
    size_t count;
    size_t *of; /* [all steps]: the operation of a POST, WAIT or SYNC; else OVL_APP_NO_OP */
};

/* -1 and OVL_USAGE with one line where the steps do not fit together: a step that no plan may have, a slot that is
   taken or empty, members of a team that do not post the same, too few or too many of them. Then there is nothing to
   free. */
int ovl_app_ops_match(struct ovl_app_ops *ops, const struct ovl_app_steps *s, struct ovl_error *err);
void ovl_app_ops_free(struct ovl_app_ops *ops);

/* An operation ends at a member that gets something no earlier than all have posted that send something. */
static inline bool ovl_app_sends(const struct ovl_app_op *op, int rank)
{
    return op->needs == OVL_NEEDS_ROOT ? rank == op->root : op->needs != OVL_NEEDS_NOBODY;
}

static inline bool ovl_app_gets(const struct ovl_app_op *op, int rank)
{
    return op->needs == OVL_NEEDS_AT_ROOT ? rank == op->root : op->needs != OVL_NEEDS_NOBODY;
}

#endif
