/* Rows as published; a new preset, design, share or data set is a row here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/presets/train_presets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fusion buffers of Horovod's versions: 64 MiB, and 128 MiB since 0.21. DeepSpeed's reduce_bucket_size: 5e8 numbers, of
   4 bytes here. */
enum { MIB = 1 << 20, DEEPSPEED = 2000000000 };

const struct ovl_strategy_preset ovl_strategy_presets[] = {
    {.strategy = "horovod", .name = "0.19", .fusion = 64 * MIB},
    {.strategy = "horovod", .name = "0.25", .fusion = 128 * MIB},
    {.strategy = "zero1", .name = "deepspeed", .bucket = DEEPSPEED, .deepspeed = true},
    {.strategy = "zero1", .name = "overlap_comm", .bucket = DEEPSPEED, .deepspeed = true, .overlap = true},
    {.strategy = "zero2", .name = "deepspeed", .bucket = DEEPSPEED, .deepspeed = true},
    {.strategy = "zero2", .name = "overlap_comm", .bucket = DEEPSPEED, .deepspeed = true, .overlap = true},
    {.strategy = "zero3", .name = "deepspeed", .bucket = DEEPSPEED, .deepspeed = true, .overlap = true},
    {.strategy = "tp", .name = "sequence", .sequence = true},
    {.strategy = "3d", .name = "sequence", .sequence = true},
    {.name = NULL},
};

const struct ovl_strategy_preset *ovl_strategy_preset_find(const char *text)
{
    size_t length = strcspn(text, ":");
    for (const struct ovl_strategy_preset *p = ovl_strategy_presets; p->name && text[length]; p++)
        if (strlen(p->strategy) == length && strncmp(p->strategy, text, length) == 0 &&
            strcmp(p->name, text + length + 1) == 0)
            return p;
    return NULL;
}

double ovl_strategy_bucket_bytes(const char *strategy, double bucket, double number)
{
    const struct ovl_strategy_preset *p = ovl_strategy_preset_find(strategy);
    return p && p->deepspeed ? bucket * number / sizeof(float) : bucket;
}

const struct ovl_design ovl_designs[OVL_DESIGNS] = {
    {.name = "none", .about = "the rank does everything"},
    {.name = "o-n", .about = "a helper has a share of each batch", .trains = true},
    {.name = "o-da", .about = "helpers load and augment, a batch ahead", .loads = true},
    {.name = "o-mv", .about = "helpers validate while training goes on", .validates = true},
    {.name = "o-hy", .about = "helpers do both", .loads = true, .validates = true},
};

/* From the published gains, read as T / T' - 1: O-DA takes A out of the step, O-MV takes V. */
static const struct {
    const char *name;
    struct ovl_phases shares;
} presets[] = {
    {"resnet20", {0.121, 0.030}},
    {"resnet56", {0.065, 0.052}},
    {"shufflenetv2", {0.111, 0.012}},
};

bool ovl_phases_find(const char *name, struct ovl_phases *p)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0) {
            *p = presets[i].shares;
            return true;
        }
    return false;
}

int ovl_phases_parse(const char *text, struct ovl_phases *p, struct ovl_error *err)
{
    char *end;
    if (ovl_phases_find(text, p))
        return 0;
    *p = (struct ovl_phases){strtod(text, &end), 0};
    if (end > text && *end == ':' && end[1])
        p->validate = strtod(end + 1, &end);
    if (end == text || *end || !(p->augment >= 0 && p->validate >= 0 && p->augment + p->validate <= 0.95))
        return ovl_error_set(
            err, OVL_USAGE,
            "--phases %.40s: give resnet20, resnet56, shufflenetv2, or shares A:V of a step from 0 on, "
            "0.95 at most together, such as 0.12:0.03",
            text);
    return 0;
}

static const struct ovl_records dlio[] = {
    {"unet3d", 146600628, 7, 0.636, 0.323, 0.90},
    {"resnet50", 114660, 400, 0.435, 0.224, 0.90},
    {"cosmoflow", 2828486, 1, 0.00551, 0.0035, 0.70},
};

const struct ovl_records *ovl_records_find(const char *text, double *seconds, struct ovl_error *err)
{
    size_t length = strcspn(text, ":");
    const char *on = text[length] ? text + length + 1 : "h100";
    bool a100 = strcmp(on, "a100") == 0;
    for (size_t i = 0; i < sizeof dlio / sizeof *dlio; i++)
        if (strlen(dlio[i].name) == length && strncmp(text, dlio[i].name, length) == 0 &&
            (a100 || strcmp(on, "h100") == 0)) {
            *seconds = a100 ? dlio[i].a100_seconds : dlio[i].h100_seconds;
            return &dlio[i];
        }
    ovl_error_set(err, OVL_USAGE,
                  "--records %.40s: give unet3d, resnet50 or cosmoflow, with :a100 or :h100 for that "
                  "accelerator's computation",
                  text);
    return NULL;
}
