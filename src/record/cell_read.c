/* Reading a cell from its JSON form. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1000000 }; /* as -i of the programs has it */

static int wrong(struct ovl_error *err, const char *path, const char *wanted)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "%s: %s", path, wanted);
}

static int wrong_samples(struct ovl_error *err, const char *name, const char *wanted)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "samples.%s: %s", name, wanted);
}

/* A number, or null as NaN. */
static int read_number(const json_t *json, double *out)
{
    if (!json || !(json_is_number(json) || json_is_null(json)))
        return -1;
    *out = json_is_null(json) ? NAN : json_number_value(json);
    return 0;
}

static int read_parts(const json_t *o, enum ovl_field_kind kind, double *to)
{
    const char *const *names = ovl_field_parts(kind);
    for (size_t i = 0; names[i]; i++)
        if (read_number(json_object_get(o, names[i]), &to[i]) != 0)
            return -1;
    return 0;
}

static int read_text(const struct ovl_field *f, const json_t *v, char *to, struct ovl_error *err)
{
    if (f->null && json_is_null(v))
        return 0;
    if (!json_is_string(v) || json_string_length(v) >= f->size)
        return wrong(err, f->path, "a short text is wanted here");
    strcpy(to, json_string_value(v));
    return 0;
}

/* A row with a member, from its place in the line. */
static int read_member(const struct ovl_field *f, const json_t *line, bool solves, struct ovl_cell *cell,
                       struct ovl_error *err)
{
    const json_t *v = ovl_field_at(line, f->path);
    void *at = (char *)cell + f->offset;
    bool needed = f->need == OVL_NEED_ALL || (f->need == OVL_NEED_COLLECTIVE && !solves);
    if ((!v && !needed) || (f->of == OVL_OF_PROXY && !solves) || (f->of == OVL_OF_COLLECTIVE && solves))
        return 0;
    switch (f->kind) {
    case OVL_FIELD_TEXT:
        return read_text(f, v, at, err);
    case OVL_FIELD_NUMBER:
    case OVL_FIELD_WHOLE:
        return read_number(v, at) == 0 ? 0 : wrong(err, f->path, "a number or null is wanted here");
    case OVL_FIELD_TRUTH:
        if (!json_is_boolean(v) && !json_is_null(v))
            return wrong(err, f->path, "true, false or null is wanted here");
        *(int *)at = json_is_null(v) ? -1 : json_is_true(v);
        return 0;
    case OVL_FIELD_SUMMARY:
        ((struct ovl_summary *)at)->outliers = (size_t)json_integer_value(json_object_get(v, "outliers"));
        return read_parts(v, f->kind, at) == 0
                   ? 0
                   : wrong(err, f->path, "median, ci_low, ci_high, min, max, p99 are wanted");
    case OVL_FIELD_ESTIMATE:
        return read_parts(v, f->kind, at) == 0 ? 0 : wrong(err, f->path, "value, ci_low and ci_high are wanted here");
    default:
        return 0;
    }
}

static int read_array(const json_t *array, const char *name, double *out, size_t n, struct ovl_error *err)
{
    if (!json_is_array(array) || json_array_size(array) != n)
        return wrong_samples(err, name, "max and mean with one value per block are wanted here");
    for (size_t i = 0; i < n; i++)
        if (read_number(json_array_get(array, i), &out[i]) != 0)
            return wrong_samples(err, name, "numbers or null are wanted here");
    return 0;
}

static const char *quantity(int q)
{
    return ovl_field_of_quantity((enum ovl_quantity)q)->name;
}

static bool is_quantity(const char *name)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (strcmp(quantity(q), name) == 0)
            return true;
    return false;
}

/* What only a kind of proxy times, or a later version, stays as it is in the line. */
static int read_others(json_t *all, struct ovl_cell *cell, struct ovl_error *err)
{
    const char *name;
    json_t *both;
    size_t n = cell->samples.blocks;
    double *scratch = ovl_alloc(n, sizeof *scratch);
    int rc = 0;
    json_object_foreach(all, name, both) {
        if (rc != 0 || is_quantity(name))
            continue;
        rc = read_array(json_object_get(both, "max"), name, scratch, n, err) ||
                     read_array(json_object_get(both, "mean"), name, scratch, n, err)
                 ? -1
                 : 0;
        if (!cell->others)
            cell->others = json_object();
        json_object_set(cell->others, name, both);
    }
    free(scratch);
    return rc;
}

static int read_samples(const json_t *line, bool solves, struct ovl_cell *cell, struct ovl_error *err)
{
    json_int_t blocks = json_integer_value(json_object_get(line, "blocks"));
    json_t *all = json_object_get(line, "samples");
    /* Compare with the text before any memory is taken: a damaged count must not ask for gigabytes. */
    int first = 0;
    while (solves && first + 1 < OVL_QUANTITIES && !json_object_get(all, quantity(first)))
        first++;
    const json_t *values = json_object_get(json_object_get(all, quantity(first)), "max");
    if (json_array_size(values) != (size_t)blocks)
        return wrong_samples(err, quantity(first),
                             all ? "one value per block is wanted here"
                                 : "there are none, as after ovl thin; compare, history, rank and export do without");
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const json_t *both = json_object_get(all, quantity(q));
        bool wanted = both || (!solves && q <= OVL_INNER);
        if (wanted && (json_array_size(json_object_get(both, "max")) != (size_t)blocks ||
                       json_array_size(json_object_get(both, "mean")) != (size_t)blocks))
            return wrong_samples(err, quantity(q), "one value per block is wanted here");
    }
    ovl_samples_make(&cell->samples, (size_t)blocks);
    cell->samples.blocks = (size_t)blocks;
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const json_t *both = json_object_get(all, quantity(q));
        if (!both && (solves || q > OVL_INNER))
            continue;
        if (read_array(json_object_get(both, "max"), quantity(q), cell->samples.max[q], (size_t)blocks, err) ||
            read_array(json_object_get(both, "mean"), quantity(q), cell->samples.mean[q], (size_t)blocks, err))
            return -1;
    }
    return read_others(all, cell, err);
}

/* Of so many blocks those that are not invalid: as a line says it, which may say anything. */
static size_t valid_blocks(json_int_t blocks, json_int_t invalid)
{
    return blocks > 0 && invalid >= 0 && invalid < blocks ? (size_t)(blocks - invalid) : 0;
}

/* The number of a quantity's values: counted, or as the line says where the samples were not read. */
static size_t valid_of(const json_t *line, const struct ovl_cell *cell, int q)
{
    size_t n = 0;
    if (cell->samples.blocks == 0) {
        const json_t *invalid = json_object_get(json_object_get(line, "invalid_samples"), quantity(q));
        return valid_blocks(json_integer_value(json_object_get(line, "blocks")), json_integer_value(invalid));
    }
    for (size_t b = 0; b < cell->samples.blocks; b++)
        n += !isnan(cell->samples.max[q][b]);
    return n;
}

/* A proxy's problem: texts, numbers and truths. */
static int read_problem(json_t *problem, struct ovl_error *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(problem) || json_object_size(problem) == 0)
        return wrong(err, "problem", "an object that says what was solved is wanted here");
    json_object_foreach(problem, name, value) {
        if (!json_is_string(value) && !json_is_number(value) && !json_is_boolean(value))
            return ovl_error_set(err, OVL_WRONG_DATA, "problem.%.60s: a text, a number or a truth is wanted here",
                                 name);
    }
    return 0;
}

/* Fields of proxies that have no member. */
static void keep_extra(const json_t *line, struct ovl_cell *cell)
{
    for (const struct ovl_field *f = ovl_fields_cell; f->path; f++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(f->path, "."), f->path);
        json_t *value = json_object_get(line, name);
        if (f->of == OVL_OF_PROXY && f->size == 0 && value && strcmp(name, "problem") != 0 &&
            strcmp(name, "curve") != 0)
            ovl_cell_set(cell, name, json_incref(value));
    }
}

static unsigned read_marks(const json_t *marks)
{
    unsigned all = marks ? 0 : OVL_MARKS_UNKNOWN;
    const char *word = ovl_field_named(ovl_fields_cell, "marks[]")->words;
    for (int mark = 0; mark < OVL_MARKS; mark++, word += strcspn(word, "|") + 1)
        for (size_t i = 0; i < json_array_size(marks); i++) {
            const char *text = json_string_value(json_array_get(marks, i));
            size_t length = strcspn(word, "|");
            if (text && strncmp(text, word, length) == 0 && text[length] == '\0')
                all |= 1U << mark;
        }
    return all;
}

static int read_rows(const struct ovl_field *f, const json_t *line, bool solves, struct ovl_cell *cell,
                     struct ovl_error *err)
{
    for (; f->path; f++)
        if (f->line == OVL_LINE_CELL && f->size > 0 && read_member(f, line, solves, cell, err) != 0)
            return -1;
    return 0;
}

int ovl_cell_from_json(const json_t *json, bool whole, struct ovl_cell *cell, struct ovl_error *err)
{
    json_t *problem = json_object_get(json, "problem"), *run_id = json_object_get(json, "run_id"),
           *blocks = json_object_get(json, "blocks");
    bool solves = problem != NULL;
    ovl_cell_clear(cell);
    for (int q = 0; q < OVL_QUANTITIES; q++)
        cell->summary[q] = (struct ovl_summary){NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
    if (!json_is_string(run_id) || json_string_length(run_id) >= sizeof cell->run_id)
        return wrong(err, "run_id", "a short text is wanted here");
    strcpy(cell->run_id, json_string_value(run_id));
    if (!json_is_integer(blocks) || json_integer_value(blocks) < 0 || json_integer_value(blocks) > MOST_BLOCKS)
        return wrong(err, "blocks", "a number of blocks is wanted here");
    if (solves && read_problem(problem, err) != 0)
        return -1;
    if (read_rows(ovl_fields_point, json, solves, cell, err) != 0 ||
        read_rows(ovl_fields_cell, json, solves, cell, err) != 0)
        return -1;
    if (whole && read_samples(json, solves, cell, err) != 0) {
        ovl_cell_free(cell);
        return -1;
    }
    for (int q = 0; q < OVL_QUANTITIES; q++)
        cell->summary[q].n = valid_of(json, cell, q);
    cell->marks = read_marks(json_object_get(json, "marks"));
    /* What is told of a fault in other words holds, too. */
    if (strncmp(cell->reason, "wrong data", strlen("wrong data")) == 0 || cell->check_value > cell->check_limit)
        cell->validated = 0;
    const char *sum = json_string_value(json_object_get(json, "samples_crc32"));
    json_t *samples = json_object_get(json, "samples");
    snprintf(cell->samples_sum, sizeof cell->samples_sum, "%s", sum ? sum : "");
    if (!sum && json_object_size(samples) > 0)
        ovl_cell_checksum_json(samples, cell->samples_sum);
    cell->problem = json_incref(problem);
    cell->curve = json_incref(json_object_get(json, "curve"));
    if (solves)
        keep_extra(json, cell);
    if (json_object_get(json, "percentiles"))
        ovl_cell_set(cell, "percentiles", json_incref(json_object_get(json, "percentiles")));
    if (whole && json_object_get(json, "block_times"))
        ovl_cell_set(cell, "block_times", json_incref(json_object_get(json, "block_times")));
    json_t *of_ranks = json_object_get(json, "rank_samples");
    if (whole && of_ranks)
        ovl_cell_set(cell, "rank_samples", json_incref(of_ranks));
    return 0;
}
