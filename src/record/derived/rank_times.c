/* What each rank of a cell exposed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/rank_times.h"
#include "record/field.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

/* The values of one rank, NaN for null, in `values`, which has room for `room`. Returns how many blocks. */
static size_t values_of(const json_t *ranks, size_t rank, double *values, size_t room)
{
    const json_t *blocks = json_array_get(ranks, rank);
    size_t n = json_array_size(blocks);
    n = n < room ? n : room;
    for (size_t b = 0; b < n; b++) {
        const json_t *value = json_array_get(blocks, b);
        values[b] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return n;
}

static int node_of(const struct ovl_run *run, size_t rank)
{
    const json_t *node = json_array_get(json_object_get(run->head, "rank_hosts"), rank);
    size_t hosts = json_array_size(json_object_get(run->head, "hosts"));
    json_int_t i = json_integer_value(node);
    return json_is_integer(node) && i >= 0 && (size_t)i < hosts ? (int)i : -1;
}

struct ovl_rank_time *ovl_rank_times(const struct ovl_run *run, const struct ovl_cell *cell, size_t *ranks)
{
    const json_t *samples = json_object_get(cell->extra, "rank_samples");
    const json_t *total = json_object_get(samples, "total_seconds"),
                 *work = json_object_get(samples, "compute_seconds");
    size_t n = json_array_size(total), room = cell->samples.blocks;
    *ranks = n;
    if (n == 0)
        return NULL;
    struct ovl_rank_time *times = ovl_alloc(n, sizeof *times);
    double *values = ovl_alloc(room, sizeof *values);
    for (size_t r = 0; r < n; r++) {
        struct ovl_summary t = ovl_stats_summarise(values, values_of(total, r, values, room)),
                           w = ovl_stats_summarise(values, values_of(work, r, values, room));
        times[r] =
            (struct ovl_rank_time){t.median - w.median, t.ci_low - w.median, t.ci_high - w.median, node_of(run, r)};
    }
    free(values);
    return times;
}

static bool counts(const struct ovl_samples *s, unsigned terms, size_t block)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (terms & 1U << q && isnan(s->max[q][block]))
            return false;
    return true;
}

bool ovl_rank_means(const struct ovl_cell *cell, unsigned terms, enum ovl_quantity q, double *least, double *greatest)
{
    const json_t *ranks = json_object_get(json_object_get(cell->extra, "rank_samples"), ovl_field_of_quantity(q)->name);
    size_t blocks = cell->samples.blocks;
    double *values = ovl_alloc(blocks + 1, sizeof *values);
    *least = INFINITY, *greatest = -INFINITY;
    for (size_t r = 0; r < json_array_size(ranks); r++) {
        double sum = 0;
        size_t n = 0, told = values_of(ranks, r, values, blocks);
        for (size_t b = 0; b < told; b++)
            if (counts(&cell->samples, terms | 1U << q, b)) {
                sum += values[b];
                n++;
            }
        *least = fmin(*least, sum / (double)n);
        *greatest = fmax(*greatest, sum / (double)n);
    }
    free(values);
    return isfinite(*least) && isfinite(*greatest);
}

double ovl_rank_times_median(const struct ovl_rank_time *times, size_t ranks)
{
    double *all = ovl_alloc(ranks, sizeof *all);
    for (size_t r = 0; r < ranks; r++)
        all[r] = times[r].seconds;
    double median = ovl_stats_summarise(all, ranks).median;
    free(all);
    return median;
}

size_t ovl_rank_times_worst(const struct ovl_rank_time *times, size_t ranks, size_t *worst, size_t most)
{
    double median = ovl_rank_times_median(times, ranks);
    size_t found = 0;
    for (size_t r = 0; r < ranks; r++) {
        if (!(times[r].seconds > median) || (found == most && times[r].seconds <= times[worst[most - 1]].seconds))
            continue;
        size_t at = found < most ? found++ : most - 1;
        for (; at > 0 && times[worst[at - 1]].seconds < times[r].seconds; at--)
            worst[at] = worst[at - 1];
        worst[at] = r;
    }
    return found;
}

const char *ovl_rank_node_name(const struct ovl_run *run, int node)
{
    const json_t *host = json_array_get(json_object_get(run->head, "hosts"), (size_t)(node < 0 ? 0 : node));
    const char *name = json_string_value(json_object_get(host, "name"));
    return node >= 0 && name ? name : "";
}
