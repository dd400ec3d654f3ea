/* A scheme: how the exchanges of a transform are carried. Plays a pair, forwards and backwards, or a part of its work.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_SCHEME_H
#define OVL_APPS_FFT3D_SCHEME_H

#include "apps/fft3d/messages.h"
#include "apps/fft3d/transform.h"
#include "apps/fft3d/transform_plan.h"
#include "plan/run.h"

struct ovl_scheme {
    struct ovl_transform *transform;
    struct ovl_messages *messages;
    const struct ovl_mode *mode; /* who progresses the exchanges; NULL: blocking calls */
    struct ovl_transform_plan plan;
    size_t poll_lines;      /* test what is outstanding after so many lines; 0: never */
    struct ovl_app_run run; /* `seconds` are the caller's to set */
};

/* With transform, messages and mode given. Needs ovl_transform_plan_slots() messages of ovl_messages_largest(pencil,
   chunks). `node` as for ovl_transform_plan_make. The scheme stays where it is. -1 when there is no memory. */
int ovl_scheme_make(struct ovl_scheme *s, int chunks, int window, const int *node, struct ovl_error *err);
void ovl_scheme_free(struct ovl_scheme *s);

/* Collective: one pass over all variables. */
void ovl_scheme_pass(struct ovl_scheme *s, bool back, enum ovl_app_mask mask);

/* Collective: forwards, then backwards. What it took is in s->run. */
void ovl_scheme_pair(struct ovl_scheme *s, enum ovl_app_mask mask);

#endif
