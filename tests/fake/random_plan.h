/* Random plans of a few ranks, with the seconds of their steps: such as can be played, and such as may not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_RANDOM_PLAN_H
#define OVL_TESTS_FAKE_RANDOM_PLAN_H

#include "base/rng.h"
#include "plan/bound.h"

enum { RANDOM_PLAN_RANKS = 4, RANDOM_PLAN_STEPS = 64, RANDOM_PLAN_SLOTS = 3, RANDOM_PLAN_BUFFERS = 5 };

struct random_plan {
    struct ovl_app_plan plan; /* plan.of is this */
    struct random_list {
        struct ovl_app_step steps[RANDOM_PLAN_STEPS];
        size_t group[RANDOM_PLAN_STEPS];
        int count;
    } lists[RANDOM_PLAN_RANKS][OVL_LANES];
    int node[RANDOM_PLAN_RANKS];
    struct ovl_app_machine machine;
};

/* A plan that can be played: all ranks follow one order of operations, and a group waits for groups of the other lane
   that were made before it. `what` is the seconds of a COMPUTE, and the bytes that each member of an operation that
   sends has for each that gets. `buffers`: with buffers, each of one operation or one computation at a time. `bulk`:
   with a bulk. */
void random_plan_make(struct random_plan *p, struct ovl_rng *rng, int ranks, int operations, bool buffers, bool bulk);

/* Changes a step or two: the plan may no longer be one. */
void random_plan_spoil(struct random_plan *p, struct ovl_rng *rng);

/* A whole number of seconds from 0 to `most` for each step that takes any. */
void random_plan_seconds(const struct ovl_app_steps *s, struct ovl_rng *rng, int most, double *seconds);

#endif
