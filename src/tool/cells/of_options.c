/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/of_options.h"
#include "cli/driver_options.h"
#include "record/derived/percentile.h"
#include "record/status.h"
#include "stats/stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_text(const json_t *options, const char *option, const char *path, const char *has, char *why)
{
    const char *asked = json_string_value(json_object_get(options, option));
    if (!asked || strcmp(asked, has) == 0)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "%s: \"%.40s\", by the option %s of \"%.40s\"", path, has, option, asked);
    return false;
}

static bool is_number(const json_t *options, const char *option, const char *path, double has, char *why)
{
    const json_t *asked = json_object_get(options, option);
    double x = json_is_boolean(asked) ? json_is_true(asked) : json_number_value(asked);
    if (!json_is_number(asked) && !json_is_boolean(asked))
        return true;
    if (isnan(has) || has == x)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "%s: %.12g, by the option %s of %.12g", path, has, option, x);
    return false;
}

static bool is_type(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const char *asked = json_string_value(json_object_get(options, "type"));
    const char *name = asked ? ovl_driver_type_name(asked) : NULL;
    if (!name || strcmp(cell->datatype, name) == 0)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/datatype: \"%.40s\", by the option type of \"%.40s\"", cell->datatype, asked);
    return false;
}

/* An application's rank that is alone has nobody to send to, and nor have those of a grid with one column, of ovl_hpl.
 */
static bool sends(const struct ovl_cell *cell)
{
    const char *procs = ovl_cell_problem_text(cell, "procs"), *columns = strchr(procs, 'x');
    bool one_column = strcmp(cell->benchmark, "hpl") == 0 && columns && strcmp(columns, "x1") == 0;
    return !ovl_cell_solves(cell) || (cell->ranks > 1 && !one_column);
}

/* Did the workers do what they were there for? C and T of a block are an operation each at least; what is smaller than
   --dpu-min stays with the host. */
static bool is_offloaded(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const char *asked = json_string_value(json_object_get(options, "engine"));
    bool small = cell->size_bytes < json_number_value(json_object_get(options, "dpu_min"));
    if (strcmp(cell->mode, "dpu") != 0 || (small && strcmp(cell->engine, "mpi") == 0))
        return true;
    if ((strcmp(cell->engine, "worker") == 0 || (asked && strcmp(asked, "worker") == 0)) &&
        !(cell->worker_ops >= (sends(cell) ? 2 * (double)cell->samples.blocks : 0))) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/engine/worker_ops: %.12g, and C and T of %zu blocks are two each",
                 cell->worker_ops, cell->samples.blocks);
        return false;
    }
    return is_text(options, "engine", "/engine/name", cell->engine, why);
}

static bool is_checked(const json_t *options, const struct ovl_cell *cell, char *why)
{
    if (!json_is_true(json_object_get(options, "check_data")) || !ovl_cell_unchecked(cell))
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/validated: null, by the option check_data of true");
    return false;
}

/* A stream is timed where one is asked for, in every mode, and nowhere else. */
static bool has_stream(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const char *asked = json_string_value(json_object_get(options, "cadence"));
    bool wanted = asked && strcmp(asked, "stream") == 0, there = false;
    for (size_t b = 0; b < cell->samples.blocks; b++)
        there = there || !isnan(cell->samples.max[OVL_STREAM][b]);
    if (there == wanted || cell->samples.blocks == 0 || !asked)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/comm_stream_seconds: has %s samples, by the option cadence of \"%.40s\"",
             there ? "its" : "no", asked);
    return false;
}

bool ovl_cell_out_of_time(const json_t *options, const struct ovl_cell *cell)
{
    const json_t *asked = json_object_get(options, "iterations");
    size_t n = cell->samples.blocks;
    struct ovl_stop stop = {.least = (size_t)json_integer_value(json_array_get(asked, 0)),
                            .most = (size_t)json_integer_value(json_array_get(asked, 1))};
    struct ovl_numbers percentiles = {0};
    ovl_percentiles_add(&percentiles, options);
    stop.values = ovl_percentiles_blocks(&percentiles);
    if (n == 0 || stop.least == 0 || n >= stop.most || json_is_true(json_object_get(options, "self_test")))
        return false;
    size_t look = stop.least;
    while (look < n)
        look = ovl_stop_next_look(&stop, look);
    return look != n || strcmp(cell->status, "ci_not_reached") == 0;
}

/* -i LEAST:MOST blocks; --max-time ends a cell earlier, but not before it has 6, nor in a thousandth of that time. */
static bool has_blocks(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const json_t *asked = json_object_get(options, "iterations");
    double least = json_number_value(json_array_get(asked, 0)), most = json_number_value(json_array_get(asked, 1));
    double seconds = 0, limit = json_number_value(json_object_get(options, "max_time"));
    size_t n = cell->samples.blocks;
    if (n == 0 || !(least > 0) || ((double)n >= least && (double)n <= most))
        return true;
    for (int q = OVL_COMM; q <= OVL_TOTAL; q++)
        for (size_t i = 0; i < n; i++)
            seconds += fmax(0, cell->samples.max[q][i]); /* fmax passes over NAN */
    if ((double)n < least && n >= OVL_STOP_BLOCKS_AT_LEAST && seconds >= 1e-3 * limit)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY,
             "/samples: %zu blocks in %.3g s, by the options iterations of %.12g to %.12g and "
             "max_time of %.12g s",
             n, seconds, least, most, limit);
    return false;
}

/* A size is none of the options' where it lies outside all of them: [least, most] or a list. */
static bool has_size(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const json_t *sizes = json_object_get(options, "message_size");
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        least = fmin(least, json_number_value(json_array_get(sizes, i)));
        most = fmax(most, json_number_value(json_array_get(sizes, i)));
    }
    if (!(least <= most) || isnan(cell->size_bytes) || (cell->size_bytes >= least && cell->size_bytes <= most))
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/size_bytes: %.12g, by the option message_size of %.12g to %.12g",
             cell->size_bytes, least, most);
    return false;
}

/* Is the text one of an option's value: a number, a list of numbers, or words between commas? Of a cube its side is
   enough. */
static bool is_word(const char *text, const char *word, size_t length)
{
    char cube[96];
    snprintf(cube, sizeof cube, "%.*sx%.*sx%.*s", (int)length, word, (int)length, word, (int)length, word);
    return (strlen(text) == length && strncmp(text, word, length) == 0) || strcmp(text, cube) == 0;
}

static bool is_one_of(const json_t *asked, const char *text)
{
    char number[32];
    for (size_t i = 0; i < json_array_size(asked); i++)
        if (is_one_of(json_array_get(asked, i), text))
            return true;
    if (json_is_number(asked)) {
        snprintf(number, sizeof number, "%.12g", json_number_value(asked));
        return is_word(text, number, strlen(number));
    }
    for (const char *at = json_string_value(asked); at && *at;) {
        size_t length = strcspn(at, ",");
        if (is_word(text, at, length))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

/* A model may be a file, whose own name the cell has, or the small network that is learnt. */
static bool is_named_otherwise(const json_t *options, const char *option)
{
    const char *asked = json_string_value(json_object_get(options, option));
    return strcmp(option, "model") == 0 &&
           (json_is_true(json_object_get(options, "tiny")) || (asked && strpbrk(asked, "/.")));
}

/* What an application solves. A way that workers go, and a schedule that is not asked for, may be others. */
static bool is_problem(const json_t *options, const struct ovl_cell *cell, char *why)
{
    static const struct {
        const char *benchmark, *member, *option, *mode; /* NULL: in all */
    } rows[] = {
        {"fft3d", "grid", "grid", NULL},
        {"fft3d", "procs", "procs", NULL},
        {"fft3d", "transform", "transform", NULL},
        {"fft3d", "variables", "vars", NULL},
        {"halo", "grid", "grid", NULL},
        {"halo", "steps", "steps", NULL},
        {"hpl", "n", "order", NULL},
        {"hpl", "nb", "nb", NULL},
        {"hpl", "procs", "procs", NULL},
        {"hpl", "depth", "depth", NULL},
        {"hpl", "threads", "threads", NULL},
        {"hpl", "bcast", "bcast", "host"},
        {"train", "strategy", "strategy", NULL},
        {"train", "batch", "batch", NULL},
        {"train", "model", "model", NULL},
        {"train", "scale_bytes", "scale_bytes", NULL},
        {"train", "scale_flops", "scale_flops", NULL},
        {"train", "compress", "compress", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *has = json_object_get(cell->problem, rows[i].member);
        const json_t *asked = json_object_get(options, rows[i].option);
        char text[64];
        if (strcmp(rows[i].benchmark, cell->benchmark) != 0 || !has || !asked || json_is_null(asked) ||
            (rows[i].mode && strcmp(rows[i].mode, cell->mode) != 0) || is_named_otherwise(options, rows[i].option))
            continue;
        if (json_is_string(has))
            snprintf(text, sizeof text, "%s", json_string_value(has));
        else
            snprintf(text, sizeof text, "%.12g", json_number_value(has));
        if (is_one_of(asked, text))
            continue;
        snprintf(why, OVL_OF_OPTIONS_WHY, "/problem/%s: %.60s, which the option %s does not have", rows[i].member, text,
                 rows[i].option);
        return false;
    }
    return true;
}

/* Work by compute.ratio or compute.us. */
static bool is_work(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const json_t *ratios = json_object_get(options, "compute_ratio");
    char text[32];
    snprintf(text, sizeof text, "%.12g", cell->ratio);
    if (json_is_number(json_object_get(options, "compute_us")))
        return is_number(options, "compute_us", "/compute/us", cell->compute_us, why);
    if (isnan(cell->ratio) || !ratios || json_is_null(ratios) || is_one_of(ratios, text))
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/compute/ratio: %s, which the option compute_ratio does not have", text);
    return false;
}

static bool is_exchange(const json_t *options, const struct ovl_cell *cell, char *why)
{
    return has_size(options, cell, why) && is_text(options, "skew", "/skew", cell->skew, why) &&
           is_number(options, "num_test_calls", "/test_calls", cell->test_calls, why) &&
           is_number(options, "rotate", "/rotate", cell->rotate, why) &&
           is_number(options, "persistent", "/persistent", cell->persistent, why) && is_type(options, cell, why) &&
           has_stream(options, cell, why) && is_checked(options, cell, why);
}

bool ovl_cell_of_options(const json_t *options, const struct ovl_cell *cell, char why[OVL_OF_OPTIONS_WHY])
{
    why[0] = '\0';
    if (strcmp(cell->status, "invalid") == 0)
        return true;
    return has_blocks(options, cell, why) && is_work(options, cell, why) && is_offloaded(options, cell, why) &&
           is_text(options, "compute", "/compute/kind", cell->compute_kind, why) &&
           (ovl_cell_solves(cell) ? is_problem(options, cell, why) : is_exchange(options, cell, why));
}
