/* Who brings a rank's checkpoints to disk: the rank itself, a thread of it, or its helper, from a copy while training
   goes on. The newest two are kept. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_EPOCHS_CHECKPOINT_WRITER_H
#define OVL_APPS_TRAIN_EPOCHS_CHECKPOINT_WRITER_H

#include "apps/train/epochs/helper.h"
#include "apps/train/epochs/intervals.h"

#include <pthread.h>
#include <stdbool.h>

/* In the order of their words. */
enum ovl_keeping { OVL_KEEP_NONE, OVL_KEEP_ROOT, OVL_KEEP_THREAD, OVL_KEEP_HELPER, OVL_KEEP_SHARDED, OVL_KEEPINGS };
extern const char *const ovl_keeping_words[OVL_KEEPINGS];

struct ovl_checkpoint_writer {
    const char *folder;
    int rank, ranks;
    struct ovl_helper *helper;
    struct ovl_checkpoint whole; /* model, element and all */

    /* Since ovl_keeper_begin, at this rank. */
    enum ovl_keeping keeping;
    double stall_seconds, persist_seconds, bytes;
    int count;
    struct ovl_intervals spans;
    int rc; /* -1: something went wrong, and nothing was written after that */
    struct ovl_error err;

    struct ovl_checkpoint present; /* under way */
    bool busy;
    pthread_t thread;
    void *copy;
    struct ovl_helper_answer answer;
    struct ovl_checkpoint kept[2]; /* the newest first; `parts` 0: none */
};

void ovl_keeper_begin(struct ovl_checkpoint_writer *k, enum ovl_keeping keeping);
/* The parameters after a step, all of them; they may change when it returns. */
void ovl_keeper_take(struct ovl_checkpoint_writer *k, uint64_t step, const void *data);
/* Waits for what is under way. */
void ovl_keeper_finish(struct ovl_checkpoint_writer *k);
void ovl_keeper_close(struct ovl_checkpoint_writer *k);

#endif
