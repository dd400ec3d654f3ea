/* The helper pool of a rank: processes that load and augment its batches, validate its weights, or have a share of its
   batches. They are forked before MPI begins and share memory with their rank, in which each word says what is full or
   empty; who has nothing to do sleeps on a word. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_EPOCHS_HELPER_POOL_H
#define OVL_APPS_TRAIN_EPOCHS_HELPER_POOL_H

#include "apps/train/epochs/batch.h"
#include "apps/train/epochs/helper.h"
#include "machine/work.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    OVL_POOL_HELPERS = 16, /* at most */
    OVL_POOL_BUFFERS = 2,  /* of each helper */
    OVL_POOL_SLICES = 64   /* of a validation */
};

/* A piece of a helper's share of a step: work, and then the gradients of operations `makes` .. `makes` + `count` - 1.
 */
struct ovl_helper_pool_piece {
    uint64_t units;
    uint32_t makes, count;
};

/* An operation of which a helper has gradients to add. */
struct ovl_helper_pool_gradients {
    size_t at, numbers;     /* in the pool's gradients */
    uint64_t key;           /* key of the data (data.h) */
    int rank, ranks;        /* whose data they are, among so many */
    _Atomic uint64_t there; /* 1 + the step of which they are */
};

/* In shared memory. What has no _Atomic is written before the word that announces it. */
struct ovl_helper_pool_shared {
    _Atomic uint32_t work[OVL_POOL_HELPERS]; /* goes up where a helper may have something to do */
    _Atomic uint32_t done;                   /* goes up where the rank may have something to do */
    _Atomic uint32_t resting;
    _Atomic uint32_t busy[OVL_POOL_HELPERS];

    /* Batches: number k is made by helper k % helpers, in buffer k % (2 helpers). */
    struct ovl_batch batch; /* number 0 */
    uint64_t units;         /* of the kernel, for a batch */
    _Atomic uint64_t limit; /* batches below it may be made */
    uint64_t next[OVL_POOL_HELPERS];
    struct {
        _Atomic uint64_t full; /* 1 + the number of the batch that is in it, 0: empty */
        double seconds;
    } buffer[OVL_POOL_HELPERS * OVL_POOL_BUFFERS];

    /* Validation. */
    _Atomic uint64_t slices; /* slices below it may be validated */
    _Atomic uint64_t next_slice, slices_done;
    uint64_t key, slice_units;
    uint32_t answers[OVL_POOL_SLICES];
    double slice_seconds[OVL_POOL_SLICES];

    /* Shares of a batch, of helper 0. */
    _Atomic uint64_t steps_asked, steps_done;
    size_t from; /* samples before it are the rank's own */
    uint32_t pieces;
    double share_seconds;

    /* How fast is helper 0? */
    _Atomic uint64_t calibration, calibration_done; /* units */
    double calibration_seconds;
};

struct ovl_helper_pool_sizes {
    size_t helpers, samples, sample_bytes;
    size_t words;           /* of weights that helpers validate; 0: they do not validate */
    size_t numbers;         /* of gradients that a helper makes; 0: helpers do not train */
    size_t pieces, entries; /* most pieces, and operations, of a step */
};

struct ovl_helper_pool {
    struct ovl_helper_pool_sizes sizes;
    const char *kernel;
    double slowdown; /* helpers take so many times as long */
    int rank;
    struct ovl_helper helper[OVL_POOL_HELPERS];
    size_t bytes;
    struct ovl_helper_pool_shared *shared;
    float *batches;
    uint32_t *weights;
    float *gradients;
    struct ovl_helper_pool_piece *pieces;
    struct ovl_helper_pool_gradients *entries;

    int rc; /* -1: a helper has ended, and nothing waits for them any more */
    struct ovl_error err;
};

/* Bytes that a pool shares. */
double ovl_helper_pool_bytes(const struct ovl_helper_pool_sizes *sizes);

/* Starts the helpers of a pool with `sizes`, `kernel` and `slowdown`. -1 with OVL_ENVIRONMENT; then
   ovl_helper_pool_close all the same. */
int ovl_helper_pool_open(struct ovl_helper_pool *c, struct ovl_error *err);
void ovl_helper_pool_close(struct ovl_helper_pool *c);

/* What follows is the rank's; where it waits and a helper has ended, c->rc is -1 and c->err names it. */

/* Sets c->rc and c->err where a helper has ended. */
void ovl_helper_pool_check_alive(struct ovl_helper_pool *c);

/* Waits until no helper does anything, and forgets what was asked. */
void ovl_helper_pool_wait_idle(struct ovl_helper_pool *c);

/* Helpers make batches from `first` on, with `units` of work each, as soon as they are allowed: those below `limit`. */
void ovl_helper_pool_set_loading(struct ovl_helper_pool *c, const struct ovl_batch *first, uint64_t units);
void ovl_helper_pool_allow_batches(struct ovl_helper_pool *c, uint64_t limit);
/* Waits for batch k, which stays until it is released. NULL: a helper has ended. */
const float *ovl_helper_pool_wait_batch(struct ovl_helper_pool *c, uint64_t k, double *made_in);
void ovl_helper_pool_release_batch(struct ovl_helper_pool *c, uint64_t k);

/* Copies the weights; they answer about them by a key, with so many units of work for each slice. */
void ovl_helper_pool_start_validation(struct ovl_helper_pool *c, const void *weights, uint64_t key,
                                      uint64_t slice_units);
/* Waits for OVL_POOL_SLICES answers; seconds of all slices. */
void ovl_helper_pool_wait_validation(struct ovl_helper_pool *c, uint32_t *answers, double *seconds);

/* Step `step`: helper 0 makes the samples of its batch from c->shared->from on, and the pieces. The keys of the entries
   are set. */
void ovl_helper_pool_start_step(struct ovl_helper_pool *c, uint64_t step, const struct ovl_batch *batch,
                                uint64_t units);
/* Waits for the gradients of an entry in a step. */
const float *ovl_helper_pool_wait_gradients(struct ovl_helper_pool *c, uint64_t step, size_t entry);
/* Waits for the end of its share; its samples are in their places in c->batches until the next step begins. */
void ovl_helper_pool_wait_step(struct ovl_helper_pool *c, uint64_t step, double *seconds);

/* How fast is helper 0, where the rank's speed is 1? Both do `units` at the same time. NAN: a helper has ended. */
double ovl_helper_pool_calibrate(struct ovl_helper_pool *c, const struct ovl_work *work, uint64_t units);

/* helper_pool_work.c, for ranks and helpers alike: what makes samples, and in which memory. */
struct ovl_sample_maker {
    const struct ovl_work *work;
    uint8_t *raw;                            /* a sample before augmentation */
    float *data;                             /* the batch */
    void (*pause)(double seconds, void *of); /* called after each sample with its seconds; or NULL */
    void *of;
};
/* Samples from `from` up to the one before `to`, with their part of a batch's units. */
void ovl_helper_pool_make_samples(const struct ovl_sample_maker *m, const struct ovl_batch *b, size_t from, size_t to,
                                  uint64_t units);
/* A slice of a validation. */
uint32_t ovl_helper_pool_validate_slice(const struct ovl_work *work, const uint32_t *weights, size_t words,
                                        uint32_t slice, uint64_t key, uint64_t units);
/* The whole process of a helper: an ovl_helper_work, `of` is its pool. */
void ovl_helper_pool_work(const struct ovl_helper *h, void *pool);

#endif
