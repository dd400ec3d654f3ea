/* What the options of ovl_train choose. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_OPTIONS_H
#define OVL_APPS_TRAIN_OPTIONS_H

#include "apps/train/lossy/lossy.h"
#include "apps/train/strategy/strategy.h"
#include "cli/train_options.h"

enum { OVL_TRAIN_COMPRESSIONS = 8 };

struct ovl_train_choice {
    struct ovl_train_ask ask; /* but for the model and the ranks */
    const struct ovl_strategy *row;
    struct ovl_train_compression { /* of --compress: a problem each */
        char name[24];
        struct ovl_lossy lossy;
    } compressions[OVL_TRAIN_COMPRESSIONS];
    int compression_count;
    bool retyped; /* by --dtype, to these */
    struct ovl_number_types types;
    bool lossy; /* some of them */
};

/* Fills *c. -1 and OVL_USAGE. */
int ovl_train_choose(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_error *err);

/* As ovl_model_load; with --tiny its network. And the list of --buckets, as ovl_bucket_list_read, into c->ask. */
int ovl_train_choice_model(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_model *model,
                           struct ovl_error *err);

/* What a step is made from, with so many ranks. */
struct ovl_train_ask ovl_train_choice_ask(const struct ovl_train_options *o, const struct ovl_train_choice *c,
                                          const struct ovl_model *model, int ranks);

#endif
