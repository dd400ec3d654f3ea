/* Who brings checkpoints to disk: rank 0 all of it, or each rank a part; the rank itself, or a thread of it or its
   helper, from a copy while training goes on. The newest two are kept. No MPI. */
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
    OVL_CHECKPOINT_SHARDED_THREAD,
    OVL_CHECKPOINT_SHARDED_HELPER,
    OVL_CHECKPOINT_MODES
};
/* What a mode is. */
struct ovl_checkpoint_mode_row {
    const char *word;
    bool sharded; /* each rank writes a part */
    enum ovl_checkpoint_by { OVL_CHECKPOINT_BY_RANK, OVL_CHECKPOINT_BY_THREAD, OVL_CHECKPOINT_BY_HELPER } by;
};
extern const struct ovl_checkpoint_mode_row ovl_checkpoint_modes[OVL_CHECKPOINT_MODES];

struct ovl_checkpoint_writer {
    const char *folder;
    int rank, ranks;
    struct ovl_helper *helper;
    struct ovl_checkpoint whole; /* model, element and all */

    /* Since ovl_checkpoint_writer_begin, at this rank. */
    enum ovl_checkpoint_mode mode;
    double stall_seconds, copy_seconds, persist_seconds, bytes; /* copy: its first phase, a part of the stall */
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
/* The parameters after a step, from element `first` on, with all that this rank writes; they may change when it
   returns. */
void ovl_checkpoint_writer_write(struct ovl_checkpoint_writer *k, uint64_t step, const void *data, uint64_t first);
/* The rank fails: what is not on disk yet is lost where its helper dies with it (`dies`), and else done. Nothing
   half-written stays. 0, or -1 with k->rc. */
int ovl_checkpoint_writer_fail(struct ovl_checkpoint_writer *k, bool dies);
/* Removes what it has kept. */
void ovl_checkpoint_writer_forget(struct ovl_checkpoint_writer *k);
/* Waits for what is under way. */
void ovl_checkpoint_writer_finish(struct ovl_checkpoint_writer *k);
void ovl_checkpoint_writer_close(struct ovl_checkpoint_writer *k);

#endif
