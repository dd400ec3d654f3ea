/* The options of ovl_train; what they choose of its strategies is in apps/train/options.h. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_TRAIN_OPTIONS_H
#define OVL_CLI_TRAIN_OPTIONS_H

#include "cli/app_options.h"
#include "cli/moe/options.h"
#include "cli/network_options.h"
#include "cli/presets/train_presets.h"

/* Of options with a default what was given; NULL, 0, of fusion UINT64_MAX: nothing. */
struct ovl_train_given {
    const char *model, *cycle;
    uint64_t bucket, first_bucket, fusion, state, checkpoints_per_epoch, steps_per_epoch, epochs;
    double device_rate, scale_flops;
};

struct ovl_train_options {
    struct ovl_app_options common; /* the first */
    struct ovl_train_given given;
    const char *model, *strategy, *cycle, *buckets, *kernel, *dry_run_text, *timeline, *compress, *gradients, *dtype;
    const char *checkpoint, *checkpoint_dir;
    const char *dispatch, *combine, *overlap, *dispatch_per; /* of moe; NULL: not given */
    uint64_t experts, top;
    double capacity, gate_skew; /* 0: not given */
    const char *offload, *phases_text, *records, *dataset, *order;
    uint64_t samples;
    uint64_t read_rate;  /* bytes a second; 0: as fast as they come */
    double local_buffer; /* share of the data set that the buffers of all ranks hold */
    uint64_t helpers;
    double helper_slowdown;
    uint64_t checkpoints_per_epoch, steps_per_epoch, epochs, state;
    double mtbf;          /* mean steps between failures; 0: none */
    uint64_t state_bytes; /* of a parameter; 0: `state` numbers */
    uint64_t batch, bucket, first_bucket, fusion, microbatches, tensor, stages, interleave, dry_run_rank;
    double device_rate; /* Tflop/s */
    double scale_bytes, scale_flops, ratio, us, units;
    int real, dump, tiny, resume;

    struct ovl_network_options network; /* of --plan */

    /* Of these texts. */
    struct ovl_phases phases;
    const struct ovl_records *dlio;      /* of --records; NULL: samples of the model */
    bool dlio_scaled;                    /* but not as DLIO wants them: another batch or computation, or scaled down */
    double cycle_ms;                     /* 0: full, INFINITY: all */
    int dry_run_ranks, dry_run_per_node; /* of --plan; 0: not asked for */
};

extern const struct ovl_option ovl_train_option_rows[];

/* Fills *o, a struct ovl_train_options, defaults first. -1 and OVL_USAGE with one line on what does not go, but for
   what strategies and compressors do not take. */
int ovl_train_options_parse(int argc, char **argv, void *o, struct ovl_error *err);

/* What they give to measuring, in seconds; NAN with epochs, which take what they take. */
double ovl_train_options_seconds(const void *o);

/* Cells of that mode in a whole record. */
size_t ovl_train_options_cells(const void *options, const char *mode);

#endif
