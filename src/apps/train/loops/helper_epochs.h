/* Epochs in which helpers do a part of a training, beside those in which the rank does everything, in turns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOOPS_HELPER_EPOCHS_H
#define OVL_APPS_TRAIN_LOOPS_HELPER_EPOCHS_H

#include "apps/train/state.h"
#include "apps/train/turns/turns.h"

/* What time was spent on, in seconds of an epoch at the slowest rank. */
enum ovl_spent {
    OVL_SPENT_AUGMENT,  /* loading and augmenting, by the rank or by helpers */
    OVL_SPENT_VALIDATE, /* validating, by the rank or by helpers */
    OVL_SPENT_STALL,    /* the rank had no batch to train on: it made it itself, or waited */
    OVL_SPENT_CHECK,    /* the rank looked at a place of each sample, whoever made it */
    OVL_SPENT_COPY,     /* the rank handed its weights over to be validated */
    OVL_SPENT_WAIT,     /* the rank waited for the end of a validation, or for gradients of helpers */
    OVL_SPENT_KINDS
};

/* The `what` of its kind of epochs. */
struct ovl_design_epochs {
    const struct ovl_design *design; /* NULL: with neither samples nor validation, the least that an epoch can take */
    double rate;                     /* speed of a helper that trains, where the rank's is 1 */
    size_t from, samples;            /* of `samples` in a batch those from `from` on are the helper's */
};

/* The first is that of no design, the next that of `none`. At rank 0: what the record has of them. */
json_t *ovl_train_phases(const struct ovl_train *t, const struct ovl_turns_kind *kinds, size_t count);

#endif
