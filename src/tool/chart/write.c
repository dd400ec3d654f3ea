/* What gnuplot reads: a block of lines for each series of each panel. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"

static size_t write_series(const struct ovl_chart *chart, FILE *out, const struct ovl_chart_data *figure, size_t panel,
                           size_t series)
{
    size_t lines = 0, drawn = 0;
    fprintf(out, "# %s%s%s\n", figure->series[series].label, figure->panels[panel][0] ? ", " : "",
            figure->panels[panel]);
    for (size_t i = 0; i < figure->point_count; i++)
        if (figure->points[i].panel == panel && figure->points[i].series == series) {
            drawn += chart->line(out, figure, &figure->points[i]);
            lines++;
        }
    fputs(lines == 0 ? "NaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\n\n\n" : "\n\n", out);
    return drawn;
}

/* Each size once, from the first series that has it. */
static void write_reference(const struct ovl_chart *chart, FILE *out, const struct ovl_chart_data *figure, size_t panel)
{
    size_t lines = 0;
    fprintf(out, "# %s\n", chart->reference_label);
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        bool told = p->panel != panel;
        for (size_t s = 0; s < p->series && !told; s++)
            told = ovl_chart_data_point(figure, panel, s, p->cell->size_bytes) != NULL;
        if (told)
            continue;
        chart->reference(out, p);
        lines++;
    }
    fputs(lines == 0 ? "NaN\tNaN\tNaN\tNaN\n\n\n" : "\n\n", out);
}

size_t ovl_chart_write(const struct ovl_chart *chart, FILE *out, const struct ovl_chart_data *figure, size_t first,
                       size_t last)
{
    size_t drawn = 0;
    fprintf(out, "# ovl plot: %s of %s\n# %s\n", chart->name, figure->benchmark, chart->columns);
    for (size_t panel = first; panel < last; panel++) {
        for (size_t s = 0; s < figure->series_count; s++)
            drawn += write_series(chart, out, figure, panel, s);
        if (chart->reference)
            write_reference(chart, out, figure, panel);
    }
    return drawn;
}
