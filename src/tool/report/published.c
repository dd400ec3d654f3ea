/* `ovl published`: figures of publications on training (share/ovl/published.json), each beside what records have of the
   same case. The two are never mixed: a figure here is measured, or it is not there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"
#include "table/columns.h"
#include "tool/cells/inputs.h"
#include "tool/cells/point.h"
#include "tool/report/page.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct published_options {
    int help;
    const char *output;
};

#define AT(member) offsetof(struct published_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "FILE", "write a page, whole or not at all, in place of text", OVL_OPTION_TEXT, AT(output), 0, 0,
     NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

enum { MOST_SETUPS = 16, MOST_VALUES = 1000, SAID = 800, SETUP = 320 };

/* What launches of one set-up have of a row: values before and after. */
struct here {
    char setup[SETUP];
    double before[MOST_VALUES], after[MOST_VALUES];
    size_t befores, afters;
    size_t invalid; /* of the first one: cells that carry no claim, of any set-up */
    size_t others;  /* of the first one: cells of set-ups for which there is no room */
    size_t unlike;  /* of the first one: cells whose work was calibrated, where a rate wants it given */
};

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

/* Has the cell what is asked for? "none" is a field that is not there, too. */
static bool has(const struct ovl_run *run, const struct ovl_cell *cell, json_t *wanted)
{
    const char *name;
    json_t *value;
    json_object_foreach(wanted, name, value) {
        const struct ovl_field *field = ovl_point_find(name);
        char text[OVL_FIELD_TEXT_ROOM] = "", whole[256];
        regex_t expression;
        if (field)
            ovl_field_text(text, field, run, cell);
        if (strcmp(json_string_value(value), "none") == 0 && !*text)
            continue;
        snprintf(whole, sizeof whole, "^(%s)$", json_string_value(value));
        if (regcomp(&expression, whole, REG_EXTENDED | REG_NOSUB) != 0)
            return false;
        int rc = regexec(&expression, text, 0, NULL, 0);
        regfree(&expression);
        if (rc != 0)
            return false;
    }
    return true;
}

/* The value of a row in a cell, NaN where it has none. */
static double value_of(const json_t *row, const struct ovl_cell *cell)
{
    const char *kind = text_of(row, "value");
    if (strcmp(kind, "samples") == 0)
        return cell->samples_rate.value;
    const char *path = text_of(row, "path"), *dot = strchr(path, '.');
    const json_t *scale = json_object_get(row, "scale"), *number;
    char group[64];
    snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - path) : 0, path);
    number = dot ? json_object_get(json_object_get(cell->extra, group), dot + 1) : json_object_get(cell->extra, path);
    return json_is_number(number) ? json_number_value(number) * (scale ? json_number_value(scale) : 1) : NAN;
}

/* Milliseconds of an epoch with as many checkpoints as the row says, by that writer; NaN where there is none. */
static double epoch_of(const json_t *row, const struct ovl_cell *cell, const char *writer)
{
    size_t i;
    json_t *kind;
    json_array_foreach(json_object_get(cell->extra, "epochs"), i, kind)
        if (strcmp(text_of(kind, "checkpoint"), writer) == 0 &&
            json_number_value(json_object_get(kind, "count")) == json_number_value(json_object_get(row, "count")))
            return 1e3 * json_number_value(json_object_get(kind, "median_seconds"));
    return NAN;
}

/* Of epochs by the design that is named, with the shares that the row asks for: milliseconds of a step; NaN where
   there are none. */
static double phase_of(const json_t *row, const struct ovl_cell *cell, const char *design)
{
    const json_t *phases = json_object_get(cell->extra, "phases");
    char shares[64];
    size_t i;
    json_t *d;
    snprintf(shares, sizeof shares, "%g:%g", json_number_value(json_object_get(phases, "augment_asked")),
             json_number_value(json_object_get(phases, "validate_asked")));
    if (json_object_get(row, "phases") && strcmp(text_of(row, "phases"), shares) != 0)
        return NAN;
    json_array_foreach(json_object_get(phases, "designs"), i, d)
        if (strcmp(text_of(d, "offload"), design) == 0)
            return 1e3 * json_number_value(json_object_get(d, "step_seconds"));
    return NAN;
}

/* Of epochs with helpers: how many there are, how slow, and the shares that were asked for. */
static void put_phases(char text[SETUP], const json_t *row, const struct ovl_cell *cell)
{
    const json_t *p = json_object_get(cell->extra, "phases");
    const char *dataset = p ? text_of(p, "dataset") : "";
    double slowdown = json_number_value(json_object_get(p, "slowdown"));
    size_t n = strlen(text);
    if (!p || strcmp(text_of(row, "value"), "phases") != 0)
        return;
    snprintf(text + n, SETUP - n, "%shelpers %.0f x 1/%g, phases %g:%g%s%s", n ? ", " : "",
             json_number_value(json_object_get(p, "helpers")), slowdown,
             json_number_value(json_object_get(p, "augment_asked")),
             json_number_value(json_object_get(p, "validate_asked")), *dataset ? ", " : "", dataset);
}

/* Is a field the same in all cells of a row, or what the row compares? */
static bool settled(const json_t *row, const char *name)
{
    const char *only = json_string_value(json_object_get(json_object_get(row, "where"), name));
    return (only && !strpbrk(only, "*|[(")) || json_object_get(json_object_get(row, "a"), name) ||
           json_object_get(json_object_get(row, "b"), name);
}

/* What figures must share to be held against each other. Who compares ranks compares their nodes, too. */
static void put_setup(char text[SETUP], const json_t *row, const struct ovl_run *run, const struct ovl_cell *cell)
{
    static const char *const names[] = {"ranks",    "nodes",   "mode",       "model",       "strategy",
                                        "compress", "cluster", "batch",      "scale_bytes", "scale_flops",
                                        "kernel",   "ratio",   "compute_us", "tests"};
    *text = '\0';
    for (size_t i = settled(row, "ranks") ? 2 : 0; i < sizeof names / sizeof *names; i++) {
        const struct ovl_field *field = ovl_point_find(names[i]);
        char value[OVL_FIELD_TEXT_ROOM] = "";
        size_t n = strlen(text);
        if (!settled(row, names[i]))
            ovl_field_text(value, field, run, cell);
        if (*value)
            snprintf(text + n, SETUP - n, "%s%s %s", n ? ", " : "", names[i], value);
    }
    put_phases(text, row, cell);
}

static void collect(struct here *here, const json_t *row, const struct ovl_run *run, const struct ovl_cell *cell)
{
    json_t *a = json_object_get(row, "a"), *b = json_object_get(row, "b");
    bool epochs = strcmp(text_of(row, "value"), "epochs") == 0; /* both in one cell */
    bool phases = strcmp(text_of(row, "value"), "phases") == 0; /* the same */
    double value = epochs   ? epoch_of(row, cell, "helper")
                   : phases ? phase_of(row, cell, text_of(row, "offload"))
                            : value_of(row, cell);
    double old = epochs ? epoch_of(row, cell, "root") : phases ? phase_of(row, cell, "none") : value;
    char setup[SETUP];
    size_t s = 0;
    bool before = a && has(run, cell, a), after = b && has(run, cell, b);
    if (strcmp(cell->benchmark, "train") != 0 || !isfinite(value) || !isfinite(old) ||
        !has(run, cell, json_object_get(row, "where")) || (!before && !after))
        return;
    if (ovl_run_no_claim(run, cell)) {
        here[0].invalid++;
        return;
    }
    /* By the ratio a launch computes as long as it communicates, whatever a sample would take. */
    if (strcmp(text_of(row, "value"), "samples") == 0 && !isnan(cell->ratio)) {
        here[0].unlike++;
        return;
    }
    put_setup(setup, row, run, cell);
    while (s < MOST_SETUPS && *here[s].setup && strcmp(here[s].setup, setup) != 0)
        s++;
    if (s == MOST_SETUPS) {
        here[0].others++;
        return;
    }
    strcpy(here[s].setup, setup);
    if (before && here[s].befores < MOST_VALUES)
        here[s].before[here[s].befores++] = old;
    if (after && here[s].afters < MOST_VALUES)
        here[s].after[here[s].afters++] = value;
}

/* "120 to 101 ms: 15.8 % less (ranks 2, ...; 6 launches)", or "1.188 times as fast" where the source counts so; of a
   rate "more"; of a rate that should become `times` as high how much of that it is. */
static void say(char text[SAID], const json_t *row, struct here *h)
{
    double before = ovl_stats_median(h->before, h->befores), after = ovl_stats_median(h->after, h->afters);
    double change = 100 * (after / before - 1), times = json_number_value(json_object_get(row, "times"));
    size_t launches = h->befores < h->afters ? h->befores : h->afters;
    int n = snprintf(text, SAID, "%.4g to %.4g %s: ", before, after, text_of(row, "unit"));
    if (json_object_get(row, "times_as_fast"))
        n += snprintf(text + n, SAID - (size_t)n, "%.3f times as fast", before / after);
    else
        n += snprintf(text + n, SAID - (size_t)n, "%.1f %% %s", fabs(change), change < 0 ? "less" : "more");
    if (times > 0)
        n += snprintf(text + n, SAID - (size_t)n, ", %.1f %% of %.0f times as much", 100 * after / before / times,
                      times);
    snprintf(text + n, SAID - (size_t)n, " (%s; %zu launch%s)", h->setup, launches, launches == 1 ? "" : "es");
}

/* What is here of a row, a text for each set-up; returns how many. */
static size_t find(char said[MOST_SETUPS + 3][SAID], const json_t *row, const struct ovl_record *record)
{
    struct here *here = ovl_alloc(MOST_SETUPS, sizeof *here);
    size_t n = 0;
    if (json_object_get(row, "dash"))
        snprintf(said[n++], SAID, "- (%s)", text_of(row, "dash"));
    for (size_t r = 0; r < record->run_count && json_object_get(row, "value"); r++)
        for (size_t c = 0; c < record->runs[r].cell_count; c++)
            collect(here, row, &record->runs[r], &record->runs[r].cells[c]);
    for (size_t s = 0; s < MOST_SETUPS; s++)
        if (here[s].afters > 0 && here[s].befores > 0)
            say(said[n++], row, &here[s]);
    if (here[0].others > 0)
        snprintf(said[n++], SAID, "and %zu cells of set-ups beyond the first %d: give fewer files", here[0].others,
                 MOST_SETUPS);
    const char *left_out = n == 0 ? "not measured" : "left out";
    if (here[0].invalid > 0)
        snprintf(said[n++], SAID, "%s: %zu cell%s without a claim (invalid, unshaped, emulated, wrong or cut short)",
                 left_out, here[0].invalid, here[0].invalid == 1 ? "" : "s");
    if (n == 0 && here[0].unlike > 0)
        snprintf(said[n++], SAID,
                 "- (%zu cell%s took work by the ratio; a rate wants it given, by --compute-us or "
                 "--compute-real)",
                 here[0].unlike, here[0].unlike == 1 ? "" : "s");
    free(here);
    return n;
}

static const char *source_of(const json_t *all, const json_t *row)
{
    return text_of(json_object_get(all, "sources"), text_of(row, "source"));
}

static void print_row(FILE *out, const json_t *all, const json_t *row, char said[MOST_SETUPS + 3][SAID], size_t n)
{
    fprintf(out, "%-3s %s\n    published  %s\n               %s; %s\n", text_of(row, "row"), text_of(row, "what"),
            text_of(row, "published"), text_of(row, "setup"), source_of(all, row));
    for (size_t i = 0; i < n; i++)
        fprintf(out, "    here       %s\n", said[i]);
    if (n == 0)
        fputs("    here       not measured\n", out);
    if (*text_of(row, "note"))
        fprintf(out, "    note       %s\n", text_of(row, "note"));
}

/* A table whose lines hold paragraphs; the page's styles name its class. */
static const struct ovl_column columns[] = {
    {.show = {"Row", 1, 0, 0, false}, .left = 1},
    {.show = {"Case", 1, 0, 0, false}, .left = 1},
    {.show = {"Published", 1, 0, 0, false}, .left = 1},
    {.show = {"Here", 1, 0, 0, false}, .left = 1},
    {.field = NULL},
};

static void put_row(struct ovl_table *t, const json_t *all, const json_t *row, char said[MOST_SETUPS + 3][SAID],
                    size_t n)
{
    char setup[1024], here[(MOST_SETUPS + 3) * SAID] = "not measured";
    snprintf(setup, sizeof setup, "(%s; %s)", text_of(row, "setup"), source_of(all, row));
    for (size_t i = 0, at = 0; i < n; i++)
        at += (size_t)snprintf(here + at, sizeof here - at, "%s%s", i ? "\n" : "", said[i]);
    ovl_table_text(t, "%s", text_of(row, "row"));
    ovl_table_put(t, &(struct ovl_value){.text = text_of(row, "what"), .note = text_of(row, "note")});
    ovl_table_put(t, &(struct ovl_value){.text = text_of(row, "published"), .note = setup});
    t->class = n == 0 ? "soft" : NULL;
    ovl_table_text(t, "%s", here);
    ovl_table_row_end(t);
}

/* As a table; with none, as lines of text. */
static void put_rows(struct ovl_table *t, const json_t *all, const struct ovl_record *record)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(all, "rows"), i, row) {
        char said[MOST_SETUPS + 3][SAID];
        size_t n = find(said, row, record);
        if (t)
            put_row(t, all, row, said, n);
        else
            print_row(stdout, all, row, said, n);
    }
}

static int write_page(const char *file, const json_t *all, const struct ovl_record *record, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    if (ovl_atomic_file_open(&o, file, err) != 0)
        return -1;
    int rc = ovl_page_head(o.file, "Published figures and ours", err);
    if (rc == 0) {
        struct ovl_table t = ovl_table_to(o.file, &ovl_table_html, columns, 0, false);
        fputs(
            "<main id=\"main\" class=\"published\">\n<p>Set-ups differ: a figure in one column says nothing about the "
            "other. Published are the sources' own figures; here are medians over the launches in the records given, "
            "and where these have no such cell nothing was measured. A change is new / old - 1.</p>\n",
            o.file);
        t.caption = "Published figures and ours";
        ovl_table_begin(&t);
        put_rows(&t, all, record);
        ovl_table_end(&t);
        rc = ovl_page_end(o.file, err);
    }
    if (rc == 0)
        return ovl_atomic_file_close(&o, err);
    ovl_atomic_file_abandon(&o);
    return -1;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct published_options o = {0};
    struct ovl_inputs sources = {.count = 0};
    struct ovl_record record = {.runs = NULL};
    struct ovl_path path;
    size_t copies;
    int first, rc = 0;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (o.help) {
        ovl_command_help(&ovl_command_published);
        return OVL_OK;
    }
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&sources, argv[i], err);
    if (rc == 0 && sources.count > 0)
        rc = ovl_inputs_read(&sources, false, &record, &copies, err);
    json_t *all = rc == 0 && ovl_command_share("published.json", &path, err) == 0
                      ? ovl_json_file_load(path.text, NULL, err)
                      : NULL;
    rc = all ? 0 : -1;
    if (rc == 0 && o.output)
        rc = write_page(o.output, all, &record, err);
    else if (rc == 0)
        put_rows(NULL, all, &record);
    json_decref(all);
    ovl_record_free(&record);
    ovl_inputs_free(&sources);
    return rc == 0 ? OVL_OK : -1;
}

const struct ovl_tool_command ovl_command_published = {
    .name = "published",
    .arguments = "[FILE...] [options]",
    .summary = "figures of publications on training beside those of records",
    .exits = "0 fine, 3 wrong call, 4 damaged record, 5 file not usable",
    .options = options,
    .run = run,
};
