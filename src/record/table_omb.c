/* The formats of the OSU micro-benchmarks 7.4, so that existing parsers read them: of non-blocking collectives byte for
   byte, and of their blocking twins. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/catalog.h"
#include "record/table.h"

#include <math.h>
#include <string.h>

static bool validates(const struct ovl_run *run)
{
    return json_is_true(json_object_get(json_object_get(run->head, "options"), "validation"));
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

/* Microseconds, mean over ranks and blocks, as OMB averages. */
static double mean(const struct ovl_cell *cell, enum ovl_quantity q)
{
    double x = ovl_stats_mean(cell->samples.mean[q], cell->samples.blocks);
    return isnan(x) ? 0 : 1e6 * x;
}

static double extreme(const struct ovl_cell *cell, enum ovl_quantity q, bool largest)
{
    double x = largest ? cell->summary[q].max : cell->summary[q].min;
    return isnan(x) ? 0 : 1e6 * x;
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
    fputs("\n", out);
    fflush(out);
}

static void omb_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    if (sized(run))
        fprintf(out, "%-10.0f%18.2f", isnan(cell->size_bytes) ? 0 : cell->size_bytes, mean(cell, OVL_TOTAL));
    else
        fprintf(out, "%13.2f", mean(cell, OVL_TOTAL));
    fprintf(out, "%18.2f", mean(cell, OVL_INNER));
    if (full)
        fprintf(out, "%18.2f%18.2f%18.2f", mean(cell, OVL_INIT), mean(cell, OVL_TEST), mean(cell, OVL_WAIT));
    fprintf(out, "%18.2f", mean(cell, OVL_COMM));
    if (full)
        fprintf(out, "%18.2f%18.2f", extreme(cell, OVL_COMM, false), extreme(cell, OVL_COMM, true));
    /* OMB's formula without the 20 clock reads below which ovl gives no value: OMB prints one in any case. */
    double percent = ovl_overlap_omb(&cell->samples);
    fprintf(out, "%18.2f", isnan(percent) ? 0 : percent);
    if (validates(run))
        fprintf(out, "%18s", cell->validated == 0 ? "Fail" : "Pass");
    fputs("\n", out);
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
    fputs("\n", out);
    fflush(out);
}

static void blocking_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    if (sized(run))
        fprintf(out, "%-10.0f%18.2f", isnan(cell->size_bytes) ? 0 : cell->size_bytes, mean(cell, OVL_BLOCKING));
    else
        fprintf(out, "%17.2f", mean(cell, OVL_BLOCKING));
    if (full)
        fprintf(out, "%18.2f%18.2f%12zu", extreme(cell, OVL_BLOCKING, false), extreme(cell, OVL_BLOCKING, true),
                cell->samples.blocks);
    if (validates(run))
        fprintf(out, "%18s", cell->validated == 0 ? "Fail" : "Pass");
    fputs("\n", out);
    fflush(out);
}

const struct ovl_format ovl_format_omb_blocking = {
    .name = "omb-blocking", .head = blocking_head, .row = blocking_row, .foot = omb_foot};

const struct ovl_format ovl_format_omb = {.name = "omb", .head = omb_head, .row = omb_row, .foot = omb_foot};
