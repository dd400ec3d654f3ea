/* The table of arrival patterns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/skew.h"
#include "cli/options.h"

#include <math.h>
#include <string.h>

static double none(int rank, int ranks, struct ovl_rng *rng)
{
    (void)rank, (void)ranks, (void)rng;
    return 0;
}

static double at_random(int rank, int ranks, struct ovl_rng *rng)
{
    (void)rank, (void)ranks;
    return (double)(ovl_rng_next(rng) >> 11) / 9007199254740992.0;
}

static double last_is_late(int rank, int ranks, struct ovl_rng *rng)
{
    (void)rng;
    return rank == ranks - 1;
}

static double ascending(int rank, int ranks, struct ovl_rng *rng)
{
    (void)rng;
    return ranks > 1 ? (double)rank / (ranks - 1) : 0;
}

const struct ovl_skew_pattern ovl_skew_patterns[] = {
    {"none", none}, {"random", at_random}, {"one-late", last_is_late}, {"ascending", ascending}, {NULL, NULL},
};

int ovl_skew_parse(const char *text, struct ovl_skew *skew, struct ovl_error *err)
{
    size_t length = strcspn(text, ":");
    const char *end = "not a number";
    skew->us = 0;
    if (text[length] && ovl_options_number(text + length + 1, &skew->us, &end) != 0)
        end = "not a number";
    for (const struct ovl_skew_pattern *p = ovl_skew_patterns; p->name; p++)
        if (strlen(p->name) == length && strncmp(p->name, text, length) == 0) {
            bool delayed = p->share != none;
            skew->pattern = p;
            if (!delayed && !text[length])
                return 0;
            if (delayed && !*end && skew->us > 0 && skew->us <= 1e6)
                return 0;
        }
    return ovl_error_set(err, OVL_USAGE,
                         "--skew %s: give none, random:US, one-late:US or ascending:US, up to 1000000 us", text);
}
