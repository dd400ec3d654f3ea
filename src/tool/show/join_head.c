/* The head of a joined table: what launches share, in what each differs, and what they warn of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "cli/catalog.h"
#include "table/table.h"
#include "tool/cells/one_build.h"
#include "tool/cells/point.h"
#include "tool/show/join_state.h"

#include <stdlib.h>
#include <string.h>

static bool applies(const struct ovl_field *facet, const struct ovl_join_launch *l)
{
    return l->sample && (facet->axis != OVL_AXIS_OFFLOAD || strcmp(l->sample->mode, "host") != 0);
}

/* Finds the facets in which launches differ, and writes those that they share. */
static void print_common(FILE *out, struct ovl_join *j)
{
    struct ovl_words words = {.head = "# common    "};
    for (size_t f = 0; f < j->facets; f++) {
        const struct ovl_join_launch *first = NULL;
        for (size_t l = 0; l < j->launch_count; l++) {
            if (!applies(j->facet[f], &j->launches[l]))
                continue;
            first = first ? first : &j->launches[l];
            j->differs[f] |= strcmp(j->launches[l].text[f], first->text[f]) != 0;
        }
        if (first && !j->differs[f] && first->text[f][0])
            ovl_words_put(out, &words, "%s", first->text[f]);
    }
    ovl_words_end(out, &words);
}

/* Options that cells and facets tell already, and those that change only what is printed. */
static bool told_elsewhere(const char *option)
{
    const struct ovl_field *f = ovl_point_find(option);
    if (f && strncmp(f->path, "options.", 8) == 0)
        return true;
    static const char *const told[] = {"mode",       "compute",    "compute_ratio", "compute_us", "num_test_calls",
                                       "skew",       "rotate",     "seed",          "json",       "format",
                                       "full",       "quiet",      "help",          "version",    "progress",
                                       "validation", "persistent", "percentiles"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(told[i], option) == 0)
            return true;
    return false;
}

/* The options in which this launch's run differs from another run. */
static void print_options(FILE *out, struct ovl_words *words, const struct ovl_join *j, const struct ovl_run *run)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(run->head, "options"), name, value) {
        bool differs = json_object_get(j->options, name);
        char *text = differs && !told_elsewhere(name) ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        if (text)
            ovl_words_put(out, words, "%s=%.140s", name, text);
        free(text);
    }
}

/* "b.jsonl", or "b.jsonl, run 2" when the file has several. */
static void print_file(FILE *out, struct ovl_words *words, const struct ovl_join *j, const struct ovl_run *run)
{
    char text[600];
    size_t number = 0, runs = 0;
    for (size_t r = 0; r < j->record->run_count; r++) {
        runs += j->record->runs[r].file == run->file;
        number = &j->record->runs[r] == run ? runs : number;
    }
    snprintf(text, sizeof text, runs > 1 ? "%.500s, run %zu" : "%.500s", run->file, number);
    ovl_printable_bytes(text);
    ovl_words_put(out, words, "%s", text);
}

static void print_launch(FILE *out, const struct ovl_join *j, const struct ovl_join_launch *l)
{
    char head[16];
    snprintf(head, sizeof head, "# %-9s ", l->key);
    struct ovl_words words = {.head = head};
    ovl_words_put(out, &words, "%s", l->sample ? l->sample->mode : "no cells");
    for (size_t f = 0; f < j->facets; f++)
        if (j->differs[f] && applies(j->facet[f], l) && l->text[f][0])
            ovl_words_put(out, &words, "%s", l->text[f]);
    print_options(out, &words, j, l->run);
    print_file(out, &words, j, l->run);
    if (ovl_run_unended(l->run))
        ovl_words_put(out, &words, "%s", l->run->end ? ovl_run_unended(l->run) : "truncated");
    ovl_words_end(out, &words);
}

/* The launch's warning number w, or NULL. */
static const char *warning_of(const struct ovl_join_launch *l, size_t w)
{
    return json_string_value(json_array_get(json_object_get(l->run->head, "warnings"), w));
}

static bool warns(const struct ovl_join_launch *l, const char *warning)
{
    const char *text;
    for (size_t w = 0; (text = warning_of(l, w)); w++)
        if (strcmp(text, warning) == 0)
            return true;
    return false;
}

/* Each warning once, with the launches that it is about unless it is about all. */
static void print_warning(FILE *out, const struct ovl_join *j, size_t first, const char *warning)
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

void ovl_join_head(FILE *out, struct ovl_join *j)
{
    const char *benchmark = ovl_run_text(&j->record->runs[0], "benchmark"), *warning;
    const struct ovl_benchmark *b = ovl_benchmark_find(benchmark);
    fprintf(out, "# %s: %s, blocking twin %s; %zu launches\n", b ? b->program : benchmark, b ? b->call : "?",
            b ? b->blocking : "?", j->launch_count);
    print_common(out, j);
    size_t builds = ovl_one_build_count(j->record);
    if (builds > 1)
        fprintf(out, "# note      of %zu builds: ovl_version, git or build of their records differ\n", builds);
    for (size_t l = 0; l < j->launch_count; l++)
        print_launch(out, j, &j->launches[l]);
    for (size_t l = 0; l < j->launch_count; l++)
        for (size_t w = 0; (warning = warning_of(&j->launches[l], w)); w++)
            print_warning(out, j, l, warning);
}
