/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/options/of_options.h"
#include "cli/driver_options.h"
#include "cli/program.h"
#include "record/derived/percentile.h"
#include "record/proxy.h"
#include "record/status.h"
#include "stats/stop.h"
#include "tool/cells/options/held_option.h"
#include "tool/cells/options/of_engine.h"
#include "tool/cells/options/of_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_type(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const char *asked = json_string_value(json_object_get(options, "type"));
    const char *name = asked ? ovl_driver_type_name(asked) : NULL;
    if (!name || strcmp(cell->datatype, name) == 0)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/datatype: \"%.40s\", by the option type of \"%.40s\"", cell->datatype, asked);
    return false;
}

static bool is_checked(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const json_t *asked = json_object_get(options, "check_data");
    bool lacks = json_is_true(asked) && ovl_cell_unchecked(cell), more = json_is_false(asked) && cell->validated >= 0;
    if (lacks || more)
        snprintf(why, OVL_OF_OPTIONS_WHY, "/validated: %s, by the option check_data of %s",
                 lacks                 ? "null"
                 : cell->validated > 0 ? "true"
                                       : "false",
                 lacks ? "true" : "false");
    return !lacks && !more;
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

static bool told(double has, const char *path, const char *asked, char *why)
{
    if (isnan(has))
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "%s: %.12g, and %s", path, has, asked);
    return false;
}

static bool is_ratio(const json_t *ratios, const struct ovl_cell *cell, char *why)
{
    char text[32] = "null";
    if (!isnan(cell->ratio))
        snprintf(text, sizeof text, "%.12g", cell->ratio);
    if (ovl_option_has(ratios, text))
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/compute/ratio: %s, which the option compute_ratio does not have", text);
    return false;
}

/* Work by compute.ratio or compute.us, the other of which is null; by neither where units are given, or the problem
   itself is the work. */
static bool is_work(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const json_t *ratios = json_object_get(options, "compute_ratio"), *us = json_object_get(options, "compute_us");
    const json_t *units = json_object_get(options, "compute_units");
    bool by_itself = (!ratios && !us && ovl_cell_solves(cell)) ||
                     json_is_true(json_object_get(options, "compute_real")) ||
                     (strcmp(cell->benchmark, "serve") == 0 && json_is_number(json_object_get(options, "flops")));
    if (json_is_true(json_object_get(options, "self_test")))
        return true;
    if (by_itself)
        return told(cell->ratio, "/compute/ratio", "the problem is the work", why) &&
               told(cell->compute_us, "/compute/us", "the problem is the work", why);
    double asked = json_number_value(units);
    if (json_is_number(units) && !(fabs(cell->units - asked) <= 1)) { /* they are whole */
        snprintf(why, OVL_OF_OPTIONS_WHY, "/compute/units: %.12g, by the option compute_units of %.12g", cell->units,
                 asked);
        return false;
    }
    if (json_is_number(units))
        return told(cell->ratio, "/compute/ratio", "the option compute_units says the work", why) &&
               told(cell->compute_us, "/compute/us", "the option compute_units says the work", why);
    if (json_is_number(us))
        return ovl_option_is_number(options, "compute_us", "/compute/us", cell->compute_us, why) &&
               told(cell->ratio, "/compute/ratio", "the option compute_us says the work", why);
    if (!ratios || json_is_null(ratios))
        return true;
    return is_ratio(ratios, cell, why) &&
           told(cell->compute_us, "/compute/us", "the option compute_ratio says the work", why);
}

/* Units of what is solved: of ovl_hpl its operations, of steps of models those of the kernel; a transform and a stencil
   have none. */
static bool is_units(const struct ovl_cell *cell, char *why)
{
    bool hpl = strcmp(cell->benchmark, "hpl") == 0,
         model = strcmp(cell->benchmark, "train") == 0 || strcmp(cell->benchmark, "serve") == 0;
    double wanted = rint(ovl_proxy_operations(cell));
    if (hpl ? fabs(cell->units - wanted) <= 1e-9 * wanted : model == !isnan(cell->units))
        return true;
    if (hpl)
        snprintf(why, OVL_OF_OPTIONS_WHY, "/compute/units: %.12g, and a matrix of order %.12g takes %.12g", cell->units,
                 ovl_cell_problem_number(cell, "n"), wanted);
    else
        snprintf(why, OVL_OF_OPTIONS_WHY, "/compute/units: %s", model ? "null, and a step has some" : "there are none");
    return false;
}

static bool is_exchange(const json_t *options, const struct ovl_cell *cell, char *why)
{
    return has_size(options, cell, why) &&
           ovl_option_is_number(options, "num_test_calls", "/test_calls", cell->test_calls, why) &&
           ovl_option_is_number(options, "rotate", "/rotate", cell->rotate, why) &&
           ovl_option_is_number(options, "persistent", "/persistent", cell->persistent, why) &&
           is_type(options, cell, why);
}

/* What only drivers vary is the same in all cells of applications. */
static bool is_plain(const struct ovl_cell *cell, char *why)
{
    const char *path = cell->test_calls != 0   ? "/test_calls"
                       : cell->rotate != 1     ? "/rotate"
                       : cell->persistent != 0 ? "/persistent"
                       : *cell->datatype       ? "/datatype"
                                               : NULL;
    if (path)
        snprintf(why, OVL_OF_OPTIONS_WHY, "%s: is another than that of all cells of applications", path);
    return !path;
}

/* An application always checks its answers, against a limit. */
static bool is_right(const struct ovl_cell *cell, char *why)
{
    if (cell->validated < 0)
        snprintf(why, OVL_OF_OPTIONS_WHY, "/validated: null, and an application checks its answer");
    else if (cell->validated > 0 && !(cell->check_value <= cell->check_limit))
        snprintf(why, OVL_OF_OPTIONS_WHY, "/validated: true, by a check of %.12g, which may be %.12g at most",
                 cell->check_value, cell->check_limit);
    return !*why;
}

static bool has_no_kernel(const struct ovl_cell *cell, char *why)
{
    if (*cell->compute_kind)
        snprintf(why, OVL_OF_OPTIONS_WHY, "/compute/kind: \"%s\", and the problem is the work", cell->compute_kind);
    return !*why;
}

static bool is_application(const json_t *head, const json_t *options, const struct ovl_cell *cell, char *why)
{
    return is_plain(cell, why) && ovl_problem_of_options(head, options, cell, why) && is_units(cell, why) &&
           (json_object_get(options, "compute") || has_no_kernel(cell, why));
}

/* A program that is none of ovl's may have its own ways. */
static bool is_ours(const json_t *head, const json_t *options, const struct ovl_cell *cell, char *why)
{
    return !ovl_program_is_ours(cell->benchmark) ||
           (ovl_engine_of_options(head, options, cell, why) &&
            (!ovl_cell_solves(cell) || is_application(head, options, cell, why)));
}

/* What was measured; of an invalid cell that may be what is wrong. */
static bool is_measured(const json_t *options, const struct ovl_cell *cell, char *why)
{
    bool ours = ovl_program_is_ours(cell->benchmark);
    return strcmp(cell->status, "invalid") == 0 ||
           (has_blocks(options, cell, why) &&
            (ovl_cell_solves(cell) ? !ours || is_right(cell, why)
                                   : has_stream(options, cell, why) && is_checked(options, cell, why)));
}

bool ovl_cell_of_options(const json_t *head, const json_t *options, const struct ovl_cell *cell,
                         char why[OVL_OF_OPTIONS_WHY])
{
    why[0] = '\0';
    return is_measured(options, cell, why) && is_work(options, cell, why) && is_ours(head, options, cell, why) &&
           ovl_option_is_text(options, "skew", "/skew", cell->skew, why) &&
           ovl_option_is_text(options, "compute", "/compute/kind", cell->compute_kind, why) &&
           (ovl_cell_solves(cell) || is_exchange(options, cell, why));
}

bool ovl_option_unsaid(const char *name, const json_t *told, const json_t *words)
{
    size_t i;
    const json_t *word;
    if (strcmp(name, "fusion") != 0 || json_number_value(told) != 0)
        return false;
    json_array_foreach(words, i, word)
        if (json_is_string(word) && strncmp(json_string_value(word), "--fusion", strlen("--fusion")) == 0)
            return false;
    return true;
}
