/* Values of cells go by set-up: only what shares all else is held against each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/published_row.h"
#include "base/utf8.h"
#include "stats/stats.h"
#include "tool/cells/point.h"
#include "tool/report/published_formula.h"
#include "tool/report/published_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETUPS = 16, SETUP = 600 };

/* What launches of one set-up have of a row: values before and after. */
struct here {
    char setup[SETUP];
    double *before, *after; /* owned */
    size_t befores, afters;
    double r;
    size_t invalid;  /* of the first one: cells that carry no claim, of any set-up */
    size_t others;   /* of the first one: cells of set-ups for which there is no room */
    json_t *machine; /* of the first cell, by published_machine.h */
    char apart[96];  /* the first thing in which a later one is unlike it; "": none */
    size_t unlike;   /* of the first one: cells whose work was calibrated, where a rate wants it given */
};

#define text_of ovl_published_text

static double number_of(const json_t *of, const char *name)
{
    const json_t *x = json_object_get(of, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static const struct ovl_published_formula *formula_of(const json_t *row)
{
    return ovl_published_formula_find(text_of(row, "formula"));
}

/* What is wrong with a row, or NULL. */
static const char *fault_of(const json_t *row)
{
    const struct ovl_published_formula *formula = formula_of(row);
    const struct ovl_published_measure *measure = ovl_published_measure_of(row);
    const char *varies = text_of(row, "varies"), *from = text_of(row, "from"), *to = text_of(row, "to");
    bool why = *text_of(row, "input") || *text_of(row, "dash");
    if (!*text_of(row, "row") || !*text_of(row, "what") || !*text_of(row, "source") || !formula)
        return "give row, what, source and a formula";
    if (!measure)
        return *text_of(row, "value") ? "give a value that there is" : why ? NULL : "give a value, or input, or dash";
    if (why || !formula->of || !json_is_object(json_object_get(row, "where")))
        return "give a formula of values and where, and neither input nor dash";
    if (strcmp(measure->name, "kept") == 0)
        return *varies ? "leave out varies: nothing does" : NULL;
    if (!*varies || !*from || !*to || strcmp(from, to) == 0)
        return "give what varies, from one value to another";
    if (!measure->within && (!ovl_point_find(varies) || json_object_get(json_object_get(row, "where"), varies)))
        return "what varies: give a field of a point that is not in where";
    return NULL;
}

int ovl_published_check(const json_t *all, const char *path, struct ovl_error *err)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(all, "rows"), i, row) {
        const char *fault = fault_of(row);
        if (fault)
            return ovl_error_set(err, OVL_WRONG_DATA, "%s: rows[%zu]: %s", path, i, fault);
    }
    return 0;
}

const char *ovl_published_formula_text(const json_t *row)
{
    return formula_of(row)->text;
}

void ovl_published_figures(const json_t *row, char text[OVL_PUBLISHED_FIGURE])
{
    const struct ovl_published_formula *f = formula_of(row);
    size_t i, n = 0;
    json_t *figure;
    snprintf(text, OVL_PUBLISHED_FIGURE, "-");
    json_array_foreach(json_object_get(row, "published"), i, figure) {
        const struct ovl_published_values v = {number_of(figure, "old"), number_of(figure, "new"), NAN,
                                               number_of(figure, "r")};
        double given = number_of(figure, "value");
        const char *of = text_of(figure, "of");
        n += ovl_utf8_print(text + n, OVL_PUBLISHED_FIGURE - n, "%s", i ? ", " : "");
        if (isnan(given) && f->of)
            given = f->of(&v);
        n += ovl_utf8_print(text + n, OVL_PUBLISHED_FIGURE - n, "%.*f%s", f->decimals, given, f->unit);
        n += ovl_utf8_print(text + n, OVL_PUBLISHED_FIGURE - n, "%s%s%s", *of ? " (" : "", of, *of ? ")" : "");
    }
}

/* Has the cell that value of a field? "none" is a field that is not there, too. */
static bool has_field(const struct ovl_run *run, const struct ovl_cell *cell, const char *name, const char *pattern)
{
    const struct ovl_field *field = ovl_point_find(name);
    char text[OVL_FIELD_TEXT_ROOM] = "";
    if (field)
        ovl_field_text(text, field, run, cell);
    return (strcmp(pattern, "none") == 0 && !*text) || ovl_published_matches(pattern, text);
}

static bool has(const struct ovl_run *run, const struct ovl_cell *cell, json_t *wanted)
{
    const char *name;
    json_t *value;
    json_object_foreach(wanted, name, value)
        if (!has_field(run, cell, name, json_string_value(value)))
            return false;
    return true;
}

/* Of epochs that read files: which, how much of them is kept, and how fast they come. */
static void put_dataset(char text[SETUP], const json_t *row, const struct ovl_cell *cell)
{
    const json_t *d = json_object_get(cell->extra, "dataset");
    size_t n = strlen(text);
    if (!d || strcmp(text_of(row, "value"), "reads") != 0)
        return;
    snprintf(text + n, SETUP - n, "%s%.0f samples of %.0f B, buffer %g, read at %g MB/s", n ? ", " : "",
             json_number_value(json_object_get(d, "samples")), json_number_value(json_object_get(d, "record_bytes")),
             json_number_value(json_object_get(d, "local_buffer")),
             1e-6 * json_number_value(json_object_get(d, "read_rate")));
}

/* Of epochs with helpers: how many there are, how slow, and the shares that were asked for. */
static void put_phases(char text[SETUP], const json_t *row, const struct ovl_cell *cell)
{
    const json_t *p = json_object_get(cell->extra, "phases");
    const char *records = p ? text_of(p, "records") : "";
    double slowdown = json_number_value(json_object_get(p, "slowdown"));
    size_t n = strlen(text);
    if (!p || strcmp(text_of(row, "value"), "phases") != 0)
        return;
    snprintf(text + n, SETUP - n, "%shelpers %.0f x 1/%g, phases %g:%g%s%s", n ? ", " : "",
             json_number_value(json_object_get(p, "helpers")), slowdown,
             json_number_value(json_object_get(p, "augment_asked")),
             json_number_value(json_object_get(p, "validate_asked")), *records ? ", " : "", records);
}

/* Is a field the same in all cells of a row, or what the row compares? */
static bool settled(const json_t *row, const char *name)
{
    const char *only = json_string_value(json_object_get(json_object_get(row, "where"), name));
    return (only && !strpbrk(only, "*|[(")) || strcmp(text_of(row, "varies"), name) == 0;
}

/* Of "static, 8 at once" what is not compared. */
static void put_rest(char value[OVL_FIELD_TEXT_ROOM])
{
    const char *rest = strchr(value, ',');
    rest = rest && rest[1] ? rest + 2 : "";
    memmove(value, rest, strlen(rest) + 1);
}

/* Of workers, but where a mode without some is held against them; their number goes with that of ranks. */
static void put_workers(char text[SETUP], const json_t *row, const struct ovl_run *run, const struct ovl_cell *cell)
{
    static const char *const names[] = {"path",          "placement", "worker_slowdown", "algorithm",
                                        "registrations", "dpu_min",   "workers"};
    const char *varies = text_of(row, "varies");
    size_t count = sizeof names / sizeof *names - (strcmp(varies, "ranks") == 0);
    for (size_t i = 0; i < count && strcmp(cell->mode, "dpu") == 0 && strcmp(varies, "mode") != 0; i++) {
        char value[OVL_FIELD_TEXT_ROOM] = "";
        size_t n = strlen(text);
        ovl_field_text(value, ovl_point_find(names[i]), run, cell);
        if (*value)
            snprintf(text + n, SETUP - n, "%s%s %s", n ? ", " : "", names[i], value);
    }
}

/* Work that was given in units is of no point, but a rate depends on it as on a time. */
static void put_units(char text[SETUP], const struct ovl_run *run)
{
    const json_t *units = json_object_get(json_object_get(run->head, "options"), "compute_units");
    size_t n = strlen(text);
    if (json_is_number(units))
        snprintf(text + n, SETUP - n, "%scompute_units %.12g", n ? ", " : "", json_number_value(units));
}

/* What figures must share to be held against each other. Who compares ranks compares their nodes, too. */
static void put_setup(char text[SETUP], const json_t *row, const struct ovl_run *run, const struct ovl_cell *cell)
{
    static const char *const names[] = {"ranks",      "nodes",    "mode",        "model",       "strategy", "compress",
                                        "cluster",    "batch",    "scale_bytes", "scale_flops", "kernel",   "ratio",
                                        "compute_us", "tests",    "buckets",     "dtype",       "pipeline", "moe",
                                        "requests",   "batching", "layout",      "flops"};
    *text = '\0';
    for (size_t i = strcmp(text_of(row, "varies"), "ranks") == 0 ? 2 : 0; i < sizeof names / sizeof *names; i++) {
        const struct ovl_field *field = ovl_point_find(names[i]);
        char value[OVL_FIELD_TEXT_ROOM] = "";
        size_t n = strlen(text);
        bool compared = strcmp(text_of(row, "varies"), names[i]) == 0;
        if (compared || !settled(row, names[i]))
            ovl_field_text(value, field, run, cell);
        if (compared)
            put_rest(value);
        if (*value)
            snprintf(text + n, SETUP - n, "%s%s %s", n ? ", " : "", names[i], value);
    }
    put_units(text, run);
    put_workers(text, row, run, cell);
    put_phases(text, row, cell);
    put_dataset(text, row, cell);
}

/* Does the cell carry a claim, and a rate that it was not given? Else it is counted. */
static bool counts(struct here *here, const json_t *row, const struct ovl_member *m)
{
    if (!ovl_member_claims(m)) {
        here[0].invalid++;
        return false;
    }
    /* By the ratio a launch computes as long as it communicates, whatever a sample would take. */
    if (strcmp(text_of(row, "value"), "samples") == 0 && !isnan(m->cell->ratio)) {
        here[0].unlike++;
        return false;
    }
    return true;
}

static void add(double **values, size_t *n, double x)
{
    *values = ovl_grow_one(*values, *n, sizeof **values);
    (*values)[(*n)++] = x;
}

static void collect(struct here *here, const json_t *row, const struct ovl_member *member)
{
    const struct ovl_run *run = member->run;
    const struct ovl_cell *cell = member->cell;
    const struct ovl_published_measure *m = ovl_published_measure_of(row);
    const char *varies = text_of(row, "varies");
    double new = m->of(row, cell, "to"), old = m->of(row, cell, "from");
    bool before = m->within || has_field(run, cell, varies, text_of(row, "from"));
    bool after = m->within || has_field(run, cell, varies, text_of(row, "to"));
    char setup[SETUP];
    size_t s = 0;
    if (strcmp(cell->benchmark, m->served ? "serve" : "train") != 0 || !isfinite(new) || !isfinite(old) ||
        (!before && !after) || !has(run, cell, json_object_get(row, "where")) || !counts(here, row, member))
        return;
    put_setup(setup, row, run, cell);
    while (s < MOST_SETUPS && *here[s].setup && strcmp(here[s].setup, setup) != 0)
        s++;
    if (s == MOST_SETUPS) {
        here[0].others++;
        return;
    }
    strcpy(here[s].setup, setup);
    ovl_published_same_machine(&here[s].machine, run, strcmp(text_of(row, "varies"), "ranks") == 0, here[s].apart,
                               sizeof here[s].apart);
    here[s].r = 1 / number_of(json_object_get(cell->extra, "phases"), "slowdown");
    if (before)
        add(&here[s].before, &here[s].befores, old);
    if (after)
        add(&here[s].after, &here[s].afters, new);
}

/* Launches that have both values of a row have a figure each: their median and its exact interval. */
static void say_figure(struct ovl_published_here *said, const json_t *row, const struct here *h,
                       const struct ovl_published_values *all)
{
    const struct ovl_published_formula *f = formula_of(row);
    double *each = ovl_alloc(h->befores + 1, sizeof *each);
    bool within = ovl_published_measure_of(row)->within && h->befores == h->afters;
    for (size_t i = 0; i < h->befores && within; i++)
        each[i] = f->of(&(struct ovl_published_values){h->before[i], h->after[i], all->times, all->r});
    struct ovl_summary s = ovl_stats_summarise(each, within ? h->befores : 0);
    size_t n = ovl_utf8_print(said->figure, sizeof said->figure, "%.*f%s", f->decimals, within ? s.median : f->of(all),
                              f->unit);
    if (!isnan(s.ci_low) && s.ci_low < s.ci_high)
        snprintf(said->figure + n, sizeof said->figure - n, " [%.*f, %.*f]", f->decimals, s.ci_low, f->decimals,
                 s.ci_high);
    free(each);
}

/* "15.8 %", of "120 to 101 ms, ranks 2, ...; 6 launches". */
static void say(struct ovl_published_here *said, const json_t *row, const struct here *h)
{
    struct ovl_published_values v = {.times = 1, .r = h->r};
    size_t launches = h->befores < h->afters ? h->befores : h->afters;
    bool ranks = strcmp(text_of(row, "varies"), "ranks") == 0, one = strcmp(text_of(row, "value"), "kept") == 0;
    char values[96];
    if (*h->apart) {
        snprintf(said->figure, sizeof said->figure, "-");
        snprintf(said->from, sizeof said->from, "of different machines: %s; %s; %zu launch%s", h->apart, h->setup,
                 launches, launches == 1 ? "" : "es");
        return;
    }
    v.times = ranks ? strtod(text_of(row, "to"), NULL) / strtod(text_of(row, "from"), NULL) : 1;
    v.old = ovl_stats_summarise(h->before, h->befores).median;
    v.new = ovl_stats_summarise(h->after, h->afters).median;
    say_figure(said, row, h, &v);
    if (one)
        snprintf(values, sizeof values, "%.4g %s", v.new, text_of(row, "unit"));
    else
        snprintf(values, sizeof values, "%.4g to %.4g %s", v.old, v.new, text_of(row, "unit"));
    snprintf(said->from, sizeof said->from, "%s, %s; %zu launch%s", values, h->setup, launches,
             launches == 1 ? "" : "es");
}

static void say_none(struct ovl_published_here *said, const char *before, size_t cells, const char *behind)
{
    snprintf(said->figure, sizeof said->figure, "-");
    snprintf(said->from, sizeof said->from, "%s%zu cell%s %s", before, cells, cells == 1 ? "" : "s", behind);
}

/* What was left out of a row; `none` where nothing is left. */
static size_t say_left_out(struct ovl_published_here *said, const struct here *here, bool none)
{
    size_t n = 0;
    if (here->others > 0)
        say_none(&said[n++], "and ", here->others, "of further set-ups: give fewer files");
    if (here->invalid > 0)
        say_none(
            &said[n++], none ? "not measured: " : "left out: ", here->invalid,
            "without a claim (invalid, unshaped, emulated, of one rank, wrong, cut short, repeated or impossible)");
    else if (none && here->unlike > 0)
        say_none(&said[n++], "not measured: ", here->unlike,
                 "took work by the ratio; a rate wants it given, by --compute-us, --compute-units or --compute-real");
    return n;
}

size_t ovl_published_find(struct ovl_published_here said[OVL_PUBLISHED_LINES], const json_t *row,
                          const struct ovl_groups *groups)
{
    const char *input = text_of(row, "input"), *dash = text_of(row, "dash");
    size_t n = 0;
    snprintf(said->figure, sizeof said->figure, "-");
    if (*input || *dash) {
        snprintf(said->from, sizeof said->from, "%s%s", *input ? "input, not result: " : "", *input ? input : dash);
        return 1;
    }
    struct here *here = ovl_alloc(MOST_SETUPS, sizeof *here);
    for (size_t i = 0; i < groups->member_count; i++)
        collect(here, row, &groups->members[i]);
    for (size_t s = 0; s < MOST_SETUPS; s++)
        if (here[s].afters > 0 && here[s].befores > 0)
            say(&said[n++], row, &here[s]);
    n += say_left_out(said + n, here, n == 0);
    for (size_t s = 0; s < MOST_SETUPS; s++) {
        json_decref(here[s].machine);
        free(here[s].before);
        free(here[s].after);
    }
    free(here);
    if (n == 0)
        snprintf(said[n++].from, OVL_PUBLISHED_SAID, "not measured");
    return n;
}
