/* Values before and after, each by one function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/published_measure.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

const char *ovl_published_text(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

#define text_of ovl_published_text

static double number_of(const json_t *of, const char *name)
{
    const json_t *x = json_object_get(of, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

bool ovl_published_matches(const char *pattern, const char *text)
{
    char whole[256];
    regex_t expression;
    snprintf(whole, sizeof whole, "^(%s)$", pattern);
    if (regcomp(&expression, whole, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    int rc = regexec(&expression, text, 0, NULL, 0);
    regfree(&expression);
    return rc == 0;
}

static double samples_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    (void)row, (void)which;
    return cell->samples_rate.value;
}

/* Bytes, of one parameter. */
static double kept_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    (void)row;
    return strcmp(which, "from") == 0 ? 1 : number_of(cell->extra, "kept_bytes_per_parameter");
}

/* Milliseconds of an epoch with as many checkpoints as the row says, by that writer; NaN where there is none. */
static double epoch_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    size_t i;
    json_t *kind;
    json_array_foreach(json_object_get(cell->extra, "epochs"), i, kind)
        if (strcmp(text_of(kind, "checkpoint"), text_of(row, which)) == 0 &&
            number_of(kind, "count") == number_of(row, "count"))
            return 1e3 * number_of(kind, "median_seconds");
    return NAN;
}

/* Of epochs by that design, with the shares that the row asks for: milliseconds of a step; NaN where there are none. */
static double phase_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    const json_t *phases = json_object_get(cell->extra, "phases");
    char shares[64];
    size_t i;
    json_t *d;
    snprintf(shares, sizeof shares, "%g:%g", number_of(phases, "augment_asked"), number_of(phases, "validate_asked"));
    if (!ovl_published_matches(text_of(row, "phases"), shares))
        return NAN;
    json_array_foreach(json_object_get(phases, "designs"), i, d)
        if (strcmp(text_of(d, "offload"), text_of(row, which)) == 0)
            return 1e3 * number_of(d, "step_seconds");
    return NAN;
}

/* Milliseconds for which a checkpoint by that writer stops the training; NaN where there is none. */
static double stall_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    size_t i;
    json_t *kind;
    json_array_foreach(json_object_get(cell->extra, "epochs"), i, kind)
        if (strcmp(text_of(kind, "checkpoint"), text_of(row, which)) == 0)
            return 1e3 * number_of(kind, "stall_seconds") / number_of(kind, "count");
    return NAN;
}

/* Milliseconds of a step for which a reader reads in that order; NaN where there are none. */
static double read_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    size_t i;
    json_t *o;
    json_array_foreach(json_object_get(json_object_get(cell->extra, "dataset"), "orders"), i, o)
        if (strcmp(text_of(o, "order"), text_of(row, which)) == 0)
            return 1e3 * number_of(o, "read_seconds") / number_of(o, "steps");
    return NAN;
}

/* Of requests, the median of that time, in ms. */
static double served_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    (void)which;
    return 1e3 * number_of(json_object_get(json_object_get(cell->extra, "serving"), text_of(row, "value")), "p50");
}

/* Work that was given as a time is the same, however requests are batched: that says nothing. */
static double rate_of(const json_t *row, const struct ovl_cell *cell, const char *which)
{
    (void)which;
    return isnan(ovl_cell_problem_number(cell, "flops"))
               ? NAN
               : number_of(json_object_get(cell->extra, "serving"), text_of(row, "value"));
}

static const struct ovl_published_measure measures[] = {
    {"samples", samples_of, false, false},
    {"kept", kept_of, true, false},
    {"epochs", epoch_of, true, false},
    {"phases", phase_of, true, false},
    {"stalls", stall_of, true, false},
    {"reads", read_of, true, false},
    {"ttft_seconds", served_of, false, true},
    {"tpot_seconds", served_of, false, true},
    {"output_tokens_per_second", rate_of, false, true},
};

const struct ovl_published_measure *ovl_published_measure_of(const json_t *row)
{
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].name, text_of(row, "value")) == 0)
            return &measures[i];
    return NULL;
}
