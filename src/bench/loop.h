/* The measuring loop: blocks of W, C, B, T in random order from a common start. No MPI in it: it stands on a stage,
   which is MPI in the drivers and a virtual clock in the tests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_LOOP_H
#define OVL_BENCH_LOOP_H

#include "base/error.h"
#include "stats/overlap.h"
#include "stats/stop.h"

#include <stdbool.h>
#include <stdint.h>

enum { OVL_LOOP_MODES = 8 };

#define OVL_LOOP_NO_START INT64_MIN
#define OVL_LOOP_NOT_KEPT SIZE_MAX

/* What a sample of T was spent on, in seconds. */
struct ovl_parts {
    double init, test, wait, inner;
};

/* CPU seconds of this thread, of its process, and of the workers that this rank looks after; NaN: not known. */
struct ovl_burnt {
    double thread, process, workers;
};

/* How a sample began on this rank. */
struct ovl_start {
    int64_t left; /* when this rank left the start, ns */
    int64_t
        agreed; /* the time that all ranks agreed on, or OVL_LOOP_NO_START where the clocks have nothing in common */
    double announced; /* seconds from the sending of that time till it arrived here; NaN where that is not known */
};

/* What the loop stands on. Every hook gets `stage`; `mode` counts the modes measured in the same blocks, from 0. */
struct ovl_stage_ops {
    int64_t (*now)(void *stage); /* ns */
    /* Collective: returns when all ranks begin the sample. `sample` is OVL_COMM, OVL_COMPUTE, OVL_BLOCKING, OVL_TOTAL
     * or OVL_STREAM, each of whose posts is one of other buffers.
     */
    struct ovl_start (*start)(void *stage, enum ovl_quantity sample, int mode);
    void (*compute)(void *stage, uint64_t units);
    void (*post)(void *stage, int mode);
    bool (*test)(void *stage, int mode); /* true when complete */
    void (*wait)(void *stage, int mode);
    void (*blocking)(void *stage); /* NULL: there are no samples of B */
    /* NULL, or, for a program that computes and communicates in turns, one hook that replaces compute, post, test, wait
       and blocking: runs the whole of that sample (OVL_COMM, OVL_COMPUTE or OVL_TOTAL) and says what a T was spent on.
     */
    void (*run)(void *stage, enum ovl_quantity sample, int mode, struct ovl_parts *parts);
    /* CPU seconds since just before the last start. */
    void (*cpu)(void *stage, struct ovl_burnt *burnt);
    /* Collective: at the deciding rank, largest[i] becomes the maximum over ranks and sum[i] the sum. */
    void (*reduce)(void *stage, double *largest, double *sum, size_t n);
    void (*share)(void *stage, void *data, size_t bytes); /* collective: the deciding rank's bytes at all ranks */
    /* At the deciding rank, after a block: the longest time that one of its announcements took. */
    void (*announced)(void *stage, double seconds);
    /* NULL, or, collective, between blocks: compares the clocks again. The largest error, in seconds, of what had been
       predicted, or INFINITY when that could not be seen; NaN: one clock. The same at all ranks. */
    double (*renew)(void *stage);
    /* Collective, with per_rank: at the deciding rank n values of each rank in turn. */
    void (*gather)(void *stage, const double *mine, double *all, size_t n);
    uint64_t (*units)(void *stage,
                      double seconds); /* at the deciding rank: work of that length; 0 when it is too short */
    /* NULL, or, collective, after each block, what the stage has to keep of it: `kept` is the block's place among those
       of the result, OVL_LOOP_NOT_KEPT in the warm-up. Blocks may begin at 0 again. */
    void (*took)(void *stage, size_t kept);
    int (*interrupted)(void *stage); /* the signal that asks this rank to end, or 0 */
    /* NULL, or, at the deciding rank, before the first block: a block will take about so long, and the fewest blocks
       far longer than max_seconds. Perhaps twice: the better it is known. */
    void (*too_long)(void *stage, double block_seconds, double max_seconds);
};

/* Is it so? METHOD: the time may end a cell after 6 blocks, and one block is warmed up with at least. */
bool ovl_loop_too_long(const struct ovl_stop *stop, double block_seconds);

struct ovl_loop {
    const struct ovl_stage_ops *ops;
    void *stage;
    bool decides; /* true at one rank, whose results and decisions count */
    int rank, ranks, modes;
    int work_of[OVL_LOOP_MODES]; /* index of the mode whose W samples it uses: 0, or itself when its work differs */
    size_t stream;               /* operations of a stream, of which a block has one for each mode; 0: none */
    size_t tests;                /* test calls spread over the compute of T */
    size_t warmup;               /* blocks */
    struct ovl_stop stop;
    uint64_t seed;        /* of the order in a block (the same at all ranks) and of the bootstrap */
    double clock_read;    /* seconds that ops->now takes */
    double ratio;         /* work / communication time of mode 0 */
    double fixed_seconds; /* the work instead; NaN when it follows the ratio */
    double block_seconds; /* that a block will take, as far as is known; 0: nothing is */
    uint64_t fixed_units; /* the work instead, in units; 0 when it is not given so */
    bool pilot;           /* mode 0 only sets the work: after the warm-up it is measured no more */
    double late_seconds;  /* allowed late start; the limit is the largest of this, 10 % of C and 3 clock reads */
    bool per_rank;        /* keep the samples of each rank */
};

enum ovl_loop_status { OVL_LOOP_OK, OVL_LOOP_INVALID, OVL_LOOP_INTERRUPTED };

/* As a cell says it, of those before OVL_LOOP_INTERRUPTED. */
extern const char *const ovl_loop_status_words[OVL_LOOP_INTERRUPTED];

struct ovl_loop_result {
    enum ovl_loop_status status;
    char reason[256]; /* when it is not OVL_LOOP_OK */
    int signal;       /* at all ranks: what interrupted the cell; 0 when nothing did */
    uint64_t units;
    bool restarted;
    struct ovl_samples
        samples[OVL_LOOP_MODES]; /* the deciding rank's; W is the same in modes that share it, B in all */
    double *began;               /* of each block, seconds by ops->now */
    double residual;             /* seconds by which a clock was predicted wrongly, at most; NaN: one clock */
    struct ovl_slowest slowest[OVL_LOOP_MODES]; /* of those whose work in T is timed */
    int latest_rank; /* the rank that was late most, by the sum over samples; -1: none was late */
    /* With per_rank, a value per rank and block, rank after rank, of C, W, B, T and their lateness; NULL otherwise. */
    double *rank_samples[OVL_LOOP_MODES][OVL_QUANTITIES];
    double start_spread; /* seconds, median over samples of latest minus earliest; NaN: no common clock */
    struct ovl_burnt
        burnt[OVL_LOOP_MODES]; /* in T, medians over blocks: means over ranks, and of all workers the sum */
};

/* Measures one cell. Collective; only the deciding rank's result has samples. The caller frees the samples by
   ovl_loop_result_free. -1 when there is no memory. */
int ovl_loop_run(const struct ovl_loop *loop, struct ovl_loop_result *result, struct ovl_error *err);
void ovl_loop_result_free(struct ovl_loop_result *result);

#endif
