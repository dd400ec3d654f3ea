/* The charts of a training's epochs: what a step takes by the order in which samples are read, what checkpoints cost by
   who writes them, and goodput over the steps between checkpoints, beside what is expected. A panel per cell; a series
   per order, or per way of writing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/faults.h"
#include "stats/stats.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE = 48 }; /* points of a line of what is expected */

static double number(const json_t *of, const char *name)
{
    const json_t *value = json_object_get(of, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *of, const char *name)
{
    const char *value = json_string_value(json_object_get(of, name));
    return value ? value : "";
}

/* The list of a cell, and what its kinds are called by. */
struct list {
    const json_t *(*of)(const struct ovl_cell *cell);
    const char *name;
};

static const json_t *orders_of(const struct ovl_cell *cell)
{
    return json_object_get(json_object_get(cell->extra, "dataset"), "orders");
}

static const json_t *checkpoints_of(const struct ovl_cell *cell)
{
    return json_object_get(cell->extra, "epochs");
}

static const json_t *failing_of(const struct ovl_cell *cell)
{
    return json_object_get(json_object_get(cell->extra, "faults"), "kinds");
}

static const struct list orders = {orders_of, "order"}, checkpoints = {checkpoints_of, "checkpoint"},
                         failing = {failing_of, "checkpoint"};

static size_t find_series(struct ovl_chart_data *arranged, const char *label)
{
    size_t s = 0;
    while (s < arranged->series_count && strcmp(arranged->series[s].label, label) != 0)
        s++;
    if (s == arranged->series_count && s < OVL_FIGURE_SERIES) {
        arranged->series[s] = (struct ovl_series){.mode = OVL_SERIES_OTHER, .style = (int)s + 1};
        snprintf(arranged->series[s].label, OVL_FIGURE_LABEL, "%s", label);
        arranged->series_count++;
    }
    return s;
}

static bool has_series(const struct ovl_chart_data *arranged, size_t series)
{
    bool has = false;
    for (size_t i = 0; i < arranged->point_count; i++)
        has |= arranged->points[i].panel == arranged->panel_count && arranged->points[i].series == series;
    return has;
}

static void arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure, const struct list *list)
{
    *arranged = *figure;
    arranged->panel_count = arranged->point_count = arranged->series_count = arranged->left_out = 0;
    arranged->points = ovl_alloc(OVL_FIGURE_SERIES * figure->point_count, sizeof *arranged->points);
    for (size_t i = 0; i < figure->point_count && arranged->panel_count < OVL_FIGURE_PANELS; i++) {
        const struct ovl_point *p = &figure->points[i];
        size_t before = arranged->point_count, k;
        const json_t *kind;
        json_array_foreach(list->of(p->cell), k, kind) {
            size_t s = strcmp(text(kind, list->name), "none") == 0 ? OVL_FIGURE_SERIES
                                                                   : find_series(arranged, text(kind, list->name));
            if (s < OVL_FIGURE_SERIES && !has_series(arranged, s))
                arranged->points[arranged->point_count++] = ovl_chart_point_at(p, arranged->panel_count, s);
        }
        if (arranged->point_count > before)
            ovl_chart_name_cell(arranged->panels[arranged->panel_count++], figure, p);
    }
}

void ovl_chart_loading_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure)
{
    arrange(arranged, figure, &orders);
}

void ovl_chart_excess_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure)
{
    arrange(arranged, figure, &checkpoints);
}

void ovl_chart_goodput_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure)
{
    size_t named = 0;
    arrange(arranged, figure, &failing);
    for (size_t i = 0; i < arranged->point_count; i++) {
        const struct ovl_point *p = &arranged->points[i];
        char *name = arranged->panels[p->panel];
        size_t n = strlen(name);
        if (p->panel < named)
            continue;
        named = p->panel + 1;
        snprintf(name + n, OVL_FIGURE_LABEL - n, "%sfailures every %.6g steps", n ? ", " : "",
                 number(json_object_get(p->cell->extra, "faults"), "mtbf_steps"));
    }
}

/* The kind of a point's series. */
static const json_t *kind_of(const struct ovl_chart_data *figure, const struct ovl_point *p, const struct list *list)
{
    const json_t *kind;
    size_t i;
    json_array_foreach(list->of(p->cell), i, kind) {
        if (strcmp(text(kind, list->name), figure->series[p->series].label) == 0)
            return kind;
    }
    return NULL;
}

static struct ovl_summary seconds_of(const json_t *kind)
{
    const json_t *seconds = json_object_get(kind, "seconds");
    size_t n = json_array_size(seconds);
    double *x = ovl_alloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = json_number_value(json_array_get(seconds, i));
    struct ovl_summary s = ovl_stats_summarise(x, n);
    free(x);
    return s;
}

/* A step with its interval, and in it the wait for samples. */
bool ovl_chart_loading_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *o = kind_of(figure, p, &orders);
    struct ovl_summary s = seconds_of(o);
    double steps = number(o, "steps");
    fprintf(out, "%zu", p->series + 1);
    ovl_chart_put_estimate(out, (struct ovl_estimate){s.median, s.ci_low, s.ci_high}, 1 / steps);
    ovl_chart_put(out, number(o, "stall_seconds") / steps);
    ovl_chart_put(out, 100 * number(o, "au"));
    ovl_chart_put(out, 100 * number(o, "hit_rate"));
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return !isnan(s.median);
}

void ovl_chart_loading_note(char note[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(note, OVL_FIGURE_LABEL,
             "light: the wait for samples; above the bar the part of them out of memory, and the accelerator "
             "utilisation%s%s",
             *crosses ? "; x: " : "", crosses);
}

/* What an epoch takes more than without checkpoints, in percent, and of that the part in them. */
bool ovl_chart_excess_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *kind = kind_of(figure, p, &checkpoints), *excess = json_object_get(kind, "excess"),
                 *none = json_array_get(checkpoints_of(p->cell), 0);
    double without = number(none, "median_seconds"), low = number(excess, "ci_low"), high = number(excess, "ci_high"),
           value = number(kind, "median_seconds") / without - 1;
    fprintf(out, "%zu", p->series + 1);
    ovl_chart_put_estimate(out, (struct ovl_estimate){value, low, high}, 100);
    ovl_chart_put(out, 100 * number(kind, "stall_seconds") / without);
    ovl_chart_put(out, 100 * number(kind, "copy_seconds") / without);
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return isfinite(value);
}

void ovl_chart_excess_note(char note[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(note, OVL_FIGURE_LABEL,
             "of the time of an epoch without checkpoints; lines across a bar: the time in checkpoints, and dotted in "
             "the copies%s%s",
             *crosses ? "; x: " : "", crosses);
}

/* Kinds of a line: what was measured; what is expected; and whose formula says how often. */
enum { MEASURED, EXPECTED, DALY, YOUNG };

static void put_goodput(FILE *out, double interval, struct ovl_estimate goodput, int what, int status)
{
    fprintf(out, "%.9g", interval);
    ovl_chart_put_estimate(out, goodput, 100);
    fprintf(out, "\t%d\t%d\n", what, status);
}

static bool is_of(const struct ovl_chart_data *figure, const struct ovl_point *p, const json_t *kind)
{
    return strcmp(text(kind, "checkpoint"), figure->series[p->series].label) == 0;
}

/* The formula over all intervals, with what checkpoints and restarts took in the mean of all kinds. */
static void put_expected(FILE *out, const struct ovl_point *p, double cost, double restart)
{
    const json_t *faults = json_object_get(p->cell->extra, "faults");
    double steps = number(faults, "steps");
    for (int i = 0; i < CURVE && steps > 1; i++) {
        double interval = pow(steps, i / (double)(CURVE - 1)),
               goodput = ovl_faults_goodput(number(faults, "mtbf_steps"), interval, cost, restart);
        put_goodput(out, interval, (struct ovl_estimate){goodput, NAN, NAN}, EXPECTED, 0);
    }
}

bool ovl_chart_goodput_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *kind;
    double step = number(json_object_get(p->cell->extra, "faults"), "step_seconds"), cost = 0, restart = 0;
    size_t i, n = 0;
    json_array_foreach(failing_of(p->cell), i, kind) {
        const json_t *limits = json_object_get(kind, "goodput_ci");
        if (!is_of(figure, p, kind))
            continue;
        put_goodput(out, number(kind, "interval_steps"),
                    (struct ovl_estimate){number(kind, "goodput"), number(limits, "ci_low"), number(limits, "ci_high")},
                    MEASURED, ovl_chart_status(p));
        cost += number(kind, "checkpoint_seconds") / step;
        restart += number(kind, "restart_seconds") / step;
        if (strstr(text(kind, "checkpoint"), "helper") && json_object_get(kind, "persist_seconds"))
            restart += number(kind, "persist_seconds") / step;
        n++;
        if (strcmp(text(kind, "by"), "daly") != 0)
            continue;
        put_goodput(out, number(kind, "daly_steps"), (struct ovl_estimate){1, NAN, NAN}, DALY, 0);
        put_goodput(out, number(kind, "young_steps"), (struct ovl_estimate){1, NAN, NAN}, YOUNG, 0);
    }
    put_expected(out, p, cost / (double)n, restart / (double)n);
    return n > 0;
}

void ovl_chart_goodput_note(char note[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(note, OVL_FIGURE_LABEL,
             "points: measured, with 95 %% intervals; lines: expected, with what checkpoints and restarts took in the "
             "mean; upright: Daly's interval, and dotted Young's%s%s",
             *crosses ? "; x: " : "", crosses);
}
