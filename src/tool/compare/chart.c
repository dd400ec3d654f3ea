/* Drawing a comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/chart.h"
#include "tool/chart/file.h"

#include <math.h>

enum { ROWS = 60 };

static void put(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "\t%.9g", x);
    else
        fputs("\tNaN", out);
}

/* A line for each cell, the worst verdicts first, and its label. */
static size_t write_rows(FILE *out, struct ovl_gnuplot *g, const struct ovl_changes *c, const struct ovl_gate *gate)
{
    double none = gate->metric->scale == OVL_METRIC_RATIO ? 1 : 0;
    size_t rows = 0;
    for (int verdict = 0; verdict < OVL_VERDICTS; verdict++)
        for (size_t i = 0; i < c->count && rows < ROWS; i++) {
            const struct ovl_change *change = &c->change[i];
            if ((int)change->verdict != verdict || isnan(change->value))
                continue;
            fprintf(out, "%zu", ++rows);
            put(out, change->value);
            put(out, isnan(change->low) ? change->value : change->low);
            put(out, isnan(change->high) ? change->value : change->high);
            fprintf(out, "\t%d\n", verdict);
            ovl_gnuplot_text(g, "label", rows, change->group->label);
        }
    if (rows == 0)
        fprintf(out, "NaN\tNaN\tNaN\tNaN\tNaN\n");
    ovl_gnuplot_number(g, "rows", 0, (double)rows);
    ovl_gnuplot_number(g, "nothing", 0, none);
    return rows;
}

static void put_texts(struct ovl_gnuplot *g, const struct ovl_changes *c, const struct ovl_gate *gate,
                      const char *subtitle, size_t rows)
{
    static const char *const counts[] = {"regressed", "inconclusive", "ok", "improved"};
    char title[96], line[96];
    for (int v = 0; v < OVL_VERDICTS; v++)
        ovl_gnuplot_number(g, counts[v], 0, (double)c->verdicts[v]);
    ovl_gnuplot_number(g, "gate", 0, ovl_gate_line(gate));
    ovl_gnuplot_number(g, "ratio", 0, gate->metric->scale == OVL_METRIC_RATIO);
    snprintf(title, sizeof title, "%s: new launches against old ones", gate->metric->name);
    ovl_gnuplot_text(g, "benchmark", 0, title);
    ovl_gnuplot_lines(g, "head", subtitle);
    ovl_gnuplot_number(g, "warnings", 0, 0);
    ovl_gnuplot_number(g, "notes", 0, rows < c->count);
    snprintf(line, sizeof line, "%zu of %zu cells drawn", rows, c->count);
    if (rows < c->count)
        ovl_gnuplot_text(g, "note", 1, line);
}

struct drawing {
    const struct ovl_changes *changes;
    const struct ovl_gate *gate;
    const char *subtitle;
};

static int fill(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err)
{
    const struct drawing *d = of;
    size_t rows = write_rows(data, g, d->changes, d->gate);
    put_texts(g, d->changes, d->gate, d->subtitle, rows);
    return rows > 0 ? 0 : ovl_error_set(err, OVL_INCONCLUSIVE, "no chart made: no cell could be compared");
}

int ovl_compare_chart(const struct ovl_changes *changes, const struct ovl_gate *gate, const char *subtitle,
                      const char *file, struct ovl_error *err)
{
    struct drawing d = {changes, gate, subtitle};
    return ovl_chart_file_draw(file, "compare", fill, &d, err);
}
