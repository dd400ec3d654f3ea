/* What of a training goes where: presets of strategies, the designs by which helpers take work from a rank, the shares
   of a step that publications give to augmentation and validation, and the records of DLIO's data sets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_PRESETS_TRAIN_PRESETS_H
#define OVL_CLI_PRESETS_TRAIN_PRESETS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What --strategy NAME:PRESET stands for. */
struct ovl_strategy_preset {
    const char *strategy, *name;
    uint64_t fusion; /* bytes of Horovod's fusion buffer; 0: not its */
    uint64_t bucket; /* bytes of a bucket, the first one, too; 0: as without a preset */
    bool deepspeed;  /* messages in the order, and with the waits, of DeepSpeed with its default configuration */
    bool overlap;    /* but for overlap_comm, which is true */
    bool sequence;   /* Megatron's sequence parallelism */
};

/* All of them; the last one has no name. */
extern const struct ovl_strategy_preset ovl_strategy_presets[];

/* The preset in "STRATEGY:PRESET"; NULL where it has none, or one that is not known. */
const struct ovl_strategy_preset *ovl_strategy_preset_find(const char *text);

/* What a bucket holds, in bytes: DeepSpeed counts numbers, and --bucket has bytes of f32. `number` is the bytes of a
   gradient. */
double ovl_strategy_bucket_bytes(const char *strategy, double bucket, double number);

/* Jain et al., HotI 2021: what the helpers do of a training. */
struct ovl_design {
    const char *name, *about;
    bool loads;     /* load and augment samples, a batch ahead */
    bool validates; /* validate the weights that they are given, while training goes on */
    bool trains;    /* have a share of each batch, whose gradients they hand to their rank */
};

enum { OVL_DESIGNS = 5 };
extern const struct ovl_design ovl_designs[OVL_DESIGNS]; /* the first: nothing */

/* Shares of the time of an epoch where the rank does everything. */
struct ovl_phases {
    double augment, validate;
};

/* A preset's name, or "A:V" or "A", as fractions. -1 with OVL_USAGE. */
int ovl_phases_parse(const char *text, struct ovl_phases *p, struct ovl_error *err);
/* The preset of a model's name, or false. */
bool ovl_phases_find(const char *name, struct ovl_phases *p);

/* Records as in the configurations of DLIO that MLPerf Storage has. */
struct ovl_records {
    const char *name;
    double record_bytes;
    unsigned batch;
    double a100_seconds, h100_seconds; /* computation of a step on such an accelerator */
    double pass;                       /* the utilisation that it asks for */
};

/* "NAME", "NAME:a100" or "NAME:h100" (as NAME alone): the data set, and the seconds of its computation. NULL with
   OVL_USAGE. */
const struct ovl_records *ovl_records_find(const char *text, double *seconds, struct ovl_error *err);

#endif
