/* `ovl show`: the table again, from the record, with the bytes that the driver printed; launches of one benchmark in
 * one table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "base/printable.h"
#include "cli/options.h"
#include "record/derived/percentile.h"
#include "record/derived/rank_times.h"
#include "record/offload/lines.h"
#include "record/status.h"
#include "table/offload.h"
#include "table/table.h"
#include "tool/cells/filter.h"
#include "tool/cells/group.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/offload/pairs.h"
#include "tool/show/epochs.h"
#include "tool/show/join.h"
#include "tool/show/ways.h"
#include "tool/util/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct show_options {
    int help, full, separate, rivals;
    const char *format;
    struct ovl_numbers percentiles;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct show_options, member)

static const struct ovl_option options[] = {
    {'f', "full", NULL, "print all columns", OVL_OPTION_ON, AT(full), 0, 0, NULL, NULL},
    {0, "format", "FORMAT",
     "table; as the OSU benchmarks print: omb, or omb-blocking, B alone; bandwidth as nccl-tests have it (default "
     "table)",
     OVL_OPTION_WORD, AT(format), 0, 0, "table|omb|omb-blocking|bandwidth", NULL},
    {'z', "percentiles", "LIST", "show these of C and T; -z alone: 50,90,99 (default those that the run was asked for)",
     OVL_OPTION_NUMBERS, AT(percentiles), 1, 99.99, "50,90,99", NULL},
    {0, "separate", NULL, "print a table for each run, also where one table could hold all launches of a benchmark",
     OVL_OPTION_ON, AT(separate), 0, 0, NULL, NULL},
    {0, "rivals", NULL,
     "one table of who carries the communication: host, host-t, thread, dpu, with totals, cores and what OMB would say",
     OVL_OPTION_ON, AT(rivals), 0, 0, NULL, NULL},
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static bool is_omb(const char *format)
{
    return strncmp(format, "omb", 3) == 0;
}

/* Of the same size, or without a message both. */
static bool same_row(const struct ovl_cell *a, const struct ovl_cell *b)
{
    return a->size_bytes == b->size_bytes || (isnan(a->size_bytes) && isnan(b->size_bytes));
}

/* omb has one row a size: a run with two modes, ratios or kernels does not fit. */
static int refuse_omb(const char *format, const struct ovl_run *run, struct ovl_error *err)
{
    if (ovl_run_is_noise(run))
        return ovl_error_set(err, OVL_USAGE, "%s: --format %s: OMB has no noise; use --format table", run->file,
                             format);
    if (run->cell_count > 0 && ovl_cell_solves(&run->cells[0]))
        return ovl_error_set(err, OVL_USAGE, "%s: --format %s: OMB has no %s; use --format table", run->file, format,
                             run->cells[0].benchmark);
    for (size_t i = 0; i < run->cell_count; i++)
        for (size_t j = 0; j < i; j++)
            if (same_row(&run->cells[i], &run->cells[j]))
                return ovl_error_set(
                    err, OVL_USAGE,
                    "%s: --format %s has one row a size, and this run more than one cell (%s and %s); use "
                    "--format table",
                    run->file, format, run->cells[j].mode, run->cells[i].mode);
    return 0;
}

static const struct ovl_format *format_of(const char *name, const struct ovl_run *run)
{
    if (ovl_run_is_noise(run))
        return &ovl_format_noise;
    return run->cell_count > 0 && ovl_cell_solves(&run->cells[0]) ? &ovl_format_proxy : ovl_format_find(name);
}

/* With samples of single ranks (--per-rank): where to look first. */
static void show_worst_ranks(const struct ovl_run *run, const struct ovl_cell *cell)
{
    enum { MOST = 3 };
    size_t ranks, worst[MOST];
    struct ovl_rank_time *times = ovl_rank_times(run, cell, &ranks);
    size_t n = times ? ovl_rank_times_worst(times, ranks, worst, MOST) : 0;
    char size[24] = "";
    if (cell->size_bytes > 0)
        ovl_options_size_text((uint64_t)cell->size_bytes, size);
    if (n > 0)
        printf("# exposed   %s%s%s: %s us in the median over %zu ranks;", size, *size ? " " : "", cell->mode,
               OVL_US(ovl_rank_times_median(times, ranks)), ranks);
    for (size_t i = 0; i < n; i++) {
        const char *node = ovl_rank_node_name(run, times[worst[i]].node);
        printf("%s %s us at rank %zu%s%s%s", i > 0 ? "," : "", OVL_US(times[worst[i]].seconds), worst[i],
               *node ? " (" : "", node, *node ? ")" : "");
    }
    if (n > 0)
        printf("\n");
    free(times);
}

/* How a run ended that did not end well. */
static void show_end(const struct ovl_run *run)
{
    const char *status = ovl_run_unended(run);
    const char *cells = run->cell_count == 1 ? "cell above is" : "cells above are";
    const char *why = !run->end ? "truncated: the job ended before its end line" : "the run ended early";
    if (!status)
        return;
    if (strcmp(status, "damaged") == 0) {
        printf("# damaged: %s\n", json_string_value(json_object_get(run->end, "reason")));
        return;
    }
    printf("# %s%s%s; ", run->end ? status : "", run->end ? ": " : "", why);
    if (ovl_run_is_noise(run))
        printf("what is above was measured\n");
    else
        printf("the %zu %s whole\n", run->cell_count, cells);
}

static void show_run(const struct ovl_format *format, const struct ovl_run *run, bool full)
{
    format->head(stdout, run, full);
    for (size_t c = 0; c < run->cell_count; c++)
        format->row(stdout, run, &run->cells[c], full);
    format->foot(stdout, run, full);
    for (size_t c = 0; c < run->cell_count && full && format == &ovl_format_table; c++)
        show_worst_ranks(run, &run->cells[c]);
    show_end(run);
}

/* What libovl_offload.so told of programs; the launches of a comparison are one table. */
static void show_offloads(const struct ovl_record *record, bool full, bool gap)
{
    json_t *ids = ovl_offload_pairs_ids(record);
    for (size_t i = 0; i < json_array_size(ids); i++) {
        struct ovl_offload_pairs p;
        ovl_offload_pairs_make(&p, record, json_string_value(json_array_get(ids, i)));
        printf("%s", gap ? "\n" : "");
        ovl_offload_pairs_print(stdout, &p);
        ovl_offload_pairs_free(&p);
        gap = true;
    }
    json_decref(ids);
    for (size_t i = 0; i < json_array_size(record->offloads); i++) {
        struct ovl_offload_report r;
        struct ovl_error none;
        const json_t *line = json_array_get(record->offloads, i);
        if ((json_object_get(line, "comparison") && !full) || ovl_offload_from_json(line, &r, &none) != 0)
            continue;
        printf("%s# %s, ended %s\n", gap ? "\n" : "", r.program, r.ended);
        ovl_offload_report_print(stdout, &r);
        gap = true;
    }
}

/* Forms that leave out rows without a claim look at the cell alone: what its run takes from it, or its stored values,
   is said in it. */
static void tell_no_claim(const char *name, struct ovl_record *record)
{
    for (size_t r = 0; r < record->run_count; r++) {
        struct ovl_run *run = &record->runs[r];
        for (size_t c = 0; c < run->cell_count && format_of(name, run)->shows; c++) {
            struct ovl_cell *cell = &run->cells[c];
            const struct ovl_member m = {.run = run, .cell = cell};
            if (!ovl_cell_claims(cell) || !ovl_member_no_claim(&m))
                continue;
            snprintf(cell->status, sizeof cell->status, "invalid");
            snprintf(cell->reason, sizeof cell->reason, "%s",
                     ovl_run_unended(run) ? "its run was cut short" : "its stored values cannot be");
        }
    }
}

/* Of forms that leave out rows without a claim: who reads no words has the code. */
static int code_of(const char *name, const struct ovl_record *record)
{
    int code = OVL_OK;
    for (size_t r = 0; r < record->run_count; r++) {
        const struct ovl_format *format = format_of(name, &record->runs[r]);
        if (!format->shows)
            continue;
        if (ovl_run_unended(&record->runs[r]))
            code = OVL_INCONCLUSIVE;
        for (size_t c = 0; c < record->runs[r].cell_count; c++) {
            const struct ovl_cell *cell = &record->runs[r].cells[c];
            if (cell->validated == 0)
                return OVL_WRONG_DATA;
            if (!format->shows(cell))
                code = OVL_INCONCLUSIVE;
        }
    }
    return code;
}

/* Of what failed attempts left in folders no row is printed, but their wrong data are told. */
static int read_all(const struct ovl_inputs *s, int named, char **name, struct ovl_record *record, bool *wrong,
                    struct ovl_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < s->count && rc == 0; i++) {
        bool given = false;
        for (int k = 0; k < named; k++)
            given = given || strcmp(name[k], s->path[i]) == 0;
        if (given || !ovl_inputs_partial(s->path[i]))
            rc = ovl_record_read(record, s->path[i], err);
        else if (ovl_inputs_partial_wrong(s->path[i])) {
            printf("# note     wrong data of an attempt that failed: ");
            ovl_printable_put(stdout, s->path[i]);
            printf("\n");
            *wrong = true;
        }
    }
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct show_options o = {.format = "table"};
    struct ovl_inputs sources = {.path = NULL};
    struct ovl_record record = {.runs = NULL};
    int first, rc = 0, rivals = OVL_OK;
    bool wrong = false;
    if (ovl_command_parse(&ovl_command_show, argc, argv, &o, &first, err) != 0)
        return -1;
    const char *unheeded = o.full                           ? "--full"
                           : o.percentiles.n > 0            ? "--percentiles"
                           : o.separate                     ? "--separate"
                           : strcmp(o.format, "table") != 0 ? "--format"
                                                            : NULL;
    if (o.rivals && unheeded)
        return ovl_error_set(err, OVL_USAGE, "--rivals has a table of its own: leave out %s", unheeded);
    sources.failed = o.rivals || is_omb(o.format) || strcmp(o.format, "bandwidth") == 0;
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&sources, argv[i], err);
    size_t copies = 0;
    if (rc == 0 && o.rivals)
        rc = ovl_inputs_read(&sources, false, &record, &copies, err);
    if (rc == 0 && !o.rivals)
        rc = read_all(&sources, argc - first, argv + first, &record, &wrong, err);
    if (rc == 0)
        rc = (o.rivals ? ovl_filter_launches : ovl_filter_record)(&o.filter, &record, "these files", err);
    for (size_t r = 0; r < record.run_count && o.percentiles.n > 0; r++)
        ovl_percentiles_ask(&record.runs[r], &o.percentiles);
    for (size_t r = 0; r < record.run_count && rc == 0 && is_omb(o.format); r++)
        rc = refuse_omb(o.format, &record.runs[r], err);
    if (rc == 0 && o.rivals)
        rivals = ovl_ways_print(stdout, &record);
    if (rc == 0 && o.rivals)
        ovl_inputs_note_beside(stdout, &sources);
    bool join = !o.rivals && !o.separate && strcmp(o.format, "table") == 0 && ovl_join_possible(&record);
    if (rc == 0 && join)
        ovl_join_print(stdout, &record, o.full);
    tell_no_claim(o.format, &record);
    for (size_t r = 0; r < record.run_count && rc == 0 && !join && !o.rivals; r++) {
        if (r > 0)
            printf("\n");
        show_run(format_of(o.format, &record.runs[r]), &record.runs[r], o.full);
    }
    if (rc == 0 && !join && !o.rivals && record.run_count > 1 && !is_omb(o.format))
        ovl_show_epochs(stdout, &record);
    if (rc == 0 && !o.rivals)
        show_offloads(&record, o.full, record.run_count > 0);
    int code = wrong ? OVL_WRONG_DATA : code_of(o.format, &record);
    code = code == OVL_OK && !is_omb(o.format) ? (ovl_offloads_refuted(&record) ? OVL_WRONG_DATA : rivals) : code;
    ovl_record_free(&record);
    ovl_inputs_free(&sources);
    return rc == 0 ? code : -1;
}

const struct ovl_tool_command ovl_command_show = {
    .name = "show",
    .arguments = "FILE... [options]",
    .summary = "print the runs of record files as tables",
    .options = options,
    .run = run,
};
