/* The chart that looks into cells: each sample in the order of the blocks, and beside them their histogram. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/histogram.h"
#include "stats/stats.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The strips of a cell, from the top. */
static const struct {
    enum ovl_quantity quantity;
    const char *label;
    int style;
} strips[] = {
    {OVL_TOTAL, "T: all together", 1},
    {OVL_COMPUTE, "W: work alone", 5},
    {OVL_COMM, "C: communication alone", 4},
    {OVL_BLOCKING, "B: blocking twin", 7},
};

enum { STRIPS = sizeof strips / sizeof *strips };

void ovl_chart_samples_arrange(struct ovl_chart_data *cells, const struct ovl_chart_data *figure)
{
    *cells = *figure;
    cells->panel_count = cells->point_count = cells->left_out = 0;
    cells->series_count = STRIPS;
    for (size_t s = 0; s < STRIPS; s++) {
        cells->series[s] = (struct ovl_series){.style = strips[s].style};
        strcpy(cells->series[s].label, strips[s].label);
    }
    cells->points = ovl_alloc(STRIPS * figure->point_count, sizeof *cells->points);
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        if (p->cell->samples.blocks == 0)
            continue;
        if (cells->panel_count == OVL_FIGURE_PANELS) {
            cells->left_out++;
            continue;
        }
        ovl_chart_name_cell(cells->panels[cells->panel_count], figure, p);
        for (size_t s = 0; s < STRIPS; s++)
            cells->points[cells->point_count++] = ovl_chart_point_at(p, cells->panel_count, s);
        cells->panel_count++;
    }
}

/* A line per block: the sample, or the edge beyond which it lies; then a line per bin: from, to, share of the fullest
   one. */
bool ovl_chart_samples_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    enum ovl_quantity q = strips[p->series].quantity;
    const double *x = p->cell->samples.max[q];
    struct ovl_histogram h = ovl_histogram_make(x, p->cell->samples.blocks);
    double own = ovl_stats_summarise(x, p->cell->samples.blocks).median; /* the cell's may be of several launches */
    size_t most = 1;
    (void)figure;
    if (h.bins == 0) {
        fputs("NaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\n", out);
        return false;
    }
    for (size_t b = 0; b < p->cell->samples.blocks; b++) {
        fprintf(out, "%zu", b + 1);
        ovl_chart_put(out, x[b] < h.low ? h.low : x[b] > h.high ? h.high : x[b]);
        fprintf(out, "\t%d", x[b] < h.low ? -1 : x[b] > h.high);
        ovl_chart_put(out, own);
        fputs("\tNaN\tNaN\tNaN\n", out);
    }
    for (size_t i = 0; i < h.bins; i++)
        most = h.count[i] > most ? h.count[i] : most;
    for (size_t i = 0; i < h.bins; i++) {
        double width = (h.high - h.low) / (double)h.bins;
        fputs("NaN\tNaN\tNaN\tNaN", out);
        ovl_chart_put(out, h.low + (double)i * width);
        ovl_chart_put(out, h.low + (double)(i + 1) * width);
        ovl_chart_put(out, (double)h.count[i] / (double)most);
        fputs("\n", out);
    }
    return true;
}

void ovl_chart_samples_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    size_t outside = 0, dropped = 0;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        const struct ovl_samples *samples = &p->cell->samples;
        const double *x = samples->max[strips[p->series].quantity];
        if (p->panel < first || p->panel >= last)
            continue;
        struct ovl_histogram h = ovl_histogram_make(x, samples->blocks);
        if (h.bins == 0)
            continue;
        outside += h.below + h.above;
        for (size_t b = 0; b < samples->blocks; b++)
            dropped += isnan(x[b]);
    }
    int n = snprintf(text, OVL_FIGURE_LABEL,
                     "each sample, of its slowest rank, by block, and how often it was so long; dashed: median");
    if (outside > 0)
        n += snprintf(text + n, OVL_FIGURE_LABEL - (size_t)n, "; triangles: %zu outlier%s, off the scale", outside,
                      outside == 1 ? "" : "s");
    if (dropped > 0)
        n += snprintf(text + n, OVL_FIGURE_LABEL - (size_t)n, "; gaps: %zu dropped, as ranks started apart", dropped);
    if (figure->left_out > 0)
        snprintf(text + n, OVL_FIGURE_LABEL - (size_t)n, "; %zu more cells are not drawn", figure->left_out);
}
