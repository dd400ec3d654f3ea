/* A scheme: how the exchanges of a transform are carried. Runs a pair, forwards and backwards, or a part of its work.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_SCHEME_H
#define OVL_APPS_FFT3D_SCHEME_H

#include "apps/fft3d/carrier.h"
#include "apps/fft3d/transform.h"
#include "bench/loop.h"

/* What of it is run; both for the answer. */
enum ovl_doing { OVL_DO_COMPUTE = 1, OVL_DO_EXCHANGE = 2, OVL_DO_BOTH = 3 };

struct ovl_scheme {
    struct ovl_transform *transform;
    struct ovl_carrier *carrier;
    const struct ovl_mode *mode; /* that carries; NULL: blocking calls */
    int chunks, window;
    struct ovl_flow flow[2]; /* forwards, backwards */

    /* While it runs. */
    bool back;
    int posted, landed; /* in this pass */
    int64_t post_ns, test_ns, wait_ns;
};

/* The carrier needs window + 1 slots for messages of ovl_carrier_largest(pencil, chunks). -1 when there is no memory.
 */
int ovl_scheme_make(struct ovl_scheme *s, struct ovl_transform *transform, struct ovl_carrier *carrier,
                    const struct ovl_mode *mode, int chunks, int window, struct ovl_error *err);
void ovl_scheme_free(struct ovl_scheme *s);

/* Collective: one pass over all variables. */
void ovl_scheme_pass(struct ovl_scheme *s, bool back, enum ovl_doing doing);

/* Collective: forwards, then backwards. What it took is added up in *parts. */
void ovl_scheme_pair(struct ovl_scheme *s, enum ovl_doing doing, struct ovl_parts *parts);

#endif
