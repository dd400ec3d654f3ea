/* The format of bandwidths: of the data that an operation is asked to move, and of the wires it has to use, by the
   formulas of nccl-tests (doc/PERFORMANCE.md), so that their numbers stand beside each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "record/status.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of p ranks and a message of n bytes: the data that count are n, or n p; what a rank must send of them, as nccl-tests
   has it. A vector form does as the plain one. */
static const struct of_kind {
    const char *begins;
    bool all; /* the size is a part of one rank */
    double share;
} kinds[] = {
    {"iallreduce", false, 2}, {"iallgather", true, 1}, {"ialltoall", true, 1},
    {"igather", true, 1},     {"iscatter", true, 1},   {"ireduce_scatter", false, 1},
    {"ireduce", false, 0},    {"ibcast", false, 0},    {"p2p", false, 0},
};

static const struct of_kind *kind_of(const struct ovl_cell *cell)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(cell->benchmark, kinds[i].begins, strlen(kinds[i].begins)) == 0)
            return &kinds[i];
    return NULL;
}

/* Bytes that count, and by what they are multiplied on the wire; NaN: there is no such formula. */
static double bytes_of(const struct ovl_run *run, const struct ovl_cell *cell, double *factor)
{
    const struct of_kind *k = kind_of(cell);
    double p = ovl_run_operation_ranks(run, cell);
    *factor = !k ? NAN : k->share > 0 ? k->share * (p - 1) / p : 1;
    const char *pairs = json_string_value(json_object_get(json_object_get(run->head, "options"), "pairs"));
    double sent = strcmp(cell->benchmark, "p2p") == 0 && pairs && strcmp(pairs, "neighbours") == 0 ? 2 : 1;
    return k ? sent * cell->size_bytes * (k->all ? p : 1) : NAN;
}

static bool shows(const struct ovl_cell *cell)
{
    return ovl_cell_claims(cell) && cell->summary[OVL_COMM].median > 0 && kind_of(cell);
}

static void head(FILE *out, const struct ovl_run *run, bool full)
{
    (void)full;
    ovl_table_head(out, run);
    fprintf(out, "# %10s %6s %12s %12s %20s %12s %20s\n", "size", "mode", "time us", "alg GB/s", "95 % interval",
            "bus GB/s", "95 % interval");
}

static void put(FILE *out, double bytes, const struct ovl_summary *s)
{
    char interval[48];
    snprintf(interval, sizeof interval, "%.3f .. %.3f", 1e-9 * bytes / s->ci_high, 1e-9 * bytes / s->ci_low);
    fprintf(out, " %12.3f %20s", 1e-9 * bytes / s->median, isnan(s->ci_low) || isnan(s->ci_high) ? "-" : interval);
}

static void row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    double factor, bytes = bytes_of(run, cell, &factor);
    char status[OVL_STATUS_TEXT];
    (void)full;
    ovl_status_text(cell, status);
    if (!shows(cell)) {
        fprintf(out, "# %10.0f %6s %s\n", cell->size_bytes, cell->mode,
                !kind_of(cell)         ? "no formula for this operation"
                : ovl_cell_alone(cell) ? "one rank: nothing is communicated"
                                       : status);
        return;
    }
    const struct ovl_summary *s = &cell->summary[OVL_COMM];
    fprintf(out, "  %10.0f %6s %12.2f", cell->size_bytes, cell->mode, 1e6 * ovl_number_round(s->median));
    put(out, bytes, s);
    put(out, bytes * factor, s);
    fprintf(out, "%s%s\n", strcmp(status, "ok") == 0 ? "" : "  ", strcmp(status, "ok") == 0 ? "" : status);
}

static void foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)run, (void)full;
    fputs("# of the operation alone (comm_seconds), with nothing computed; alg: the data by the time; bus: that by "
          "what a rank\n"
          "# must send of them, which a wire bounds whatever the number of ranks (nccl-tests, PERFORMANCE.md)\n",
          out);
}

const struct ovl_format ovl_format_bandwidth = {
    .name = "bandwidth", .head = head, .row = row, .foot = foot, .shows = shows};
