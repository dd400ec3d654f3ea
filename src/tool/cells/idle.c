/* Before the first block and behind the last. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/idle.h"
#include "base/clock.h"
#include "cli/catalog.h"

#include <math.h>

/* Seconds that an end takes: the last data are checked, and workers end. A driver's data are no more than its messages,
   an application's check may be as long as what it checks. Times of a record are whole seconds besides. */
static const double end_of_driver = 2, end_of_application = 20;

/* A driver calibrates its clocks, rank by rank, and its work; an application may plan for minutes. */
static const double start_of_driver = 10, start_of_rank = 0.01;

/* The blocks of a run: when the first began and the last ended, since `started`, and how long the longest one took. */
struct span {
    double first, last, longest;
};

static double block_seconds(const struct ovl_samples *s, size_t block)
{
    static const enum ovl_quantity parts[] = {OVL_COMM, OVL_COMPUTE, OVL_BLOCKING, OVL_TOTAL};
    double sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double one = s->max[parts[i]][block];
        sum += isnan(one) ? 0 : one;
    }
    return sum;
}

/* false: a cell tells no times of its blocks, so that what it took is not known. */
static bool add_cell(struct span *all, const struct ovl_cell *cell)
{
    const json_t *times = json_object_get(json_object_get(cell->extra, "block_times"), "started_seconds");
    size_t n = json_array_size(times);
    if (n == 0 || n != cell->samples.blocks)
        return false;
    for (size_t b = 0; b < n; b++)
        all->longest = fmax(all->longest, block_seconds(&cell->samples, b));
    all->first = fmin(all->first, json_number_value(json_array_get(times, 0)));
    all->last = fmax(all->last, json_number_value(json_array_get(times, n - 1)) + block_seconds(&cell->samples, n - 1));
    return true;
}

double ovl_run_idle(const struct ovl_run *run)
{
    struct span all = {INFINITY, 0, 0};
    const char *finished = json_string_value(json_object_get(run->end, "finished"));
    double took = ovl_clock_utc_seconds(finished ? finished : "") - ovl_clock_utc_seconds(ovl_run_text(run, "started"));
    double warmup = fmax(1, json_number_value(json_object_get(json_object_get(run->head, "options"), "warmup")));
    double ranks = json_number_value(json_object_get(run->head, "ranks"));
    bool driver = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    for (size_t c = 0; c < run->cell_count; c++)
        if (!add_cell(&all, &run->cells[c]))
            return 0;
    double end = took - all.last - 2 * all.longest - (driver ? end_of_driver : end_of_application);
    double start = all.first - 2 * (1 + warmup) * all.longest - start_of_driver - start_of_rank * ranks;
    return run->cell_count > 0 ? fmax(0, end) + (driver ? fmax(0, start) : 0) : 0;
}
