/* `ovl validate`: a run line against itself, and a cell, and the end, against it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "record/derived/link_model.h"
#include "record/derived/settle.h"
#include "record/field.h"
#include "stats/stop.h"
#include "tool/cells/of_options.h"
#include "tool/validate/state.h"
#include "version.h"

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

/* A text; "" where it is none, as in a damaged line. */
static const char *text_of(const json_t *value)
{
    return json_is_string(value) ? json_string_value(value) : "";
}

/* The option that a word of the command names: NULL where it is no such word, or has its value in itself. Letters are
   those of the applications' own options. */
static const char *option_of(const char *benchmark, const char *word, char name[64])
{
    static const char *const letters[][3] = {{"fft3d", "-g", "grid"}, {"halo", "-g", "grid"}, {"hpl", "-n", "order"}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strcmp(letters[i][0], benchmark) == 0 && strcmp(letters[i][1], word) == 0)
            return letters[i][2];
    if (strncmp(word, "--", 2) != 0 || !word[2] || strchr(word, '='))
        return NULL;
    snprintf(name, 64, "%s", word + 2);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    return name;
}

/* Is an option's value what the word says? Where the word is another way to say it, that is not known, and taken. */
static bool says(const json_t *value, const char *word)
{
    char *end;
    double x = strtod(word, &end);
    if (json_is_string(value))
        return strcmp(json_string_value(value), word) == 0;
    if (json_array_size(value) == 1)
        return says(json_array_get(value, 0), word);
    return !json_is_number(value) || *end != '\0' || x == json_number_value(value);
}

/* What an option was, also where its name was shortened; NULL. */
static const json_t *value_of(const json_t *options, const char *option)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)options, name, value) {
        if (strncmp(name, option, strlen(option)) == 0)
            return json_object_get(options, option) ? json_object_get(options, option) : value;
    }
    return NULL;
}

/* The options, as they took effect, against the words of the command, of which the last counts. */
static void check_command(struct ovl_checking *c, const json_t *head)
{
    const json_t *words = json_object_get(head, "command"), *options = json_object_get(head, "options");
    const char *benchmark = text_of(json_object_get(head, "benchmark"));
    bool ours = strcmp(text_of(json_object_get(head, "ovl_version")), OVL_VERSION) == 0;
    json_t *given = json_object(), *word;
    const char *option;
    char name[64];
    for (size_t i = 1; i + 1 < json_array_size(words); i++)
        if ((option = option_of(benchmark, text_of(json_array_get(words, i)), name)))
            json_object_set_new(given, option, json_string(text_of(json_array_get(words, i + 1))));
    json_object_foreach(given, option, word) {
        if (strcmp(option, "json") == 0 || strcmp(option, "work_from") == 0)
            continue; /* names of files, which shape nothing */
        const json_t *value = value_of(options, option);
        if (!value && ours && text_of(word)[0] != '-' && json_object_get(options, "seed"))
            ovl_checking_problem(c, "/options/%s: is missing, and the command has it", option);
        else if (value && !json_is_boolean(value) && !says(value, text_of(word)))
            ovl_checking_problem(c, "/options/%s: is not the %.60s of the command", option, text_of(word));
    }
    json_decref(given);
}

void ovl_checking_head(struct ovl_checking *c, const json_t *head)
{
    double nodes = number(head, "nodes"), hosts = (double)json_array_size(json_object_get(head, "hosts"));
    check_command(c, head);
    check_list(c, head, "rank_hosts", hosts);
    check_list(c, head, "binding", INFINITY);
    if (hosts > 0 && hosts < nodes)
        ovl_checking_problem(c, "/nodes: %.0f, and /hosts has %.0f", nodes, hosts);
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

/* Who did the operations. */
static void check_engine(struct ovl_checking *c, const json_t *head, const struct ovl_cell *cell)
{
    double workers = number(head, "workers");
    if (strcmp(cell->mode, "dpu") != 0 && (!isnan(cell->worker_ops) || strcmp(cell->engine, "worker") == 0))
        ovl_checking_problem(c, "/engine: workers did it, by a cell of mode %s", cell->mode);
    if (cell->workers > 0 && !isnan(workers) && cell->workers != workers)
        ovl_checking_problem(c, "/engine/workers: %.12g, in a run of %.12g workers", cell->workers, workers);
}

/* Units, at the rate of the run's own calibration, take the time of W: however that was disturbed, within this. */
static void check_units(struct ovl_checking *c, const json_t *head, const struct ovl_cell *cell)
{
    const double most = 4;
    double rate = number(json_object_get(head, "calibration"), "units_per_second");
    double work = cell->summary[OVL_COMPUTE].median, times = cell->units / (work * rate);
    if (rate > 0 && work > 0 && cell->units > 0 && (times > most || (times < 1 / most && work > 1e-3)))
        ovl_checking_problem(c, "/compute/units: %.12g in %.3g s, and the run's calibration has %.3g a second",
                             cell->units, work, rate);
}

static void check_unshaped(struct ovl_checking *c, const json_t *head, const struct ovl_cell *stored,
                           const struct ovl_cell *again)
{
    const struct ovl_run run = {.head = (json_t *)head};
    if (stored->unshaped <= 0 && ovl_link_unshaped(&run, again) == 1)
        ovl_checking_problem(c, "/unshaped: %s, but C is under 0.9 of the time of its bytes at the emulated rate",
                             stored->unshaped == 0 ? "false" : "null");
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
    if (!ovl_cell_of_options(options, stored, why))
        ovl_checking_problem(c, "%s", why);
    if (strcmp(stored->benchmark, benchmark) != 0)
        ovl_checking_problem(c, "/benchmark: \"%s\", in a run of %s", stored->benchmark, benchmark);
    if (!isnan(ranks) && stored->ranks != ranks)
        ovl_checking_problem(c, "/ranks: %.12g, in a run of %.12g ranks", stored->ranks, ranks);
    if (modes && !has_mode(modes, stored->mode))
        ovl_checking_problem(c, "/mode: \"%s\", in a run of --mode %s", stored->mode, modes);
    if (stored->validated == 0 && !invalid)
        ovl_checking_problem(c, "/status: \"%s\", but /validated is false: cells with wrong data are invalid",
                             stored->status);
    check_status(c, head, line, stored, again);
    check_engine(c, head, stored);
    if (!invalid) {
        check_units(c, head, again);
        check_unshaped(c, head, stored, again);
    }
}

void ovl_checking_end(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line)
{
    const char *finished = json_string_value(json_object_get(line, "finished"));
    const char *started = json_string_value(json_object_get(run->head, "started"));
    double nodes = number(run->head, "nodes");
    bool complete = strcmp(text_of(json_object_get(line, "status")), "complete") == 0;
    double took = ovl_clock_utc_seconds(finished ? finished : "") - ovl_clock_utc_seconds(started ? started : "");
    if (complete && run->limited > took + 2) /* whole seconds, and what is rounded */
        ovl_checking_problem(c, "/finished: %.0f s after the start, and cells that --max-time ended took %.3g s", took,
                             run->limited);
    if (finished && started && strcmp(finished, started) < 0)
        ovl_checking_problem(c, "/finished: \"%s\", before the run started at %s", finished, started);
    if (complete && run->nodes > 0 && (double)run->nodes != nodes)
        ovl_checking_problem(c, "/status: \"complete\", but of %.0f nodes %zu have a line", nodes, run->nodes);
}
