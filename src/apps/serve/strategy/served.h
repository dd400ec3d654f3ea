/* A transformer that is served: the few numbers of it that decide what is computed, kept and sent, read from a JSON
   file
   ("schema": "ovl-served-model-1"). Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STRATEGY_SERVED_H
#define OVL_APPS_SERVE_STRATEGY_SERVED_H

#include "base/error.h"

#include <stdbool.h>

struct ovl_served {
    char name[64];
    int blocks, hidden, heads, vocabulary;
    int kv_heads, head; /* heads that keys and values have, and the width of one */
    int latent; /* numbers that a block keeps of a token where it keeps no keys and values (latent attention); 0 */
    int rotary; /* of these, numbers that tell the place of the token, which a head's key has beside its `head`; may be
                   left out */
    double parameters; /* all of them; */
    double active;     /* those that a token meets */
    bool tied;         /* the head has the weights of the embedding */
    double attention;  /* weights of a block's attention */
    /* Of a mixture of experts; experts: 0 without. Blocks behind the first `dense_blocks`, which have `dense` weights
       behind their attention, have so many experts of `expert` weights, `top` of which a token goes to, and `shared`
       more that all go to. */
    struct ovl_served_mixture {
        int experts, top, shared, dense_blocks;
        double expert, dense;
    } mixture;
};

/* By the name of an installed model, or from a file, whose name has a slash or ends in .json. -1 with *err: OVL_USAGE
   where no model has that name, OVL_WRONG_DATA with the place in the file where it is damaged, OVL_ENVIRONMENT where
   it cannot be read. */
int ovl_served_load(struct ovl_served *m, const char *name, struct ovl_error *err);
/* The same from a text; `path` begins the error. */
int ovl_served_parse(struct ovl_served *m, const char *text, const char *path, struct ovl_error *err);

/* Numbers that all blocks keep of a token: 2 x blocks x kv_heads x head, or blocks x latent. And those of a rank where
   so many share each block's work: a head of keys and values is not split, and what is latent is at each rank. */
double ovl_served_kept(const struct ovl_served *m);
double ovl_served_kept_shared(const struct ovl_served *m, int ranks);

/* Multiply-adds of a token: with the weights of a block's attention, and with the head's. */
double ovl_served_attention_macs(const struct ovl_served *m);
double ovl_served_head_macs(const struct ovl_served *m);
/* With those behind the attention of one block that all tokens go through; of a mixture of experts the choice of
   experts and those that all go to, or, of the first blocks, what is there in their place. */
double ovl_served_own_macs(const struct ovl_served *m, int block);
/* Of a query that looks at one token, in a block. What is latent is expanded to the keys and values of each head where
   a prompt is read, and looked at as it is where a token is written, with the expansion in the weights (DeepSeek-AI,
   DeepSeek-V2, 2024, 2.1: absorbed), which are as many. */
double ovl_served_look_macs(const struct ovl_served *m, bool reads);

/* Ranks that can share each block's work: a divisor of its heads. -1 and OVL_USAGE with the next smaller one. */
int ovl_served_check_ranks(const struct ovl_served *m, int ranks, struct ovl_error *err);

#endif
