/* Lines of what is simulated: no cell, no record, and no other chart takes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/ranks.h"
#include "base/path.h"
#include "base/printable.h"
#include "record/record.h"
#include "tool/chart/column.h"
#include "tool/chart/file.h"
#include "tool/util/command.h"
#include "tool/util/json_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 4, MODES = 5, POINTS = 4000, PUBLISHED = 8, NAME = 400 };

/* In the order of the styles: an odd one for who has no workers. */
static const struct {
    const char *name, *label;
    int style;
} modes[MODES] = {{"blocking", "blocking", 1},
                  {"host", "host", 3},
                  {"host-t", "host, testing", 5},
                  {"thread", "thread", 12},
                  {"dpu", "workers", 2}};

struct ranks {
    const char *file;
    json_t *rates; /* of the first line, lent by `lines` */
    json_t *lines; /* all */
    char benchmark[32], model[NAME], panel[PANELS][NAME];
    size_t panels, points;
    struct {
        size_t panel, mode;
        double ranks, total, work;
    } point[POINTS];
    struct {
        const char *of;
        double ranks, percent;
    } published[PUBLISHED];
    size_t published_count;
    json_t *figures; /* share/ovl/published.json */
    char said[300];  /* what of it is drawn */
};

static const char *text_of(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));
    return text ? text : "";
}

static double number_of(const json_t *line, const char *name)
{
    return json_is_number(json_object_get(line, name)) ? json_number_value(json_object_get(line, name)) : NAN;
}

static bool trains(const struct ranks *r)
{
    return strcmp(r->benchmark, "train") == 0;
}

/* The problem without what is said of its ranks and what grows with them ("..., 64 samples a step, ..."), or the size.
 */
static void name_panel(char name[NAME], const json_t *line)
{
    const char *problem = text_of(line, "problem");
    snprintf(name, NAME, "%s", problem);
    char *grid = strstr(name, ", on "), *samples = strstr(name, " samples a step");
    if (grid)
        *grid = '\0';
    if (!grid && samples) {
        char *rest = samples + strlen(" samples a step");
        while (samples > name && *samples != ',')
            samples--;
        memmove(samples, rest, strlen(rest) + 1);
    }
    if (!*problem)
        snprintf(name, NAME, "%.0f bytes", number_of(line, "size_bytes"));
}

static int place_of(struct ranks *r, const json_t *line, size_t *panel, size_t *mode, struct ovl_error *err)
{
    char name[NAME];
    name_panel(name, line);
    for (*panel = 0; *panel < r->panels && strcmp(r->panel[*panel], name) != 0;)
        ++*panel;
    for (*mode = 0; *mode < MODES && strcmp(modes[*mode].name, text_of(line, "mode")) != 0;)
        ++*mode;
    if (*mode == MODES || r->points == POINTS)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: mode %.40s: no chart has it", r->file, text_of(line, "mode"));
    if (*panel == PANELS)
        return ovl_error_set(err, OVL_USAGE, "%s: more than %d problems or sizes; give fewer files", r->file, PANELS);
    if (*panel == r->panels)
        snprintf(r->panel[r->panels++], NAME, "%s", name);
    return 0;
}

static int add_line(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    struct ranks *r = to;
    if (strcmp(text_of(line, "record"), "simulated") != 0)
        return ovl_error_set(err, OVL_WRONG_DATA,
                             "%s:%zu: no line of what is simulated; the chart of ranks has no other", r->file, number);
    if (!json_object_get(line, "rates"))
        return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: rates: is missing", r->file, number);
    json_array_append(r->lines, line);
    if (json_array_size(r->lines) == 1) {
        snprintf(r->benchmark, sizeof r->benchmark, "%s", text_of(line, "benchmark"));
        snprintf(r->model, sizeof r->model, "%s", text_of(line, "trained_model"));
        r->rates = json_object_get(line, "rates");
    }
    if (strcmp(r->benchmark, text_of(line, "benchmark")) != 0 || !json_equal(r->rates, json_object_get(line, "rates")))
        return ovl_error_set(err, OVL_USAGE,
                             "%s:%zu: of another program, or with other rates, than the lines before: draw them apart",
                             r->file, number);
    if (strcmp(r->model, text_of(line, "trained_model")) != 0)
        *r->model = '\0'; /* of several there is no published one */
    size_t panel, mode;
    if (place_of(r, line, &panel, &mode, err) != 0)
        return -1;
    if (!(number_of(line, "ranks") >= 1) || !(number_of(line, "simulated_total_seconds") >= 0))
        return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: ranks or simulated_total_seconds: no number", r->file,
                             number);
    r->point[r->points].panel = panel;
    r->point[r->points].mode = mode;
    r->point[r->points].ranks = number_of(line, "ranks");
    r->point[r->points].total = number_of(line, "simulated_total_seconds");
    r->point[r->points++].work = number_of(line, "simulated_compute_seconds");
    return 0;
}

/* Of the model that is drawn: how efficient so many ranks were found to be. */
static int find_published(struct ranks *r, struct ovl_error *err)
{
    struct ovl_path path;
    size_t i, k;
    json_t *row, *figure;
    if (!trains(r) || !*r->model)
        return 0;
    r->figures = ovl_command_share("published.json", &path, err) == 0 ? ovl_json_file_load(path.text, NULL, err) : NULL;
    if (!r->figures)
        return -1;
    json_array_foreach(json_object_get(r->figures, "rows"), i, row) {
        double ranks = number_of(row, "ranks");
        if (!(ranks > 0) || r->published_count > 0 || strcmp(text_of(row, "formula"), "efficiency") != 0 ||
            strcmp(text_of(json_object_get(row, "where"), "model"), r->model) != 0)
            continue;
        json_array_foreach(json_object_get(row, "published"), k, figure) {
            if (r->published_count == PUBLISHED)
                break;
            r->published[r->published_count].of = text_of(figure, "of");
            r->published[r->published_count].ranks = ranks;
            r->published[r->published_count++].percent = number_of(figure, "value");
        }
        snprintf(r->said, sizeof r->said, "published: %s; %s. Its network and its libraries are not simulated",
                 text_of(row, "setup"), text_of(json_object_get(r->figures, "sources"), text_of(row, "source")));
    }
    return 0;
}

/* The least number of ranks beyond `last` that the series has; INFINITY where there is none. */
static double next_ranks(const struct ranks *r, size_t panel, size_t mode, double last)
{
    double next = INFINITY;
    for (size_t i = 0; i < r->points; i++)
        if (r->point[i].panel == panel && r->point[i].mode == mode && r->point[i].ranks > last)
            next = fmin(next, r->point[i].ranks);
    return next;
}

static void write_series(const struct ranks *r, FILE *out, size_t panel, size_t mode)
{
    size_t lines = 0;
    double at = 0;
    fprintf(out, "# %s, %s\n", modes[mode].name, r->panel[panel]);
    while (isfinite(at = next_ranks(r, panel, mode, at)))
        for (size_t i = 0; i < r->points; i++) {
            bool here = !(r->point[i].ranks < at) && !(r->point[i].ranks > at);
            if (r->point[i].panel != panel || r->point[i].mode != mode || !here)
                continue;
            fprintf(out, "%.0f", at);
            ovl_chart_put(out, r->point[i].total);
            ovl_chart_put(out, 100 * r->point[i].work / r->point[i].total);
            fputs("\n", out);
            lines++;
        }
    fputs(lines == 0 ? "NaN\tNaN\tNaN\n\n\n" : "\n\n", out);
}

static void write_published(const struct ranks *r, FILE *out)
{
    fputs("# published\n", out);
    for (size_t i = 0; i < r->published_count; i++) {
        fprintf(out, "%.0f\t%.9g\t", r->published[i].ranks, r->published[i].percent);
        ovl_chart_put_name(out, r->published[i].of, NAME);
        fputs("\n", out);
    }
    fputs(r->published_count == 0 ? "NaN\tNaN\t\"\"\n\n\n" : "\n\n", out);
}

static int fill(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err)
{
    const struct ranks *r = of;
    char head[400], title[80];
    size_t drawn = 0;
    (void)err;
    bool has[MODES] = {false};
    for (size_t i = 0; i < r->points; i++)
        has[r->point[i].mode] = true;
    for (size_t panel = 0; panel < r->panels; panel++) {
        for (size_t m = 0; m < MODES; m++)
            if (has[m])
                write_series(r, data, panel, m);
        ovl_gnuplot_text(g, "panel", panel + 1, r->panel[panel]);
    }
    write_published(r, data);
    for (size_t m = 0; m < MODES; m++) {
        if (!has[m])
            continue;
        ovl_gnuplot_text(g, "series", ++drawn, modes[m].label);
        ovl_gnuplot_number(g, "style", drawn, modes[m].style);
    }
    ovl_gnuplot_number(g, "series", 0, (double)drawn);
    ovl_gnuplot_number(g, "panels", 0, (double)r->panels);
    ovl_gnuplot_number(g, "efficiency", 0, trains(r));
    ovl_gnuplot_number(g, "published", 0, (double)r->published_count);
    snprintf(title, sizeof title, "ovl_%s", r->benchmark);
    ovl_gnuplot_text(g, "benchmark", 0, title);
    snprintf(head, sizeof head,
             "%s; links of %.4g Gbit/s, %.4g µs from node to node; a message %.4g µs of a core, "
             "a byte %.4g ns between nodes and %.4g ns in memory; no noise",
             text_of(json_array_get(r->lines, 0), "model"), 8e-9 * number_of(r->rates, "link_bytes_per_second"),
             1e6 * number_of(r->rates, "latency_seconds"), 1e6 * number_of(r->rates, "overhead_seconds"),
             1e9 * number_of(r->rates, "carry_seconds_per_byte"), 1e9 * number_of(r->rates, "copy_seconds_per_byte"));
    ovl_gnuplot_lines(g, "head", head);
    ovl_gnuplot_lines(g, "note", r->said);
    ovl_gnuplot_number(g, "warnings", 0, 0);
    return 0;
}

static int read_and_draw(struct ranks *r, char *const *files, size_t count, const char *folder, const char *kind,
                         struct ovl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        r->file = files[i];
        if (ovl_record_lines(files[i], add_line, r, err) != 0)
            return -1;
    }
    if (r->points == 0)
        return ovl_error_set(err, OVL_WRONG_DATA, "no chart made: no line of what is simulated is in these files");
    if (find_published(r, err) != 0)
        return -1;
    char name[sizeof r->benchmark];
    snprintf(name, sizeof name, "%s", r->benchmark);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '_';
    const struct ovl_path path = ovl_path("%s/%s-ranks.%s", folder, name, kind);
    if (ovl_chart_file_draw(path.text, "ranks", fill, r, err) != 0)
        return -1;
    ovl_printable_put(stdout, path.text);
    puts("");
    return 0;
}

int ovl_chart_ranks(char *const *files, size_t count, const char *folder, const char *kind, struct ovl_error *err)
{
    struct ranks *r = ovl_alloc(1, sizeof *r);
    r->lines = json_array();
    int rc = read_and_draw(r, files, count, folder, kind, err);
    json_decref(r->lines);
    json_decref(r->figures);
    free(r);
    return rc;
}
