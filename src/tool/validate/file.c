/* A record file: every line against the schema, the cells against their run, and what is derived against the samples.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/derived/efficiency.h"
#include "record/derived/field_schema.h"
#include "record/derived/offload_check.h"
#include "record/field.h"
#include "record/offload/lines.h"
#include "record/proxy.h"
#include "record/status.h"
#include "tool/cells/options/of_options.h"
#include "tool/cells/point.h"
#include "tool/validate/state.h"
#include "tool/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
                                   .helped = ovl_cell_is_helped(stored),
                                   .blocking = strcmp(stored->mode, "blocking") == 0,
                                   .total = cell->summary[OVL_TOTAL].median,
                                   .efficiency = stored->offload_efficiency,
                                   .line = c->line};
    snprintf(seen->group, sizeof seen->group, "%s", stored->block_group);
    seen->blocks = cell->samples.blocks;
    seen->cell = *cell;
}

/* Of compressed gradients: T of the same step whose gradients are plain. */
static void check_plain(struct ovl_checking *c, const struct ovl_seen_cell *seen, const struct ovl_seen_cell *plain)
{
    const json_t *stored = json_object_get(json_object_get(seen->cell.extra, "compression"), "plain_total_seconds");
    if (!json_is_number(stored) || strcmp(seen->cell.benchmark, "train") != 0 ||
        strcmp(seen->cell.mode, plain->cell.mode) != 0)
        return;
    json_t *problem = json_copy(seen->cell.problem);
    json_object_del(problem, "compress");
    if (json_equal(problem, plain->cell.problem)) {
        c->line = seen->line;
        ovl_checking_compare(c, "compression", "/plain_total_seconds", json_number_value(stored), plain->total, 0);
    }
    json_decref(problem);
}

/* gain_vs_blocking needs the samples of two cells that carry a claim, and so does what serving says of both. */
static void check_gain(struct ovl_checking *c, const struct ovl_seen_run *run)
{
    for (size_t i = 0; i < run->sound; i++) {
        const struct ovl_seen_cell *seen = &run->cell[i], *blocking = NULL;
        struct ovl_estimate again = {NAN, NAN, NAN};
        for (size_t j = 0; j < run->sound && !seen->blocking && seen->cell.samples.blocks > 0; j++)
            if (run->cell[j].blocking && ovl_cell_beside(&run->cell[j].cell, &seen->cell))
                blocking = &run->cell[j];
        c->line = seen->line;
        /* Records of before have one where a cell carries no claim, too. */
        if (blocking && ((seen->claims && blocking->claims) || !isnan(seen->cell.gain.value)))
            again = ovl_proxy_gain(&seen->cell, &blocking->cell.samples);
        for (size_t j = 0; j < run->sound; j++)
            check_plain(c, seen, &run->cell[j]);
        if (blocking && ovl_checking_schema(run->head) >= 11)
            ovl_checking_first_token(c, &seen->cell, &blocking->cell);
        if (blocking || (seen->cell.samples.blocks > 0 && run->ended && run->sound == run->cells))
            ovl_checking_estimate(c, "gain_vs_blocking", &seen->cell.gain, &again);
    }
}

/* offload_efficiency needs two cells that carry a claim, and so the whole run. */
static void check_efficiency(struct ovl_checking *c, const struct ovl_seen_run *run)
{
    for (size_t i = 0; i < run->sound; i++) {
        const struct ovl_seen_cell *dpu = &run->cell[i], *host = NULL;
        for (size_t j = 0; j < run->sound && dpu->helped && dpu->claims; j++)
            if (run->cell[j].host && run->cell[j].claims && ovl_cell_beside(&run->cell[j].cell, &dpu->cell) &&
                (!host || run->cell[j].total < host->total))
                host = &run->cell[j];
        c->line = dpu->line;
        if (host && dpu->total > 0) {
            struct ovl_estimate again = ovl_cell_offload_efficiency(&dpu->cell, &host->cell.samples);
            again.value = host->total / dpu->total;
            ovl_checking_compare(c, "offload_efficiency", "", dpu->efficiency.value, again.value, 0);
            if (!isnan(dpu->efficiency.ci_low) || !isnan(dpu->efficiency.ci_high)) { /* older records have none */
                ovl_checking_compare(c, "offload_efficiency_ci", "/low", dpu->efficiency.ci_low, again.ci_low, 1e-11);
                ovl_checking_compare(c, "offload_efficiency_ci", "/high", dpu->efficiency.ci_high, again.ci_high,
                                     1e-11);
            }
        } else if (!isnan(dpu->efficiency.value) &&
                   (!dpu->helped || !dpu->claims || (run->ended && run->sound == run->cells)))
            ovl_checking_problem(c, "/offload_efficiency: %.12g, but %s", dpu->efficiency.value,
                                 !dpu->helped   ? "this is no dpu cell"
                                 : !dpu->claims ? "this cell carries no claim"
                                                : "no host cell that carries a claim was measured in the same blocks");
    }
}

static double bytes_an_operation(const struct ovl_seen_cell *seen)
{
    return seen->cell.worker_bytes / seen->cell.worker_ops;
}

/* Workers move no more for a smaller message. true: so it is. */
static bool check_bytes(struct ovl_checking *c, const struct ovl_seen_cell *a, const struct ovl_seen_cell *b)
{
    double of_a = bytes_an_operation(a), of_b = bytes_an_operation(b), size_a = a->cell.size_bytes,
           size_b = b->cell.size_bytes;
    if (!(size_a < size_b && of_a > of_b * (1 + 1e-9)) && !(size_a > size_b && of_a < of_b * (1 - 1e-9)))
        return true;
    ovl_checking_problem(c, "/engine/worker_bytes: %.12g for each operation, and %.12g in line %zu, of %s messages",
                         of_b, of_a, a->line, size_a < size_b ? "smaller" : "larger");
    return false;
}

static void check_beside(struct ovl_checking *c, const struct ovl_seen_run *run)
{
    for (size_t i = 1; i < run->sound; i++) {
        c->line = run->cell[i].line;
        /* Of an application the first of a block may have a W of its own: then others tell. */
        size_t problems = c->problems;
        for (size_t k = 0; k < i && c->problems == problems; k++)
            if (ovl_checking_blocks(c, &run->cell[k], &run->cell[i]) && !ovl_cell_solves(&run->cell[i].cell))
                break;
        for (size_t k = 0; k < i && check_bytes(c, &run->cell[k], &run->cell[i]);)
            k++;
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

static double sum_of(const struct ovl_cell *cell, enum ovl_quantity q)
{
    return ovl_checking_sum(cell->samples.max[q], cell->samples.blocks);
}

/* Was no cell of the same blocks there before? */
static bool is_first(const struct ovl_seen_run *run, const struct ovl_cell *cell)
{
    for (size_t i = run->sound; i-- > 0;)
        if (strcmp(run->cell[i].group, cell->block_group) == 0)
            return !*cell->block_group;
    return true;
}

static void count_time(struct ovl_seen_run *run, const struct ovl_cell *cell)
{
    const json_t *options = json_object_get(run->head, "options");
    run->took += sum_of(cell, OVL_TOTAL);
    run->longest = fmax(run->longest, ovl_checking_longest(cell));
    if (!ovl_cell_solves(cell)) /* of an application W and C may be parts of T */
        run->took +=
            sum_of(cell, OVL_COMM) + (is_first(run, cell) ? sum_of(cell, OVL_COMPUTE) + sum_of(cell, OVL_BLOCKING) : 0);
    if (strcmp(cell->status, "invalid") == 0 || strcmp(cell->block_group, run->group) == 0 ||
        !ovl_cell_out_of_time(options, cell))
        return;
    snprintf(run->group, sizeof run->group, "%s", cell->block_group);
    run->limited += json_number_value(json_object_get(options, "max_time"));
}

static void check_cell(struct ovl_checking *c, json_t *line, struct ovl_seen_run *run)
{
    struct ovl_cell cell, stored;
    struct ovl_error why;
    if (ovl_cell_from_json(line, true, &cell, &why) != 0) {
        ovl_checking_problem(c, "%s", why.text);
        return;
    }
    stored = cell;
    check_repeated(c, run, &cell);
    ovl_checking_group(c, run, &cell);
    ovl_cell_derive(&cell);
    count_time(run, &stored);
    ovl_checking_told_cell(c, run->head, line, &cell);
    ovl_checking_in_run(c, run, line, &stored, &cell);
    ovl_checking_cell(c, line, &stored, &cell);
    ovl_checking_epochs(c, run->head, line, &cell);
    ovl_checking_drawn(c, run->head, line);
    ovl_checking_rank_samples(c, run->head, line, &cell);
    ovl_checking_answer(c, run->head, line, &cell);
    keep_cell(c, run, &stored, &cell);
}

static void open_run(struct ovl_checking *c, json_t *line, const char *id)
{
    if (run_of(c, id)) {
        ovl_checking_problem(c, "/run_id: this run is in the file twice");
        return;
    }
    c->run = ovl_grow_one(c->run, c->runs, sizeof *c->run);
    c->run[c->runs] = (struct ovl_seen_run){.head = json_incref(line), .line = c->line};
    ovl_checking_head(c, line);
    json_object_set_new(c->index, id, json_integer((json_int_t)c->runs++));
}

static void end_run(struct ovl_checking *c, json_t *line, struct ovl_seen_run *run)
{
    json_int_t cells = (json_int_t)json_number_value(json_object_get(line, "cells"));
    if (run->ended)
        ovl_checking_problem(c, "/run_id: a second end of this run");
    else if (cells != (json_int_t)run->cells)
        ovl_checking_problem(c, "/cells: %lld, but the file has %zu cells of this run", (long long)cells, run->cells);
    ovl_checking_end(c, run, line);
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
    c->cut = json_is_null(line);
    if (c->cut)
        return 0;
    const char *kind = json_string_value(json_object_get(line, "record"));
    const char *foreign = ovl_record_foreign(line);
    if (foreign)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: %s", c->file, number, foreign);
    const char *id = json_string_value(json_object_get(line, "run_id"));
    size_t problems = ovl_schema_check(c->schema, line, schema_problem, c);
    ovl_checking_unknown(c, line);
    if (kind && ovl_offload_owns(kind) && problems == 0)
        ovl_checking_launch(c, line);
    if (kind && strcmp(kind, "offload") == 0 && problems == 0)
        check_offload(c, line);
    if (!kind || !id)
        return 0;
    if (strcmp(kind, "run") == 0) {
        if (json_object_get(line, "thinned"))
            return ovl_error_set(err, OVL_WRONG_DATA,
                                 "%s:%zu: /thinned: ovl thin took the samples out: nothing can be computed from them",
                                 c->file, number);
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
        run->nodes++;
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
        check_beside(c, &c->run[i]);
        ovl_checking_alike(c, &c->run[i]);
        check_gain(c, &c->run[i]);
        c->truncated += !c->run[i].ended;
    }
    ovl_checking_bounds(c);
    ovl_checking_comparisons(c);
}

static const char *s_of(size_t n)
{
    return n == 1 ? "" : "s";
}

/* The last line of a file. */
static void print_last(const struct ovl_checking *c, FILE *out)
{
    if (c->problems > OVL_CHECKING_SHOWN)
        fprintf(out, "%s: and %zu more problem%s\n", c->file, c->problems - OVL_CHECKING_SHOWN,
                s_of(c->problems - OVL_CHECKING_SHOWN));
    if (c->problems > 0)
        return;
    fprintf(out, "%s: ", c->file);
    if (c->offloads > 0)
        fprintf(out, "%zu offloaded program%s, ", c->offloads, s_of(c->offloads));
    if (c->offloads == 0 || c->runs > 0)
        fprintf(out, "%zu run%s, %zu cell%s, ", c->runs, s_of(c->runs), c->cells, s_of(c->cells));
    if (c->nodes > 0)
        fprintf(out, "%zu node%s, ", c->nodes, s_of(c->nodes));
    if (c->unfinished > 0)
        fprintf(out, "%zu comparison%s that ended early, ", c->unfinished, s_of(c->unfinished));
    if (c->truncated > 0)
        fprintf(out, "%zu truncated (no end line) but usable, ", c->truncated);
    if (c->cut)
        fprintf(out, "the last line cut short, ");
    fprintf(out, "ok\n");
}

static void close_runs(struct ovl_checking *c)
{
    for (size_t i = 0; i < c->runs; i++) {
        for (size_t k = 0; k < c->run[i].sound; k++)
            ovl_cell_free(&c->run[i].cell[k].cell);
        free(c->run[i].cell);
        json_decref(c->run[i].points);
        json_decref(c->run[i].head);
    }
    free(c->run);
}

int ovl_validate_file(const char *file, const struct ovl_schema *schema, FILE *out, struct ovl_validity *v,
                      struct ovl_error *err)
{
    char *shown = ovl_printable_copy(file);
    struct ovl_checking c = {.file = shown,
                             .schema = schema,
                             .out = out,
                             .unknown = json_object(),
                             .known = json_object(),
                             .index = json_object()};
    int rc = ovl_record_lines(file, check_line, &c, err);
    if (rc == 0)
        conclude(&c);
    if (rc != 0 && err->code == OVL_WRONG_DATA) {
        ovl_checking_unread(&c, err->text);
        rc = 0;
    } else if (rc == 0 && out) {
        print_last(&c, out);
    }
    if (rc == 0 && out)
        ovl_checking_print_unknown(&c, out);
    v->problems = c.problems;
    snprintf(v->first, sizeof v->first, "%s", c.first);
    close_runs(&c);
    json_decref(c.unknown);
    json_decref(c.known);
    json_decref(c.index);
    json_decref(c.launches);
    free(shown);
    return rc;
}

struct ovl_schema *ovl_validate_schema(struct ovl_error *err)
{
    json_t *table = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(table, err);
    json_decref(table);
    return schema;
}
