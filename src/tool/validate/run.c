/* `ovl validate`: a run line against itself, and a cell, and the end, against it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "cli/program.h"
#include "offload/coll/algorithm.h"
#include "record/derived/link_model.h"
#include "record/derived/settle.h"
#include "record/field.h"
#include "stats/stop.h"
#include "tool/cells/options/of_engine.h"
#include "tool/cells/options/of_options.h"
#include "tool/cells/options/run_of_options.h"
#include "tool/util/json_file.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number of the line; NAN. */
static double number(const json_t *line, const char *name)
{
    const json_t *value = json_object_get(line, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* One entry for each rank, of such as there are. */
static void check_list(struct ovl_checking *c, const json_t *head, const char *name, double below)
{
    const json_t *list = json_object_get(head, name);
    double n = (double)json_array_size(list), ranks = number(head, "ranks");
    if (list && n != ranks)
        ovl_checking_problem(c, "/%s: of %.0f ranks, in a run of %.0f", name, n, ranks);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_number_value(json_array_get(list, i)) >= below) {
            ovl_checking_problem(c, "/%s: rank %zu is on a host that /hosts does not have", name, i);
            return;
        }
}

/* The nodes of a run are those on which it has ranks: hosts of workers alone are none. */
static void check_nodes(struct ovl_checking *c, const json_t *head, double nodes)
{
    const json_t *list = json_object_get(head, "rank_hosts");
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(list); i++) {
        char host[24];
        snprintf(host, sizeof host, "%lld", (long long)json_integer_value(json_array_get(list, i)));
        json_object_set_new(seen, host, json_true());
    }
    size_t used = json_object_size(seen);
    json_decref(seen);
    if (used > 0 && (double)used != nodes)
        ovl_checking_problem(c, "/nodes: %.0f, and /rank_hosts has %zu", nodes, used);
}

/* A text; "" where it is none, as in a damaged line. */
static const char *text_of(const json_t *value)
{
    return json_is_string(value) ? json_string_value(value) : "";
}

/* The options, as they took effect, against the words of the command, as the program takes them. A newer version may
   have other defaults: then only what the words change is held. */
static void check_command(struct ovl_checking *c, const json_t *head)
{
    const json_t *words = json_object_get(head, "command"), *options = json_object_get(head, "options");
    const char *benchmark = text_of(json_object_get(head, "benchmark")), *name;
    bool ours = ovl_checking_is_ours(head);
    bool latest = strcmp(text_of(json_object_get(head, "schema")), OVL_RECORD_SCHEMA) == 0; /* others had fewer */
    struct ovl_program_options asked = {.rows = NULL}, none = {.rows = NULL};
    struct ovl_error err = {.text = ""};
    json_t *wanted = NULL, *usual = NULL, *value;
    const char *path = text_of(json_array_get(words, 0)), *slash = strrchr(path, '/');
    const char *program = slash ? slash + 1 : path;
    if (ovl_program_is_ours(program) && !ovl_program_same(program, benchmark))
        ovl_checking_problem(c, "/command: is of %.40s, and /benchmark is %.40s", program, benchmark);
    if (options && json_array_size(words) > 0) {
        if (ovl_program_options_parse(&asked, benchmark, words, 1, &err))
            wanted = ovl_options_json(asked.rows, asked.values);
        else if (ours && ovl_program_is_ours(benchmark))
            ovl_checking_problem(c, "/command: is none that ovl_%s takes: %.100s", benchmark, err.text);
        if (wanted && ovl_program_options_parse(&none, benchmark, NULL, 0, &err))
            usual = ovl_options_json(none.rows, none.values);
    }
    json_object_foreach((json_t *)options, name, value) {
        if (wanted && latest && ours && !json_object_get(wanted, name))
            ovl_checking_problem(c, "/options/%.40s: the program has no such option", name);
    }
    json_object_foreach(wanted, name, value) {
        const json_t *told = json_object_get(options, name);
        bool given = usual && !ovl_json_same(json_object_get(usual, name), value);
        if (strcmp(name, "json") == 0 || strcmp(name, "work_from") == 0 || (!ours && !given))
            continue; /* names of files shape nothing */
        if (!told && ours && (given || latest))
            ovl_checking_problem(c, "/options/%s: is missing, and %s", name,
                                 given ? "the command has it" : "this version tells it");
        else if (told && !ovl_json_same(told, value) && !ovl_option_unsaid(name, told, words)) {
            const json_t *one = json_array_size(value) == 1 ? json_array_get(value, 0) : value;
            char *text = json_dumps(one, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
            ovl_checking_problem(c, "/options/%s: is not the %.60s of the command", name, text ? text : "?");
            free(text);
        }
    }
    json_decref(wanted);
    json_decref(usual);
    ovl_program_options_free(&asked);
    ovl_program_options_free(&none);
}

/* What else the run line has of its options. */
static void check_settings(struct ovl_checking *c, const json_t *head)
{
    const json_t *options = json_object_get(head, "options"), *seed = json_object_get(options, "seed");
    const char *compute = json_string_value(json_object_get(options, "compute"));
    const char *kernel = json_string_value(json_object_get(json_object_get(head, "calibration"), "kernel"));
    char why[OVL_OF_OPTIONS_WHY];
    if (json_is_object(json_object_get(head, "offload")) && !ovl_offload_of_options(head, options, why))
        ovl_checking_problem(c, "%s", why);
    if (json_is_number(seed) && number(head, "seed") != json_number_value(seed))
        ovl_checking_problem(c, "/seed: is not the %.12g of the options", json_number_value(seed));
    if (json_object_get(options, "message_size") && compute && kernel && strcmp(kernel, compute) != 0)
        ovl_checking_problem(c, "/calibration/kernel: \"%.40s\", by the option compute of \"%.40s\"", kernel, compute);
}

static void check_workers(struct ovl_checking *c, const json_t *head)
{
    double workers = number(head, "workers"), told = number(json_object_get(head, "offload"), "workers");
    if (workers > 0 && !isnan(told) && told != workers)
        ovl_checking_problem(c, "/offload/workers: %.12g, in a run of %.12g workers", told, workers);
}

/* A kernel does some units a second, and the rate of the run is the median of its ranks'. */
static void check_calibration(struct ovl_checking *c, const json_t *head)
{
    const json_t *calibration = json_object_get(head, "calibration"), *told,
                 *ranks = json_object_get(calibration, "rank_units_per_second");
    double rate = number(calibration, "units_per_second"),
           *rates = ovl_alloc(json_array_size(ranks) + 1, sizeof *rates);
    size_t i, n = 0;
    json_array_foreach(ranks, i, told) {
        rates[n++] = json_number_value(told);
        if (!(json_number_value(told) > 0))
            ovl_checking_problem(c, "/calibration/rank_units_per_second: rank %zu has none", i);
    }
    if (rate <= 0)
        ovl_checking_problem(c, "/calibration/units_per_second: %.12g", rate);
    double median = n > 0 ? ovl_stats_median(rates, n) : rate;
    if (fabs(rate - median) > 1e-9 * fabs(median) || (n > 0 && isnan(rate)))
        ovl_checking_problem(c, "/calibration/units_per_second: %.12g, and its ranks have %.12g", rate, median);
    free(rates);
}

void ovl_checking_head(struct ovl_checking *c, const json_t *head)
{
    const char *started = text_of(json_object_get(head, "started"));
    double nodes = number(head, "nodes"), hosts = (double)json_array_size(json_object_get(head, "hosts"));
    ovl_checking_told_head(c, head);
    if (isnan(ovl_clock_utc_seconds(started)))
        ovl_checking_problem(c, "/started: \"%.40s\" is no time in UTC such as 2026-01-31T23:59:59Z", started);
    check_command(c, head);
    check_settings(c, head);
    check_list(c, head, "rank_hosts", hosts);
    check_list(c, head, "binding", INFINITY);
    check_calibration(c, head);
    check_nodes(c, head, nodes);
    check_workers(c, head);
    if (hosts > 0 && hosts < nodes)
        ovl_checking_problem(c, "/nodes: %.0f, and /hosts has %.0f", nodes, hosts);
    if (hosts > nodes + fmax(0, number(head, "workers")))
        ovl_checking_problem(c, "/hosts: has %.0f, and ranks are on %.0f nodes, with %.0f workers elsewhere at most",
                             hosts, nodes, fmax(0, number(head, "workers")));
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

/* The word of a record of before the marks: `ci_not_reached` stood before the others, and was said of all modes in the
   same blocks; `few` counted T alone. */
static const char *former_status(const struct ovl_cell *stored, const struct ovl_cell *right, double ci)
{
    if (strcmp(right->status, "invalid") == 0)
        return "invalid";
    if (strcmp(stored->status, "ci_not_reached") == 0 || (ci > 0 && !ovl_cell_narrow(right, ci)))
        return "ci_not_reached";
    return right->summary[OVL_TOTAL].n < OVL_STOP_BLOCKS_WANTED ? "few"
           : right->marks & 1U << OVL_MARK_DRIFTING             ? "drifting"
                                                                : "ok";
}

static void check_marks(struct ovl_checking *c, unsigned stored, unsigned right)
{
    const char *word = ovl_field_named(ovl_fields_cell, "marks[]")->words;
    for (int mark = 0; mark < OVL_MARKS; mark++, word += strcspn(word, "|") + 1)
        if ((stored ^ right) & 1U << mark)
            ovl_checking_problem(c, "/marks: %s \"%.*s\", by the samples and the run",
                                 stored & 1U << mark ? "without" : "with", (int)strcspn(word, "|"), word);
}

/* Status and marks follow from the samples and the run. Of an invalid cell the loop may know what they do not. */
static void check_status(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *stored,
                         const struct ovl_cell *again)
{
    const struct ovl_run run = {.head = (json_t *)head};
    double ci = number(json_object_get(head, "options"), "ci");
    struct ovl_cell right = *again;
    if (!json_object_get(line, "autocorrelation") || strcmp(stored->status, "invalid") == 0)
        return;
    strcpy(right.status, "ok");
    ovl_cell_settle(&right, &run);
    bool former = stored->marks == OVL_MARKS_UNKNOWN;
    const char *status = former ? former_status(stored, &right, ci) : right.status;
    if (strcmp(stored->status, status) != 0)
        ovl_checking_problem(c, "/status: \"%s\", but the samples give \"%s\"", stored->status, status);
    else if (!former)
        check_marks(c, stored->marks, right.marks);
}

/* Does the run say of some worker that an emulator ran it? */
static bool emulates(const json_t *offload)
{
    const json_t *processors = json_object_get(offload, "processors"), *one;
    size_t i;
    json_array_foreach(processors, i, one)
        if (json_is_true(json_object_get(one, "emulated")))
            return true;
    return false;
}

static bool is_algorithm(const char *name)
{
    const struct ovl_algorithm *a = ovl_algorithms;
    while (a->name && strcmp(a->name, name) != 0)
        a++;
    return a->name;
}

/* Who did the operations. */
static void check_engine(struct ovl_checking *c, const json_t *head, const struct ovl_cell *cell)
{
    double workers = number(head, "workers");
    if (strcmp(cell->mode, "dpu") != 0 && (!isnan(cell->worker_ops) || strcmp(cell->engine, "worker") == 0))
        ovl_checking_problem(c, "/engine: workers did it, by a cell of mode %s", cell->mode);
    if (*cell->algorithm && ovl_checking_is_ours(head) && !is_algorithm(cell->algorithm))
        ovl_checking_problem(c, "/engine/algorithm: \"%s\", and this version has none of that name", cell->algorithm);
    const json_t *offload = json_object_get(head, "offload");
    const char *placement = json_string_value(json_object_get(offload, "placement"));
    if (placement && strcmp(cell->engine, "worker") == 0 && strcmp(placement, cell->placement) != 0)
        ovl_checking_problem(c, "/engine/placement: \"%s\", and the run's workers are on \"%s\"", cell->placement,
                             placement);
    if (placement && strcmp(placement, OVL_EMULATED) != 0 && emulates(offload))
        ovl_checking_problem(c, "/engine/placement: \"%s\", and the run's processors are emulated", cell->placement);
    if (cell->workers > 0 && !isnan(workers) && cell->workers != workers)
        ovl_checking_problem(c, "/engine/workers: %.12g, in a run of %.12g workers", cell->workers, workers);
}

/* Units, at the rate of the run's own calibration, take the time of W: however that was disturbed, within this. Of a
   core that is taken away for most of the time, as by a quota, works that fit between two of its pauses may be quicker
   than the calibration, which has some; and a short one waits for the core, or sleeps too long, by a pause. Of the
   kernel sleep a unit is a microsecond; an application may wait in W, for requests, so its W is not too long. */
static void check_units(struct ovl_checking *c, const json_t *head, const struct ovl_cell *cell)
{
    const double slice = 3e-3, pause = 10e-3, instant = 1e-6;
    double rate = strcmp(cell->compute_kind, "sleep") == 0 /* a unit of it is a microsecond (ovl list) */
                      ? 1e6
                      : number(json_object_get(head, "calibration"), "units_per_second");
    double work = cell->summary[OVL_COMPUTE].median, times = cell->units / (work * rate), most = work > slice ? 4 : 8;
    bool none = cell->units == 0 && work * rate > most && work > instant;
    if (rate > 0 && work > 0 && !ovl_cell_solves(cell) && none)
        ovl_checking_problem(c, "/compute/units: 0, and W is %.3g s", work);
    /* On a core of its own the median of a short work waits for nothing. */
    bool few = times < 0.05 && cell->cores_shared == 0 && work > instant && !ovl_cell_solves(cell);
    if (rate > 0 && work > 0 && cell->units > 0 &&
        (few || times > most || (times < 0.25 && work - cell->units / rate > pause && !ovl_cell_solves(cell))))
        ovl_checking_problem(c, "/compute/units: %.12g in %.3g s, and the kernel does %.3g a second", cell->units, work,
                             rate);
}

static void check_unshaped(struct ovl_checking *c, const json_t *head, const struct ovl_cell *stored,
                           const struct ovl_cell *again)
{
    const struct ovl_run run = {.head = (json_t *)head};
    if (stored->unshaped <= 0 && ovl_link_unshaped(&run, again, stored->marks == OVL_MARKS_UNKNOWN) == 1)
        ovl_checking_problem(c, "/unshaped: %s, but C is under 0.9 of the time of its bytes at the emulated rate",
                             stored->unshaped == 0 ? "false" : "null");
}

/* The run says which sizes it measures. */
static void check_size(struct ovl_checking *c, const json_t *head, double size)
{
    const json_t *sizes = json_object_get(head, "sizes_bytes"), *one;
    bool there = !json_is_array(sizes) || isnan(size);
    size_t i;
    json_array_foreach(sizes, i, one)
        there |= json_number_value(one) == size;
    if (!there)
        ovl_checking_problem(c, "/size_bytes: %.12g, which is none of the run's /sizes_bytes", size);
}

void ovl_checking_in_run(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line,
                         const struct ovl_cell *stored, const struct ovl_cell *again)
{
    const json_t *head = run->head, *options = json_object_get(head, "options");
    const char *benchmark = text_of(json_object_get(head, "benchmark"));
    const char *modes = json_string_value(json_object_get(options, "mode"));
    double ranks = number(head, "ranks");
    bool invalid = strcmp(stored->status, "invalid") == 0;
    char why[OVL_OF_OPTIONS_WHY];
    if (!ovl_cell_of_options(head, options, stored, why))
        ovl_checking_problem(c, "%s", why);
    check_size(c, head, stored->size_bytes);
    if (strcmp(stored->benchmark, benchmark) != 0)
        ovl_checking_problem(c, "/benchmark: \"%s\", in a run of %s", stored->benchmark, benchmark);
    if (!isnan(ranks) && stored->ranks != ranks)
        ovl_checking_problem(c, "/ranks: %.12g, in a run of %.12g ranks", stored->ranks, ranks);
    if (modes && !has_mode(modes, stored->mode))
        ovl_checking_problem(c, "/mode: \"%s\", in a run of --mode %s", stored->mode, modes);
    if (stored->validated == 0 && !invalid)
        ovl_checking_problem(c, "/status: \"%s\", but /validated is false: cells with wrong data are invalid",
                             stored->status);
    const json_t *validated = json_object_get(line, "validated");
    if (stored->validated == 0 && !json_is_false(validated))
        ovl_checking_problem(c, "/validated: %s, and reason or check say that data are wrong",
                             json_is_true(validated) ? "true" : "null");
    check_status(c, head, line, stored, again);
    check_engine(c, head, stored);
    ovl_checking_cores(c, head, stored);
    if (!invalid) {
        ovl_checking_own_exposed(c, options, again);
        check_units(c, head, again);
        check_unshaped(c, head, stored, again);
    }
}

static void check_lacking(struct ovl_checking *c, const struct ovl_seen_run *seen)
{
    struct ovl_cell *cells = ovl_alloc(seen->sound + 1, sizeof *cells);
    const struct ovl_run run = {.head = seen->head, .cells = cells, .cell_count = seen->sound};
    for (size_t i = 0; i < seen->sound; i++)
        cells[i] = seen->cell[i].cell; /* lent */
    json_t *lacking = ovl_run_lacking(&run);
    if (json_array_size(lacking) > 0)
        ovl_checking_problem(c, "/status: \"complete\", and the run lacks %s",
                             json_string_value(json_array_get(lacking, 0)));
    json_decref(lacking);
    free(cells);
}

void ovl_checking_end(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line)
{
    const char *finished = json_string_value(json_object_get(line, "finished"));
    const char *started = json_string_value(json_object_get(run->head, "started"));
    double nodes = number(run->head, "nodes");
    bool complete = strcmp(text_of(json_object_get(line, "status")), "complete") == 0;
    double took = ovl_clock_utc_seconds(finished ? finished : "") - ovl_clock_utc_seconds(started ? started : "");
    if (finished && isnan(ovl_clock_utc_seconds(finished)))
        ovl_checking_problem(c, "/finished: \"%.40s\" is no time in UTC", finished);
    if (complete && run->limited > took + 2) /* whole seconds, and what is rounded */
        ovl_checking_problem(c, "/finished: %.0f s after the start, and cells that --max-time ended took %.3g s", took,
                             run->limited);
    else if (complete && fmax(run->took, run->longest) > took + 2)
        ovl_checking_problem(c, "/finished: %.0f s after the start, and the samples took %.3g s", took,
                             fmax(run->took, run->longest));
    if (complete && run->sound == run->cells)
        check_lacking(c, run);
    if (finished && started && strcmp(finished, started) < 0)
        ovl_checking_problem(c, "/finished: \"%s\", before the run started at %s", finished, started);
    if (complete && run->nodes > 0 && (double)run->nodes != nodes)
        ovl_checking_problem(c, "/status: \"complete\", but of %.0f nodes %zu have a line", nodes, run->nodes);
}
