/* The formats of the OSU micro-benchmarks 7.4, so that existing parsers read them: of non-blocking collectives byte for
   byte, and of their blocking twins. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "cli/catalog.h"
#include "record/derived/noisy.h"
#include "record/derived/percentile.h"
#include "record/derived/rank_times.h"
#include "record/status.h"
#include "stats/percentile.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

static const unsigned of_overlap = 1U << OVL_TOTAL | 1U << OVL_INNER | 1U << OVL_COMM;

/* Is there the column? Of what moves no data there is nothing to check. */
static bool validates(const struct ovl_run *run)
{
    return ovl_benchmark_moves(ovl_run_text(run, "benchmark")) &&
           json_is_true(json_object_get(json_object_get(run->head, "options"), "validation"));
}

static bool sized(const struct ovl_run *run)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    return b && b->size_max > 0;
}

/* What was measured in; the driver prints the head before there is a cell. */
static const char *datatype(const struct ovl_run *run)
{
    const char *said = run->cell_count > 0 ? run->cells[0].datatype : ovl_run_text(run, "datatype");
    return *said ? said : "unknown";
}

/* Over the blocks that have all of the row's quantities, of the mean over ranks, as OMB averages. */
static struct ovl_joint of(const struct ovl_cell *cell, unsigned terms, enum ovl_quantity q)
{
    return ovl_samples_joint(&cell->samples, cell->samples.mean, terms, q);
}

/* Microseconds; "-" where there is none. Of 12 digits, as a record has them, so that what lies between two hundredths
   is rounded the same way when it is shown. */
static void put_us(FILE *out, int width, double seconds)
{
    fprintf(out, "%*s", width,
            isnan(seconds) ? "-" : ovl_number_text((char[32]){""}, 1e6, 2, false, ovl_number_round(seconds)));
}

/* A part of T that a record does not have, such as tests where there were none, took no time. */
static void put_mean(FILE *out, int width, const struct ovl_cell *cell, unsigned terms, enum ovl_quantity q)
{
    double x = of(cell, terms, q).mean;
    put_us(out, width, isnan(x) ? 0 : x);
}

/* Of the ranks' own means; a record that has no samples of single ranks tells none. */
static void put_extremes(FILE *out, const struct ovl_cell *cell, unsigned terms, enum ovl_quantity q)
{
    double least, greatest;
    bool told = ovl_rank_means(cell, terms, q, &least, &greatest);
    put_us(out, 18, told ? least : NAN);
    put_us(out, 18, told ? greatest : NAN);
}

/* What a parser of OMB's output passes over: the size, a word, the reason. */
static void put_note(FILE *out, const struct ovl_cell *cell, const char *word, const char *reason)
{
    fputs("# ", out);
    if (!isnan(cell->size_bytes))
        fprintf(out, "%-8.0f ", cell->size_bytes);
    fprintf(out, "%s%s%s\n", word, *reason ? ": " : "", reason);
}

/* May the row show numbers? Else a line says why there is none. `there`: a block has all of the row's values. */
static bool is_shown(const struct ovl_cell *cell, bool there)
{
    return ovl_cell_claims(cell) && there;
}

static bool may_show(FILE *out, const struct ovl_cell *cell, bool there)
{
    if (cell->validated == 0)
        put_note(out, cell, "Fail", "wrong data");
    else if (cell->unshaped > 0)
        put_note(out, cell, "unshaped", "the emulated link was faster than its rate");
    else if (strcmp(cell->placement, OVL_EMULATED) == 0)
        put_note(out, cell, "emulated", "an emulator ran workers or ranks, whose times are those of no processor");
    else if (ovl_cell_alone(cell) && strcmp(cell->status, "invalid") != 0)
        put_note(out, cell, "one rank", "nothing is communicated: start more, by this MPI library's own launcher");
    else if (!ovl_cell_claims(cell))
        put_note(out, cell, cell->status, cell->reason);
    else if (!there)
        put_note(out, cell, "invalid", "no block has all of the row's values");
    else
        return true;
    fflush(out);
    return false;
}

/* OMB's own head of a percentile, and its value: of the mean over ranks, as OMB averages. */
static void put_percentile_heads(FILE *out, const struct ovl_run *run)
{
    struct ovl_numbers asked;
    ovl_percentiles_asked(run, 1, &asked);
    for (size_t i = 0; i < asked.n; i++) {
        char head[48];
        snprintf(head, sizeof head, "P%.6g Tail Lat(us)", asked.value[i]);
        fprintf(out, "%18s", head);
    }
}

static void put_percentiles(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, enum ovl_quantity q)
{
    struct ovl_numbers asked;
    ovl_percentiles_asked(run, 1, &asked);
    for (size_t i = 0; i < asked.n; i++) {
        struct ovl_estimate e = ovl_stats_percentile(cell->samples.mean[q], cell->samples.blocks, asked.value[i]);
        put_us(out, 18, e.value);
    }
}

/* What a percentile has too few values for is no number. */
static void note_percentiles(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, enum ovl_quantity q)
{
    struct ovl_numbers asked;
    size_t n = of(cell, 1U << q, q).blocks;
    ovl_percentiles_asked(run, 1, &asked);
    for (size_t i = 0; i < asked.n; i++) {
        char word[32], reason[64];
        size_t least = ovl_stats_percentile_least(asked.value[i]);
        snprintf(word, sizeof word, "no P%.6g", asked.value[i]);
        snprintf(reason, sizeof reason, "%zu values, and %zu are the fewest", n, least);
        if (n < least)
            put_note(out, cell, word, reason);
    }
}

/* The rest of a row, with the percentiles of that quantity. OMB has no place for what a cell's status says: a line
 * below has it. */
static void end_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, enum ovl_quantity q)
{
    if (validates(run))
        fprintf(out, "%18s", "Pass");
    put_percentiles(out, run, cell, q);
    fputs("\n", out);
    note_percentiles(out, run, cell, q);
    if (strcmp(cell->status, "ok") != 0)
        put_note(out, cell, cell->status, cell->reason);
    if (ovl_cell_unchecked(cell))
        put_note(out, cell, "data not checked", "wrong data can be quick");
    if (ovl_cell_noisy(cell))
        put_note(out, cell, "noisy", ovl_cell_noise_text(ovl_cell_noise(cell)));
    fflush(out);
}

static void omb_head(FILE *out, const struct ovl_run *run, bool full)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    fprintf(out, "\n# OSU MPI Non-blocking %s Latency Test v7.4\n", b ? b->title : ovl_run_text(run, "benchmark"));
    fputs("# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n", out);
    if (sized(run)) {
        fprintf(out, "# Datatype: %s.\n", datatype(run));
        fprintf(out, "%-10s%18s", "# Size", "Overall(us)");
    } else
        fprintf(out, "%s", "# Overall(us)");
    fprintf(out, "%18s", "Compute(us)");
    if (full)
        fprintf(out, "%18s%18s%18s", "Coll. Init(us)", "MPI_Test(us)", "MPI_Wait(us)");
    fprintf(out, "%18s", "Pure Comm.(us)");
    if (full)
        fprintf(out, "%18s%18s", "Min Comm.(us)", "Max Comm.(us)");
    fprintf(out, "%18s", "Overlap(%)");
    if (validates(run))
        fprintf(out, "%18s", "Validation");
    put_percentile_heads(out, run);
    fputs("\n", out);
    fflush(out);
}

/* OMB's formula without the 20 clock reads below which ovl gives no value: OMB prints one in any case, and a line below
   the row says what it is worth. */
static double percent_of(const struct ovl_cell *cell)
{
    return ovl_overlap_omb_of(of(cell, of_overlap, OVL_TOTAL).mean, of(cell, of_overlap, OVL_INNER).mean,
                              of(cell, of_overlap, OVL_COMM).mean);
}

static bool omb_shows(const struct ovl_cell *cell)
{
    return is_shown(cell, !isnan(percent_of(cell)));
}

static void omb_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    const unsigned terms = of_overlap;
    double percent = percent_of(cell);
    if (!may_show(out, cell, !isnan(percent)))
        return;
    if (sized(run))
        fprintf(out, "%-10.0f", isnan(cell->size_bytes) ? 0 : cell->size_bytes);
    put_mean(out, sized(run) ? 18 : 13, cell, terms, OVL_TOTAL);
    put_mean(out, 18, cell, terms, OVL_INNER);
    for (int q = OVL_INIT; q <= OVL_WAIT && full; q++)
        put_mean(out, 18, cell, terms, (enum ovl_quantity)q);
    put_mean(out, 18, cell, terms, OVL_COMM);
    if (full)
        put_extremes(out, cell, terms, OVL_COMM);
    fprintf(out, "%18.2f", percent);
    end_row(out, run, cell, OVL_TOTAL);
    if (isnan(cell->omb_percent))
        put_note(out, cell, "short", "under 20 reads of the clock: the overlap says nothing");
    fflush(out);
}

static void omb_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)out, (void)run, (void)full;
}

static void blocking_head(FILE *out, const struct ovl_run *run, bool full)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    fprintf(out, "\n# OSU MPI %s Latency Test v7.4\n", b ? b->title : ovl_run_text(run, "benchmark"));
    if (sized(run))
        fprintf(out, "# Datatype: %s.\n%-10s%18s", datatype(run), "# Size", "Avg Latency(us)");
    else
        fprintf(out, "%s", "# Avg Latency(us)");
    if (full)
        fprintf(out, "%18s%18s%12s", "Min Latency(us)", "Max Latency(us)", "Iterations");
    if (validates(run))
        fprintf(out, "%18s", "Validation");
    put_percentile_heads(out, run);
    fputs("\n", out);
    fflush(out);
}

static bool blocking_shows(const struct ovl_cell *cell)
{
    return is_shown(cell, of(cell, 1U << OVL_BLOCKING, OVL_BLOCKING).blocks > 0);
}

static void blocking_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    const unsigned terms = 1U << OVL_BLOCKING;
    if (!may_show(out, cell, of(cell, terms, OVL_BLOCKING).blocks > 0))
        return;
    if (sized(run))
        fprintf(out, "%-10.0f", isnan(cell->size_bytes) ? 0 : cell->size_bytes);
    put_mean(out, sized(run) ? 18 : 17, cell, terms, OVL_BLOCKING);
    if (full) {
        put_extremes(out, cell, terms, OVL_BLOCKING);
        fprintf(out, "%12zu", of(cell, terms, OVL_BLOCKING).blocks);
    }
    end_row(out, run, cell, OVL_BLOCKING);
}

const struct ovl_format ovl_format_omb_blocking = {
    .name = "omb-blocking", .head = blocking_head, .row = blocking_row, .foot = omb_foot, .shows = blocking_shows};

const struct ovl_format ovl_format_omb = {
    .name = "omb", .head = omb_head, .row = omb_row, .foot = omb_foot, .shows = omb_shows};
