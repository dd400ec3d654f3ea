/* Drawing a history. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "tool/chart/file.h"
#include "tool/compare/history.h"

#include <math.h>
#include <string.h>

enum { PANELS = 12, LABELS = 8, DATE = 10, NAME = 300 };

/* 0 for points that come first: a new change for the worse, then any change, then none. */
static int place_of(const struct ovl_history_point *p)
{
    int place = p->change_count > 0 ? 1 : 2;
    for (size_t k = 0; k < p->change_count; k++)
        if (p->change[k].fresh && p->change[k].worse)
            place = 0;
    return place;
}

static double median_of(const double *x, size_t n)
{
    return ovl_stats_summarise(x, n).median;
}

/* A block of launches, and one of levels: first and last launch, median, of what kind the change before it is (1 for
   the worse, 2 for the better, 0 none), and the first and last possible place of that change. */
static void write_point(FILE *out, const struct ovl_history_point *p)
{
    fprintf(out, "# %s: launch, value\n", p->label);
    for (size_t i = 0; i < p->count; i++)
        fprintf(out, "%zu\t%.9g\n", i + 1, p->value[i]);
    fprintf(out, "\n\n# first, last, level, change, first and last possible place\n");
    for (size_t k = 0; k <= p->change_count; k++) {
        const struct ovl_history_change *c = k > 0 ? &p->change[k - 1] : NULL;
        size_t from = c ? c->at : 0, to = k < p->change_count ? p->change[k].at : p->count;
        fprintf(out, "%zu\t%zu\t%.9g\t%d\t%zu\t%zu\n", from + 1, to, median_of(p->value + from, to - from),
                !c         ? 0
                : c->worse ? 1
                           : 2,
                c ? c->first + 1 : 1, c ? c->last + 1 : 1);
    }
    fputs("\n\n", out);
}

static void put_point(struct ovl_gnuplot *g, const struct ovl_history_point *p, size_t panel)
{
    char text[400], name[32], label[NAME + 1];
    const char *first = ovl_run_text(p->launch[0]->run, "started");
    const char *last = ovl_run_text(p->launch[p->count - 1]->run, "started");
    ovl_utf8_print(label, sizeof label, "%s", p->label);
    snprintf(text, sizeof text, "%s (%.*s .. %.*s)", label, DATE, first, DATE, last);
    ovl_gnuplot_text(g, "panel", panel, text);
    size_t labels = p->change_count < LABELS ? p->change_count : LABELS;
    ovl_gnuplot_number(g, "labels", panel, (double)labels);
    for (size_t k = 0; k < labels; k++) {
        const struct ovl_history_change *c = &p->change[p->change_count - labels + k];
        const struct ovl_run *run = p->launch[c->at]->run;
        snprintf(name, sizeof name, "at_%zu_", k + 1);
        ovl_gnuplot_number(g, name, panel, (double)c->at + 0.5);
        snprintf(name, sizeof name, "said_%zu_", k + 1);
        ovl_utf8_print(text, sizeof text, "%.*s %s", DATE, ovl_run_text(run, "started"), ovl_run_text(run, "git"));
        ovl_gnuplot_text(g, name, panel, text);
    }
}

struct drawing {
    const struct ovl_history *history;
    const char *subtitle;
};

static int fill(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err)
{
    const struct drawing *d = of;
    const struct ovl_history *h = d->history;
    size_t panels = 0, any = 0;
    char text[160];
    for (int place = 0; place < 3; place++)
        for (size_t i = 0; i < h->count; i++) {
            const struct ovl_history_point *p = &h->point[i];
            if (place_of(p) != place || p->count < 2)
                continue;
            any++;
            if (panels == PANELS)
                continue;
            write_point(data, p);
            put_point(g, p, ++panels);
        }
    ovl_gnuplot_number(g, "panels", 0, (double)panels);
    ovl_gnuplot_number(g, "series", 0, 0);
    ovl_gnuplot_number(g, "seconds", 0, strcmp(h->how.metric->unit, "s") == 0);
    snprintf(text, sizeof text, "%s over launches",
             strcmp(h->how.metric->name, "total_seconds") == 0 ? "total time" : h->how.metric->name);
    ovl_gnuplot_text(g, "benchmark", 0, text);
    ovl_gnuplot_lines(g, "head", d->subtitle);
    ovl_gnuplot_number(g, "warnings", 0, 0);
    snprintf(text, sizeof text,
             "levels: medians between changes (E-divisive, level %g for all points); bars: where a change may be",
             OVL_CHANGE_ALPHA);
    if (any > panels) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "; %zu of %zu points drawn", panels, any);
    }
    ovl_gnuplot_lines(g, "note", text);
    return panels > 0 ? 0 : ovl_error_set(err, OVL_INCONCLUSIVE, "no chart made: no point has two launches");
}

int ovl_history_chart(const struct ovl_history *h, const char *subtitle, const char *file, struct ovl_error *err)
{
    struct drawing d = {h, subtitle};
    return ovl_chart_file_draw(file, "history", fill, &d, err);
}
