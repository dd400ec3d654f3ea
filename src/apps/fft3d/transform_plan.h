/* The plan of a pair of transforms: a stream of exchanges, and which is made ready, posted, waited for and taken in
   when. Knows neither MPI nor Fourier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_TRANSFORM_PLAN_H
#define OVL_APPS_FFT3D_TRANSFORM_PLAN_H

#include "apps/fft3d/pencil.h"
#include "plan/plan.h"

/* The exchange of one slab of one variable, in the first or second transpose of a pass. */
struct ovl_slab_exchange {
    int variable, turn, chunk; /* turn: 0, 1 */
};

/* `what` of the plan's steps. `index` is that of ovl_transform_plan_exchange, `slot` of all of them the message, and
   `mark` the number of the exchange in the pair. */
enum ovl_transform_what {
    OVL_TRANSFORM_PRODUCE,  /* computes and fills the message of a slot */
    OVL_TRANSFORM_CONSUME,  /* empties it and computes */
    OVL_TRANSFORM_EXCHANGE, /* SYNC or POST */
    /* Of all slabs of a variable at once, whose messages lie in so many slots from that of the step on. */
    OVL_TRANSFORM_PRODUCE_ALL,
    OVL_TRANSFORM_CONSUME_ALL,
};

/* One pass, forwards or backwards. */
struct ovl_transform_plan_pass {
    bool carried[2];  /* does the first, the second transpose need an exchange? If not, its data stay where they are */
    bool second_idle; /* the second has nothing to do: backwards, where rows are not carried, lines along x go with y */
    struct ovl_slab_exchange *steps;
    int *posted, *landed; /* exchanges before each step, and before the end of the pass */
    int *first_ends;      /* [variables]: exchanges up to the last of a variable's first transpose */
    int count, exchanges;
};

/* All ranks' plan is that of one rank but for the bytes.

   Where rows need no exchange (P1 is 1), lines along x and y are transformed plane by plane while a plane is in the
   cache. Slabs, which are parts of x, would break that up: a plane would be walked once for each. So there all slabs of
   a variable are produced in one step forwards, and consumed in one backwards; two variables are then on their way at a
   time, whatever the window, and the other side still works slab by slab. The work is that of one slab. */
struct ovl_transform_plan {
    struct ovl_pencil pencil; /* of any rank */
    int variables, chunks;
    int window;      /* exchanges that may be in flight while others are made ready; 0: each is taken in at once */
    bool fused;      /* all slabs of a variable in one step, where P1 is 1 */
    const int *node; /* [ranks], of the caller; NULL: all on one */
    struct ovl_transform_plan_pass passes[2]; /* forwards, backwards */
    struct ovl_transform_plan_part {
        const struct ovl_transform_plan *plan;
        int first;
    } parts[2];
    struct ovl_app_plan pair, pass[2]; /* both passes, or one alone */
};

/* The order of `variables` x 2 transposes x `chunks`. The second transpose of a variable needs all of its first; where
   that is carried, the next variable's first transpose stands between the two. The struct stays where it is: its plans
   point to it. -1 when there is no memory. */
int ovl_transform_plan_make(struct ovl_transform_plan *plan, const struct ovl_pencil *pencil, int variables, int chunks,
                            int window, const int *node, struct ovl_error *err);
void ovl_transform_plan_free(struct ovl_transform_plan *plan);

/* Messages that a plan needs at a time. */
int ovl_transform_plan_slots(const struct ovl_pencil *pencil, int chunks, int window);

/* The exchange that a step of the plan belongs to, and whether it is of the backward pass. */
struct ovl_slab_exchange ovl_transform_plan_exchange(const struct ovl_transform_plan *plan, int index, bool *back);

/* The transpose of a step. Backwards the first one is that of columns. */
enum ovl_transpose ovl_transform_plan_transpose(const struct ovl_slab_exchange *step, bool back);

/* Is an exchange needed? Where a rank is alone in its row or column, its data stay where they are. */
bool ovl_transform_plan_carried(const struct ovl_pencil *pencil, enum ovl_transpose t);

#endif
