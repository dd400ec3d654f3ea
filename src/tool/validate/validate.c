/* `ovl validate`: every line against the schema, the cells against their run, and what is derived against the samples.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/derived/field_schema.h"
#include "record/field.h"
#include "record/offload.h"
#include "record/proxy.h"
#include "record/status.h"
#include "tool/cells/point.h"
#include "tool/util/command.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct ovl_option options[] = {
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, 0, 0, 0, NULL, NULL},
    {.name = NULL},
};

static void schema_problem(void *to, const char *path, const char *wanted)
{
    ovl_checking_problem(to, "%s: %s", *path ? path : "/", wanted);
}

/* Takes the cell. */
static void keep_cell(struct ovl_checking *c, struct ovl_seen_run *run, const struct ovl_cell *stored,
                      struct ovl_cell *cell)
{
    run->cell = ovl_grow_one(run->cell, run->sound, sizeof *run->cell);
    struct ovl_seen_cell *seen = &run->cell[run->sound++];
    *seen = (struct ovl_seen_cell){.claims = ovl_cell_claims(stored),
                                   .host = strcmp(stored->mode, "host") == 0,
                                   .dpu = strcmp(stored->mode, "dpu") == 0,
                                   .blocking = strcmp(stored->mode, "blocking") == 0,
                                   .total = cell->summary[OVL_TOTAL].median,
                                   .efficiency = stored->offload_efficiency,
                                   .line = c->line};
    snprintf(seen->group, sizeof seen->group, "%s", stored->block_group);
    if (ovl_cell_solves(cell))
        seen->cell = *cell;
    else
        ovl_cell_free(cell);
}

/* gain_vs_blocking needs the samples of two cells. */
static void check_gain(struct ovl_checking *c, const struct ovl_seen_run *run)
{
    for (size_t i = 0; i < run->sound; i++) {
        const struct ovl_seen_cell *seen = &run->cell[i], *blocking = NULL;
        struct ovl_estimate again = {NAN, NAN, NAN};
        for (size_t j = 0; j < run->sound && !seen->blocking && seen->cell.samples.blocks > 0; j++)
            if (run->cell[j].blocking && strcmp(run->cell[j].group, seen->group) == 0)
                blocking = &run->cell[j];
        c->line = seen->line;
        if (blocking)
            again = ovl_proxy_gain(&seen->cell, &blocking->cell.samples);
        if (blocking || (seen->cell.samples.blocks > 0 && run->ended && run->sound == run->cells))
            ovl_checking_estimate(c, "gain_vs_blocking", &seen->cell.gain, &again);
    }
}

/* offload_efficiency needs two cells that carry a claim, and so the whole run. */
static void check_efficiency(struct ovl_checking *c, const struct ovl_seen_run *run)
{
    for (size_t i = 0; i < run->sound; i++) {
        const struct ovl_seen_cell *dpu = &run->cell[i], *host = NULL;
        for (size_t j = 0; j < run->sound && dpu->dpu && dpu->claims; j++)
            if (run->cell[j].host && run->cell[j].claims && strcmp(run->cell[j].group, dpu->group) == 0 &&
                (!host || run->cell[j].total < host->total))
                host = &run->cell[j];
        c->line = dpu->line;
        if (host && dpu->total > 0)
            ovl_checking_compare(c, "offload_efficiency", "", dpu->efficiency, host->total / dpu->total, 0);
        else if (!isnan(dpu->efficiency) && (!dpu->dpu || !dpu->claims || (run->ended && run->sound == run->cells)))
            ovl_checking_problem(c, "/offload_efficiency: %.12g, but %s", dpu->efficiency,
                                 !dpu->dpu      ? "this is no dpu cell"
                                 : !dpu->claims ? "this cell carries no claim"
                                                : "no host cell that carries a claim was measured in the same blocks");
    }
}

static struct ovl_seen_run *run_of(struct ovl_checking *c, const char *id)
{
    const json_t *number = json_object_get(c->index, id);
    return number ? &c->run[json_integer_value(number)] : NULL;
}

/* Of two of one point nobody knows which is the measurement. */
static void check_repeated(struct ovl_checking *c, struct ovl_seen_run *run, const struct ovl_cell *cell)
{
    const struct ovl_run nothing = {.file = c->file}; /* what the run line says is the same for all */
    char *key = ovl_point_key(&nothing, cell, NULL);
    if (!run->points)
        run->points = json_object();
    const json_t *line = key ? json_object_get(run->points, key) : NULL;
    if (line)
        ovl_checking_problem(c, "this run has the cell twice: it is in line %lld, too",
                             (long long)json_integer_value(line));
    else if (key)
        json_object_set_new(run->points, key, json_integer((json_int_t)c->line));
    free(key);
}

static void check_cell(struct ovl_checking *c, json_t *line, struct ovl_seen_run *run)
{
    struct ovl_cell cell, stored;
    struct ovl_error why;
    if (ovl_cell_from_json(line, &cell, &why) != 0) {
        ovl_checking_problem(c, "%s", why.text);
        return;
    }
    stored = cell;
    check_repeated(c, run, &cell);
    ovl_cell_derive(&cell);
    ovl_checking_in_run(c, run, line, &stored, &cell);
    ovl_checking_cell(c, line, &stored, &cell);
    keep_cell(c, run, &stored, &cell);
}

static void open_run(struct ovl_checking *c, json_t *line, const char *id)
{
    if (run_of(c, id)) {
        ovl_checking_problem(c, "/run_id: this run is in the file twice");
        return;
    }
    c->run = ovl_grow_one(c->run, c->runs, sizeof *c->run);
    c->run[c->runs] = (struct ovl_seen_run){.line = c->line};
    ovl_checking_open_run(&c->run[c->runs], line);
    json_object_set_new(c->index, id, json_integer((json_int_t)c->runs++));
}

static void end_run(struct ovl_checking *c, json_t *line, struct ovl_seen_run *run)
{
    json_int_t cells = json_integer_value(json_object_get(line, "cells"));
    if (run->ended)
        ovl_checking_problem(c, "/run_id: a second end of this run");
    else if (cells != (json_int_t)run->cells)
        ovl_checking_problem(c, "/cells: %lld, but the file has %zu cells of this run", (long long)cells, run->cells);
    ovl_checking_finished(c, run, line);
    run->ended = true;
}

static void check_offload(struct ovl_checking *c, const json_t *line)
{
    struct ovl_offload_report report;
    struct ovl_error why;
    c->offloads++;
    if (ovl_offload_from_json(line, &report, &why) != 0 || ovl_offload_check(&report, &why) != 0)
        ovl_checking_problem(c, "%s", why.text);
}

static int check_line(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    struct ovl_checking *c = to;
    c->line = number;
    const char *kind = json_string_value(json_object_get(line, "record"));
    const char *foreign = kind && strcmp(kind, "run") == 0 ? ovl_record_foreign(line) : NULL;
    if (foreign)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: %s", c->file, number, foreign);
    const char *id = json_string_value(json_object_get(line, "run_id"));
    size_t problems = ovl_schema_check(c->schema, line, schema_problem, c);
    ovl_checking_unknown(c, line);
    if (kind && strcmp(kind, "offload") == 0 && problems == 0)
        check_offload(c, line);
    if (!kind || !id)
        return 0;
    if (strcmp(kind, "run") == 0) {
        if (json_is_string(json_object_get(line, "benchmark")))
            open_run(c, line, id);
        return 0;
    }
    struct ovl_seen_run *run = run_of(c, id);
    if (!run) {
        ovl_checking_problem(c, "/run_id: no run line with it before this line");
        return 0;
    }
    if (strcmp(kind, "cell") == 0) {
        c->cells++;
        run->cells++;
        if (run->ended)
            ovl_checking_problem(c, "/run_id: a cell after the end of its run");
        if (problems == 0)
            check_cell(c, line, run);
    } else if (strcmp(kind, "node") == 0) {
        c->nodes++;
        if (run->ended)
            ovl_checking_problem(c, "/run_id: a node after the end of its run");
    } else if (problems == 0) {
        end_run(c, line, run);
    }
    return 0;
}

static void conclude(struct ovl_checking *c)
{
    for (size_t i = 0; i < c->runs; i++) {
        check_efficiency(c, &c->run[i]);
        check_gain(c, &c->run[i]);
        c->truncated += !c->run[i].ended;
    }
    ovl_checking_bounds(c);
    if (c->problems > OVL_CHECKING_SHOWN)
        printf("%s: and %zu more problem%s\n", c->file, c->problems - OVL_CHECKING_SHOWN,
               c->problems == OVL_CHECKING_SHOWN + 1 ? "" : "s");
    if (c->problems > 0)
        return;
    printf("%s: ", c->file);
    if (c->offloads > 0)
        printf("%zu offloaded program%s, ", c->offloads, c->offloads == 1 ? "" : "s");
    if (c->offloads > 0 && c->runs == 0) {
        printf("ok\n");
        return;
    }
    printf("%zu run%s, %zu cell%s, ", c->runs, c->runs == 1 ? "" : "s", c->cells, c->cells == 1 ? "" : "s");
    if (c->nodes > 0)
        printf("%zu node%s, ", c->nodes, c->nodes == 1 ? "" : "s");
    if (c->truncated > 0)
        printf("%zu truncated (no end line) but usable, ", c->truncated);
    printf("ok\n");
}

/* One line names all that cannot be read. */
static void add_unread(struct ovl_error *err, const char *why)
{
    char before[OVL_ERROR_TEXT + 2];
    snprintf(before, sizeof before, "%s%s", err->text, *err->text ? "; " : "");
    ovl_error_set(err, OVL_ENVIRONMENT, "%s%s", before, why);
}

/* Prints what is wrong in one file. -1 only when it cannot be read. */
static int validate(const char *file, const struct ovl_schema *schema, int *code, struct ovl_error *err)
{
    char *shown = ovl_printable_copy(file);
    struct ovl_checking c = {.file = shown, .schema = schema, .unknown = json_object(), .index = json_object()};
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
        add_unread(err, why.text);
    if (rc == 0)
        ovl_checking_print_unknown(&c);
    json_decref(c.unknown);
    json_decref(c.index);
    if (c.problems > 0)
        *code = OVL_WRONG_DATA;
    for (size_t i = 0; i < c.runs; i++) {
        for (size_t k = 0; k < c.run[i].sound; k++)
            ovl_cell_free(&c.run[i].cell[k].cell);
        free(c.run[i].cell);
        json_decref(c.run[i].points);
        json_decref(c.run[i].options);
    }
    free(c.run);
    free(shown);
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    int first, help, code = OVL_OK, rc = 0;
    if (ovl_command_parse(&ovl_command_validate, argc, argv, &help, &first, err) != 0)
        return -1;
    json_t *table = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(table, err);
    json_decref(table);
    if (!schema)
        return -1;
    struct ovl_error unread = {OVL_ENVIRONMENT, ""};
    for (int i = first; i < argc; i++)
        if (validate(argv[i], schema, &code, &unread) != 0)
            rc = -1;
    if (rc != 0)
        *err = unread;
    ovl_schema_free(schema);
    return rc == 0 ? code : -1;
}

const struct ovl_tool_command ovl_command_validate = {
    .name = "validate",
    .arguments = "FILE...",
    .summary = "check record files: fields, counts, and derived values against the samples",
    .exits = "0 fine, 3 wrong call, 4 something is wrong in a file, 5 file not readable",
    .options = options,
    .run = run,
};
