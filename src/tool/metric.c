/* The metrics: a row each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS(text, q)                                                                                               \
    {                                                                                                                  \
        .name = text, .unit = "s", .quantity = q, .derived = -1                                                        \
    }
#define DERIVED(text, d, how, more)                                                                                    \
    {                                                                                                                  \
        .name = text, .unit = "1", .scale = how, .more_is_better = more, .quantity = -1, .derived = d                  \
    }
#define OTHER(text, u, more, member, is_plain)                                                                         \
    {                                                                                                                  \
        .name = text, .unit = u, .more_is_better = more, .quantity = -1, .derived = -1,                                \
        .offset = offsetof(struct ovl_cell, member), .plain = is_plain                                                 \
    }

const struct ovl_metric ovl_metrics[] = {
    SECONDS("total_seconds", OVL_TOTAL),
    SECONDS("comm_seconds", OVL_COMM),
    SECONDS("compute_seconds", OVL_COMPUTE),
    SECONDS("blocking_seconds", OVL_BLOCKING),
    SECONDS("init_seconds", OVL_INIT),
    SECONDS("test_seconds", OVL_TEST),
    SECONDS("wait_seconds", OVL_WAIT),
    SECONDS("inner_compute_seconds", OVL_INNER),
    DERIVED("hidden_fraction", OVL_HIDDEN, OVL_METRIC_DIFFERENCE, true),
    DERIVED("hideable_fraction", OVL_HIDEABLE, OVL_METRIC_DIFFERENCE, true),
    DERIVED("overlap_ratio", OVL_OVERLAP, OVL_METRIC_DIFFERENCE, true),
    DERIVED("efficiency_vs_blocking", OVL_EFFICIENCY, OVL_METRIC_DIFFERENCE, true),
    DERIVED("speedup_vs_blocking", OVL_SPEEDUP, OVL_METRIC_RATIO, true),
    DERIVED("compute_slowdown_ratio", OVL_SLOWDOWN, OVL_METRIC_RATIO, false),
    DERIVED("nbc_penalty_ratio", OVL_PENALTY, OVL_METRIC_RATIO, false),
    DERIVED("hidden_fraction_rank_mean", OVL_HIDDEN_RANK_MEAN, OVL_METRIC_DIFFERENCE, true),
    OTHER("offload_efficiency", "1", true, offload_efficiency, true),
    OTHER("gflops", "Gflop/s", true, gflops, false),
    OTHER("exposed_comm_seconds", "s", false, exposed, false),
    {.name = NULL},
};

const struct ovl_metric *ovl_metric_find(const char *name, struct ovl_error *err)
{
    char all[OVL_ERROR_TEXT] = "";
    for (const struct ovl_metric *m = ovl_metrics; m->name; m++) {
        if (strcmp(m->name, name) == 0)
            return m;
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", m->name);
    }
    ovl_error_set(err, OVL_USAGE, "no metric %.60s; give one of %s", name, all);
    return NULL;
}

struct ovl_estimate ovl_metric_stored(const struct ovl_metric *m, const struct ovl_cell *cell)
{
    const void *at = (const char *)cell + m->offset;
    if (m->quantity >= 0) {
        const struct ovl_summary *s = &cell->summary[m->quantity];
        return (struct ovl_estimate){s->median, s->ci_low, s->ci_high};
    }
    if (m->derived >= 0)
        return cell->derived[m->derived];
    if (m->plain)
        return (struct ovl_estimate){*(const double *)at, NAN, NAN};
    return *(const struct ovl_estimate *)at;
}

static double median_total(const struct ovl_cell *cell)
{
    struct ovl_summary s;
    return ovl_stats_summarise(cell->samples.max[OVL_TOTAL], cell->samples.blocks, &s) == 0 ? s.median : NAN;
}

const struct ovl_cell *ovl_metric_host_beside(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *quickest = NULL;
    for (size_t c = 0; c < run->cell_count; c++) {
        const struct ovl_cell *host = &run->cells[c];
        if (strcmp(host->mode, "host") == 0 && strcmp(host->block_group, cell->block_group) == 0 &&
            (!quickest || host->summary[OVL_TOTAL].median < quickest->summary[OVL_TOTAL].median))
            quickest = host;
    }
    return quickest;
}

/* T of the host cell that was measured in the same blocks, over T of this dpu cell. */
static double offload_again(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *host = strcmp(cell->mode, "dpu") == 0 ? ovl_metric_host_beside(run, cell) : NULL;
    return host ? median_total(host) / median_total(cell) : NAN;
}

double ovl_metric_again(const struct ovl_metric *m, const char *statistic, const struct ovl_run *run,
                        const struct ovl_cell *cell)
{
    struct ovl_summary s;
    if (m->quantity >= 0) {
        const double *samples = cell->samples.max[m->quantity];
        if (ovl_stats_summarise(samples, cell->samples.blocks, &s) != 0)
            return NAN;
        return strcmp(statistic, "min") == 0    ? s.min
               : strcmp(statistic, "max") == 0  ? s.max
               : strcmp(statistic, "p99") == 0  ? s.p99
               : strcmp(statistic, "mean") == 0 ? ovl_stats_mean(samples, cell->samples.blocks)
                                                : s.median;
    }
    if (m->derived >= 0)
        return ovl_overlap_value(&cell->samples, (enum ovl_derived)m->derived, 20 * cell->clock_read_seconds);
    if (m->plain)
        return offload_again(run, cell);
    return ovl_metric_stored(m, cell).value;
}

struct ovl_estimate ovl_metric_over(const struct ovl_metric *m, const struct ovl_member *members, size_t count,
                                    size_t *n)
{
    struct ovl_estimate one = {NAN, NAN, NAN};
    struct ovl_summary s = {.median = NAN, .ci_low = NAN, .ci_high = NAN};
    double *values = malloc((count ? count : 1) * sizeof *values);
    *n = 0;
    for (size_t i = 0; values && i < count; i++) {
        struct ovl_estimate e = ovl_metric_stored(m, members[i].cell);
        if (!ovl_metric_claims(members[i].cell) || !isfinite(e.value))
            continue;
        one = e;
        values[(*n)++] = e.value;
    }
    if (values && ovl_stats_summarise(values, *n, &s) != 0)
        s = (struct ovl_summary){.median = NAN, .ci_low = NAN, .ci_high = NAN};
    free(values);
    return *n == 1 ? one : (struct ovl_estimate){s.median, s.ci_low, s.ci_high};
}

bool ovl_metric_claims(const struct ovl_cell *cell)
{
    return strcmp(cell->status, "invalid") != 0 && cell->unshaped <= 0 && cell->validated != 0;
}
