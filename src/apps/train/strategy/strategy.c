/* The table of strategies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

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

/* Fusion buffers of Horovod's versions: 64 MiB, and 128 MiB since 0.21. */
static const struct {
    const char *version;
    double fusion;
} presets[] = {{"0.19", 64 << 20}, {"0.25", 128 << 20}};

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

const struct ovl_strategy *ovl_strategy_find(const char *text, struct ovl_train_ask *ask, struct ovl_error *err)
{
    char all[256] = "";
    size_t length = strcspn(text, ":");
    for (int i = 0; ovl_strategies[i]; i++) {
        const struct ovl_strategy *s = ovl_strategies[i];
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", s->name);
        if (strlen(s->name) != length || strncmp(s->name, text, length) != 0)
            continue;
        if (!text[length])
            return s;
        for (size_t p = 0; p < sizeof presets / sizeof *presets && s == &ovl_strategy_horovod; p++)
            if (strcmp(presets[p].version, text + length + 1) == 0) {
                ask->fusion = presets[p].fusion;
                return s;
            }
        ovl_error_set(err, OVL_USAGE, "--strategy %s: only horovod has presets; give horovod:0.19 or horovod:0.25",
                      text);
        return NULL;
    }
    ovl_error_set(err, OVL_USAGE, "--strategy %s: there is none of that name; give one of %s", text, all);
    return NULL;
}
