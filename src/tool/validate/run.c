/* `ovl validate`: a cell, and the end, against what their run line says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stop.h"
#include "tool/cells/of_options.h"
#include "tool/validate/state.h"

#include <math.h>
#include <string.h>

static void put_text(char *text, size_t room, const json_t *value)
{
    snprintf(text, room, "%s", json_is_string(value) ? json_string_value(value) : "");
}

void ovl_checking_open_run(struct ovl_seen_run *run, const json_t *line)
{
    const json_t *options = json_object_get(line, "options"), *ranks = json_object_get(line, "ranks");
    put_text(run->id, sizeof run->id, json_object_get(line, "run_id"));
    put_text(run->benchmark, sizeof run->benchmark, json_object_get(line, "benchmark"));
    put_text(run->started, sizeof run->started, json_object_get(line, "started"));
    put_text(run->modes, sizeof run->modes, json_object_get(options, "mode"));
    run->ranks = json_is_number(ranks) ? json_number_value(ranks) : NAN;
    run->ci = json_number_value(json_object_get(options, "ci"));
    run->options = json_incref((json_t *)options);
}

/* Is it one of the names between commas? Cells of host-t, which calls MPI_Test, are of mode host. */
static bool has_mode(const char *modes, const char *mode)
{
    size_t n = strlen(mode);
    for (const char *at = modes; *at;) {
        size_t length = strcspn(at, ",");
        if (strncmp(at, mode, n) == 0 && (length == n || (length == n + 2 && strncmp(at + n, "-t", 2) == 0)))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

/* Was it measured until its intervals were narrow enough? A digit that the record does not have may tip the scales. */
static bool narrow(const struct ovl_seen_run *run, const struct ovl_cell *again)
{
    const struct ovl_stop stop = {.percent = run->ci * (1 + 1e-6)};
    return ovl_stop_reached(&stop, &again->samples, 20 * again->clock_read_seconds, (uint64_t)again->bootstrap_seed) !=
           0;
}

void ovl_checking_in_run(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line,
                         const struct ovl_cell *stored, const struct ovl_cell *again)
{
    bool invalid = strcmp(stored->status, "invalid") == 0;
    char why[OVL_OF_OPTIONS_WHY];
    if (!ovl_cell_of_options(run->options, stored, why))
        ovl_checking_problem(c, "%s", why);
    if (strcmp(stored->benchmark, run->benchmark) != 0)
        ovl_checking_problem(c, "/benchmark: \"%s\", in a run of %s", stored->benchmark, run->benchmark);
    if (!isnan(run->ranks) && stored->ranks != run->ranks)
        ovl_checking_problem(c, "/ranks: %.12g, in a run of %.12g ranks", stored->ranks, run->ranks);
    if (*run->modes && !has_mode(run->modes, stored->mode))
        ovl_checking_problem(c, "/mode: \"%s\", in a run of --mode %s", stored->mode, run->modes);
    if (stored->validated == 0 && !invalid)
        ovl_checking_problem(c, "/status: \"%s\", but /validated is false: cells with wrong data are invalid",
                             stored->status);
    if (!invalid && strcmp(stored->status, "ci_not_reached") != 0 && run->ci > 0 &&
        json_object_get(line, "autocorrelation") && !narrow(run, again))
        ovl_checking_problem(c, "/status: \"%s\", but the samples give intervals wider than --ci %g", stored->status,
                             run->ci);
}

void ovl_checking_finished(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line)
{
    const char *finished = json_string_value(json_object_get(line, "finished"));
    if (finished && *run->started && strcmp(finished, run->started) < 0)
        ovl_checking_problem(c, "/finished: \"%s\", before the run started at %s", finished, run->started);
}
