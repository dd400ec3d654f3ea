/* A cell, and its JSON form by the table of fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/checksum.h"
#include "base/number.h"
#include "record/field.h"
#include "record/proxy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ovl_field *const tables[] = {ovl_fields_point, ovl_fields_cell};

/* The rows of a cell's line, one by one: starts with f = NULL, ends with NULL. */
static const struct ovl_field *next_row(const struct ovl_field *f, size_t *table)
{
    if (!f)
        *table = 0;
    f = f ? f + 1 : tables[0];
    while (f && (!f->path || f->line != OVL_LINE_CELL))
        f = f->path ? f + 1 : ++*table < sizeof tables / sizeof *tables ? tables[*table] : NULL;
    return f;
}

void ovl_cell_clear(struct ovl_cell *cell)
{
    size_t table;
    memset(cell, 0, sizeof *cell);
    cell->marks = OVL_MARKS_UNKNOWN;
    for (const struct ovl_field *f = next_row(NULL, &table); f; f = next_row(f, &table))
        ovl_field_clear(f, cell);
}

void ovl_cell_free(struct ovl_cell *cell)
{
    ovl_samples_free(&cell->samples);
    json_decref(cell->problem);
    json_decref(cell->others);
    json_decref(cell->curve);
    json_decref(cell->extra);
    cell->problem = cell->others = cell->curve = cell->extra = NULL;
}

void ovl_cell_round(struct ovl_cell *cell)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        for (size_t b = 0; b < cell->samples.blocks; b++) {
            cell->samples.max[q][b] = ovl_field_round(cell->samples.max[q][b]);
            cell->samples.mean[q][b] = ovl_field_round(cell->samples.mean[q][b]);
        }
    size_t table;
    for (const struct ovl_field *f = next_row(NULL, &table); f; f = next_row(f, &table))
        if (f->kind == OVL_FIELD_NUMBER)
            ovl_field_round_member(f, cell);
}

/* What is shown now and what is shown from the record are the same digits. */
static void round_derived(struct ovl_cell *cell)
{
    for (const struct ovl_field *f = ovl_fields_cell; f->path; f++)
        if (f->own || f->quantity > 0)
            ovl_field_round_member(f, cell);
}

bool ovl_cell_has(const struct ovl_cell *cell, enum ovl_derived which)
{
    bool of_exposed = which == OVL_HIDDEN || which == OVL_OVERLAP || which == OVL_HIDDEN_RANK_MEAN ||
                      which == OVL_HIDDEN_OWN || which == OVL_HIDDEN_OWN_MEAN;
    if (!ovl_cell_solves(cell))
        return true;
    return which != OVL_SPEEDUP && !(of_exposed && ovl_proxy_lost_in_noise(cell));
}

/* Over all samples in which ranks that start apart could pass for overlap. */
static void derive_lateness(struct ovl_cell *cell)
{
    static const enum ovl_quantity of[] = {OVL_COMM_LATE, OVL_BLOCKING_LATE, OVL_TOTAL_LATE};
    enum { KINDS = sizeof of / sizeof *of };
    const struct ovl_samples *s = &cell->samples;
    double *late = ovl_alloc(KINDS * s->blocks, sizeof *late);
    for (size_t k = 0; k < KINDS && s->blocks > 0; k++)
        memcpy(late + k * s->blocks, s->max[of[k]], s->blocks * sizeof *late);
    struct ovl_summary all = ovl_stats_summarise(late, KINDS * s->blocks);
    cell->late_median = all.median;
    cell->late_p99 = all.p99;
    free(late);
}

/* A quantity that was never sampled takes no block away. */
static size_t blocks_kept(const struct ovl_cell *cell)
{
    unsigned terms = ovl_derived_rows[OVL_HIDDEN].terms;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (cell->summary[q].n == 0)
            terms &= ~(1U << q);
    return terms ? ovl_samples_joint(&cell->samples, cell->samples.max, terms, OVL_TOTAL).blocks : 0;
}

void ovl_cell_derive(struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    double least = 20 * cell->clock_read_seconds;
    uint64_t seed = ovl_cell_seed(cell);
    for (int q = 0; q < OVL_QUANTITIES; q++)
        cell->summary[q] = ovl_stats_summarise_series(s->max[q], s->blocks);
    cell->blocks = (double)s->blocks;
    cell->blocks_kept = (double)blocks_kept(cell);
    cell->autocorrelation = ovl_stats_autocorrelation(s->max[OVL_TOTAL], s->blocks);
    unsigned has = 0;
    for (int d = 0; d < OVL_DERIVED; d++)
        has |= ovl_cell_has(cell, (enum ovl_derived)d) ? 1U << d : 0;
    ovl_overlap_estimates(s, has, least, seed, cell->derived);
    if (ovl_cell_solves(cell))
        ovl_proxy_derive(cell);
    ovl_cell_derive_work(cell);
    derive_lateness(cell);
    bool measurable = !isnan(cell->derived[OVL_HIDDEN].value);
    cell->omb_percent = measurable ? ovl_overlap_omb(s) : NAN;
    cell->imb_percent = measurable ? ovl_overlap_imb(s, &cell->slowest) : NAN;
    round_derived(cell);
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, isfinite(x[i]) ? json_real(ovl_field_round(x[i])) : json_null());
    return array;
}

static json_t *both_json(const double *max, const double *mean, size_t n)
{
    return json_pack("{s:o, s:o}", "max", numbers(max, n), "mean", numbers(mean, n));
}

void ovl_cell_set(struct ovl_cell *cell, const char *name, json_t *value)
{
    if (!cell->extra)
        cell->extra = json_object();
    json_object_set_new(cell->extra, name, value);
}

void ovl_cell_add_samples(struct ovl_cell *cell, const char *name, const double *max, const double *mean, size_t n)
{
    if (!cell->others)
        cell->others = json_object();
    json_object_set_new(cell->others, name, both_json(max, mean, n));
}

/* The later quantities stand in records of programs that time them, and where there is a value. */
static bool written(const struct ovl_cell *cell, int q)
{
    const double *max = cell->samples.max[q];
    bool any = q <= OVL_INNER;
    for (size_t b = 0; b < cell->samples.blocks && !any; b++)
        any = !isnan(max[b]);
    return any;
}

static json_t *samples_json(const struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    json_t *all = json_object();
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (written(cell, q))
            json_object_set_new(all, ovl_field_of_quantity((enum ovl_quantity)q)->name,
                                both_json(s->max[q], s->mean[q], s->blocks));
    json_object_update(all, cell->others);
    return all;
}

static uint32_t checksum_of(uint32_t before, const json_t *values)
{
    char text[32 * 24];
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        if (used + 24 >= sizeof text) {
            before = ovl_checksum_crc32(before, text, used);
            used = 0;
        }
        if (json_is_number(value))
            used += (size_t)ovl_number_twelve(text + used, json_number_value(value));
        else
            used += strlen(strcpy(text + used, "null"));
        text[used++] = ',';
    }
    return ovl_checksum_crc32(before, text, used);
}

void ovl_cell_checksum_json(json_t *samples, char text[9])
{
    const char *name;
    json_t *both;
    uint32_t crc = 0;
    json_object_foreach(samples, name, both) {
        crc = checksum_of(crc, json_object_get(both, "max"));
        crc = checksum_of(crc, json_object_get(both, "mean"));
    }
    snprintf(text, 9, "%08x", (unsigned)crc);
}

void ovl_cell_checksum(const struct ovl_cell *cell, char text[9])
{
    json_t *samples = samples_json(cell);
    ovl_cell_checksum_json(samples, text);
    json_decref(samples);
}

/* Only samples that have a start of their own can be invalid; the parts of T go with T. */
static json_t *invalid_json(const struct ovl_cell *cell)
{
    json_t *o = json_object();
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (ovl_quantity_late(q) >= 0 && written(cell, q))
            json_object_set_new(o, ovl_field_of_quantity((enum ovl_quantity)q)->name,
                                json_integer((json_int_t)(cell->samples.blocks - cell->summary[q].n)));
    return o;
}

/* Values that have no member of their own. NULL where the cell has none. */
static json_t *marks_json(const struct ovl_field *f, unsigned marks)
{
    json_t *all = json_array();
    const char *word = f->words;
    for (int mark = 0; mark < OVL_MARKS; mark++, word += strcspn(word, "|") + 1)
        if (marks & 1U << mark)
            json_array_append_new(all, json_stringn(word, strcspn(word, "|")));
    return all;
}

static json_t *other_json(const struct ovl_field *f, const struct ovl_cell *cell)
{
    char checksum[9];
    struct ovl_summary s;
    if (strcmp(f->path, "problem") == 0)
        return json_incref(cell->problem);
    if (strcmp(f->path, "marks[]") == 0)
        return cell->marks == OVL_MARKS_UNKNOWN ? NULL : marks_json(f, cell->marks);
    if (strcmp(f->path, "invalid_samples.*") == 0)
        return invalid_json(cell);
    if (strcmp(f->path, "curve.*[]") == 0)
        return json_incref(cell->curve);
    if (strcmp(f->path, "samples_crc32") == 0)
        return ovl_cell_checksum(cell, checksum), json_string(checksum);
    if (f->kind == OVL_FIELD_SAMPLES)
        return samples_json(cell);
    if (f->kind == OVL_FIELD_SUMMARY && ovl_proxy_summarise(cell, f->name, &s))
        return ovl_field_json(f, &s);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(f->path, "."), f->path);
    return json_incref(json_object_get(cell->extra, name));
}

json_t *ovl_cell_to_json(const struct ovl_cell *cell)
{
    json_t *line = json_pack("{s:s, s:s}", "record", "cell", "run_id", cell->run_id);
    enum ovl_field_of kind = ovl_cell_solves(cell) ? OVL_OF_PROXY : OVL_OF_COLLECTIVE;
    size_t table;
    for (const struct ovl_field *f = next_row(NULL, &table); f; f = next_row(f, &table)) {
        bool unasked = f->quantity > OVL_STREAM && !written(cell, f->quantity - 1);
        if (strncmp(f->path, "problem.", 8) == 0 || (f->of != OVL_OF_ALL && f->of != kind) || unasked)
            continue;
        json_t *value = f->size > 0 ? ovl_field_json(f, cell) : other_json(f, cell);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(f->path, ".["), f->path);
        if (value)
            ovl_field_put(line, f->size > 0 ? f->path : name, value);
    }
    return line;
}
