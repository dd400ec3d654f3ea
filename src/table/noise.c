/* The table of ovl_noise: a row per node, what all nodes have in common, and the verdict. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/noise.h"
#include "base/number.h"
#include "table/columns.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMN(head_, factor_, decimals_, width_, member)                                                              \
    .show = {head_, factor_, decimals_, width_, false}, .at = 1 + offsetof(struct ovl_node, member)
#define NODE .show = {"node", 1, 0, 0, false}, .left = 2

/* Of long quanta, or of short ones, whose times are so much finer. */
#define QUANTA(of, finer)                                                                                              \
    {NODE}, {COLUMN("rank", 1, 0, 6, of.rank)}, {COLUMN("span s", 1, 2, 8, of.seconds)},                               \
        {COLUMN("quickest us", 1e6, 1 + (finer), 13, of.quickest)},                                                    \
        {COLUMN("usual us", 1e6, 1 + (finer), 10, of.usual)},                                                          \
        {COLUMN("over quickest %", 100, 2, 17, of.above_quickest)}, {COLUMN("lost %", 100, 3, 9, of.lost)},            \
        {COLUMN("detours/s", 1, 1, 11, of.per_second)}, {COLUMN("median us", 1e6, 2, 11, of.median)},                  \
        {COLUMN("p99 us", 1e6, 1, 10, of.p99)}, {COLUMN("longest us", 1e6, 1, 12, of.longest)},                        \
    {                                                                                                                  \
        COLUMN("period ms", 1e3, 3, 11, of.period)                                                                     \
    }

const struct ovl_column ovl_node_columns[] = {
    {NODE},
    {COLUMN("ranks", 1, 0, 7, ranks)},
    {COLUMN("lost %", 100, 2, 9, quanta.lost)},
    {COLUMN("detours/s", 1, 1, 11, quanta.per_second)},
    {COLUMN("typical us", 1e6, 1, 12, quanta.typical)},
    {COLUMN("longest us", 1e6, 1, 12, quanta.longest)},
    {COLUMN("period ms", 1e3, 2, 11, quanta.period)},
    {COLUMN("steal %", 100, 2, 9, steal)},
    {COLUMN("read ns", 1e9, 1, 9, monotonic.read)},
    {COLUMN("drift ppm", 1, 2, 11, drift_ppm)},
    {COLUMN("late us", 1e6, 2, 9, late)},
    {COLUMN("latest %", 100, 1, 10, latest)},
    {.field = NULL},
};
const struct ovl_column ovl_long_quanta_columns[] = {QUANTA(quanta, 0), {.field = NULL}};
const struct ovl_column ovl_short_quanta_columns[] = {QUANTA(brief, 2), {.field = NULL}};
const struct ovl_column ovl_clock_columns[] = {
    {NODE},
    {COLUMN("read ns", 1e9, 1, 9, monotonic.read)},
    {COLUMN("step ns", 1e9, 0, 9, monotonic.step)},
    {COLUMN("raw ns", 1e9, 1, 8, raw.read)},
    {COLUMN("step ns", 1e9, 0, 9, raw.step)},
    {COLUMN("slew ppm", 1, 2, 10, slew_ppm)},
    {COLUMN("backward", 1, 0, 10, backward)},
    {COLUMN("offset us", 1e6, 2, 14, offset)},
    {COLUMN("+- us", 1e6, 2, 8, offset_error)},
    {COLUMN("drift ppm", 1, 3, 11, drift_ppm)},
    {COLUMN("residual us", 1e6, 2, 13, residual)},
    {COLUMN("late p99 us", 1e6, 2, 13, late_p99)},
    {.field = NULL},
};

static void put_node(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_node *n = &((const struct ovl_run *)of)->nodes[i];
    ovl_table_text(t, "%s", n->name);
    ovl_table_numbers(t, n);
    ovl_table_row_end(t);
}

static void put_table(FILE *out, const struct ovl_run *run, const struct ovl_column *columns)
{
    ovl_table_print(ovl_table_to(out, &ovl_table_plain, columns, 0, false), run->node_count, put_node, run);
}

/* A line for each node whose clock is not like that of the node before. */
static void put_sources(FILE *out, const struct ovl_run *run)
{
    size_t kinds = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < run->node_count; i++) {
            const struct ovl_node *n = &run->nodes[i];
            if (i > 0 && strcmp(n->source, n[-1].source) == 0 &&
                n->monotonic.system_call == n[-1].monotonic.system_call)
                continue;
            kinds += pass == 0;
            if (pass == 1)
                fprintf(out, "# clock     %s, read by %s%s%s\n", *n->source ? n->source : "of a source not known",
                        n->monotonic.system_call == 1   ? "a system call"
                        : n->monotonic.system_call == 0 ? "vDSO"
                                                        : "means not known",
                        kinds > 1 ? ", from here on: " : "", kinds > 1 ? n->name : "");
        }
}

static void put_pair(FILE *out, const struct ovl_run *run, const struct ovl_node *n, const struct ovl_node_pair *p)
{
    if (run->node_count > 1)
        fprintf(out, "  %s-%s", n->name, p->with);
    else
        fprintf(out, "  rank %.0f-%.0f", p->rank, p->with_rank);
    fprintf(out, ", %s: %s least, %s median, %s p99; %.0f MB/s\n", p->kind, OVL_TIME(p->latency_min),
            OVL_TIME(p->latency), OVL_TIME(p->latency_p99), 1e-6 * p->bytes_per_second);
}

static void put_pairs(FILE *out, const struct ovl_run *run, const struct ovl_noise_pairs *p, bool full)
{
    if (p->count == 0)
        return;
    const char *slowest = OVL_TIME(p->slow->latency);
    fprintf(out, "# trips     %zu pair%s of %s: %s one way and %.0f MB/s in the median pair; slowest ", p->count,
            p->count == 1 ? "" : "s", run->node_count > 1 ? "nodes" : "ranks, all on one node", OVL_TIME(p->latency),
            1e-6 * p->bytes_per_second);
    if (run->node_count > 1)
        fprintf(out, "%s-%s, %s\n", p->slow_from->name, p->slow->with, slowest);
    else
        fprintf(out, "%.0f-%.0f, %s\n", p->slow->rank, p->slow->with_rank, slowest);
    for (size_t i = 0; i < run->node_count && full; i++)
        for (size_t k = 0; k < run->nodes[i].pair_count; k++)
            put_pair(out, run, &run->nodes[i], &run->nodes[i].pairs[k]);
}

static void put_starts(FILE *out, const struct ovl_run *run)
{
    double count = ovl_noise_starts(run, "count");
    if (isnan(count))
        return;
#define STARTS(name) OVL_TIME(ovl_noise_starts(run, name))
    fprintf(out, "# starts    %.0f: the latest rank is late by %s median, %s p90, %s p99; announced in %s, %s p99\n",
            count, STARTS("late_median_seconds"), STARTS("late_p90_seconds"), STARTS("late_p99_seconds"),
            STARTS("announce_median_seconds"), STARTS("announce_p99_seconds"));
#undef STARTS
}

static void put_verdict(FILE *out, const struct ovl_noise_verdict *v)
{
    enum ovl_noise_kind first = ovl_noise_first(v);
    for (int k = (int)first + 1; k < OVL_NOISE_KINDS; k++)
        if (*v->finding[k])
            fprintf(out, "# also      %s: %s\n", ovl_noise_word((enum ovl_noise_kind)k), v->finding[k]);
    if (isfinite(v->comm_least))
        fprintf(out, "# cells     with C under %s will not be ok here, for %s\n", OVL_TIME(v->comm_least), v->comm_why);
    fprintf(out, "# verdict   %s%s%s\n", ovl_noise_word(first), first < OVL_NOISE_KINDS ? ": " : "",
            first < OVL_NOISE_KINDS ? v->finding[first] : "");
}

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    (void)full;
    ovl_table_head(out, run);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    (void)out, (void)run, (void)cell, (void)full; /* there are no cells */
}

static void print_foot(FILE *out, const struct ovl_run *run, bool full)
{
    struct ovl_noise_verdict v;
    fputs("#\n", out);
    put_table(out, run, ovl_node_columns);
    if (full) {
        fputs("#\n# quanta of about 1 ms, at the rank that lost most\n", out);
        put_table(out, run, ovl_long_quanta_columns);
        fputs("#\n# quanta of about 10 us\n", out);
        put_table(out, run, ovl_short_quanta_columns);
        fputs("#\n# CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, and by what it is ahead of rank 0's clock\n", out);
        put_table(out, run, ovl_clock_columns);
    }
    fputs("#\n", out);
    put_sources(out, run);
    put_starts(out, run);
    ovl_noise_judge(run, &v);
    put_pairs(out, run, &v.pairs, full);
    put_verdict(out, &v);
    fflush(out);
}

const struct ovl_format ovl_format_noise = {.name = "noise", .head = print_head, .row = print_row, .foot = print_foot};
