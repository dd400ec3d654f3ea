/* Drawing a comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare_chart.h"
#include "tool/command.h"
#include "tool/gnuplot.h"
#include "tool/scratch.h"
#include "tool/signals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 60 };

static const char *kind_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    static const char *const kinds[] = {"svg", "png", "pdf"};
    for (size_t i = 0; dot && i < 3; i++)
        if (strcmp(dot + 1, kinds[i]) == 0)
            return kinds[i];
    return NULL;
}

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

static int draw(const struct ovl_changes *c, const struct ovl_gate *gate, const char *subtitle, const char *data,
                const char *drawn, const char *kind, struct ovl_error *err)
{
    char drawing[4096], terminal[4096], folder[4096], name[32];
    struct ovl_gnuplot g;
    snprintf(name, sizeof name, "plot/term-%s.gp", kind);
    if (ovl_command_share("plot/compare.gp", drawing, err) != 0 || ovl_command_share(name, terminal, err) != 0 ||
        ovl_command_share("plot", folder, err) != 0)
        return -1;
    FILE *out = fopen(data, "we");
    if (!out)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: %s", data, strerror(errno));
    int rc = ovl_gnuplot_open(&g, err);
    if (rc == 0) {
        size_t rows = write_rows(out, &g, c, gate);
        put_texts(&g, c, gate, subtitle, rows);
        ovl_gnuplot_path(&g, "data", data);
        ovl_gnuplot_path(&g, "output", drawn);
        ovl_gnuplot_path(&g, "folder", folder);
        ovl_gnuplot_path(&g, "terminal", terminal);
        rc = rows > 0 ? 0 : ovl_error_set(err, OVL_INCONCLUSIVE, "no chart made: no cell could be compared");
    }
    if (fclose(out) != 0 && rc == 0)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: %s", data, strerror(errno));
    if (rc == 0)
        rc = ovl_gnuplot_run(&g, drawing, err);
    ovl_gnuplot_close(&g);
    return rc;
}

int ovl_compare_chart(const struct ovl_changes *changes, const struct ovl_gate *gate, const char *subtitle,
                      const char *file, struct ovl_error *err)
{
    char folder[2048], data[4096], drawn[4096];
    const char *kind = kind_of(file);
    if (!kind)
        return ovl_error_set(err, OVL_USAGE, "--chart %s: the name must end in .svg, .png or .pdf", file);
    if (ovl_signals_hold(err) != 0)
        return -1;
    int rc = ovl_scratch_make(folder, "compare", err);
    if (rc == 0) {
        snprintf(data, sizeof data, "%s/data.tsv", folder);
        snprintf(drawn, sizeof drawn, "%s/drawn.%s", folder, kind);
        rc = draw(changes, gate, subtitle, data, drawn, kind, err);
        if (rc == 0)
            rc = ovl_gnuplot_take(drawn, file, err);
        unlink(data);
        unlink(drawn);
        rmdir(folder);
    }
    ovl_signals_release();
    return rc;
}
