/* What the files of the loop share: one cell while it is measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_LOOP_STATE_H
#define OVL_BENCH_LOOP_STATE_H

#include "base/rng.h"
#include "bench/loop.h"

/* A block holds B, and W, C, T and a stream of each mode, but one W for modes that share it. */
enum { OVL_LOOP_KINDS = 1 + 4 * OVL_LOOP_MODES };

/* What one sample contributes to the reduction of a block. */
enum ovl_loop_number {
    OVL_N_VALUE,
    OVL_N_LATE,
    OVL_N_EARLY, /* -lateness: its maximum is minus the earliest rank's */
    OVL_N_ANNOUNCED,
    OVL_N_INIT,
    OVL_N_TEST,
    OVL_N_WAIT,
    OVL_N_INNER,
    OVL_N_EXPOSED,
    OVL_N_THREAD,
    OVL_N_PROCESS,
    OVL_N_WORKERS,
    OVL_LOOP_NUMBERS
};

enum { OVL_LOOP_RECENT = 63, OVL_LOOP_CPU = 3 /* values of struct ovl_burnt */ };

/* A rank's own last W, for its running median. */
struct ovl_loop_work {
    double seconds[OVL_LOOP_RECENT];
    size_t taken;
    uint64_t units;
};

struct ovl_loop_state {
    const struct ovl_loop *l;
    struct ovl_loop_result *result;
    struct ovl_loop_slot {
        enum ovl_quantity kind;
        int mode;
    } slots[OVL_LOOP_KINDS];
    size_t kinds, first_comm; /* the slot of mode 0's C */
    struct ovl_rng order;
    uint64_t units;
    bool measuring;              /* the warm-up is over */
    int64_t begin, block_begin;  /* of the cell, and of the last block */
    int64_t renewed;             /* when the clocks were compared last, at the deciding rank */
    double comm[OVL_LOOP_MODES]; /* median C in the warm-up: mode 0's for the work, each for what counts as late */
    double *spread;              /* of every sample */
    double *cpu[OVL_LOOP_CPU * OVL_LOOP_MODES]; /* of each mode what struct ovl_burnt has */
    size_t blocks;                              /* taken and kept */
    int signal;                                 /* that some rank got */
    bool looked;                                /* past the first look */
    double largest[OVL_LOOP_KINDS * OVL_LOOP_NUMBERS + 1], sum[OVL_LOOP_KINDS * OVL_LOOP_NUMBERS + 1]; /* the last: a
                                                                                                          signal */
    /* Of this rank alone. */
    struct ovl_loop_work work[OVL_LOOP_MODES];
    double own_late; /* the sum of its lateness over the kept blocks */
    struct ovl_loop_terms {
        double blocks, total, inner, comm;
    } last[OVL_LOOP_MODES], terms[OVL_LOOP_MODES]; /* of the last block; sums over those in which all ranks' count */
    double *own;                                   /* with per_rank: per slot, {value, lateness} of each kept block */
    size_t own_blocks;
};

/* Collective: takes a block in a new order and reduces it. */
void ovl_loop_take_block(struct ovl_loop_state *s);
/* At the deciding rank: puts the reduced block behind the others. A sample that started too late somewhere stays NaN,
   but for its lateness. */
void ovl_loop_keep_block(struct ovl_loop_state *s);
/* At the deciding rank: the modes, 1 << m, of which T, the work in it and C of the last kept block all count. Each rank
   then adds its own to its terms. */
unsigned ovl_loop_complete(const struct ovl_loop_state *s);
void ovl_loop_add_terms(struct ovl_loop_state *s, unsigned complete);
/* Forgets the kept blocks, at all ranks. */
void ovl_loop_forget_blocks(struct ovl_loop_state *s);

/* Collective, behind the last block: the rank that was late most, and with per_rank the samples of each. -1 at the
   deciding rank when there is no memory. */
int ovl_loop_tell_ranks(struct ovl_loop_state *s);

/* Memory for the blocks: at the deciding rank for the result, at all for what is this rank's own. */
void ovl_loop_make_room(struct ovl_loop_state *s);
void ovl_loop_free_room(struct ovl_loop_state *s);

#endif
