/* One cell that stands for several launches of the same point in a chart: medians over launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/launches.h"
#include "base/checksum.h"
#include "record/proxy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_estimate over(double *values, size_t n)
{
    struct ovl_summary s = ovl_stats_summarise(values, n);
    return (struct ovl_estimate){.value = s.median, .ci_low = s.ci_low, .ci_high = s.ci_high};
}

/* The median over the launches of an estimate that is a member of the cell. */
#define OVER(member)                                                                                                   \
    do {                                                                                                               \
        for (size_t i = 0; i < n; i++)                                                                                 \
            values[i] = of[i]->member.value;                                                                           \
        joined->member = over(values, n);                                                                              \
    } while (0)

enum { BLOCK_GROUP = sizeof((struct ovl_cell *)0)->block_group };

/* One text for the block groups of all launches, the same where another mode has the same ones; "" where one has none.
 */
static void join_groups(char text[BLOCK_GROUP], const struct ovl_cell *const *of, size_t n)
{
    uint32_t sum = 0;
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        all = all && *of[i]->block_group;
        sum = ovl_checksum_crc32(sum, of[i]->block_group, strlen(of[i]->block_group) + 1);
    }
    *text = '\0';
    if (all)
        snprintf(text, BLOCK_GROUP, "%zu %08x", n, sum);
}

static void join(struct ovl_cell *joined, const struct ovl_cell *const *of, size_t n, double *values)
{
    *joined = *of[0];
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        for (size_t i = 0; i < n; i++)
            values[i] = of[i]->summary[q].median;
        struct ovl_estimate e = over(values, n);
        joined->summary[q].median = e.value;
        joined->summary[q].ci_low = e.ci_low;
        joined->summary[q].ci_high = e.ci_high;
    }
    for (int d = 0; d < OVL_DERIVED; d++)
        OVER(derived[d]);
    OVER(gain);
    OVER(gflops);
    OVER(exposed);
    OVER(bound_ratio);
    OVER(samples_rate);
    join_groups(joined->block_group, of, n);
    for (size_t i = 1; i < n; i++)
        if (of[i]->units != joined->units)
            joined->units = NAN;
}

double ovl_chart_launches_bound(const struct ovl_cell *const *cells, size_t n)
{
    double *values = ovl_alloc(n + 1, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = ovl_proxy_summary(cells[i], "bound_seconds").median;
    double bound = over(values, n).value;
    free(values);
    return bound;
}

bool ovl_chart_launches_join(struct ovl_cell *joined, const struct ovl_cell *const *cells, size_t n)
{
    if (n < OVL_CHART_LAUNCHES)
        return false;
    double *values = ovl_alloc(n, sizeof *values);
    join(joined, cells, n, values);
    free(values);
    return true;
}
