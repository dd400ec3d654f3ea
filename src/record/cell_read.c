/* Reading a cell from its JSON form. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cell_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(struct ovl_error *err, const char *group, const char *name, const char *wanted)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "%s%s%s: %s", group ? group : "", group ? "." : "", name, wanted);
}

/* A number, or null as NaN. */
static int read_number(const json_t *json, double *out)
{
    if (!json || !(json_is_number(json) || json_is_null(json)))
        return -1;
    *out = json_is_null(json) ? NAN : json_number_value(json);
    return 0;
}

/* May a line be without this field? */
static bool dispensable(const struct ovl_cell_field *f, bool solves)
{
    static const char *const needed[] = {"run_id", "benchmark", "mode", "ranks", "status"};
    bool need = f->kind < LATER_TRUTH && !solves;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        need |= !f->group && strcmp(f->name, needed[i]) == 0;
    return !need;
}

static int read_field(const struct ovl_cell_field *f, const json_t *line, bool solves, struct ovl_cell *cell,
                      struct ovl_error *err)
{
    const json_t *in = f->group ? json_object_get(line, f->group) : line, *v = json_object_get(in, f->name);
    void *at = (char *)cell + f->offset;
    if (!v && dispensable(f, solves))
        return 0;
    switch (f->kind) {
    case TEXT:
    case OPTIONAL_TEXT:
    case PROXY_TEXT:
        if (f->kind != TEXT && json_is_null(v))
            return 0;
        if (!json_is_string(v) || json_string_length(v) >= f->length)
            return wrong(err, f->group, f->name, "a short text is wanted here");
        strcpy(at, json_string_value(v));
        return 0;
    case NUMBER:
    case WHOLE:
    case PROXY_NUMBER:
    case PROXY_WHOLE:
        return read_number(v, at) == 0 ? 0 : wrong(err, f->group, f->name, "a number or null is wanted here");
    case TRUTH:
    case LATER_TRUTH:
        if (!json_is_boolean(v) && !json_is_null(v))
            return wrong(err, f->group, f->name, "true, false or null is wanted here");
        *(int *)at = json_is_null(v) ? -1 : json_is_true(v);
        return 0;
    }
    return 0;
}

static int read_array(const json_t *array, const char *name, double *out, size_t n, struct ovl_error *err)
{
    if (!json_is_array(array) || json_array_size(array) != n)
        return wrong(err, "samples", name, "max and mean with one value per block are wanted here");
    for (size_t i = 0; i < n; i++)
        if (read_number(json_array_get(array, i), &out[i]) != 0)
            return wrong(err, "samples", name, "numbers or null are wanted here");
    return 0;
}

static bool is_quantity(const char *name)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (strcmp(ovl_quantity_names[q], name) == 0)
            return true;
    return false;
}

/* What only this kind of proxy times stays as it is in the line. */
static int read_others(json_t *all, struct ovl_cell *cell, struct ovl_error *err)
{
    const char *name;
    json_t *both;
    size_t n = cell->samples.blocks;
    double *scratch = malloc((n + 1) * sizeof *scratch);
    int rc = scratch ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu blocks", n);
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
    const json_t *all = json_object_get(line, "samples");
    if (!json_is_integer(json_object_get(line, "blocks")) || blocks < 0 || blocks > 100000000)
        return wrong(err, NULL, "blocks", "a number of blocks is wanted here");
    /* Compare with the text before any memory is taken: a damaged count must not ask for gigabytes. */
    int first = 0;
    while (solves && first + 1 < OVL_QUANTITIES && !json_object_get(all, ovl_quantity_names[first]))
        first++;
    const json_t *values = json_object_get(json_object_get(all, ovl_quantity_names[first]), "max");
    if (json_array_size(values) != (size_t)blocks)
        return wrong(err, "samples", ovl_quantity_names[first], "one value per block is wanted here");
    if (ovl_samples_make(&cell->samples, (size_t)blocks) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %lld blocks", (long long)blocks);
    cell->samples.blocks = (size_t)blocks;
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const json_t *both = json_object_get(all, ovl_quantity_names[q]);
        if (solves && !both)
            continue;
        if (read_array(json_object_get(both, "max"), ovl_quantity_names[q], cell->samples.max[q], (size_t)blocks,
                       err) ||
            read_array(json_object_get(both, "mean"), ovl_quantity_names[q], cell->samples.mean[q], (size_t)blocks,
                       err))
            return -1;
    }
    return solves ? read_others(json_object_get(line, "samples"), cell, err) : 0;
}

static int read_summary(const json_t *o, struct ovl_summary *s)
{
    double *const values[] = {&s->median, &s->ci_low, &s->ci_high, &s->min, &s->max, &s->p99};
    static const char *const names[] = {"median", "ci_low", "ci_high", "min", "max", "p99"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (read_number(json_object_get(o, names[i]), values[i]) != 0)
            return -1;
    s->outliers = (size_t)json_integer_value(json_object_get(o, "outliers"));
    return 0;
}

static int read_estimate(const json_t *o, struct ovl_estimate *e)
{
    return read_number(json_object_get(o, "value"), &e->value) ||
                   read_number(json_object_get(o, "ci_low"), &e->ci_low) ||
                   read_number(json_object_get(o, "ci_high"), &e->ci_high)
               ? -1
               : 0;
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
        const json_t *invalid = json_object_get(json_object_get(line, "invalid_samples"), ovl_quantity_names[q]);
        return valid_blocks(json_integer_value(json_object_get(line, "blocks")), json_integer_value(invalid));
    }
    for (size_t b = 0; b < cell->samples.blocks; b++)
        n += !isnan(cell->samples.max[q][b]);
    return n;
}

static int read_derived(const json_t *line, bool solves, struct ovl_cell *cell, struct ovl_error *err)
{
    static const char estimate[] = "value, ci_low and ci_high are wanted here";
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        struct ovl_summary *s = &cell->summary[q];
        const json_t *o = json_object_get(line, ovl_quantity_names[q]);
        *s = (struct ovl_summary){NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
        if ((o || !solves || q == OVL_TOTAL) && read_summary(o, s) != 0)
            return wrong(err, NULL, ovl_quantity_names[q], "median, ci_low, ci_high, min, max and p99 are wanted here");
        s->n = valid_of(line, cell, q);
    }
    for (int d = 0; d < OVL_DERIVED; d++) {
        const json_t *o = json_object_get(line, ovl_derived_rows[d].name);
        cell->derived[d] = (struct ovl_estimate){NAN, NAN, NAN};
        if ((o || !solves) && read_estimate(o, &cell->derived[d]) != 0)
            return wrong(err, NULL, ovl_derived_rows[d].name, estimate);
    }
    for (const struct ovl_cell_estimate *e = ovl_cell_estimates; e->name && solves; e++) {
        const json_t *o = json_object_get(line, e->name);
        if (o && read_estimate(o, (struct ovl_estimate *)((char *)cell + e->offset)) != 0)
            return wrong(err, NULL, e->name, estimate);
    }
    return 0;
}

static int read_cell(const json_t *json, bool whole, struct ovl_cell *cell, struct ovl_error *err)
{
    bool solves = !json_object_get(json, "size_bytes") &&
                  (json_is_string(json_object_get(json, "grid")) || json_is_number(json_object_get(json, "n")));
    ovl_cell_clear(cell);
    for (const struct ovl_cell_field *f = ovl_cell_fields; f->name; f++)
        if (read_field(f, json, solves, cell, err) != 0)
            return -1;
    if ((whole && read_samples(json, solves, cell, err) != 0) || read_derived(json, solves, cell, err) != 0) {
        ovl_cell_free(cell);
        return -1;
    }
    cell->panels = json_incref(json_object_get(json, "panels"));
    return 0;
}

int ovl_cell_from_json(const json_t *json, struct ovl_cell *cell, struct ovl_error *err)
{
    return read_cell(json, true, cell, err);
}

int ovl_cell_brief_from_json(const json_t *json, struct ovl_cell *cell, struct ovl_error *err)
{
    return read_cell(json, false, cell, err);
}
