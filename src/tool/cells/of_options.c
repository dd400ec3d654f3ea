/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/of_options.h"
#include "cli/catalog.h"
#include "cli/driver_options.h"
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

static bool is_done(const json_t *options, const struct ovl_cell *cell, char *why)
{
    if (json_is_true(json_object_get(options, "check_data")) && cell->validated < 0 &&
        ovl_benchmark_moves(cell->benchmark)) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/validated: null, by the option check_data of true");
        return false;
    }
    if (strcmp(cell->mode, "dpu") != 0)
        return true;
    if (strcmp(cell->engine, "worker") == 0 && !(cell->worker_ops >= 2 * (double)cell->samples.blocks)) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/engine/worker_ops: %.12g, and C and T of %zu blocks are two each",
                 cell->worker_ops, cell->samples.blocks);
        return false;
    }
    return is_text(options, "engine", "/engine/name", cell->engine, why);
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

bool ovl_cell_of_options(const json_t *options, const struct ovl_cell *cell, char why[OVL_OF_OPTIONS_WHY])
{
    why[0] = '\0';
    if (strcmp(cell->status, "invalid") == 0)
        return true;
    return has_blocks(options, cell, why) &&
           (ovl_cell_solves(cell) || (is_text(options, "compute", "/compute/kind", cell->compute_kind, why) &&
                                      is_text(options, "skew", "/skew", cell->skew, why) &&
                                      is_number(options, "num_test_calls", "/test_calls", cell->test_calls, why) &&
                                      is_number(options, "rotate", "/rotate", cell->rotate, why) &&
                                      is_number(options, "persistent", "/persistent", cell->persistent, why) &&
                                      is_type(options, cell, why) && is_done(options, cell, why)));
}
