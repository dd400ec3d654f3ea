/* The table of strategies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"
#include "cli/presets/train_presets.h"

#include <stdio.h>
#include <string.h>

const struct ovl_strategy *const ovl_strategies[] = {&ovl_strategy_ddp,
                                                     &ovl_strategy_horovod,
                                                     &ovl_strategy_zero1,
                                                     &ovl_strategy_zero2,
                                                     &ovl_strategy_zero3,
                                                     &ovl_strategy_fsdp,
                                                     &ovl_strategy_tp,
                                                     &ovl_strategy_moe,
                                                     &ovl_strategy_pp,
                                                     &ovl_strategy_3d,
                                                     NULL};

/* Of DeepSpeed, zero/config.py: reduce_bucket_size, stage3_prefetch_bucket_size and so on, in numbers. */
static const struct ovl_deepspeed deepspeed = {
    .on = true, .prefetch = 5e7, .live = 1e9, .reuse = 1e9, .persistent = 1e5};

struct ovl_train_ask ovl_train_ask_default(void)
{
    return (struct ovl_train_ask){.ranks = 1,
                                  .local = 1,
                                  .batch = 1,
                                  .first_bucket = 1 << 20,
                                  .bucket = 25 << 20,
                                  .fusion = 64 << 20,
                                  .tensor = 1,
                                  .interleave = 1,
                                  .moe = ovl_moe_default()};
}

/* The presets of a strategy, as it would be called with them. */
static int no_such_preset(const char *text, const struct ovl_strategy *s, struct ovl_error *err)
{
    char all[128] = "";
    for (const struct ovl_strategy_preset *p = ovl_strategy_presets; p->name; p++)
        if (strcmp(p->strategy, s->name) == 0)
            snprintf(all + strlen(all), sizeof all - strlen(all), ", %s:%s", s->name, p->name);
    if (*all)
        return ovl_error_set(err, OVL_USAGE, "--strategy %s: there is no such preset; give %s%s", text, s->name, all);
    return ovl_error_set(err, OVL_USAGE, "--strategy %s: %s has no presets; give %s", text, s->name, s->name);
}

const struct ovl_strategy *ovl_strategy_find(const char *text, struct ovl_train_ask *ask, struct ovl_error *err)
{
    const struct ovl_strategy_preset *preset = ovl_strategy_preset_find(text);
    char all[256] = "";
    size_t length = strcspn(text, ":");
    for (int i = 0; ovl_strategies[i]; i++) {
        const struct ovl_strategy *s = ovl_strategies[i];
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", s->name);
        if (strlen(s->name) != length || strncmp(s->name, text, length) != 0)
            continue;
        if (text[length] && !preset) {
            no_such_preset(text, s, err);
            return NULL;
        }
        if (preset) {
            ask->fusion = preset->fusion ? (double)preset->fusion : ask->fusion;
            ask->bucket = preset->bucket ? (double)preset->bucket : ask->bucket;
            ask->sequence = preset->sequence;
            ask->deepspeed = preset->deepspeed ? deepspeed : ask->deepspeed;
            ask->deepspeed.overlap = preset->overlap;
        }
        return s;
    }
    ovl_error_set(err, OVL_USAGE, "--strategy %s: there is none of that name; give one of %s", text, all);
    return NULL;
}
