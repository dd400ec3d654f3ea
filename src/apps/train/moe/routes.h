/* Where tokens go: of a block and a part of the batch, as one of the members who share out the experts has it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_MOE_ROUTES_H
#define OVL_APPS_TRAIN_MOE_ROUTES_H

#include "apps/train/moe/gate.h"

#include <stddef.h>

/* A token that goes to a member, for one or more of the experts there. */
struct ovl_moe_copy {
    int token;      /* its number at the member that has it */
    unsigned sum;   /* of the numbers of these experts */
    uint64_t which; /* of the token's choices, a bit each */
};

/* For how many experts. */
static inline unsigned ovl_moe_copy_experts(const struct ovl_moe_copy *c)
{
    unsigned n = 0;
    for (uint64_t left = c->which; left; left &= left - 1)
        n++;
    return n;
}

/* Copies for a member, and those of a member, stand together, in the order of the members and then of the tokens. */
struct ovl_moe_route {
    int members, member;
    int tokens;               /* of each member */
    int *sent, *got;          /* [members + 1]: copies for, or of, the members before */
    struct ovl_moe_copy *out; /* [sent[members]] */
    struct ovl_moe_copy *in;  /* [got[members]] */
    double work, most_work;   /* tokens for the experts of this member, each for each of them; of the one with most */
    double chosen, dropped;   /* of all members: choices of tokens, and those over the capacity */
};

struct ovl_moe_routes {
    int blocks, parts;
    struct ovl_moe_route *list; /* [blocks][parts] */
};

/* Of settled numbers. An expert takes of a member's tokens ceil(capacity x tokens x top / experts), the first of them;
   what is over is dropped (Lepikhin et al., GShard, 2021). Expert e is at member e / (experts / members). All groups of
   members have the same routes. */
void ovl_moe_routes_open(struct ovl_moe_routes *r, const struct ovl_moe *moe, int blocks, int members, int member,
                         int tokens);
void ovl_moe_routes_close(struct ovl_moe_routes *r);

/* A member's tokens, each with whose it is and its place there: its experts follow from these two and the block, so
   that they are the same whoever has it, and when. */
struct ovl_moe_tokens {
    int count;
    const struct ovl_moe_token {
        int whose, place;
    } * list; /* [count], of the caller */
};

/* One route, of members with tokens of their own, of[members]; r->tokens is their mean, rounded up. */
void ovl_moe_route_open(struct ovl_moe_route *r, const struct ovl_moe *moe, int block, int members, int member,
                        const struct ovl_moe_tokens *of);
void ovl_moe_route_close(struct ovl_moe_route *r);
/* copies[members x members]: how many copies go from the one to the other are added there. */
void ovl_moe_route_count(const struct ovl_moe *moe, int block, int members, const struct ovl_moe_tokens *of,
                         double *copies);

static inline const struct ovl_moe_route *ovl_moe_route(const struct ovl_moe_routes *r, int block, int part)
{
    return &r->list[block * r->parts + part];
}

/* How many copies all members send to each other: drawn once for all whose routes are asked for. */
struct ovl_moe_counts {
    int blocks, parts, members, tokens, top;
    int *copies;     /* [blocks][parts][members][members]: from the one to the other; NULL: nothing was drawn */
    double *work;    /* [blocks][parts][members] */
    double *dropped; /* [blocks][parts] */
};

void ovl_moe_counts_open(struct ovl_moe_counts *c, const struct ovl_moe *moe, int blocks, int members, int tokens);
void ovl_moe_counts_close(struct ovl_moe_counts *c);
/* The routes of a member without their copies: `out` and `in` are NULL. */
void ovl_moe_routes_count(struct ovl_moe_routes *r, const struct ovl_moe_counts *c, int member);

/* What they take in memory. */
double ovl_moe_routes_bytes(const struct ovl_moe_routes *r);
double ovl_moe_counts_bytes(const struct ovl_moe_counts *c);

double ovl_moe_route_bytes(const struct ovl_moe_route *r);

/* What all blocks and parts together say of all members; those without tokens are left out. */
struct ovl_moe_told {
    double imbalance, largest; /* the work of the member with most by the mean: on average, and in one */
    double chosen, dropped;
};

struct ovl_moe_told ovl_moe_tell(const struct ovl_moe_routes *r);

/* Of one of them; 1 where all is dropped. */
double ovl_moe_imbalance(const struct ovl_moe_route *r);

/* lists[4 * members]: counts of what is sent, their places, counts of what is received, their places, in words, of
   which a copy has so many. `back`: of the way back, which brings what the way there has sent. */
void ovl_moe_lists(const struct ovl_moe_route *r, bool back, int words, int *lists);

/* Of `sent` or `got` of a route, the copies for, or of, members on other nodes than `here`; node[members]. */
double ovl_moe_elsewhere(const int *copies, int members, const int *node, int here);

/* Copies that this member sends, or receives, on the way there or back. */
static inline int ovl_moe_sends(const struct ovl_moe_route *r, bool back)
{
    return back ? r->got[r->members] : r->sent[r->members];
}

#endif
