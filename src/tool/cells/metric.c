/* Values of metrics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/metric.h"
#include "record/derived/percentile.h"
#include "record/derived/possible.h"
#include "record/derived/show.h"
#include "record/proxy.h"
#include "record/status.h"
#include "stats/percentile.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ovl_field *ovl_metric_next(const struct ovl_field *before)
{
    const struct ovl_field *f = before ? before + 1 : ovl_fields_cell;
    while (f->path && !f->metric)
        f++;
    return f->path ? f : NULL;
}

const struct ovl_field *ovl_metric_find(const char *name, struct ovl_error *err)
{
    char all[OVL_ERROR_TEXT] = "";
    for (const struct ovl_field *m = NULL; (m = ovl_metric_next(m));) {
        if (strcmp(m->name, name) == 0)
            return m;
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", m->name);
    }
    const struct ovl_field *percentile = ovl_percentile_field(name);
    if (!percentile)
        ovl_error_set(err, OVL_USAGE, "no metric %.60s; give one of %s; or a percentile, such as total_seconds.p99",
                      name, all);
    return percentile;
}

bool ovl_metric_brief(const struct ovl_field *m)
{
    return !m || m->percent == 0;
}

static double statistic_of(const double *samples, size_t blocks, const char *statistic)
{
    struct ovl_summary s = ovl_stats_summarise(samples, blocks);
    return strcmp(statistic, "min") == 0    ? s.min
           : strcmp(statistic, "max") == 0  ? s.max
           : strcmp(statistic, "p99") == 0  ? (s.n < ovl_stats_percentile_claims(99) ? NAN : s.p99)
           : strcmp(statistic, "mean") == 0 ? ovl_stats_mean(samples, blocks)
                                            : s.median;
}

double ovl_metric_again(const struct ovl_field *m, const char *statistic, const struct ovl_run *run,
                        const struct ovl_cell *cell)
{
    if (m->percent > 0)
        return ovl_field_estimate(m, cell).value;
    if (m->quantity > 0)
        return statistic_of(cell->samples.max[m->quantity - 1], cell->samples.blocks, statistic);
    if (m->derived > 0) {
        enum ovl_derived d = (enum ovl_derived)(m->derived - 1);
        return ovl_cell_has(cell, d) && !ovl_cell_lacks(cell, d)
                   ? ovl_overlap_value(&cell->samples, &ovl_derived_rows[d], 20 * cell->clock_read_seconds)
                   : NAN;
    }
    if (m->again)
        return m->again(run, cell);
    size_t n;
    double *samples = ovl_proxy_samples(cell, m->name, &n), value = NAN;
    if (samples)
        value = statistic_of(samples, n, statistic);
    free(samples);
    return value;
}

struct ovl_estimate ovl_metric_of(const struct ovl_field *m, const struct ovl_member *member)
{
    bool claims = ovl_member_claims(member) && ovl_value_is_possible(member->run, member->cell, m);
    return claims ? ovl_field_estimate(m, member->cell) : (struct ovl_estimate){NAN, NAN, NAN};
}

const char *ovl_metric_unlike(const struct ovl_field *m, const struct ovl_member *members, size_t count)
{
    const char *unlike = ovl_members_unlike(members, count);
    return unlike && (m->of_work || strcmp(unlike, "model") == 0) ? unlike : NULL;
}

struct ovl_estimate ovl_metric_over(const struct ovl_field *m, const struct ovl_member *members, size_t count,
                                    size_t *n)
{
    struct ovl_estimate one = {NAN, NAN, NAN};
    double *values = ovl_alloc(count + 1, sizeof *values);
    *n = 0;
    if (ovl_metric_unlike(m, members, count))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        struct ovl_estimate e = ovl_metric_of(m, &members[i]);
        if (!isfinite(e.value))
            continue;
        one = e;
        values[(*n)++] = e.value;
    }
    struct ovl_summary s = ovl_stats_summarise(values, *n);
    free(values);
    return *n == 1 ? one : (struct ovl_estimate){s.median, s.ci_low, s.ci_high};
}

size_t ovl_group_claims(const struct ovl_group *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++)
        n += ovl_member_claims(&g->member[i]);
    return n;
}

bool ovl_group_unchecked(const struct ovl_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (ovl_member_claims(&g->member[i]) && ovl_cell_unchecked(g->member[i].cell))
            return true;
    return false;
}
