/* Which blocks of prompts a tier keeps: the least recently used ones give way (LRU). A block is known by a number that
   stands for its tokens and all those before them, so that what is there of a prompt is a run of blocks from its first
   one on. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_BATCH_PREFIX_H
#define OVL_APPS_SERVE_BATCH_PREFIX_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ovl_prefix {
    int limit; /* blocks; at least one */
    int count; /* that are there */
    /* A place for each block, which keeps it until the block gives way; then the next one has it. */
    struct ovl_prefix_block {
        uint64_t key;
        int older, newer;   /* by their last use; -1: none */
        int next;           /* of those with the same remainder */
        uint64_t used;      /* the call in which it was used last */
        int request, block; /* whose prompt it was read in, and where in that */
    } * blocks;             /* [room] */
    int room, oldest, newest;
    int *heads; /* [heads_count]: the first block of each remainder, or -1 */
    int heads_count;
    uint64_t calls;
    int64_t asked, found, kept, gave_way; /* blocks, over all calls */
};

void ovl_prefix_open(struct ovl_prefix *p, int limit);
void ovl_prefix_close(struct ovl_prefix *p);

/* How many of the first `count` blocks of a prompt are there, from the first one on: their places. All of them have
   been used now, the first one last, so that no block gives way before those that follow it. */
int ovl_prefix_find(struct ovl_prefix *p, const uint64_t *keys, int count, int *places);

/* Keeps the blocks of a prompt: those that are there are used, for others the least recently used ones give way, but
   none of this prompt: where there is no other one the rest is not kept. Returns how many are there now, in places[];
   from *from on they are new. */
int ovl_prefix_keep(struct ovl_prefix *p, const uint64_t *keys, int count, int request, int *places, int *from);

#endif
