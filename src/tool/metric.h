/* What cells can be compared and judged by: a row per value says how it is compared and which way is better. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_METRIC_H
#define OVL_TOOL_METRIC_H

#include "tool/group.h"

enum ovl_metric_scale { OVL_METRIC_RATIO, OVL_METRIC_DIFFERENCE };

struct ovl_metric {
    const char *name; /* as in the record */
    const char *unit; /* "s", "1" and so on */
    enum ovl_metric_scale scale;
    bool more_is_better;
    int quantity, derived; /* of stats/overlap.h; -1 when it is none */
    size_t offset;         /* of an estimate or, with `plain`, of a number in struct ovl_cell; 0 when it is neither */
    bool plain;
    bool of_work; /* does it change with the amount of work, though nothing else changes? */
    double (*again)(const struct ovl_run *run,
                    const struct ovl_cell *cell); /* from the samples; of those with offset */
};

/* All of them; the row with name NULL ends them. */
extern const struct ovl_metric ovl_metrics[];

/* The row of that name. NULL and OVL_USAGE, which lists the names. */
const struct ovl_metric *ovl_metric_find(const char *name, struct ovl_error *err);

/* As stored in the record: the median for quantities; no interval where there is none. */
struct ovl_estimate ovl_metric_stored(const struct ovl_metric *m, const struct ovl_cell *cell);

/* Again from the samples. `statistic` is one of median, min, max, p99, mean over the blocks; other than median only for
   quantities. */
double ovl_metric_again(const struct ovl_metric *m, const char *statistic, const struct ovl_run *run,
                        const struct ovl_cell *cell);

/* Over launches: the median of their values with its exact interval, which needs 6 of them; of one launch its own
   value and interval. *n is how many launches have a value and a claim to it. */
struct ovl_estimate ovl_metric_over(const struct ovl_metric *m, const struct ovl_member *members, size_t count,
                                    size_t *n);

/* The host cell of the same run that was measured in the same blocks, of several the quickest; NULL without one. */
const struct ovl_cell *ovl_metric_host_beside(const struct ovl_run *run, const struct ovl_cell *cell);

/* Is the cell's value worth a claim: neither invalid nor unshaped? */
bool ovl_metric_claims(const struct ovl_cell *cell);

#endif
