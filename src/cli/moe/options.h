/* A mixture of experts as it is asked for: how many there are, which of them a token goes to, and in what numbers. Of
   ovl_train's options; the tool reads them, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_MOE_OPTIONS_H
#define OVL_CLI_MOE_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>

/* What is done while tokens are on their way. */
enum ovl_moe_overlap {
    OVL_MOE_NONE,   /* nothing: each operation is waited for as soon as it is posted */
    OVL_MOE_SHARED, /* the work of one more expert, which every token goes to, and which every rank has */
    OVL_MOE_TWO,    /* the work on the other half of the batch */
};

/* Kinds of numbers in which tokens travel. */
struct ovl_moe_type {
    const char *name; /* f8, bf16, f32 */
    int bytes;
};

struct ovl_moe {
    int experts;     /* of a block; 0: what ovl_moe_experts says */
    int top;         /* how many of them a token goes to; 0: 2, or 1 where there is one */
    double capacity; /* tokens that an expert takes of a rank, in multiples of the mean; 0: all */
    double skew;     /* exponent of the law by which experts are popular */
    struct ovl_moe_type dispatch, combine;
    enum ovl_moe_overlap overlap;
    bool per_expert; /* a token goes out once for each of its experts; else once for each rank that has some of them */
};

enum { OVL_MOE_EXPERTS_MOST = 4096, OVL_MOE_TOP_MOST = 64 };

/* Everything but the experts: f8 out and bf16 back, nothing dropped, all experts alike, once for each rank. */
struct ovl_moe ovl_moe_default(void);

/* From the words of --dispatch, --combine, --overlap and --dispatch-per; NULL: as it is. */
void ovl_moe_words(struct ovl_moe *moe, const char *dispatch, const char *combine, const char *overlap,
                   const char *per);

/* Puts numbers in the place of what was left open for so many ranks. -1 and OVL_USAGE where they do not go together, or
   a batch cannot be halved. Experts are shared out among as many ranks as there are experts, or among all where there
   are fewer ranks; what ranks are left are replicas. */
int ovl_moe_settle(struct ovl_moe *moe, int ranks, double batch, struct ovl_error *err);

/* Ranks that share out the experts. */
static inline int ovl_moe_members(const struct ovl_moe *moe, int ranks)
{
    return moe->experts < ranks ? moe->experts : ranks;
}

/* Parts into which a batch is cut. */
static inline int ovl_moe_parts(const struct ovl_moe *moe)
{
    return moe->overlap == OVL_MOE_TWO ? 2 : 1;
}

/* All of settled numbers in one line, by which points of a record are told apart. */
enum { OVL_MOE_TEXT = 96 };
void ovl_moe_text(const struct ovl_moe *moe, char text[OVL_MOE_TEXT]);

#endif
