/* Arrival patterns: how much later than agreed each rank begins a sample, on purpose. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_SKEW_H
#define OVL_BENCH_SKEW_H

#include "base/error.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

struct ovl_skew_pattern {
    const char *name;
    /* Share of the full delay that this rank has in a sample. `rng` is the rank's own. */
    double (*share)(int rank, int ranks, struct ovl_rng *rng);
};

/* All patterns; the row with name NULL ends them. */
extern const struct ovl_skew_pattern ovl_skew_patterns[];

struct ovl_skew {
    const struct ovl_skew_pattern *pattern;
    double us;
};

/* From "PATTERN:US", or "none". -1 and OVL_USAGE when it is neither. */
int ovl_skew_parse(const char *text, struct ovl_skew *skew, struct ovl_error *err);

#endif
