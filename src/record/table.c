/* The table: a head that says what was measured where, and a row per cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/table.h"
#include "base/name.h"
#include "cli/catalog.h"
#include "record/link_model.h"
#include "record/status.h"

#include <math.h>
#include <string.h>

const struct ovl_format *ovl_format_find(const char *name)
{
    static const struct ovl_format *const formats[] = {&ovl_format_table, &ovl_format_omb, NULL};
    for (const struct ovl_format *const *f = formats; *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

static void put(char text[32], int decimals, double value)
{
    if (isnan(value))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.*f", decimals, value);
}

static void microseconds(char text[32], double seconds)
{
    put(text, seconds < 1e-3 ? 2 : 1, 1e6 * seconds);
}

#define SUMMARY(function, quantity)                                                                                    \
    static void function(const struct ovl_cell *c, char text[32])                                                      \
    {                                                                                                                  \
        microseconds(text, c->summary[quantity].median);                                                               \
    }
SUMMARY(put_comm, OVL_COMM)
SUMMARY(put_compute, OVL_COMPUTE)
SUMMARY(put_blocking, OVL_BLOCKING)
SUMMARY(put_total, OVL_TOTAL)
SUMMARY(put_init, OVL_INIT)
SUMMARY(put_test, OVL_TEST)
SUMMARY(put_wait, OVL_WAIT)
SUMMARY(put_inner, OVL_INNER)

#define DERIVED(function, which, decimals, factor)                                                                     \
    static void function(const struct ovl_cell *c, char text[32])                                                      \
    {                                                                                                                  \
        put(text, decimals, (factor)*c->derived[which].value);                                                         \
    }
DERIVED(put_hidden, OVL_HIDDEN, 1, 100)
DERIVED(put_hideable, OVL_HIDEABLE, 1, 100)
DERIVED(put_efficiency, OVL_EFFICIENCY, 1, 100)
DERIVED(put_overlap, OVL_OVERLAP, 3, 1)
DERIVED(put_speedup, OVL_SPEEDUP, 3, 1)
DERIVED(put_slowdown, OVL_SLOWDOWN, 3, 1)
DERIVED(put_penalty, OVL_PENALTY, 3, 1)
DERIVED(put_rank_mean, OVL_HIDDEN_RANK_MEAN, 1, 100)

static void put_size(const struct ovl_cell *c, char text[32])
{
    put(text, 0, c->size_bytes);
}
static void put_mode(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%s", c->mode);
}
static void put_ratio(const struct ovl_cell *c, char text[32])
{
    if (isnan(c->ratio))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%g", c->ratio);
}
static void put_interval(const struct ovl_cell *c, char text[32])
{
    const struct ovl_estimate *e = &c->derived[OVL_HIDDEN];
    if (isnan(e->ci_low))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.1f..%.1f", 100 * e->ci_low, 100 * e->ci_high);
}
static void put_blocks(const struct ovl_cell *c, char text[32])
{
    snprintf(text, 32, "%zu", c->samples.blocks);
}
static void put_omb(const struct ovl_cell *c, char text[32])
{
    put(text, 1, c->omb_percent);
}
static void put_imb(const struct ovl_cell *c, char text[32])
{
    put(text, 1, c->imb_percent);
}
static void put_check(const struct ovl_cell *c, char text[32])
{
    strcpy(text, c->validated < 0 ? "-" : c->validated ? "ok" : "WRONG");
}

/* Slowest rank and mean over ranks apart by more than this: one rank is not like the others. */
static const double ranks_differ = 0.05;

/* The work came out as another multiple of the host's communication time than was asked for, by more than this. */
static const double work_differs = 0.1;

static void put_status(const struct ovl_cell *c, char text[32])
{
    bool host = strcmp(c->mode, "host") == 0; /* what the work is a multiple of */
    double work = host ? c->summary[OVL_COMPUTE].median / c->summary[OVL_COMM].median / c->ratio : NAN;
    double apart = fabs(c->derived[OVL_HIDDEN].value - c->derived[OVL_HIDDEN_RANK_MEAN].value);
    const char *status = strcmp(c->status, "ci_not_reached") == 0 ? "wide" : c->status;
    bool own = c->from_record == 0; /* though --work-from was given */
    snprintf(text, 32, "%.8s%s%s%s", status,
             c->validated == 0      ? ", wrong"
             : apart > ranks_differ ? ", uneven"
                                    : "",
             ovl_cell_noisy(c) ? ", noisy" : "",
             own                             ? ", own W"
             : fabs(work - 1) > work_differs ? ", W/C"
                                             : "");
    if (c->unshaped > 0)
        snprintf(text, 32, "unshaped");
}

static const struct ovl_column columns[] = {
    {"size", 10, false, put_size},
    {"mode", 5, false, put_mode},
    {"ratio", 6, true, put_ratio},
    {"comm us", 11, false, put_comm},
    {"compute us", 11, false, put_compute},
    {"blocking us", 12, false, put_blocking},
    {"total us", 11, false, put_total},
    {"init us", 10, true, put_init},
    {"test us", 10, true, put_test},
    {"wait us", 11, true, put_wait},
    {"inner us", 11, true, put_inner},
    {"hidden %", 10, false, put_hidden},
    {"95 % interval", 17, false, put_interval},
    {"hideable %", 11, false, put_hideable},
    {"rank mean %", 12, true, put_rank_mean},
    {"vs blocking %", 14, true, put_efficiency},
    {"overlap", 9, true, put_overlap},
    {"speedup", 8, false, put_speedup},
    {"slowdown", 9, true, put_slowdown},
    {"C / B", 7, true, put_penalty},
    {"OMB %", 7, true, put_omb},
    {"IMB %", 7, true, put_imb},
    {"data", 6, true, put_check},
    {"blocks", 7, false, put_blocks},
    {"status", 8, false, put_status},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

const struct ovl_column *ovl_column_find(const char *head)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (strcmp(columns[c].head, head) == 0)
            return &columns[c];
    return NULL;
}

void ovl_line_put(FILE *out, struct ovl_line *line, int width, const char *text)
{
    line->due += width;
    int gap = line->due - line->at - (int)strlen(text);
    if (gap < 1 && line->at > 0)
        gap = 1; /* too long a text moves the next ones, until their own room makes up for it */
    line->at += fprintf(out, "%*s%s", gap > 0 ? gap : 0, "", text);
}

void ovl_words_put(FILE *out, struct ovl_words *words, const char *text)
{
    static const char indent[] = "#           ";
    const size_t most = 118, length = strlen(text);
    if (words->count > 0 && words->column + length + 2 > most) {
        fputs(";\n", out);
        words->column = 0;
    }
    if (words->column == 0)
        words->column = (size_t)fprintf(out, "%s", words->count > 0 ? indent : words->head);
    else
        words->column += (size_t)fprintf(out, "; ");
    words->column += (size_t)fprintf(out, "%s", text);
    words->count++;
}

void ovl_words_end(FILE *out, struct ovl_words *words)
{
    if (words->count > 0)
        fputs("\n", out);
    words->column = words->count = 0;
}

static const char *text_at(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "?";
}

static long long whole_at(const json_t *o, const char *name)
{
    return (long long)json_integer_value(json_object_get(o, name));
}

/* The variables that steer the MPI library, as many on a line as fit. */
static void print_environment(FILE *out, json_t *environment)
{
    const char *name;
    json_t *value;
    size_t column = 0;
    json_object_foreach(environment, name, value) {
        const char *text = json_string_value(value) ? json_string_value(value) : "?";
        size_t length = strlen(name) + strlen(text) + 2;
        if (column == 0 || column + length > 118)
            column = (size_t)fprintf(out, "%s# set      ", column ? "\n" : "") - (column != 0);
        fprintf(out, " %s=%s", name, text);
        column += length;
    }
    if (column)
        fputs("\n", out);
}

/* Who works in dpu mode, and what that costs: an emulated result must not pass for a real one. */
static void print_offload(FILE *out, const json_t *offload, long long workers)
{
    if (!offload)
        return;
    struct ovl_words words = {.head = "# dpu       "};
    char text[200];
    const char *placement = text_at(offload, "placement"), *plural = workers == 1 ? "" : "s";
    const json_t *environment = json_object_get(offload, "worker_environment");
    const char *rendezvous = json_string_value(json_object_get(environment, "UCX_RNDV_THRESH"));
    double slowdown = json_number_value(json_object_get(offload, "slowdown"));
    snprintf(text, sizeof text, "engine %s, path %s, on %s%s", text_at(offload, "engine"), text_at(offload, "path"),
             placement, strcmp(placement, "bluefield") == 0 ? "" : ": emulated, no BlueField");
    ovl_words_put(out, &words, text);
    if (json_is_true(json_object_get(offload, "cores_shared")))
        snprintf(text, sizeof text, "%lld worker%s beside the ranks on the same cores", workers, plural);
    else
        snprintf(text, sizeof text, "%lld worker%s on %lld extra core%s", workers, plural, workers, plural);
    ovl_words_put(out, &words, text);
    snprintf(text, sizeof text, "idle %s", text_at(offload, "idle"));
    ovl_words_put(out, &words, text);
    if (slowdown > 1) {
        snprintf(text, sizeof text, "each step slowed down %g times", slowdown);
        ovl_words_put(out, &words, text);
    }
    if (rendezvous) {
        snprintf(text, sizeof text, "workers' UCX_RNDV_THRESH=%s, set by %s", rendezvous,
                 text_at(environment, "set_by"));
        ovl_words_put(out, &words, text);
    }
    ovl_words_end(out, &words);
}

static void print_work(FILE *out, const json_t *options)
{
    const json_t *us = json_object_get(options, "compute_us"), *ratios = json_object_get(options, "compute_ratio");
    fprintf(out, "# work      kernel %s, ", text_at(options, "compute"));
    if (json_is_number(us)) {
        fprintf(out, "%g us for every size\n", json_number_value(us));
        return;
    }
    for (size_t i = 0; i < json_array_size(ratios); i++)
        fprintf(out, "%s%g", i ? ", " : "", json_number_value(json_array_get(ratios, i)));
    fputs(" times the host's communication time\n", out);
}

/* Parts that "; " divides, as many on a line as fit. */
static void print_solves(FILE *out, const char *text)
{
    struct ovl_words words = {.head = "# solves    "};
    char part[256];
    for (const char *end; text; text = end ? end + 2 : NULL) {
        end = strstr(text, "; ");
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        ovl_words_put(out, &words, part);
    }
    ovl_words_end(out, &words);
}

static void print_machine(FILE *out, const json_t *host, bool of_several)
{
    long long threads = whole_at(host, "cores"), cores = whole_at(host, "physical_cores");
    fprintf(out, "# machine   %s, ", text_at(host, "cpu"));
    if (cores > 0 && cores < threads)
        fprintf(out, "%lld cores with %lld hardware threads", cores, threads);
    else
        fprintf(out, "%lld cores", threads);
    fprintf(out, ", %s%s\n", text_at(host, "kernel"), of_several ? " (first node)" : "");
}

void ovl_table_head(FILE *out, const struct ovl_run *run)
{
    const json_t *h = run->head, *host = json_array_get(json_object_get(h, "hosts"), 0),
                 *options = json_object_get(h, "options");
    const struct ovl_benchmark *b = ovl_benchmark_find(text_at(h, "benchmark"));
    char library[192];
    long long ranks = whole_at(h, "ranks"), nodes = whole_at(h, "nodes"), workers = whole_at(h, "workers");

    fprintf(out, "# %s %s", b ? b->program : text_at(h, "benchmark"), text_at(h, "ovl_version"));
    if (b)
        fprintf(out, ": %s, blocking twin %s", b->call, b->blocking);
    fputs("\n", out);
    print_machine(out, host, nodes > 1);
    ovl_name_shorten(library, sizeof library, text_at(json_object_get(h, "mpi"), "library"));
    fprintf(out, "# mpi       %s, threads %s; %lld rank%s on %lld node%s, %lld worker%s\n", library,
            text_at(json_object_get(h, "mpi"), "thread_level"), ranks, ranks == 1 ? "" : "s", nodes,
            nodes == 1 ? "" : "s", workers, workers == 1 ? "" : "s");
    double rate = 8e-9 * ovl_link_cluster_rate(run);
    if (!isnan(rate))
        fprintf(out, "# network   emulated on one machine, %g Gbit/s each way at every node\n", rate);
    print_offload(out, json_object_get(h, "offload"), workers);
    if (json_object_get(options, "compute"))
        print_work(out, options);
    print_solves(out, json_string_value(json_object_get(h, "solves")));
    const json_t *warnings = json_object_get(h, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *warning = json_string_value(json_array_get(warnings, i));
        fprintf(out, "# warning   %s\n", warning ? warning : "?");
    }
    print_environment(out, json_object_get(h, "environment"));
}

static void print_head(FILE *out, const struct ovl_run *run, bool full)
{
    ovl_table_head(out, run);
    struct ovl_line line = {.at = 1};
    fputs("#\n#", out);
    for (size_t c = 0; c < COLUMNS; c++)
        if (full || !columns[c].full)
            ovl_line_put(out, &line, columns[c].width, columns[c].head);
    fputs("\n", out);
    fflush(out);
}

static void print_row(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full)
{
    struct ovl_line line = {0, 0};
    (void)run;
    for (size_t c = 0; c < COLUMNS; c++)
        if (full || !columns[c].full) {
            char text[32];
            columns[c].print(cell, text);
            if (c + 1 == COLUMNS)
                fprintf(out, "  %s", text);
            else
                ovl_line_put(out, &line, columns[c].width, text);
        }
    fputs("\n", out);
    fflush(out);
}

static void print_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)run, (void)full;
    fputs("# hidden = 1 - (total - compute) / comm; negative: overlapping costs more than it hides. ovl(7) explains "
          "the rest.\n",
          out);
    fflush(out);
}

const struct ovl_format ovl_format_table = {.name = "table", .head = print_head, .row = print_row, .foot = print_foot};
