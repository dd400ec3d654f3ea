/* Epochs in which helpers do a part of a training, beside those in which the rank does everything, in turns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_HELPER_EPOCHS_H
#define OVL_APPS_TRAIN_HELPER_EPOCHS_H

#include "apps/train/state.h"

enum { OVL_DESIGN_EPOCHS = 16 }; /* most of a kind */

/* What time was spent on, in seconds of an epoch at the slowest rank. */
enum ovl_spent {
    OVL_SPENT_AUGMENT,  /* loading and augmenting, whoever did it, */
    OVL_SPENT_VALIDATE, /* and validating */
    OVL_SPENT_STALL,    /* the rank had no batch to train on: it made it itself, or waited */
    OVL_SPENT_CHECK,    /* the rank looked at all of a batch that a helper had made */
    OVL_SPENT_COPY,     /* and handed over its weights */
    OVL_SPENT_WAIT,     /* for the end of a validation, and gradients of helpers */
    OVL_SPENT_KINDS
};

/* Epochs of a kind. */
struct ovl_design_epochs {
    const struct ovl_design *design; /* NULL: with neither samples nor validation, the least that an epoch can take */
    size_t n;
    double seconds[OVL_DESIGN_EPOCHS], spent[OVL_SPENT_KINDS][OVL_DESIGN_EPOCHS];
    double rate;          /* of a helper that trains, by that of the rank */
    size_t from, samples; /* the first sample that is a helper's, of how many */
};

/* The first is that of no design, the next that of `none`. At rank 0: what the record has of them. */
json_t *ovl_train_phases(const struct ovl_train *t, struct ovl_design_epochs *kinds, size_t count);

#endif
