/* The options of ovl_train. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_OPTIONS_H
#define OVL_APPS_TRAIN_OPTIONS_H

#include "apps/train/epochs/presets.h"
#include "apps/train/lossy/lossy.h"
#include "apps/train/strategy/strategy.h"
#include "cli/app_options.h"

enum { OVL_TRAIN_COMPRESSIONS = 8 };

struct ovl_train_options {
    struct ovl_app_options common; /* the first */
    const char *model, *strategy, *cycle, *buckets, *kernel, *dry_run_text, *timeline, *compress, *compress_on;
    const char *checkpoint, *checkpoint_dir;
    const char *offload, *phases_text, *dataset_text;
    uint64_t helpers;
    double helper_slowdown;
    uint64_t checkpoints_per_epoch, steps_per_epoch, epochs, state;
    uint64_t batch, bucket, first_bucket, fusion, microbatches, tensor, stages, interleave, dry_run_rank;
    double device_rate; /* Tflop/s */
    double scale_bytes, scale_flops, ratio, us;
    int real, dump, tiny, resume;

    /* Of these texts. */
    struct ovl_train_ask ask; /* but for the model and the ranks */
    const struct ovl_strategy *row;
    struct ovl_train_compression { /* of --compress: a problem each */
        char name[24];
        struct ovl_lossy lossy;
    } compressions[OVL_TRAIN_COMPRESSIONS];
    int compression_count;
    bool lossy; /* some of them */
    struct ovl_phases phases;
    const struct ovl_dataset *dataset;   /* NULL: samples of the model */
    double cycle_ms;                     /* 0: full, INFINITY: all */
    int dry_run_ranks, dry_run_per_node; /* of --plan; 0: not asked for */
};

extern const struct ovl_option ovl_train_option_rows[];

struct ovl_train_options ovl_train_options_default(void);

/* -1 and OVL_USAGE. */
int ovl_train_options_parse(int argc, char **argv, struct ovl_train_options *o, struct ovl_error *err);

/* As ovl_model_load; with --tiny its network. And the list of --buckets, as ovl_bucket_list_read, into o->ask. */
int ovl_train_options_model(struct ovl_train_options *o, struct ovl_model *model, struct ovl_error *err);

/* What a step is made from, with so many ranks. */
struct ovl_train_ask ovl_train_options_ask(const struct ovl_train_options *o, const struct ovl_model *model, int ranks);

#endif
