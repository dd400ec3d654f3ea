/* The charts on the page of `ovl report`: of all launches, as `ovl plot` draws them, with captions in words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/charts.h"
#include "base/path.h"
#include "tool/cells/filter.h"
#include "tool/chart/chart.h"
#include "tool/chart/launches.h"
#include "tool/chart/plot.h"
#include "tool/compare/chart.h"
#include "tool/offload/pairs.h"
#include "tool/report/page.h"
#include "tool/util/scratch.h"
#include "tool/util/signals.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPTION = 512 };

struct drawing {
    const struct ovl_page_charts *of;
    const char *folder;
    size_t charts;
    int rc; /* of a chart that could not be written into the page; then `error` says why */
    struct ovl_error error;
};

static void write_chart(struct drawing *d, const char *path, const char *caption)
{
    if (d->rc == 0)
        d->rc = ovl_page_chart(d->of->out, path, caption, ++d->charts, &d->error);
    unlink(path);
}

/* The least and the most launches that count in a cell of the benchmark, of cells that have any. */
static void count_launches(const struct ovl_groups *groups, const char *benchmark, size_t *least, size_t *most)
{
    *least = *most = 0;
    for (size_t g = 0; g < groups->count; g++) {
        size_t n = ovl_group_claims(&groups->group[g]);
        if (n == 0 || strcmp(groups->group[g].member->cell->benchmark, benchmark) != 0)
            continue;
        *least = *least == 0 || n < *least ? n : *least;
        *most = n > *most ? n : *most;
    }
}

/* Which launches a chart shows, beside those of the table. */
static void say_launches(char *text, size_t room, const struct ovl_groups *groups, const struct ovl_chart *chart,
                         const char *benchmark)
{
    size_t least, most;
    count_launches(groups, benchmark, &least, &most);
    if (most <= 1)
        snprintf(text, room, "one launch of each cell");
    else if (chart->of_latest)
        snprintf(text, room, "the latest launch of each cell; medians over launches are in the table of cells");
    else if (least >= OVL_CHART_LAUNCHES)
        snprintf(text, room,
                 "medians over launches, as in the table of cells, but for what the chart says of the latest");
    else
        snprintf(text, room,
                 "medians over launches, as in the table of cells, but for what the chart says of the latest, and for "
                 "cells with fewer than %d launches: of these it is the latest, and the table has the medians",
                 OVL_CHART_LAUNCHES);
}

/* Of "DIR/ialltoall-overlap-2.svg" the benchmark and the chart; NULL: its name is of no chart. */
static const struct ovl_chart *chart_of(const char *path, char benchmark[64])
{
    const char *slash = strrchr(path, '/');
    char name[128];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    char *dash = strrchr(name, '-');
    if (dash && isdigit((unsigned char)dash[1])) {
        *dash = '\0';
        dash = strrchr(name, '-');
    }
    if (!dash)
        return NULL;
    *dash = '\0';
    snprintf(benchmark, 64, "%.63s", name);
    for (const struct ovl_chart *chart = ovl_charts; chart->name; chart++)
        if (strcmp(chart->name, dash + 1) == 0)
            return chart;
    return NULL;
}

static void tell(void *to, const char *path)
{
    struct drawing *d = to;
    char benchmark[64], launches[256], caption[CAPTION] = "";
    const struct ovl_chart *chart = chart_of(path, benchmark);
    if (chart) {
        say_launches(launches, sizeof launches, d->of->groups, chart, benchmark);
        snprintf(caption, sizeof caption, "%s: %s. Shown: %s.", benchmark, chart->summary, launches);
    }
    write_chart(d, path, caption);
}

/* Only what charts may draw of one launch needs its samples: the latest launch of the group, and the latest that
   counts. What a failed attempt left is in no chart. */
static void need_samples(json_t *files, const struct ovl_group *group)
{
    bool latest = false, counts = false;
    for (size_t i = group->count; i > 0 && !counts; i--) {
        const struct ovl_member *m = &group->member[i - 1];
        if (ovl_inputs_partial(m->run->file))
            continue;
        counts = ovl_member_claims(m);
        if (counts || !latest) /* nocheck: a file's name need not be UTF-8 */
            json_object_set_new_nocheck(files, m->run->file, json_true());
        latest = true;
    }
}

/* Reads every file once, without samples where no chart can need them. */
static int read_launches(const struct ovl_page_charts *c, struct ovl_record *record, struct ovl_error *err)
{
    json_t *files = json_object();
    int rc = 0;
    for (size_t r = 0; r < c->record->run_count; r++)
        if (!ovl_inputs_partial(c->record->runs[r].file))
            json_object_set_new_nocheck(files, c->record->runs[r].file, json_false());
    for (size_t g = 0; g < c->groups->count; g++)
        need_samples(files, &c->groups->group[g]);
    for (size_t i = 0; i < c->sources->count && rc == 0; i++) {
        const json_t *samples = json_object_get(files, c->sources->path[i]);
        if (samples)
            rc = (json_is_true(samples) ? ovl_record_read : ovl_record_read_brief)(record, c->sources->path[i], err);
        json_object_del(files, c->sources->path[i]);
    }
    if (rc == 0)
        rc = ovl_filter_record(c->filter, record, "these files", err);
    json_decref(files);
    return rc;
}

static int draw_cells(struct drawing *d, const struct ovl_record *record, struct ovl_error *err)
{
    int rc = ovl_plot_svg(record, d->folder, tell, d, err);
    if (rc == 0 || err->code != OVL_WRONG_DATA) /* nothing to draw is no fault of the page */
        return rc;
    fputs("<p>No cell has what the charts show.</p>\n", d->of->out);
    return 0;
}

/* Where no cell could be compared there is nothing to draw. */
static int draw_comparison(struct drawing *d, struct ovl_error *err)
{
    char subtitle[2400], caption[CAPTION];
    const struct ovl_page_charts *c = d->of;
    struct ovl_path path = ovl_path("%s/comparison.svg", d->folder);
    if (!c->changes)
        return 0;
    snprintf(subtitle, sizeof subtitle, "old: %s; %s", c->old, c->common);
    if (ovl_compare_chart(c->changes, c->gate, subtitle, path.text, err) != 0)
        return err->code == OVL_INCONCLUSIVE ? 0 : -1;
    snprintf(caption, sizeof caption, "Change of %s from old launches to new ones; the values are under Verdicts.",
             c->gate->metric->name);
    write_chart(d, path.text, caption);
    return 0;
}

/* Where no cell has two launches there is nothing to draw. */
static int draw_history(struct drawing *d, struct ovl_error *err)
{
    char caption[CAPTION];
    const struct ovl_page_charts *c = d->of;
    struct ovl_path path = ovl_path("%s/history.svg", d->folder);
    if (!c->history)
        return 0;
    if (ovl_history_chart(c->history, c->groups->common, path.text, err) != 0)
        return err->code == OVL_INCONCLUSIVE ? 0 : -1;
    snprintf(caption, sizeof caption, "%s of each launch in order of time; the changes are under History.",
             c->history->how.metric->name);
    write_chart(d, path.text, caption);
    return 0;
}

/* Of each comparison of ovl offload. */
static int draw_offloads(struct drawing *d, struct ovl_error *err)
{
    struct ovl_path path = ovl_path("%s/offload.svg", d->folder);
    json_t *ids = ovl_offload_pairs_ids(d->of->record);
    int rc = 0;
    for (size_t i = 0; i < json_array_size(ids) && rc == 0; i++) {
        struct ovl_offload_pairs p;
        ovl_offload_pairs_make(&p, d->of->record, json_string_value(json_array_get(ids, i)));
        if (ovl_offload_pairs_chart(&p, path.text, err) == 0)
            write_chart(d, path.text,
                        "An unmodified program with offloading, as a ratio to the one without; the values are under "
                        "Unmodified programs.");
        else if (err->code != OVL_INCONCLUSIVE)
            rc = -1;
        ovl_offload_pairs_free(&p);
    }
    json_decref(ids);
    return rc;
}

static int draw_all(struct drawing *d, const struct ovl_record *record, struct ovl_error *err)
{
    fprintf(d->of->out,
            "<section id=\"charts\"><h2>Charts</h2><p>A bar or a point is the median over the launches of a cell, as "
            "in the table of cells. Of a cell with fewer than %d launches that count it is the latest one, and what "
            "happens within a launch is shown of the latest one, too; the line below each chart says which. Thin bars "
            "are 95 %% intervals: over launches, or over the blocks of the one launch.</p><div class=\"charts\">\n",
            OVL_CHART_LAUNCHES);
    int rc = draw_cells(d, record, err);
    if (rc == 0)
        rc = draw_comparison(d, err);
    if (rc == 0)
        rc = draw_history(d, err);
    if (rc == 0)
        rc = draw_offloads(d, err);
    if (rc == 0 && d->rc != 0) {
        *err = d->error;
        rc = -1;
    }
    fputs("</div></section>\n", d->of->out);
    return rc;
}

int ovl_page_charts(const struct ovl_page_charts *c, struct ovl_error *err)
{
    struct ovl_record launches = {.runs = NULL};
    char folder[2048];
    int rc = read_launches(c, &launches, err);
    bool holds = rc == 0 && ovl_signals_hold(err) == 0; /* until the folder is gone */
    if (rc == 0)
        rc = holds ? ovl_scratch_make(folder, "report", err) : -1;
    if (rc == 0) {
        rc = draw_all(&(struct drawing){.of = c, .folder = folder}, &launches, err);
        rmdir(folder);
    }
    if (holds)
        ovl_signals_release();
    ovl_record_free(&launches);
    return rc;
}
