/* What would take too long to count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/strategy.h"

/* Each token of an output is looked at, and so is each step of an iteration, of which no batch makes fewer. */
int ovl_serve_countable(const struct ovl_serve_ask *ask, double steps, struct ovl_error *err)
{
    const double most = 1e9;
    double tokens = 0;
    for (size_t r = 0; r < ask->trace->count; r++)
        tokens += ask->trace->list[r].output + (ask->chunk > 0 ? ask->trace->list[r].prompt / ask->chunk : 0);
    double all = tokens + tokens / ask->slots * steps;
    if (all > most)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy: %.3g tokens of outputs make %.3g steps, and %.3g at most are counted; give "
                             "fewer requests, or shorter ones",
                             tokens, all, most);
    return 0;
}
