/* The plan of an application: what each rank computes, posts and waits for, in which order, as data. One runner plays
   it (run.h), one checker says whether it can be played (check.h), and the bounds follow from it (bound.h). Nothing
   here knows MPI, or what is computed.

   A rank has two lanes of steps. The chain has all that is posted, and the computation that stands between one
   operation and the next; it is played in order. The bulk is computation that has its buffers and can wait: the runner
   takes it up where the chain has to wait, and leaves it, between two units, as soon as the chain can go on. A SYNC may
   stand in either, and all those of a team in one. A plan without bulk is a plain list.

       3D FFT     chain: produce a slab, POST it; WAIT for an older one, consume it. No bulk. Blocking exchanges: SYNC.
       HPL        chain: WAIT for a panel, COMPUTE the next columns, factor them, POST their panel. Bulk: the update of
                  all further columns, a group per panel, begun `after` the chain's group that waited for the panel
                  (apps/hpl/solve_plan.h).
       training   chain: COMPUTE a layer backwards, POST its bucket, ..., WAIT for all, step. Bulk: gradients of weights
                  in pipelines, among teams and with experts, for which only their sums and the step wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_PLAN_H
#define OVL_PLAN_PLAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum ovl_app_kind {
    OVL_APP_COMPUTE, /* in `units` pieces */
    OVL_APP_SYNC,    /* an operation that is waited for at once: nothing can be hidden behind it. Where a COMPUTE
                        communicates on the way, a SYNC in front of it, in its group, stands for that, and its hook does
                        nothing */
    OVL_APP_POST,    /* begins an operation in a slot that is free */
    OVL_APP_WAIT,    /* ends the operation of a slot, and frees it */
};

enum ovl_app_lane { OVL_LANE_CHAIN, OVL_LANE_BULK, OVL_LANES };

/* Which members must have begun an operation before it can end at a member. */
enum ovl_app_needs {
    OVL_NEEDS_ALL,     /* all of them: all-to-all, allreduce, allgather, barrier */
    OVL_NEEDS_ROOT,    /* the root: broadcast, scatter */
    OVL_NEEDS_AT_ROOT, /* at the root all of them, elsewhere nobody else: reduce, gather */
    OVL_NEEDS_NOBODY,  /* nothing has to move */
};

struct ovl_app_step {
    enum ovl_app_kind kind;
    int what;     /* the application's own word for it: which computation, which operation; alike at all members */
    int index;    /* the application's own: of which slab, panel, bucket */
    int mark;     /* the place of its time in the curve of the application, from 0; -1: in none */
    size_t after; /* groups of the other lane that must have ended before it may begin */
    int units;    /* COMPUTE: pieces, 1 or more */

    /* Buffers that it reads and writes, as the rank numbers them from 1; 0: none. An operation holds its buffers from
       POST to the end of WAIT: nobody may write what it reads, or touch what it writes. */
    int read, write;
    int buffers; /* how many it reads and writes from these on; 0 stands for 1 */

    int slot; /* POST, WAIT; of others the application's own */

    /* POST, SYNC: the n-th operation of each member of a team is the same operation. `ranks` is how many members it
       has, and `root`, a rank of the plan, the same at all of them. */
    int team, ranks, root;
    enum ovl_app_needs needs;
    double in, out; /* bytes that must come in and go out over the link of the rank's node for its sake */
};

enum { OVL_APP_GROUP_MOST = 256 };

struct ovl_app_plan {
    int ranks, slots;         /* slots: of each rank */
    bool work_alone;          /* may the COMPUTE steps run without any communication? */
    size_t groups[OVL_LANES]; /* the same at all ranks */
    const void *of;           /* the application's, for `group` */
    /* Writes the steps of a group, OVL_APP_GROUP_MOST at most, and returns how many: the same whenever it is asked. So
       a long plan needs no memory, and any rank knows what each one does. */
    int (*group)(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps);
};

/* The same with each operation waited for where it is posted. `plan` must stay where it is. */
struct ovl_app_plan ovl_app_blocking(const struct ovl_app_plan *plan);

/* All steps of all ranks, written out. */
struct ovl_app_steps {
    int ranks, slots;
    bool work_alone;
    size_t count; /* of all steps */
    struct ovl_app_list {
        struct ovl_app_step *steps;
        size_t *group; /* of each step */
        size_t count, room, groups;
        size_t first; /* number of its first step among those of all lists */
    } * lists;        /* [ranks][OVL_LANES] */
};

static inline const struct ovl_app_list *ovl_app_list(const struct ovl_app_steps *s, int rank, enum ovl_app_lane lane)
{
    return &s->lists[(size_t)rank * OVL_LANES + lane];
}

/* Groups that have ended when so many steps have. */
static inline size_t ovl_app_ended(const struct ovl_app_list *list, size_t steps)
{
    return steps < list->count ? list->group[steps] : list->groups;
}

/* -1 and OVL_ENVIRONMENT when there are more than `most` steps; then there is nothing to free. */
int ovl_app_steps_make(struct ovl_app_steps *s, const struct ovl_app_plan *plan, size_t most, struct ovl_error *err);
void ovl_app_steps_free(struct ovl_app_steps *s);

#endif
