/* Bounded numbers of what transfers hold: fragments under way, staging buffers, tags. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_POOL_H
#define OVL_OFFLOAD_WORKER_POOL_H

#include <stdbool.h>

/* For what a message takes from a pool. */
enum ovl_claim {
    OVL_CLAIM_MANY,  /* one of several fragments, which both sides have begun */
    OVL_CLAIM_ONE,   /* the only fragment, which both sides have begun */
    OVL_CLAIM_EARLY, /* for a message whose sender may not have begun (R5) */
    OVL_CLAIMS
};

/* Numbers from 0 on, some of them taken. */
struct ovl_pool {
    int size, used, most; /* most: ever taken at once */
    int taken[OVL_CLAIMS];
    int reserve; /* kept for messages of one fragment */
    int early;   /* may be taken early: so few that there is always room for messages that both sides have begun */
    int *free;   /* [0, size - used) */
};

/* `unit`: how many one fragment may need at once; size >= unit. -1 when there is no memory. */
int ovl_pool_open(struct ovl_pool *p, int size, int unit);
void ovl_pool_close(struct ovl_pool *p);

/* Are there n to be taken? `behind`: a message that has waited for longer lacks something, so that OVL_CLAIM_ONE may
   only take what is reserved for it, and others nothing. */
bool ovl_pool_has(const struct ovl_pool *p, enum ovl_claim claim, int n, bool behind);
int ovl_pool_alloc(struct ovl_pool *p, enum ovl_claim claim);
void ovl_pool_free(struct ovl_pool *p, enum ovl_claim claim, int number);

#endif
