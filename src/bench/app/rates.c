/* Each way to a rate is a function that looks at one run; better ones come first. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/rates.h"
#include "cli/link.h"
#include "kernels/kernel.h"
#include "record/record.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = 64 << 10, SMALL = 1 << 10, MOST = 256 };

struct values {
    double value[MOST];
    size_t count;
    const char *file; /* of the first */
};

struct asked {
    const char *benchmark;
    double overhead;
};

static void add(struct values *v, double value, const struct ovl_run *run)
{
    if (!(value > 0) || !isfinite(value) || v->count == MOST)
        return;
    v->file = v->count == 0 ? run->file : v->file;
    v->value[v->count++] = value;
}

static bool is_of(const struct ovl_run *run, const char *benchmark)
{
    return strcmp(ovl_run_text(run, "benchmark"), benchmark) == 0;
}

static double number(const struct ovl_run *run, const char *field)
{
    return json_number_value(json_object_get(run->head, field));
}

/* Nodes of a rank each, so that a pair has the link for itself. */
static bool is_between(const struct ovl_run *run)
{
    return number(run, "nodes") > 1 && number(run, "nodes") == number(run, "ranks");
}

/* Messages one way, in host mode; C of the `which`-th largest of `from` bytes or more, or of the smallest (-1) of no
   more than that. NaN. */
static double message(const struct ovl_run *run, int which, double from, double *bytes)
{
    double last = which < 0 ? 0 : INFINITY, c = NAN;
    const char *pairs = json_string_value(json_object_get(json_object_get(run->head, "options"), "pairs"));
    if (!is_of(run, "p2p") || (pairs && strcmp(pairs, "one-way") != 0))
        return NAN;
    for (int i = 0; i <= (which < 0 ? 0 : which); i++) {
        double best = which < 0 ? INFINITY : 0;
        c = NAN;
        for (size_t k = 0; k < run->cell_count; k++) {
            const struct ovl_cell *cell = &run->cells[k];
            double size = cell->size_bytes;
            bool fits = which < 0 ? size <= from && size < best : size >= from && size < last && size > best;
            if (!fits || strcmp(cell->mode, "host") != 0 || ovl_run_no_claim(run, cell))
                continue;
            best = size;
            c = cell->summary[OVL_COMM].median;
        }
        last = best;
    }
    *bytes = last;
    return c;
}

/* Seconds that a byte adds. */
static double growth(const struct ovl_run *run)
{
    double large, less, c = message(run, 0, LARGE, &large), d = message(run, 1, LARGE, &less);
    return (c - d) / (large - less);
}

static const char *cluster_of(const struct ovl_run *run)
{
    return json_string_value(json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER"));
}

static void link_of_messages(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    (void)a;
    if (is_between(run))
        add(v, growth(run), run);
}

static void link_of_cluster(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    const char *cluster = cluster_of(run);
    (void)a;
    if (cluster)
        add(v, 1 / (ovl_link_emulated_rate(cluster) * ovl_link_payload_share(cluster)), run);
}

static void burst_of_cluster(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    (void)a;
    add(v, ovl_link_settle_seconds(cluster_of(run)), run);
}

static void latency_of_messages(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    double bytes;
    if (is_between(run))
        add(v, message(run, -1, SMALL, &bytes) - 2 * a->overhead, run);
}

static void copy_of_messages(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    (void)a;
    if (number(run, "nodes") == 1 && number(run, "ranks") == 2)
        add(v, growth(run), run);
}

static const struct ovl_kernel *calibrated(const struct ovl_run *run, double *units)
{
    const json_t *calibration = json_object_get(run->head, "calibration");
    const char *name = json_string_value(json_object_get(calibration, "kernel"));
    *units = json_number_value(json_object_get(calibration, "units_per_second"));
    return name ? ovl_kernel_find(name) : NULL;
}

static void copy_of_kernel(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    double units;
    const struct ovl_kernel *kernel = calibrated(run, &units);
    (void)a;
    if (kernel == &ovl_kernel_triad)
        add(v, 2 / (kernel->bytes_per_unit * units), run);
}

static void carry_of_cluster(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    (void)a;
    add(v, ovl_link_carry_seconds(cluster_of(run)), run);
}

static void flops_of_kernel(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    double units;
    const struct ovl_kernel *kernel = calibrated(run, &units);
    if (strcmp(a->benchmark, "train") == 0 && kernel == &ovl_kernel_fma)
        add(v, kernel->flops_per_unit * units, run);
}

/* Of all ranks, from T; W is that of one. */
static void flops_of_work(struct values *v, const struct ovl_run *run, const struct asked *a)
{
    for (size_t i = 0; i < run->cell_count && is_of(run, a->benchmark); i++) {
        const struct ovl_cell *c = &run->cells[i];
        if (!ovl_run_no_claim(run, c))
            add(v, 1e9 * c->gflops.value * c->summary[OVL_TOTAL].median / (c->ranks * c->summary[OVL_COMPUTE].median),
                run);
    }
}

static const struct way {
    enum ovl_rate rate;
    void (*look)(struct values *v, const struct ovl_run *run, const struct asked *asked);
    const char *what;
} ways[] = {
    {OVL_RATE_LINK, link_of_messages, "ovl_p2p between nodes"},
    {OVL_RATE_LINK, link_of_cluster, "rate of the emulated cluster"},
    {OVL_RATE_BURST, burst_of_cluster, "burst of the emulated cluster"},
    {OVL_RATE_LATENCY, latency_of_messages, "ovl_p2p between nodes"},
    {OVL_RATE_CARRY, carry_of_cluster, "carry of the emulated cluster"},
    {OVL_RATE_COPY, copy_of_messages, "ovl_p2p within a node"},
    {OVL_RATE_COPY, copy_of_kernel, "kernel triad as calibrated"},
    {OVL_RATE_FLOPS, flops_of_kernel, "kernel fma as calibrated"},
    {OVL_RATE_FLOPS, flops_of_work, "work alone"},
};

static void fill(const struct ovl_record *record, const struct asked *asked, double *const rates[OVL_RATES],
                 struct ovl_rates_from *from)
{
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        double *rate = rates[ways[w].rate];
        struct values v = {.count = 0};
        for (size_t i = 0; i < record->run_count && isnan(*rate); i++)
            ways[w].look(&v, &record->runs[i], asked);
        if (v.count == 0)
            continue;
        *rate = ovl_stats_median(v.value, v.count);
        snprintf(from->text[ways[w].rate], sizeof from->text[0], "%s, median of %zu, %s%.90s", ways[w].what, v.count,
                 v.count > 1 ? "the first in " : "", v.file);
    }
}

int ovl_rates_fill(const struct ovl_texts *records, const char *benchmark, struct ovl_network *n,
                   struct ovl_rates_from *from, struct ovl_error *err)
{
    struct ovl_record record = {.run_count = 0};
    const struct asked asked = {benchmark, isnan(n->overhead) ? 0 : n->overhead};
    double *const rates[OVL_RATES] = {&n->byte, &n->latency, &n->burst, &n->carry, &n->copy, &n->flops};
    int rc = 0;
    memset(from, 0, sizeof *from);
    for (size_t i = 0; i < records->n && rc == 0; i++)
        rc = ovl_record_read_brief(&record, records->text[i], err);
    if (rc == 0)
        fill(&record, &asked, rates, from);
    ovl_record_free(&record);
    return rc;
}
