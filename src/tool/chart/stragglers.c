/* The chart of what each rank exposed: a box per cell that has samples of single ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "record/derived/rank_times.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMED = 5,        /* ranks that are named */
    LEGEND_NODES = 6, /* nodes that the legend has room for */
    LISTS = 3,        /* lines of them */
    NODE_LINES = 32,  /* nodes that lines can stand between */
    LINE = 74,        /* characters of the small print in a line */
};

void ovl_chart_stragglers_arrange(struct ovl_chart_data *cells, const struct ovl_chart_data *figure)
{
    *cells = *figure;
    cells->panel_count = cells->point_count = cells->left_out = 0;
    cells->series_count = 1;
    cells->points = ovl_alloc(figure->point_count, sizeof *cells->points);
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        if (!json_object_get(p->cell->extra, "rank_samples"))
            continue;
        if (cells->panel_count == OVL_FIGURE_PANELS) {
            cells->left_out++;
            continue;
        }
        ovl_chart_name_cell(cells->panels[cells->panel_count], figure, p);
        cells->points[cells->point_count++] = ovl_chart_point_at(p, cells->panel_count++, 0);
    }
}

/* May a line stand between nodes? Where ranks are dealt in turn, or nodes are many, lines would hide the ranks. */
static bool nodes_in_a_row(const struct ovl_rank_time *times, size_t ranks)
{
    for (size_t r = 1; r < ranks; r++)
        if (times[r].node < times[r - 1].node)
            return false;
    return times[ranks - 1].node - times[0].node < NODE_LINES;
}

bool ovl_chart_stragglers_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    size_t ranks, worst[NAMED], drawn = 0;
    struct ovl_rank_time *times = ovl_rank_times(p->run, p->cell, &ranks);
    (void)figure;
    if (!times) {
        fputs("NaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\n", out);
        return false;
    }
    size_t named = ovl_rank_times_worst(times, ranks, worst, NAMED);
    double median = ovl_rank_times_median(times, ranks);
    bool lines = nodes_in_a_row(times, ranks);
    for (size_t r = 0; r < ranks; r++) {
        const struct ovl_rank_time *t = &times[r];
        size_t place = 0;
        while (place < named && worst[place] != r)
            place++;
        fprintf(out, "%zu", r);
        ovl_chart_put(out, t->seconds);
        ovl_chart_put(out, isfinite(t->ci_low) ? t->ci_low : t->seconds);
        ovl_chart_put(out, isfinite(t->ci_high) ? t->ci_high : t->seconds);
        ovl_chart_put(out, median);
        fprintf(out, "\t%d\t%d\t%zu\n", t->node, lines && r > 0 && t->node != times[r - 1].node,
                place < named ? place + 1 : 0);
        drawn += isfinite(t->seconds);
    }
    free(times);
    return drawn > 0;
}

static void time_text(char text[24], double seconds)
{
    double size = fabs(seconds);
    if (size < 0.9995e-3)
        snprintf(text, 24, "%.3g µs", 1e6 * seconds);
    else if (size < 0.9995)
        snprintf(text, 24, "%.3g ms", 1e3 * seconds);
    else
        snprintf(text, 24, "%.3g s", seconds);
}

/* "1: 37 on node003, 45 µs; 2: ...", in lines. Returns how many. */
static size_t name_worst(struct ovl_gnuplot *g, const struct ovl_point *p, size_t box)
{
    static const char *const names[LISTS] = {"first", "second", "third"};
    char lines[LISTS][OVL_FIGURE_LABEL] = {"", "", ""};
    size_t ranks, worst[NAMED], line = 0;
    struct ovl_rank_time *times = ovl_rank_times(p->run, p->cell, &ranks);
    size_t named = times ? ovl_rank_times_worst(times, ranks, worst, NAMED) : 0;
    for (size_t i = 0; i < named; i++) {
        char at[24], one[128];
        const struct ovl_rank_time *t = &times[worst[i]];
        const char *node = ovl_rank_node_name(p->run, t->node);
        time_text(at, t->seconds);
        ovl_utf8_print(one, sizeof one, "%zu: %s%zu%s%.24s, %s", i + 1, i == 0 ? "rank " : "", worst[i],
                       *node ? " on " : "", node, at);
        if (*lines[line] && strlen(lines[line]) + strlen(one) > LINE && line + 1 < LISTS)
            line++;
        size_t n = strlen(lines[line]);
        snprintf(lines[line] + n, OVL_FIGURE_LABEL - n, "%s%s", n ? "; " : "", one);
    }
    free(times);
    for (size_t i = 0; i < LISTS; i++)
        ovl_gnuplot_text(g, names[i], box, lines[i]);
    return line + 1;
}

void ovl_chart_stragglers_labels(struct ovl_gnuplot *g, const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const struct ovl_run *run = figure->point_count > 0 ? figure->points[0].run : NULL;
    size_t nodes = json_array_size(run ? json_object_get(run->head, "hosts") : NULL), lists = 1;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        size_t lines = p->panel >= first && p->panel < last ? name_worst(g, p, p->panel - first + 1) : 1;
        lists = lines > lists ? lines : lists;
        if (p->run != run) /* other machines have other nodes */
            nodes = 0;
    }
    nodes = nodes <= LEGEND_NODES ? nodes : 0;
    ovl_gnuplot_number(g, "lists", 0, (double)lists);
    ovl_gnuplot_number(g, "nodes", 0, (double)nodes);
    for (size_t n = 0; n < nodes; n++)
        ovl_gnuplot_text(g, "node", n + 1, ovl_rank_node_name(run, (int)n));
}

void ovl_chart_stragglers_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                               size_t last)
{
    (void)first, (void)last;
    snprintf(
        text, OVL_FIGURE_LABEL,
        "a rank's own T - W, medians over the blocks, with the 95 %% interval of T; dashed: median over the ranks; "
        "colours: nodes, in turn");
    if (figure->left_out > 0)
        snprintf(text + strlen(text), OVL_FIGURE_LABEL - strlen(text), "; %zu more cells are not drawn",
                 figure->left_out);
}
