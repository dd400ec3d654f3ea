/* One pass of the transform as a stream of exchanges: which is made ready, posted, waited for and taken in when. Knows
   neither MPI nor Fourier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_FLOW_H
#define OVL_APPS_FFT3D_FLOW_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The exchange of one slab of one variable, in the first or second transpose of the pass. */
struct ovl_flow_step {
    int variable, turn, chunk; /* turn: 0, 1 */
};

struct ovl_flow {
    int window;      /* exchanges that may be in flight while others are made ready; 0: each is taken in at once */
    bool carried[2]; /* does the first, the second transpose need an exchange? If not, its data stay where they are */
    struct ovl_flow_step *steps;
    size_t count;
};

/* `slot` counts from 0 to window: buffers of a step from `produce` to the end of `consume`. A hook that is NULL is left
   out. */
struct ovl_flow_ops {
    void (*produce)(void *self, const struct ovl_flow_step *step, int slot); /* computes and fills the message */
    void (*post)(void *self, const struct ovl_flow_step *step, int slot);
    void (*wait)(void *self, int slot);
    void (*consume)(void *self, const struct ovl_flow_step *step, int slot); /* empties the message and computes */
};

/* The order of `variables` x 2 transposes x `chunks`. The second transpose of a variable needs all of its first; where
   that is carried, the next variable's first transpose stands between the two. -1 when there is no memory. */
int ovl_flow_make(struct ovl_flow *flow, int variables, int chunks, int window, const bool carried[2],
                  struct ovl_error *err);
void ovl_flow_free(struct ovl_flow *flow);

/* Runs a pass. */
void ovl_flow_run(const struct ovl_flow *flow, const struct ovl_flow_ops *ops, void *self);

#endif
