/* The table of strategies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/strategy.h"

#include <stdio.h>
#include <string.h>

const struct ovl_serve_strategy *const ovl_serve_strategies[] = {&ovl_serve_tp, &ovl_serve_pd, &ovl_serve_tier,
                                                                 &ovl_serve_ep, NULL};

const struct ovl_serve_strategy *ovl_serve_strategy_find(const char *name, struct ovl_error *err)
{
    char all[OVL_ERROR_TEXT] = "";
    for (int i = 0; ovl_serve_strategies[i]; i++) {
        size_t used = strlen(all);
        if (strcmp(ovl_serve_strategies[i]->name, name) == 0)
            return ovl_serve_strategies[i];
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", ovl_serve_strategies[i]->name);
    }
    ovl_error_set(err, OVL_USAGE, "--strategy %s: there is none of that name; give one of %s", name, all);
    return NULL;
}
