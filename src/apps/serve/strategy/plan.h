/* Events of served requests as a plan: the frame's checker, runner and bounds take it from there. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STRATEGY_PLAN_H
#define OVL_APPS_SERVE_STRATEGY_PLAN_H

#include "apps/serve/strategy/strategy.h"
#include "plan/plan.h"

enum { OVL_SERVE_WORD = 4 }; /* bytes of the words that keys and values go as */

struct ovl_serve_plan {
    struct ovl_serve_ask ask;
    const struct ovl_serve_strategy *strategy;
    double scale_bytes; /* messages are so many times smaller */
    int tests;          /* calls to test a piece of work */
    const int *node;    /* [ranks], below their number, of the caller; NULL: all on one */
    struct ovl_app_plan plan;
    struct ovl_serve_plan *self; /* what the plan points to: it keeps the last rank that was asked for */

    struct ovl_serve_lane {
        int rank;
        struct ovl_serve_events events;
        struct ovl_app_step *steps; /* of every event but STEP; `index` is the number of the event */
        size_t count;
    } own, other; /* of the rank that runs, and of the last other one that was asked for */
};

/* The plan of all ranks, `rank` of which runs. It stays where it is: its plan points to it. -1 with *err as by the
   strategy's `build`; then ovl_serve_plan_close all the same. */
int ovl_serve_plan_open(struct ovl_serve_plan *p, int rank, struct ovl_error *err);
void ovl_serve_plan_close(struct ovl_serve_plan *p);

/* Numbers of a message, at the scale of the plan: activations, or words of keys and values; 1 at least. */
double ovl_serve_numbers(const struct ovl_serve_plan *p, const struct ovl_event *post);
double ovl_serve_element(const struct ovl_serve_plan *p, const struct ovl_event *post);

#endif
