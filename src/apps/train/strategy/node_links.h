/* What comes in over the links of nodes in a step of many ranks, from the events of the few that differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_NODE_LINKS_H
#define OVL_APPS_TRAIN_STRATEGY_NODE_LINKS_H

#include "apps/train/strategy/steps.h"
#include "plan/busiest.h"

struct ovl_node_links {
    const struct ovl_train_plan *plan;
    int per_node, stages;        /* stages: 1 where all ranks do the same */
    struct ovl_node_link *links; /* [stages] */
    double *in, *out;            /* [members][members]: bytes of tokens to and from experts in a step; NULL without */
    int members;                 /* of those who share out the experts; rank r is member r % members */
};

void ovl_node_links_open(struct ovl_node_links *l, const struct ovl_train_plan *plan, int per_node);
void ovl_node_links_close(struct ovl_node_links *l);

/* How many ranks differ, and the one that stands for number `which` of them. */
static inline int ovl_node_links_rank(const struct ovl_node_links *l, int which)
{
    return which * l->plan->ask.tensor;
}

/* Takes in the events of the plan's lane `own`, which is that of ovl_node_links_rank(l, which). */
void ovl_node_links_add(struct ovl_node_links *l, int which);

/* When all were taken in. */
struct ovl_busiest ovl_node_links_busiest(const struct ovl_node_links *l);

#endif
