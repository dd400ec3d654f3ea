/* A cell, and its JSON form by a table of fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/checksum.h"
#include "record/cell_fields.h"
#include "record/proxy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(group, name, kind, member)                                                                               \
    {                                                                                                                  \
        group, name, kind, offsetof(struct ovl_cell, member), sizeof(((struct ovl_cell *)0)->member)                   \
    }

const struct ovl_cell_field ovl_cell_fields[] = {
    FIELD(NULL, "run_id", TEXT, run_id),
    FIELD(NULL, "benchmark", TEXT, benchmark),
    FIELD(NULL, "mode", TEXT, mode),
    FIELD(NULL, "size_bytes", WHOLE, size_bytes),
    FIELD(NULL, "grid", PROXY_TEXT, grid),
    FIELD(NULL, "procs", PROXY_TEXT, procs),
    FIELD(NULL, "transform", PROXY_TEXT, transform),
    FIELD(NULL, "variables", PROXY_WHOLE, variables),
    FIELD(NULL, "chunks", PROXY_WHOLE, chunks),
    FIELD(NULL, "window", PROXY_WHOLE, window),
    FIELD(NULL, "test_lines", PROXY_WHOLE, test_lines),
    FIELD(NULL, "n", PROXY_WHOLE, n),
    FIELD(NULL, "bcast", PROXY_TEXT, bcast),
    FIELD(NULL, "nb", PROXY_WHOLE, nb),
    FIELD(NULL, "p", PROXY_WHOLE, p),
    FIELD(NULL, "q", PROXY_WHOLE, q),
    FIELD(NULL, "depth", PROXY_WHOLE, depth),
    FIELD(NULL, "threads", PROXY_WHOLE, threads),
    FIELD(NULL, "max_error", PROXY_NUMBER, max_error),
    FIELD(NULL, "residual", PROXY_NUMBER, residual),
    FIELD(NULL, "wire_bytes", PROXY_WHOLE, wire_bytes),
    FIELD(NULL, "datatype", OPTIONAL_TEXT, datatype),
    FIELD(NULL, "ranks", WHOLE, ranks),
    FIELD("compute", "kind", TEXT, compute_kind),
    FIELD("compute", "units", WHOLE, units),
    FIELD("compute", "ratio", NUMBER, ratio),
    FIELD("compute", "us", NUMBER, compute_us),
    FIELD("compute", "from_record", LATER_TRUTH, from_record),
    FIELD("engine", "name", TEXT, engine),
    FIELD("engine", "path", OPTIONAL_TEXT, path),
    FIELD("engine", "placement", TEXT, placement),
    FIELD("engine", "workers", WHOLE, workers),
    FIELD("engine", "worker_ops", WHOLE, worker_ops),
    FIELD("engine", "worker_bytes", WHOLE, worker_bytes),
    FIELD(NULL, "test_calls", WHOLE, test_calls),
    FIELD(NULL, "skew", TEXT, skew),
    FIELD(NULL, "rotate", WHOLE, rotate),
    FIELD(NULL, "persistent", TRUTH, persistent),
    FIELD(NULL, "block_group", TEXT, block_group),
    FIELD(NULL, "status", TEXT, status),
    FIELD(NULL, "reason", OPTIONAL_TEXT, reason),
    FIELD(NULL, "validated", TRUTH, validated),
    FIELD(NULL, "unshaped", LATER_TRUTH, unshaped),
    FIELD(NULL, "clock_read_seconds", NUMBER, clock_read_seconds),
    FIELD(NULL, "bootstrap_seed", WHOLE, bootstrap_seed),
    FIELD(NULL, "start_spread_seconds", NUMBER, start_spread_seconds),
    FIELD("cpu_seconds", "thread", NUMBER, cpu_thread_seconds),
    FIELD("cpu_seconds", "process", NUMBER, cpu_process_seconds),
    FIELD(NULL, "omb_overlap_percent", NUMBER, omb_percent),
    FIELD(NULL, "imb_overlap_percent", NUMBER, imb_percent),
    FIELD(NULL, "offload_efficiency", NUMBER, offload_efficiency),
    {.name = NULL},
};

const struct ovl_cell_estimate ovl_cell_estimates[] = {
    {"gflops", offsetof(struct ovl_cell, gflops)},
    {"exposed_comm_seconds", offsetof(struct ovl_cell, exposed)},
    {"gain_vs_blocking", offsetof(struct ovl_cell, gain)},
    {.name = NULL},
};

static bool is_double(enum ovl_cell_kind kind)
{
    return kind == NUMBER || kind == WHOLE || kind == PROXY_NUMBER || kind == PROXY_WHOLE;
}

bool ovl_cell_solves(const struct ovl_cell *cell)
{
    return *cell->grid || !isnan(cell->n);
}

void ovl_cell_clear(struct ovl_cell *cell)
{
    memset(cell, 0, sizeof *cell);
    for (const struct ovl_cell_field *f = ovl_cell_fields; f->name; f++)
        if (is_double(f->kind))
            *(double *)((char *)cell + f->offset) = NAN;
    cell->gflops = cell->exposed = cell->gain = (struct ovl_estimate){NAN, NAN, NAN};
    cell->validated = cell->unshaped = cell->from_record = -1;
}

void ovl_cell_free(struct ovl_cell *cell)
{
    ovl_samples_free(&cell->samples);
    json_decref(cell->others);
    json_decref(cell->panels);
    cell->others = cell->panels = NULL;
}

static double rounded(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    return strtod(text, NULL);
}

void ovl_cell_round(struct ovl_cell *cell)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        for (size_t b = 0; b < cell->samples.blocks; b++) {
            cell->samples.max[q][b] = rounded(cell->samples.max[q][b]);
            cell->samples.mean[q][b] = rounded(cell->samples.mean[q][b]);
        }
    for (const struct ovl_cell_field *f = ovl_cell_fields; f->name; f++)
        if (f->kind == NUMBER || f->kind == PROXY_NUMBER) {
            double *value = (double *)((char *)cell + f->offset);
            *value = rounded(*value);
        }
}

/* What is shown now and what is shown from the record are the same digits. */
static void round_derived(struct ovl_cell *cell)
{
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        struct ovl_summary *s = &cell->summary[q];
        double *const values[] = {&s->median, &s->ci_low, &s->ci_high, &s->min, &s->max, &s->p99};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            *values[i] = rounded(*values[i]);
    }
    for (int d = 0; d < OVL_DERIVED; d++) {
        struct ovl_estimate *e = &cell->derived[d];
        *e = (struct ovl_estimate){rounded(e->value), rounded(e->ci_low), rounded(e->ci_high)};
    }
    cell->omb_percent = rounded(cell->omb_percent);
    cell->imb_percent = rounded(cell->imb_percent);
    cell->gflops =
        (struct ovl_estimate){rounded(cell->gflops.value), rounded(cell->gflops.ci_low), rounded(cell->gflops.ci_high)};
    cell->exposed = (struct ovl_estimate){rounded(cell->exposed.value), rounded(cell->exposed.ci_low),
                                          rounded(cell->exposed.ci_high)};
}

bool ovl_cell_has(const struct ovl_cell *cell, enum ovl_derived which)
{
    return which != OVL_SPEEDUP || !ovl_cell_solves(cell);
}

int ovl_cell_derive(struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    double least = 20 * cell->clock_read_seconds;
    bool seeded = cell->bootstrap_seed >= 0 && cell->bootstrap_seed < 0x1p64; /* a damaged record may say anything */
    uint64_t seed = seeded ? (uint64_t)cell->bootstrap_seed : 0;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (ovl_stats_summarise(s->max[q], s->blocks, &cell->summary[q]) != 0)
            return -1;
    for (int d = 0; d < OVL_DERIVED; d++) {
        cell->derived[d] = (struct ovl_estimate){NAN, NAN, NAN};
        if (ovl_cell_has(cell, (enum ovl_derived)d) &&
            ovl_overlap_estimate(s, (enum ovl_derived)d, least, seed, &cell->derived[d]) != 0)
            return -1;
    }
    if (ovl_cell_solves(cell) && ovl_proxy_derive(cell) != 0)
        return -1;
    bool measurable = !isnan(cell->derived[OVL_HIDDEN].value);
    cell->omb_percent = measurable ? ovl_overlap_omb(s) : NAN;
    cell->imb_percent = measurable ? ovl_overlap_imb(s) : NAN;
    round_derived(cell);
    return 0;
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, number(rounded(x[i])));
    return array;
}

int ovl_cell_add_samples(struct ovl_cell *cell, const char *name, const double *max, const double *mean, size_t n)
{
    if (!cell->others)
        cell->others = json_object();
    return json_object_set_new(cell->others, name,
                               json_pack("{s:o, s:o}", "max", numbers(max, n), "mean", numbers(mean, n)));
}

static uint32_t checksum_of(uint32_t before, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[40];
        int length = isfinite(values[i]) ? snprintf(text, sizeof text, "%.12g,", values[i])
                                         : snprintf(text, sizeof text, "null,");
        before = ovl_checksum_crc32(before, text, (size_t)length);
    }
    return before;
}

void ovl_cell_checksum(const struct ovl_cell *cell, char text[9])
{
    const struct ovl_samples *s = &cell->samples;
    uint32_t crc = 0;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        crc = checksum_of(checksum_of(crc, s->max[q], s->blocks), s->mean[q], s->blocks);
    snprintf(text, 9, "%08x", (unsigned)crc);
}

static json_t *field_json(const struct ovl_cell_field *f, const struct ovl_cell *cell)
{
    const void *at = (const char *)cell + f->offset;
    double x;
    switch (f->kind) {
    case TEXT:
        return json_string(at);
    case OPTIONAL_TEXT:
    case PROXY_TEXT:
        return *(const char *)at ? json_string(at) : json_null();
    case NUMBER:
    case PROXY_NUMBER:
        return number(*(const double *)at);
    case WHOLE:
    case PROXY_WHOLE:
        x = *(const double *)at;
        return isfinite(x) ? json_integer((json_int_t)x) : json_null();
    case TRUTH:
    case LATER_TRUTH:
        return *(const int *)at < 0 ? json_null() : json_boolean(*(const int *)at);
    }
    return NULL;
}

static json_t *summary_json(const struct ovl_summary *s)
{
    json_t *o = json_object();
    json_object_set_new(o, "median", number(s->median));
    json_object_set_new(o, "ci_low", number(s->ci_low));
    json_object_set_new(o, "ci_high", number(s->ci_high));
    json_object_set_new(o, "min", number(s->min));
    json_object_set_new(o, "max", number(s->max));
    json_object_set_new(o, "p99", number(s->p99));
    json_object_set_new(o, "outliers", json_integer((json_int_t)s->outliers));
    return o;
}

static json_t *estimate_json(const struct ovl_estimate *e)
{
    json_t *o = json_object();
    json_object_set_new(o, "value", number(e->value));
    json_object_set_new(o, "ci_low", number(e->ci_low));
    json_object_set_new(o, "ci_high", number(e->ci_high));
    return o;
}

static json_t *samples_json(const struct ovl_samples *s)
{
    json_t *all = json_object();
    for (int q = 0; q < OVL_QUANTITIES; q++)
        json_object_set_new(
            all, ovl_quantity_names[q],
            json_pack("{s:o, s:o}", "max", numbers(s->max[q], s->blocks), "mean", numbers(s->mean[q], s->blocks)));
    return all;
}

/* Only the four samples that have a start of their own can be invalid; the parts of T go with T. */
static json_t *invalid_json(const struct ovl_cell *cell)
{
    json_t *o = json_object();
    for (int q = OVL_COMM; q <= OVL_TOTAL; q++)
        json_object_set_new(o, ovl_quantity_names[q],
                            json_integer((json_int_t)(cell->samples.blocks - cell->summary[q].n)));
    return o;
}

/* A proxy's cell has no size, and others have nothing that they solved. */
static bool left_out(const struct ovl_cell_field *f, const struct ovl_cell *cell)
{
    const void *at = (const char *)cell + f->offset;
    if (f->kind == PROXY_TEXT)
        return !*(const char *)at;
    if (f->kind == PROXY_NUMBER || f->kind == PROXY_WHOLE)
        return isnan(*(const double *)at);
    return strcmp(f->name, "size_bytes") == 0 && ovl_cell_solves(cell);
}

json_t *ovl_cell_to_json(const struct ovl_cell *cell)
{
    json_t *line = json_object();
    json_object_set_new(line, "record", json_string("cell"));
    for (const struct ovl_cell_field *f = ovl_cell_fields; f->name; f++) {
        json_t *in = line;
        if (left_out(f, cell))
            continue;
        if (f->group) {
            in = json_object_get(line, f->group);
            if (!in) {
                in = json_object();
                json_object_set_new(line, f->group, in);
            }
        }
        json_object_set_new(in, f->name, field_json(f, cell));
    }
    json_object_set_new(line, "blocks", json_integer((json_int_t)cell->samples.blocks));
    json_object_set_new(line, "invalid_samples", invalid_json(cell));
    for (int q = 0; q < OVL_QUANTITIES; q++)
        json_object_set_new(line, ovl_quantity_names[q], summary_json(&cell->summary[q]));
    for (int d = 0; d < OVL_DERIVED; d++)
        json_object_set_new(line, ovl_derived_rows[d].name, estimate_json(&cell->derived[d]));
    for (const struct ovl_cell_estimate *e = ovl_cell_estimates; e->name && ovl_cell_solves(cell); e++)
        json_object_set_new(line, e->name,
                            estimate_json((const struct ovl_estimate *)((const char *)cell + e->offset)));
    const char *name;
    json_t *samples = samples_json(&cell->samples), *both;
    struct ovl_summary s;
    json_object_foreach(cell->others, name, both) {
        if (!json_object_get(line, name) && ovl_proxy_summarise(cell, name, &s))
            json_object_set_new(line, name, summary_json(&s));
        json_object_set(samples, name, both);
    }
    char checksum[9];
    ovl_cell_checksum(cell, checksum);
    json_object_set_new(line, "samples_crc32", json_string(checksum));
    json_object_set_new(line, "samples", samples);
    return line;
}
