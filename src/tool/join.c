/* Joining launches into one table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/join.h"
#include "core/catalog.h"
#include "core/table.h"
#include "tool/facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A launch: the cells of one run that differ in nothing but their size. */
struct launch {
    char key[8];
    const struct ovl_run *run;
    const struct ovl_cell *sample; /* the first of them */
    char text[OVL_FACETS][OVL_FACET_TEXT];
};

/* A cell, or the place where a launch has none. */
struct entry {
    size_t launch;
    double size; /* -1 where the benchmark has no message */
    const struct ovl_cell *cell;
};

struct join {
    const struct ovl_record *record;
    struct launch *launches;
    struct entry *entries; /* by size, then launch */
    size_t launch_count, entry_count;
    size_t first_launch, first_entry; /* of the run that is gathered */
    bool differs[OVL_FACETS];
};

bool ovl_join_possible(const struct ovl_record *record)
{
    for (size_t r = 0; r < record->run_count; r++)
        if ((record->runs[r].cell_count > 0 && ovl_cell_solves(&record->runs[r].cells[0])) ||
            strcmp(ovl_run_text(&record->runs[r], "benchmark"), ovl_run_text(&record->runs[0], "benchmark")) != 0)
            return false;
    return record->run_count > 1;
}

/* a .. z, aa, ab ... */
static void put_key(char key[8], size_t n)
{
    char reversed[8];
    size_t length = 0;
    for (n++; n > 0 && length + 1 < sizeof reversed; n = (n - 1) / 26)
        reversed[length++] = (char)('a' + (n - 1) % 26);
    for (size_t i = 0; i < length; i++)
        key[i] = reversed[length - 1 - i];
    key[length] = '\0';
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static double size_of(const struct ovl_cell *cell)
{
    return isnan(cell->size_bytes) ? -1 : cell->size_bytes;
}

static bool has_size(const struct join *j, size_t launch, double size)
{
    for (size_t e = j->first_entry; e < j->entry_count; e++)
        if (j->entries[e].launch == launch && j->entries[e].size == size)
            return true;
    return false;
}

/* The launch that this cell belongs to, a new one when there is none; the same point measured twice makes two. */
static size_t launch_of(struct join *j, const struct ovl_run *run, const struct ovl_cell *cell)
{
    size_t l = j->first_launch;
    for (; l < j->launch_count; l++) {
        const struct ovl_cell *other = j->launches[l].sample;
        if (strcmp(other->mode, cell->mode) == 0 && strcmp(other->compute_kind, cell->compute_kind) == 0 &&
            same_number(other->ratio, cell->ratio) && !has_size(j, l, size_of(cell)))
            return l;
    }
    struct launch *new = &j->launches[j->launch_count++];
    new->run = run;
    new->sample = cell;
    put_key(new->key, l);
    for (size_t f = 0; f < OVL_FACETS; f++)
        ovl_facets[f].text(new->text[f], j->record, run, cell);
    return l;
}

static int by_size(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static int gather(struct join *j)
{
    size_t most = 0;
    for (size_t r = 0; r < j->record->run_count; r++)
        most += j->record->runs[r].cell_count;
    size_t launches = most + j->record->run_count;
    j->launches = calloc(launches ? launches : 1, sizeof *j->launches);
    j->entries = calloc(most ? most : 1, sizeof *j->entries);
    if (!j->launches || !j->entries)
        return -1;
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_run *run = &j->record->runs[r];
        j->first_launch = j->launch_count;
        j->first_entry = j->entry_count;
        for (size_t c = 0; c < run->cell_count; c++) {
            size_t l = launch_of(j, run, &run->cells[c]);
            j->entries[j->entry_count++] = (struct entry){l, size_of(&run->cells[c]), &run->cells[c]};
        }
        if (run->cell_count == 0) { /* named all the same: all its sizes are missing */
            put_key(j->launches[j->launch_count].key, j->launch_count);
            j->launches[j->launch_count++].run = run;
        }
    }
    return 0;
}

/* An entry without a cell wherever a launch lacks a size that another has. */
static int add_missing(struct join *j)
{
    size_t sizes = 0;
    qsort(j->entries, j->entry_count, sizeof *j->entries, by_size);
    for (size_t e = 0; e < j->entry_count; e++)
        sizes += e == 0 || j->entries[e].size != j->entries[e - 1].size;
    struct entry *all = calloc(sizes * j->launch_count + 1, sizeof *all);
    if (!all)
        return -1;
    size_t n = 0, at = 0;
    while (at < j->entry_count) {
        double size = j->entries[at].size;
        for (size_t l = 0; l < j->launch_count; l++)
            if (at < j->entry_count && j->entries[at].size == size && j->entries[at].launch == l)
                all[n++] = j->entries[at++];
            else
                all[n++] = (struct entry){l, size, NULL};
    }
    free(j->entries);
    j->entries = all;
    j->entry_count = n;
    return 0;
}

static bool applies(size_t facet, const struct launch *l)
{
    return l->sample && (ovl_facets[facet].axis != OVL_FACET_OFFLOAD || strcmp(l->sample->mode, "host") != 0);
}

/* Finds the facets in which launches differ, and writes those that they share. */
static void print_common(FILE *out, struct join *j)
{
    struct ovl_words words = {.head = "# common    "};
    for (size_t f = 0; f < OVL_FACETS; f++) {
        const struct launch *first = NULL;
        for (size_t l = 0; l < j->launch_count; l++) {
            if (!applies(f, &j->launches[l]))
                continue;
            first = first ? first : &j->launches[l];
            j->differs[f] |= strcmp(j->launches[l].text[f], first->text[f]) != 0;
        }
        if (first && !j->differs[f] && first->text[f][0])
            ovl_words_put(out, &words, first->text[f]);
    }
    ovl_words_end(out, &words);
}

/* Options that cells and facets tell already, and those that change only what is printed. */
static bool told_elsewhere(const char *option)
{
    static const char *const told[] = {"mode",   "compute", "compute_ratio", "compute_us", "num_test_calls", "skew",
                                       "rotate", "seed",    "json",          "format",     "full",           "quiet",
                                       "help",   "version", "progress",      "validation", "persistent"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(told[i], option) == 0)
            return true;
    return false;
}

static json_t *option_of(const struct ovl_run *run, const char *name)
{
    return json_object_get(json_object_get(run->head, "options"), name);
}

/* The options in which this launch's run differs from another run. */
static void print_options(FILE *out, struct ovl_words *words, const struct join *j, const struct ovl_run *run)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(run->head, "options"), name, value) {
        bool differs = false;
        for (size_t r = 0; r < j->record->run_count; r++)
            differs |= !json_equal(value, option_of(&j->record->runs[r], name));
        char *text = differs && !told_elsewhere(name) ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        if (text) {
            char option[160];
            snprintf(option, sizeof option, "%s=%s", name, text);
            ovl_words_put(out, words, option);
        }
        free(text);
    }
}

/* "b.jsonl", or "b.jsonl, run 2" when the file has several. */
static void print_file(FILE *out, struct ovl_words *words, const struct join *j, const struct ovl_run *run)
{
    char text[600];
    size_t number = 0, runs = 0;
    for (size_t r = 0; r < j->record->run_count; r++) {
        runs += j->record->runs[r].file == run->file;
        number = &j->record->runs[r] == run ? runs : number;
    }
    if (runs > 1)
        snprintf(text, sizeof text, "%.500s, run %zu", run->file, number);
    else
        snprintf(text, sizeof text, "%.500s", run->file);
    ovl_words_put(out, words, text);
}

static void print_launch(FILE *out, const struct join *j, const struct launch *l)
{
    char head[16];
    snprintf(head, sizeof head, "# %-9s ", l->key);
    struct ovl_words words = {.head = head};
    ovl_words_put(out, &words, l->sample ? l->sample->mode : "no cells");
    for (size_t f = 0; f < OVL_FACETS; f++)
        if (j->differs[f] && applies(f, l)) {
            const char *said = l->text[f][0] ? l->text[f] : ovl_facets[f].otherwise;
            if (said)
                ovl_words_put(out, &words, said);
        }
    print_options(out, &words, j, l->run);
    print_file(out, &words, j, l->run);
    if (!l->run->end)
        ovl_words_put(out, &words, "truncated");
    ovl_words_end(out, &words);
}

/* The launch's warning number w, or NULL. */
static const char *warning_of(const struct launch *l, size_t w)
{
    return json_string_value(json_array_get(json_object_get(l->run->head, "warnings"), w));
}

static bool warns(const struct launch *l, const char *warning)
{
    const char *text;
    for (size_t w = 0; (text = warning_of(l, w)); w++)
        if (strcmp(text, warning) == 0)
            return true;
    return false;
}

/* Each warning once, with the launches that it is about unless it is about all. */
static void print_warning(FILE *out, const struct join *j, size_t first, const char *warning)
{
    size_t about = 0;
    for (size_t l = 0; l < j->launch_count; l++) {
        about += warns(&j->launches[l], warning);
        if (l < first && warns(&j->launches[l], warning))
            return; /* told with that one */
    }
    fputs("# warning   ", out);
    for (size_t l = 0, told = 0; l < j->launch_count && about < j->launch_count; l++)
        if (warns(&j->launches[l], warning))
            fprintf(out, "%s%s", j->launches[l].key, ++told < about ? ", " : ": ");
    fprintf(out, "%s\n", warning);
}

static bool valid(const struct ovl_cell *cell)
{
    return cell && strcmp(cell->status, "invalid") != 0 && cell->unshaped <= 0;
}

static void put_ratio(char text[32], double of, double to)
{
    double ratio = to > 0 ? of / to : NAN;
    if (isfinite(ratio))
        snprintf(text, 32, "%.3f", ratio);
    else
        strcpy(text, "-");
}

/* A column: of the table of one run by its head, or a ratio to the first launch. */
struct column {
    const char *head;
    int width; /* 0: as in the table of one run */
    bool full;
    void (*ratio)(char text[32], const struct ovl_cell *cell, const struct ovl_cell *first);
};

static void total_ratio(char text[32], const struct ovl_cell *cell, const struct ovl_cell *first)
{
    put_ratio(text, cell->summary[OVL_TOTAL].median, first->summary[OVL_TOTAL].median);
}
static void comm_ratio(char text[32], const struct ovl_cell *cell, const struct ovl_cell *first)
{
    put_ratio(text, cell->summary[OVL_COMM].median, first->summary[OVL_COMM].median);
}
static void work_ratio(char text[32], const struct ovl_cell *cell, const struct ovl_cell *first)
{
    bool same_kernel = strcmp(cell->compute_kind, first->compute_kind) == 0;
    put_ratio(text, same_kernel ? cell->units : NAN, first->units);
}

static const struct column columns[] = {
    {"comm us", 0, false, NULL},      {"compute us", 0, true, NULL},      {"blocking us", 0, false, NULL},
    {"total us", 0, false, NULL},     {"total/a", 9, false, total_ratio}, {"comm/a", 9, false, comm_ratio},
    {"work/a", 9, false, work_ratio}, {"hidden %", 0, false, NULL},       {"95 % interval", 0, false, NULL},
    {"hideable %", 0, true, NULL},    {"vs blocking %", 0, true, NULL},   {"speedup", 0, true, NULL},
    {"slowdown", 0, true, NULL},      {"blocks", 0, true, NULL},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static int width_of(const struct column *c)
{
    return c->width > 0 ? c->width : ovl_column_find(c->head)->width;
}

static void print_columns(FILE *out, bool full)
{
    struct ovl_line line = {.at = 1};
    fputs("#\n#", out);
    ovl_line_put(out, &line, 10, "size");
    ovl_line_put(out, &line, 5, "key");
    ovl_line_put(out, &line, 5, "mode");
    for (const struct column *c = columns; c < columns + COLUMNS; c++)
        if (full || !c->full)
            ovl_line_put(out, &line, width_of(c), c->head);
    fputs("  status\n", out);
}

static void print_entry(FILE *out, const struct join *j, const struct entry *e, const struct ovl_cell *first, bool full)
{
    struct ovl_line line = {0, 0};
    const struct launch *launch = &j->launches[e->launch];
    char text[32] = "-";
    if (e->size >= 0)
        snprintf(text, sizeof text, "%.0f", e->size);
    ovl_line_put(out, &line, 10, text);
    ovl_line_put(out, &line, 5, launch->key);
    ovl_line_put(out, &line, 5, launch->sample ? launch->sample->mode : "-");
    for (const struct column *c = columns; c < columns + COLUMNS; c++) {
        if (c->full && !full)
            continue;
        strcpy(text, "-");
        if (e->cell && !c->ratio)
            ovl_column_find(c->head)->print(e->cell, text);
        else if (valid(e->cell) && valid(first))
            c->ratio(text, e->cell, first);
        ovl_line_put(out, &line, width_of(c), text);
    }
    strcpy(text, "missing");
    if (e->cell)
        ovl_column_find("status")->print(e->cell, text);
    fprintf(out, "  %s\n", text);
}

static void print_table(FILE *out, struct join *j, bool full)
{
    const struct ovl_run *run = &j->record->runs[0];
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    const struct ovl_cell *first = NULL;
    fprintf(out, "# %s: %s, blocking twin %s; %zu launches\n", b ? b->program : ovl_run_text(run, "benchmark"),
            b ? b->call : "?", b ? b->blocking : "?", j->launch_count);
    print_common(out, j);
    for (size_t l = 0; l < j->launch_count; l++)
        print_launch(out, j, &j->launches[l]);
    const char *warning;
    for (size_t l = 0; l < j->launch_count; l++)
        for (size_t w = 0; (warning = warning_of(&j->launches[l], w)); w++)
            print_warning(out, j, l, warning);
    print_columns(out, full);
    for (size_t e = 0; e < j->entry_count; e++) {
        if (j->entries[e].launch == 0)
            first = j->entries[e].cell;
        print_entry(out, j, &j->entries[e], first, full);
    }
    fputs("# /a: divided by launch a's at the same size. Totals compare like with like only where work/a is 1.000; "
          "ovl(1)\n# says how to give launches the same work. One launch a side shows no more than this pair of "
          "launches.\n",
          out);
}

int ovl_join_print(FILE *out, const struct ovl_record *record, bool full, struct ovl_error *err)
{
    struct join j = {.record = record};
    int rc = gather(&j) == 0 && add_missing(&j) == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    if (rc == 0)
        print_table(out, &j, full);
    free(j.launches);
    free(j.entries);
    return rc;
}
