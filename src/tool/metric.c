/* The metrics: a row each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/metric.h"
#include "record/proxy.h"
#include "record/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS(text, q, work)                                                                                         \
    {                                                                                                                  \
        .name = text, .unit = "s", .quantity = q, .derived = -1, .of_work = work                                       \
    }
#define DERIVED(text, d, how, more, work)                                                                              \
    {                                                                                                                  \
        .name = text, .unit = "1", .scale = how, .more_is_better = more, .quantity = -1, .derived = d, .of_work = work \
    }
#define OTHER(text, u, more, member, is_plain, work, how)                                                              \
    {                                                                                                                  \
        .name = text, .unit = u, .more_is_better = more, .quantity = -1, .derived = -1,                                \
        .offset = offsetof(struct ovl_cell, member), .plain = is_plain, .of_work = work, .again = how                  \
    }

static double median_total(const struct ovl_cell *cell)
{
    struct ovl_summary s;
    return ovl_stats_summarise(cell->samples.max[OVL_TOTAL], cell->samples.blocks, &s) == 0 ? s.median : NAN;
}

/* From the samples where they were read. */
static double total_of(const struct ovl_cell *cell)
{
    return cell->samples.blocks > 0 ? median_total(cell) : cell->summary[OVL_TOTAL].median;
}

const struct ovl_cell *ovl_metric_host_beside(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *quickest = NULL;
    for (size_t c = 0; c < run->cell_count; c++) {
        const struct ovl_cell *host = &run->cells[c];
        if (strcmp(host->mode, "host") == 0 && strcmp(host->block_group, cell->block_group) == 0 &&
            (!quickest || total_of(host) < total_of(quickest)))
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

static double gflops_again(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return ovl_proxy_gflops(cell, median_total(cell));
}

static double exposed_again(const struct ovl_run *run, const struct ovl_cell *cell)
{
    (void)run;
    return ovl_cell_solves(cell) ? ovl_proxy_exposed(cell) : NAN;
}

const struct ovl_metric ovl_metrics[] = {
    SECONDS("total_seconds", OVL_TOTAL, true),
    SECONDS("comm_seconds", OVL_COMM, false),
    SECONDS("compute_seconds", OVL_COMPUTE, true),
    SECONDS("blocking_seconds", OVL_BLOCKING, false),
    SECONDS("init_seconds", OVL_INIT, false),
    SECONDS("test_seconds", OVL_TEST, false),
    SECONDS("wait_seconds", OVL_WAIT, false),
    SECONDS("inner_compute_seconds", OVL_INNER, true),
    DERIVED("hidden_fraction", OVL_HIDDEN, OVL_METRIC_DIFFERENCE, true, false),
    DERIVED("hideable_fraction", OVL_HIDEABLE, OVL_METRIC_DIFFERENCE, true, false),
    DERIVED("overlap_ratio", OVL_OVERLAP, OVL_METRIC_DIFFERENCE, true, false),
    DERIVED("efficiency_vs_blocking", OVL_EFFICIENCY, OVL_METRIC_DIFFERENCE, true, false),
    DERIVED("speedup_vs_blocking", OVL_SPEEDUP, OVL_METRIC_RATIO, true, true),
    DERIVED("compute_slowdown_ratio", OVL_SLOWDOWN, OVL_METRIC_RATIO, false, false),
    DERIVED("nbc_penalty_ratio", OVL_PENALTY, OVL_METRIC_RATIO, false, false),
    DERIVED("hidden_fraction_rank_mean", OVL_HIDDEN_RANK_MEAN, OVL_METRIC_DIFFERENCE, true, false),
    OTHER("offload_efficiency", "1", true, offload_efficiency, true, true, offload_again),
    OTHER("gflops", "Gflop/s", true, gflops, false, false, gflops_again),
    OTHER("exposed_comm_seconds", "s", false, exposed, false, false, exposed_again),
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
        return ovl_cell_has(cell, (enum ovl_derived)m->derived)
                   ? ovl_overlap_value(&cell->samples, &ovl_derived_rows[m->derived], 20 * cell->clock_read_seconds)
                   : NAN;
    return m->again(run, cell);
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
    return ovl_cell_claims(cell);
}
