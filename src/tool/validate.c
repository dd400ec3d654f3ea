/* `ovl validate`: every line against the schema, the cells against their run, and what is derived against the samples.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/record.h"
#include "core/schema.h"
#include "tool/command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };

static const struct ovl_option options[] = {
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, 0, 0, 0, NULL, NULL},
    {.name = NULL},
};

/* What a cell is compared with others by. */
struct seen_cell {
    char group[80];
    bool host, dpu;
    double total, efficiency;
    size_t line;
};

struct seen_run {
    char id[64], benchmark[32];
    size_t line, cells;
    struct seen_cell *cell;
    size_t sound; /* cells that are kept in it */
    bool ended;
};

/* One file as far as it was read. */
struct checking {
    const char *file;
    const struct ovl_schema *schema;
    size_t line, problems, cells, runs, truncated;
    struct seen_run *run;
};

static void __attribute__((format(printf, 2, 3))) problem(struct checking *c, const char *format, ...)
{
    va_list args;
    if (c->problems++ >= SHOWN)
        return;
    printf("%s:%zu: ", c->file, c->line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

static void schema_problem(void *to, const char *path, const char *wanted)
{
    problem(to, "%s: %s", *path ? path : "/", wanted);
}

/* Recomputed values may differ in the last digits on another processor. `small` is what counts as nothing beside 1. */
static void compare(struct checking *c, const char *name, const char *part, double stored, double again, double small)
{
    if (isnan(stored) && isnan(again))
        return;
    if (fabs(stored - again) <= 1e-9 * fmax(fabs(stored), fabs(again)) + small)
        return;
    char text[32] = "null";
    if (!isnan(again))
        snprintf(text, sizeof text, "%.12g", again);
    if (isnan(stored))
        problem(c, "/%s%s: null, but the samples give %s", name, part, text);
    else
        problem(c, "/%s%s: %.12g, but the samples give %s", name, part, stored, text);
}

/* A proxy's cell holds what was measured; the schema wants all of the others. */
static void compare_derived(struct checking *c, json_t *line, const struct ovl_cell *stored,
                            const struct ovl_cell *again)
{
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const struct ovl_summary *a = &stored->summary[q], *b = &again->summary[q];
        const char *name = ovl_quantity_names[q];
        if (!json_object_get(line, name))
            continue;
        compare(c, name, "/median", a->median, b->median, 0);
        compare(c, name, "/ci_low", a->ci_low, b->ci_low, 0);
        compare(c, name, "/ci_high", a->ci_high, b->ci_high, 0);
        compare(c, name, "/min", a->min, b->min, 0);
        compare(c, name, "/max", a->max, b->max, 0);
        compare(c, name, "/p99", a->p99, b->p99, 0);
        compare(c, name, "/outliers", (double)a->outliers, (double)b->outliers, 0);
    }
    for (int d = 0; d < OVL_DERIVED; d++) {
        const struct ovl_estimate *a = &stored->derived[d], *b = &again->derived[d];
        const char *name = ovl_derived_rows[d].name;
        if (!json_object_get(line, name))
            continue;
        compare(c, name, "/value", a->value, b->value, 1e-11);
        compare(c, name, "/ci_low", a->ci_low, b->ci_low, 1e-11);
        compare(c, name, "/ci_high", a->ci_high, b->ci_high, 1e-11);
    }
    if (json_object_get(line, "omb_overlap_percent"))
        compare(c, "omb_overlap_percent", "", stored->omb_percent, again->omb_percent, 1e-9);
    if (json_object_get(line, "imb_overlap_percent"))
        compare(c, "imb_overlap_percent", "", stored->imb_percent, again->imb_percent, 1e-9);
}

/* By how much the parts of T may exceed it: the inner compute counts a clock read for each test call. */
static double slack(const struct ovl_cell *cell)
{
    double reads = 2 * cell->test_calls * cell->clock_read_seconds;
    return isnan(reads) ? 0 : reads;
}

/* What must hold of one block's slowest rank and mean over ranks; a word on what does not, or NULL. */
static const char *implausible(const struct ovl_cell *cell, int q, size_t block)
{
    const struct ovl_samples *s = &cell->samples;
    const double more = 1 + 1e-9;
    double max = s->max[q][block], mean = s->mean[q][block], total = s->max[OVL_TOTAL][block];
    if (isnan(max) != isnan(mean))
        return "is null in one of max and mean";
    if (mean > max * more)
        return "has a mean over ranks above its slowest rank";
    if (max > cell->ranks * mean * more)
        return "has a slowest rank above the sum of all ranks";
    if (q >= OVL_INIT && isnan(total) && !isnan(max))
        return "has a part of a total that is null";
    if (q >= OVL_INIT && max > total * more + slack(cell))
        return "has a part that is longer than its total";
    return NULL;
}

static bool parts_exceed(const struct ovl_cell *cell, size_t block)
{
    const struct ovl_samples *s = &cell->samples;
    double sum = 0;
    for (int q = OVL_INIT; q <= OVL_INNER; q++)
        sum += s->mean[q][block];
    return sum > s->mean[OVL_TOTAL][block] * (1 + 1e-9) + slack(cell);
}

/* Not every sample moves a derived value: these find a change in most others. */
static void check_samples(struct checking *c, const struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    for (size_t b = 0; b < s->blocks; b++) {
        for (int q = 0; q < OVL_QUANTITIES; q++) {
            const char *why = implausible(cell, q, b);
            if (why)
                problem(c, "/samples/%s: block %zu %s", ovl_quantity_names[q], b, why);
        }
        if (parts_exceed(cell, b))
            problem(c, "/samples/total_seconds: block %zu has parts that are more than the total", b);
    }
}

static void check_invalid_counts(struct checking *c, json_t *line, const struct ovl_cell *again)
{
    for (int q = OVL_COMM; q <= OVL_TOTAL; q++) {
        if (!json_object_get(json_object_get(line, "invalid_samples"), ovl_quantity_names[q]))
            continue;
        double stored =
            json_number_value(json_object_get(json_object_get(line, "invalid_samples"), ovl_quantity_names[q]));
        compare(c, "invalid_samples/", ovl_quantity_names[q], stored,
                (double)(again->samples.blocks - again->summary[q].n), 0);
    }
}

static void check_sum(struct checking *c, json_t *line, const struct ovl_cell *cell)
{
    const char *stored = json_string_value(json_object_get(line, "samples_crc32"));
    char again[9];
    ovl_cell_checksum(cell, again);
    if (stored && strcmp(stored, again) != 0)
        problem(c, "/samples_crc32: \"%s\", but the samples give \"%s\": a sample was changed", stored, again);
}

static void keep_cell(struct checking *c, struct seen_run *run, const struct ovl_cell *stored)
{
    struct seen_cell *larger = realloc(run->cell, (run->sound + 1) * sizeof *larger);
    if (!larger) {
        problem(c, "no memory for another cell");
        return;
    }
    run->cell = larger;
    larger += run->sound++;
    *larger = (struct seen_cell){.host = strcmp(stored->mode, "host") == 0,
                                 .dpu = strcmp(stored->mode, "dpu") == 0,
                                 .total = stored->summary[OVL_TOTAL].median,
                                 .efficiency = stored->offload_efficiency,
                                 .line = c->line};
    snprintf(larger->group, sizeof larger->group, "%s", stored->block_group);
}

/* offload_efficiency needs two cells, and so the whole run. */
static void check_efficiency(struct checking *c, const struct seen_run *run)
{
    for (size_t i = 0; i < run->sound; i++) {
        const struct seen_cell *dpu = &run->cell[i], *host = NULL;
        for (size_t j = 0; j < run->sound && dpu->dpu; j++)
            if (run->cell[j].host && strcmp(run->cell[j].group, dpu->group) == 0 &&
                (!host || run->cell[j].total < host->total))
                host = &run->cell[j];
        c->line = dpu->line;
        if (host && dpu->total > 0)
            compare(c, "offload_efficiency", "", dpu->efficiency, host->total / dpu->total, 0);
        else if (!isnan(dpu->efficiency) && (!dpu->dpu || (run->ended && run->sound == run->cells)))
            problem(c, "/offload_efficiency: %.12g, but %s", dpu->efficiency,
                    dpu->dpu ? "no host cell was measured in the same blocks" : "this is no dpu cell");
    }
}

static struct seen_run *run_of(struct checking *c, const char *id)
{
    for (size_t i = c->runs; i-- > 0;)
        if (strcmp(c->run[i].id, id) == 0)
            return &c->run[i];
    return NULL;
}

static void check_cell(struct checking *c, json_t *line, struct seen_run *run)
{
    struct ovl_cell cell, stored;
    struct ovl_error why;
    if (ovl_cell_from_json(line, &cell, &why) != 0) {
        problem(c, "%s", why.text);
        return;
    }
    if (strcmp(cell.benchmark, run->benchmark) != 0)
        problem(c, "/benchmark: \"%s\", in a run of %s", cell.benchmark, run->benchmark);
    stored = cell;
    if (ovl_cell_derive(&cell) == 0) {
        check_sum(c, line, &cell);
        check_samples(c, &cell);
        check_invalid_counts(c, line, &cell);
        compare_derived(c, line, &stored, &cell);
        keep_cell(c, run, &stored);
    } else {
        problem(c, "no memory to derive its values again");
    }
    ovl_cell_free(&cell);
}

static void open_run(struct checking *c, json_t *line, const char *id)
{
    struct seen_run *larger;
    if (run_of(c, id)) {
        problem(c, "/run_id: this run is in the file twice");
        return;
    }
    larger = realloc(c->run, (c->runs + 1) * sizeof *larger);
    if (!larger) {
        problem(c, "no memory for another run");
        return;
    }
    c->run = larger;
    c->run[c->runs] = (struct seen_run){.line = c->line};
    snprintf(c->run[c->runs].id, sizeof c->run->id, "%s", id);
    snprintf(c->run[c->runs].benchmark, sizeof c->run->benchmark, "%s",
             json_string_value(json_object_get(line, "benchmark")));
    c->runs++;
}

static void end_run(struct checking *c, json_t *line, struct seen_run *run)
{
    json_int_t cells = json_integer_value(json_object_get(line, "cells"));
    if (run->ended)
        problem(c, "/run_id: a second end of this run");
    else if (cells != (json_int_t)run->cells)
        problem(c, "/cells: %lld, but the file has %zu cells of this run", (long long)cells, run->cells);
    run->ended = true;
}

static int check_line(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    (void)err;
    struct checking *c = to;
    c->line = number;
    const char *kind = json_string_value(json_object_get(line, "record"));
    const char *id = json_string_value(json_object_get(line, "run_id"));
    size_t problems = ovl_schema_check(c->schema, line, schema_problem, c);
    if (!kind || !id)
        return 0;
    if (strcmp(kind, "run") == 0) {
        if (json_is_string(json_object_get(line, "benchmark")))
            open_run(c, line, id);
        return 0;
    }
    struct seen_run *run = run_of(c, id);
    if (!run) {
        problem(c, "/run_id: no run line with it before this line");
        return 0;
    }
    if (strcmp(kind, "cell") == 0) {
        c->cells++;
        run->cells++;
        if (run->ended)
            problem(c, "/run_id: a cell after the end of its run");
        if (problems == 0)
            check_cell(c, line, run);
    } else if (problems == 0) {
        end_run(c, line, run);
    }
    return 0;
}

static void conclude(struct checking *c)
{
    for (size_t i = 0; i < c->runs; i++) {
        check_efficiency(c, &c->run[i]);
        c->truncated += !c->run[i].ended;
    }
    if (c->problems > SHOWN)
        printf("%s: and %zu more problem%s\n", c->file, c->problems - SHOWN, c->problems == SHOWN + 1 ? "" : "s");
    if (c->problems > 0)
        return;
    printf("%s: %zu run%s, %zu cell%s, ", c->file, c->runs, c->runs == 1 ? "" : "s", c->cells,
           c->cells == 1 ? "" : "s");
    if (c->truncated > 0)
        printf("%zu truncated (no end line) but usable, ", c->truncated);
    printf("ok\n");
}

/* Prints what is wrong in one file. -1 only when it cannot be read. */
static int validate(const char *file, const struct ovl_schema *schema, int *code, struct ovl_error *err)
{
    struct checking c = {.file = file, .schema = schema};
    struct ovl_error why;
    int rc = ovl_record_lines(file, check_line, &c, &why);
    if (rc != 0 && why.code == OVL_WRONG_DATA) {
        c.problems++;
        printf("%s\n", why.text);
        rc = 0;
    }
    if (rc == 0)
        conclude(&c);
    else
        *err = why;
    if (c.problems > 0)
        *code = OVL_WRONG_DATA;
    for (size_t i = 0; i < c.runs; i++)
        free(c.run[i].cell);
    free(c.run);
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    int first, help, code = OVL_OK, rc = 0;
    char path[4096];
    if (ovl_command_parse(&ovl_command_validate, argc, argv, &help, &first, err) != 0 ||
        ovl_command_share("record.schema.json", path, err) != 0)
        return -1;
    struct ovl_schema *schema = ovl_schema_load(path, err);
    if (!schema)
        return -1;
    for (int i = first; i < argc; i++)
        if (validate(argv[i], schema, &code, err) != 0)
            rc = -1;
    ovl_schema_free(schema);
    return rc == 0 ? code : -1;
}

const struct ovl_command ovl_command_validate = {
    .name = "validate",
    .arguments = "FILE...",
    .summary = "check record files: fields, counts, and derived values against the samples",
    .exits = "0 fine, 3 wrong call, 4 something is wrong in a file, 5 file not readable",
    .options = options,
    .run = run,
};
