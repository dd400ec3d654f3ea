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
enum ovl_checkpoint_mode {
    OVL_CHECKPOINT_NONE,
    OVL_CHECKPOINT_ROOT,
    OVL_CHECKPOINT_THREAD,
    OVL_CHECKPOINT_HELPER,
    OVL_CHECKPOINT_SHARDED,
    OVL_CHECKPOINT_MODES
};
extern const char *const ovl_checkpoint_mode_words[OVL_CHECKPOINT_MODES];

struct ovl_checkpoint_writer {
    const char *folder;
    int rank, ranks;
    struct ovl_helper *helper;
    struct ovl_checkpoint whole; /* model, element and all */

    /* Since ovl_checkpoint_writer_begin, at this rank. */
    enum ovl_checkpoint_mode mode;
    double stall_seconds, persist_seconds, bytes;
    int count;
    struct ovl_intervals intervals;
    int rc; /* -1: something went wrong, and nothing was written after that */
    struct ovl_error err;

    struct ovl_checkpoint present; /* under way */
    bool busy;
    pthread_t thread;
    void *copy;
    struct ovl_helper_answer answer;
    struct ovl_checkpoint kept[2]; /* the newest first; `parts` 0: none */
};

void ovl_checkpoint_writer_begin(struct ovl_checkpoint_writer *k, enum ovl_checkpoint_mode mode);
/* The parameters after a step, all of them; they may change when it returns. */
void ovl_checkpoint_writer_write(struct ovl_checkpoint_writer *k, uint64_t step, const void *data);
/* Waits for what is under way. */
void ovl_checkpoint_writer_finish(struct ovl_checkpoint_writer *k);
void ovl_checkpoint_writer_close(struct ovl_checkpoint_writer *k);

#endif
