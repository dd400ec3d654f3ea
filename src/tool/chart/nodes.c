/* The chart over nodes: the time of a step or transform by the host and by workers, and what these gain. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/point.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double nodes_of(const struct ovl_point *p)
{
    return json_number_value(json_object_get(p->run->head, "nodes"));
}

/* A panel's name without what is said of ranks and nodes. */
static void name_panel(char name[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    char ranks[OVL_FACET_TEXT], nodes[OVL_FACET_TEXT];
    const char *from = figure->panels[p->panel];
    ovl_facet_text(ranks, ovl_point_find("ranks"), NULL, p->run, p->cell);
    ovl_facet_text(nodes, ovl_point_find("nodes"), NULL, p->run, p->cell);
    *name = '\0';
    while (*from) {
        const char *comma = strstr(from, ", ");
        size_t n = comma ? (size_t)(comma - from) : strlen(from), length = strlen(name);
        bool skip = (n == strlen(ranks) && strncmp(from, ranks, n) == 0) ||
                    (n == strlen(nodes) && strncmp(from, nodes, n) == 0);
        if (!skip)
            snprintf(name + length, OVL_FIGURE_LABEL - length, "%s%.*s", length ? ", " : "", (int)n, from);
        from += n + (comma ? 2 : 0);
    }
}

static size_t find_panel(struct ovl_chart_data *arranged, const char *name)
{
    size_t i = 0;
    while (i < arranged->panel_count && strcmp(arranged->panels[i], name) != 0)
        i++;
    if (i == arranged->panel_count)
        strcpy(arranged->panels[arranged->panel_count++], name);
    return i;
}

static bool taken(const struct ovl_chart_data *arranged, const struct ovl_point *p)
{
    for (size_t i = 0; i < arranged->point_count; i++) {
        const struct ovl_point *q = &arranged->points[i];
        if (q->panel == p->panel && q->series == p->series && nodes_of(q) == nodes_of(p))
            return true;
    }
    return false;
}

static int by_nodes(const void *a, const void *b)
{
    const struct ovl_point *p = a, *q = b;
    if (p->panel != q->panel)
        return p->panel < q->panel ? -1 : 1;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    return (nodes_of(p) > nodes_of(q)) - (nodes_of(p) < nodes_of(q));
}

/* Panels with one number of nodes go: they have nothing over nodes. */
static void drop_single(struct ovl_chart_data *a)
{
    size_t kept = 0, panels = 0;
    for (size_t panel = 0; panel < a->panel_count; panel++) {
        double low = INFINITY, high = 0;
        for (size_t i = 0; i < a->point_count; i++)
            if (a->points[i].panel == panel) {
                low = fmin(low, nodes_of(&a->points[i]));
                high = fmax(high, nodes_of(&a->points[i]));
            }
        if (low >= high)
            continue;
        if (panels != panel)
            strcpy(a->panels[panels], a->panels[panel]);
        for (size_t i = kept; i < a->point_count; i++) /* by panel */
            if (a->points[i].panel == panel) {
                a->points[kept] = a->points[i];
                a->points[kept++].panel = panels;
            }
        panels++;
    }
    a->panel_count = panels;
    a->point_count = kept;
}

void ovl_chart_nodes_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure)
{
    size_t series[OVL_FIGURE_SERIES];
    *arranged = *figure;
    arranged->panel_count = arranged->series_count = arranged->point_count = arranged->left_out = 0;
    for (size_t s = 0; s < figure->series_count; s++) {
        series[s] = arranged->series_count;
        if (figure->series[s].mode != OVL_SERIES_OTHER)
            arranged->series[arranged->series_count++] = figure->series[s];
    }
    arranged->points = ovl_alloc(figure->point_count, sizeof *arranged->points);
    for (size_t i = 0; i < figure->point_count; i++) {
        struct ovl_point p = figure->points[i];
        char name[OVL_FIGURE_LABEL];
        if (figure->series[p.series].mode == OVL_SERIES_OTHER)
            continue;
        name_panel(name, figure, &p);
        p.panel = find_panel(arranged, name);
        p.series = series[p.series];
        if (taken(arranged, &p))
            arranged->left_out++;
        else
            arranged->points[arranged->point_count++] = p;
    }
    qsort(arranged->points, arranged->point_count, sizeof *arranged->points, by_nodes);
    drop_single(arranged);
}

/* Among the numbers of nodes of its panel, from 1. */
static int place_of(const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    int place = 1;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *q = &figure->points[i];
        bool first = q->panel == p->panel && nodes_of(q) < nodes_of(p);
        for (size_t k = 0; k < i && first; k++)
            first = figure->points[k].panel != p->panel || nodes_of(&figure->points[k]) != nodes_of(q);
        place += first;
    }
    return place;
}

/* 1 - T / T of the host, in percent; NaN of the host itself, and where one of the two carries no claim, or they have
   other numbers of ranks or did other work. */
static double gain_of(const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_series *s = &figure->series[p->series];
    for (size_t i = 0; i < figure->point_count && s->mode == OVL_SERIES_DPU; i++) {
        const struct ovl_point *q = &figure->points[i];
        const struct ovl_series *host = &figure->series[q->series];
        if (q->panel == p->panel && host->mode == OVL_SERIES_HOST && host->variant == s->variant &&
            ovl_figure_same_work(q->cell, p->cell) && nodes_of(q) == nodes_of(p) && q->cell->ranks == p->cell->ranks &&
            ovl_chart_status(q) < 2 && ovl_chart_status(p) < 2)
            return -ovl_chart_change(q->cell->summary[OVL_TOTAL].median, p->cell->summary[OVL_TOTAL].median);
    }
    return NAN;
}

bool ovl_chart_nodes_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_summary *t = &p->cell->summary[OVL_TOTAL];
    fprintf(out, "%.0f", nodes_of(p));
    ovl_chart_put_estimate(out, (struct ovl_estimate){t->median, t->ci_low, t->ci_high}, 1);
    ovl_chart_put(out, gain_of(figure, p));
    fprintf(out, "\t%d\t%d\n", ovl_chart_status(p), place_of(figure, p));
    return !isnan(t->median);
}

void ovl_chart_nodes_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    (void)first, (void)last;
    snprintf(text, OVL_FIGURE_LABEL, "line: improvement, 1 - DPU / host, of the medians that are drawn%s",
             figure->left_out ? "; of several numbers of ranks on as many nodes the first is drawn" : "");
}
