/* What epochs with checkpoints have in common, with failures and without: where they begin, a step, a checkpoint, and
   the end, when the last one is on disk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOOPS_WRITTEN_EPOCHS_H
#define OVL_APPS_TRAIN_LOOPS_WRITTEN_EPOCHS_H

#include "apps/train/state.h"
#include "apps/train/turns/turns.h"

struct ovl_written_epochs {
    struct ovl_train *t;
    int scheme;
    uint64_t plays; /* of the training, before the present epoch */
};

/* Before an epoch, which begins at the first step, or that of --resume. */
void ovl_written_epochs_begin(struct ovl_written_epochs *e, enum ovl_checkpoint_mode mode);
/* As the `step` and `finish` of epochs, whose `of` begins with a struct ovl_written_epochs. */
void ovl_written_epochs_step(void *of);
void ovl_written_epochs_finish(void *of, struct ovl_turns_kind *k);
/* Collective: a checkpoint of the present step. What rank 0 writes for all, where each has a part, it gets first; then
   no rank goes on sooner than it has sent its part. */
void ovl_written_epochs_write(struct ovl_train *t, enum ovl_checkpoint_mode mode);

#endif
