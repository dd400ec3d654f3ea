/* Events of a training step as a plan: the frame's checker, runner and bounds take it from there. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_STEPS_H
#define OVL_APPS_TRAIN_STRATEGY_STEPS_H

#include "apps/train/moe/tokens.h"
#include "apps/train/strategy/strategy.h"
#include "plan/plan.h"

struct ovl_train_plan {
    struct ovl_train_ask ask;
    const struct ovl_strategy *strategy;
    double scale_bytes;              /* messages are so many times smaller */
    const struct ovl_number *halves; /* what gradients are rounded to on their way; NULL: they are not */
    bool compressed; /* how many bytes go over links is not known: the plan's bounds have none of them */
    int tests;       /* calls to test a layer */
    const int *node; /* [ranks], below their number, of the caller; NULL: all on one */
    struct ovl_app_plan plan;
    struct ovl_moe_counts counts; /* of tokens, for the lanes of ranks that do not run */
    struct ovl_train_plan *self;  /* what the plan points to: it keeps the last rank that was asked for */

    struct ovl_train_lane {
        int rank;
        struct ovl_events events;
        struct ovl_app_step *steps; /* of every event but STEP and bulk work; `index` is the number of the event */
        struct ovl_app_step *bulk;  /* of bulk work, a group each */
        size_t count, bulk_count;
        size_t *begin, groups; /* the first step of each of the chain's groups, and behind the last one `count` */
    } own, other;              /* of the rank that runs, and of the last other one that was asked for */
};

/* The plan of all ranks, `rank` of which runs. It stays where it is: its plan points to it. -1 with *err as by the
   strategy's `build`; then ovl_train_plan_close all the same. */
int ovl_train_plan_open(struct ovl_train_plan *p, int rank, struct ovl_error *err);
void ovl_train_plan_close(struct ovl_train_plan *p);

/* Only the lane `own`, of one rank after the other: what --plan asks for, which plays nothing, and has no routes of
   single tokens. As above. */
int ovl_train_plan_rank(struct ovl_train_plan *p, int rank, struct ovl_error *err);

/* A rank's share of the bytes that come in over its node's link at least, as for the drivers (cli/link.h), for an
   operation of so many on so many nodes, `here` of them on the rank's. By an allreduce the busiest node gets them. */
double ovl_train_link_share(enum ovl_operation operation, double size, double ranks, int nodes, int here);

/* Numbers of a message, at the scale of the plan: 1 at least. Of all-to-all as many for each member. Of tokens, words
   of four bytes that this rank sends. */
size_t ovl_train_numbers(const struct ovl_train_plan *p, const struct ovl_event *post);
/* What they are, before halves: tokens are words of four bytes, whatever the model's numbers are. And on their way. */
const struct ovl_number *ovl_train_number_type(const struct ovl_train_plan *p, const struct ovl_event *post);
const struct ovl_number *ovl_train_number_row(const struct ovl_train_plan *p, const struct ovl_event *post);
double ovl_train_bytes(const struct ovl_train_plan *p, const struct ovl_event *post);

/* Words of four bytes that a token has, at the scale of the plan: 1 at least. */
enum { OVL_TRAIN_WORD = OVL_MOE_WORD };
size_t ovl_train_token_words(const struct ovl_train_plan *p, double token_bytes);

#endif
