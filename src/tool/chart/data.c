/* Sorting cells into panels and series by their facets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/data.h"
#include "tool/cells/owed.h"
#include "tool/chart/column.h"
#include "tool/chart/launches.h"
#include "tool/chart/sorting.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ovl_series_mode mode_of(const struct ovl_cell *cell)
{
    return strcmp(cell->mode, "host") == 0  ? OVL_SERIES_HOST
           : strcmp(cell->mode, "dpu") == 0 ? OVL_SERIES_DPU
                                            : OVL_SERIES_OTHER;
}

static const char *text_of(const struct ovl_sorting *s, size_t facet, const struct ovl_raw_point *r)
{
    return s->texts[facet].text[r->text[facet]];
}

/* Finds or adds a text. */
static unsigned find_text(struct ovl_facet_texts *all, const char *text)
{
    unsigned at = 0;
    while (at < all->count && strcmp(all->text[at], text) != 0)
        at++;
    if (at == all->count) {
        all->text = ovl_grow_one(all->text, all->count, sizeof *all->text);
        snprintf(all->text[all->count++], OVL_FACET_TEXT, "%s", text);
    }
    return at;
}

/* Where the member of a cell is. */
struct found {
    const struct ovl_cell *cell;
    const struct ovl_member *member;
    bool gave; /* ovl_group_gave_work */
};

static int by_cell(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static struct found *find_members(const struct ovl_groups *groups)
{
    struct found *all = ovl_alloc(groups->member_count + 1, sizeof *all);
    size_t n = 0;
    for (const struct ovl_group *g = groups->group; g < groups->group + groups->count; g++) {
        bool gave = ovl_group_gave_work(groups, g);
        for (const struct ovl_member *m = g->member; m < g->member + g->count; m++)
            all[n++] = (struct found){m->cell, m, gave};
    }
    qsort(all, n, sizeof *all, by_cell);
    return all;
}

/* False: it is one that a run has twice, and not the one that counts, or has the very samples of another launch, or is
   of the launch that gave others their work. */
static bool find_member(struct ovl_chart_data *figure, struct ovl_raw_point *raw, const struct ovl_groups *groups,
                        const struct found *all)
{
    const struct found *at =
        bsearch(&(struct found){.cell = raw->point.cell}, all, groups->member_count, sizeof *all, by_cell);
    figure->again += at && at->member->again;
    figure->gave += at && !at->member->again && at->gave;
    if (!at || at->member->again || at->gave)
        return false;
    raw->member = at->member;
    raw->point.odd = ovl_member_odd(at->member);
    return true;
}

static void gather_run(struct ovl_chart_data *figure, struct ovl_sorting *s, const json_t *differing,
                       const struct ovl_run *run, const char *benchmark, const struct ovl_groups *groups,
                       const struct found *all)
{
    char text[OVL_FACET_TEXT];
    for (size_t c = 0; c < run->cell_count; c++) {
        struct ovl_raw_point *raw = &s->raw[s->count];
        if (strcmp(run->cells[c].benchmark, benchmark) != 0)
            continue;
        raw->point = (struct ovl_point){.run = run, .cell = &run->cells[c]};
        if (!find_member(figure, raw, groups, all))
            continue;
        raw->order = s->count++;
        for (size_t f = 0; f < s->facets; f++) {
            bool of_run = s->facet[f]->line == OVL_LINE_RUN && s->facet[f]->axis != OVL_AXIS_OFFLOAD;
            if (of_run && raw > s->raw && (raw - 1)->point.run == run) {
                raw->text[f] = (raw - 1)->text[f];
                continue;
            }
            ovl_facet_text(text, s->facet[f], differing, run, raw->point.cell);
            raw->text[f] = find_text(&s->texts[f], text);
        }
    }
}

static void gather(struct ovl_chart_data *figure, struct ovl_sorting *s, const struct ovl_record *record,
                   const struct ovl_groups *groups)
{
    const char *benchmark = figure->benchmark;
    struct found *all = find_members(groups);
    size_t most = 0;
    for (size_t r = 0; r < record->run_count; r++)
        most += record->runs[r].cell_count;
    while (s->facets < OVL_FACETS && (s->facet[s->facets] = ovl_facet(s->facets)))
        s->facets++;
    s->raw = ovl_alloc(most, sizeof *s->raw);
    json_t *differing = ovl_facet_differing(record, benchmark, "environment");
    for (size_t r = 0; r < record->run_count; r++)
        gather_run(figure, s, differing, &record->runs[r], benchmark, groups, all);
    json_decref(differing);
    free(all);
}

static void find_differences(struct ovl_sorting *s)
{
    for (size_t f = 0; f < s->facets; f++) {
        if (s->texts[f].count < 2)
            continue;
        for (size_t i = 0; i < s->count && !s->differs[f]; i++) {
            size_t first = 0; /* of the same mode; what belongs side by side differs between modes too */
            while (s->facet[f]->axis != OVL_AXIS_PANEL &&
                   strcmp(s->raw[first].point.cell->mode, s->raw[i].point.cell->mode) != 0)
                first++;
            s->differs[f] = s->raw[i].text[f] != s->raw[first].text[f];
        }
    }
}

/* The texts of those facets of an axis in which points differ. */
static void append_differences(char *text, const struct ovl_sorting *s, const struct ovl_raw_point *r,
                               enum ovl_field_axis axis)
{
    for (size_t f = 0; f < s->facets; f++)
        if ((s->of_panel[f] ? OVL_AXIS_PANEL : s->facet[f]->axis) == axis && s->differs[f] && *text_of(s, f, r))
            ovl_chart_append(text, OVL_FIGURE_LABEL, "%s%s", *text ? ", " : "", text_of(s, f, r));
}

static void append_job(char *text, const struct ovl_raw_point *r)
{
    if (r->by_job && *r->member->job)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "%sjob %s", *text ? ", " : "", r->member->job);
}

static size_t find_panel(struct ovl_chart_data *figure, const char *label)
{
    size_t i = 0;
    while (i < figure->panel_count && strcmp(figure->panels[i], label) != 0)
        i++;
    if (i == figure->panel_count && i < OVL_FIGURE_PANELS)
        strcpy(figure->panels[figure->panel_count++], label);
    return i;
}

static void place(struct ovl_chart_data *figure, struct ovl_sorting *s, struct ovl_raw_point *r)
{
    char panel[OVL_FIGURE_LABEL] = "", variant[OVL_FIGURE_LABEL] = "", label[OVL_FIGURE_LABEL];
    enum ovl_series_mode mode = mode_of(r->point.cell);
    append_differences(panel, s, r, OVL_AXIS_PANEL);
    append_differences(variant, s, r, OVL_AXIS_VARIANT);
    append_job(variant, r);
    ovl_sorting_name_mode(label, r->point.cell->mode);
    append_differences(label, s, r, OVL_AXIS_OFFLOAD);
    append_differences(label, s, r, OVL_AXIS_VARIANT);
    append_job(label, r);
    r->point.panel = find_panel(figure, panel);
    r->point.series = ovl_sorting_find_series(s, label, variant, r->point.cell->mode, mode);
}

/* By panel, series and size; the latest of several in front. */
static int in_order(const void *a, const void *b)
{
    const struct ovl_raw_point *x = a, *y = b;
    double m = x->point.cell->size_bytes, n = y->point.cell->size_bytes;
    int later = strcmp(ovl_run_text(y->point.run, "started"), ovl_run_text(x->point.run, "started"));
    if (x->point.panel != y->point.panel)
        return x->point.panel < y->point.panel ? -1 : 1;
    if (x->point.series != y->point.series)
        return x->point.series < y->point.series ? -1 : 1;
    if (isnan(m) != isnan(n))
        return isnan(m) ? -1 : 1;
    if (m < n || m > n)
        return m < n ? -1 : 1;
    return later ? later : x->order > y->order ? -1 : 1;
}

static bool same_place(const struct ovl_point *a, const struct ovl_point *b)
{
    double m = a->cell->size_bytes, n = b->cell->size_bytes;
    return a->panel == b->panel && a->series == b->series && (m == n || (isnan(m) && isnan(n)));
}

/* Launches of one place, n from `first` on, the latest in front: the medians of those with a claim where these are
   enough, else the latest. A run that was given twice counts once. */
static void put_point(struct ovl_chart_data *figure, const struct ovl_raw_point *first, size_t n)
{
    const struct ovl_cell **cells = ovl_alloc(n, sizeof *cells);
    const struct ovl_run *latest = NULL;
    size_t count = 0, silent = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ovl_point *p = &first[i].point;
        if (i > 0 && strcmp(p->cell->run_id, first[i - 1].point.cell->run_id) == 0)
            continue;
        if (ovl_chart_no_claim(p)) {
            silent++;
            continue;
        }
        latest = latest ? latest : p->run;
        cells[count++] = p->cell;
    }
    struct ovl_point *point = &figure->points[figure->point_count++];
    struct ovl_cell *joined = &figure->joined[figure->point_count - 1];
    *point = first->point;
    point->bound = ovl_chart_launches_bound(&point->cell, 1);
    figure->repeated += n > 1;
    if (ovl_chart_launches_join(joined, cells, count)) {
        point->cell = joined;
        point->odd = NULL;
        point->bound = ovl_chart_launches_bound(cells, count);
        point->run = latest; /* what is not a median is that of the latest with a claim, on its nodes */
        figure->launches[0] = figure->launches[0] && figure->launches[0] < count ? figure->launches[0] : count;
        figure->launches[1] = figure->launches[1] > count ? figure->launches[1] : count;
        figure->silent += silent;
        figure->repeated -= n > 1;
    } else {
        figure->single++;
    }
    free(cells);
}

/* Places all points, those of host first and then of dpu mode: the order of every legend. */
static void arrange(struct ovl_chart_data *figure, struct ovl_sorting *s)
{
    figure->panel_count = s->found_count = 0;
    for (int mode = OVL_SERIES_HOST; mode <= OVL_SERIES_OTHER; mode++)
        for (size_t i = 0; i < s->count; i++)
            if (mode_of(s->raw[i].point.cell) == (enum ovl_series_mode)mode)
                place(figure, s, &s->raw[i]);
    ovl_sorting_keep_series(figure, s);
    qsort(s->raw, s->count, sizeof *s->raw, in_order);
}

/* Tells jobs of a plan apart in each panel and variant where two that measured the same point meet. */
static bool tell_jobs(const struct ovl_chart_data *figure, struct ovl_sorting *s)
{
    bool meet[OVL_FIGURE_PANELS][OVL_FIGURE_SERIES] = {0}, any = false;
    for (int told = 0; told < 2; told++)
        for (size_t i = 0; i < s->count; i++) {
            struct ovl_raw_point *r = &s->raw[i];
            size_t panel = r->point.panel, series = r->point.series,
                   variant = series < OVL_FIGURE_SERIES ? figure->series[series].variant : OVL_FIGURE_SERIES;
            if (panel >= OVL_FIGURE_PANELS || variant >= OVL_FIGURE_SERIES)
                continue;
            if (told)
                any |= r->by_job = meet[panel][variant];
            else if (i > 0 && same_place(&r->point, &(r - 1)->point) && r->member->apart &&
                     strcmp(r->member->job, (r - 1)->member->job) != 0)
                meet[panel][variant] = true;
        }
    return any;
}

static void keep_one_of_each(struct ovl_chart_data *figure, struct ovl_sorting *s)
{
    figure->points = ovl_alloc(s->count, sizeof *figure->points);
    figure->joined = ovl_alloc(s->count, sizeof *figure->joined);
    for (size_t i = 0, n; i < s->count; i += n) {
        const struct ovl_point *point = &s->raw[i].point;
        for (n = 1; i + n < s->count && same_place(point, &s->raw[i + n].point);)
            n++;
        if (point->panel >= OVL_FIGURE_PANELS || point->series >= OVL_FIGURE_SERIES) {
            figure->left_out += n;
            figure->off_panels |= point->panel >= OVL_FIGURE_PANELS;
        } else
            put_point(figure, &s->raw[i], n);
    }
}

/* A panel of which all points were left out goes. */
static void drop_empty_panels(struct ovl_chart_data *figure)
{
    size_t kept = 0;
    for (size_t p = 0; p < figure->panel_count; p++) {
        bool any = false;
        for (size_t i = 0; i < figure->point_count; i++)
            if (figure->points[i].panel == p) {
                figure->points[i].panel = kept;
                any = true;
            }
        if (any && kept != p)
            strcpy(figure->panels[kept], figure->panels[p]);
        kept += any;
    }
    figure->panel_count = kept;
}

void ovl_chart_data_make(struct ovl_chart_data *figure, const struct ovl_record *record, const char *benchmark)
{
    struct ovl_sorting s = {0};
    *figure = (struct ovl_chart_data){.benchmark = benchmark};
    struct ovl_groups groups;
    ovl_groups_make(&groups, &record, 1);
    gather(figure, &s, record, &groups);
    find_differences(&s);
    arrange(figure, &s);
    if (tell_jobs(figure, &s))
        arrange(figure, &s);
    if (s.found_count > OVL_FIGURE_SERIES && ovl_sorting_tell_by_panels(&s))
        arrange(figure, &s);
    keep_one_of_each(figure, &s);
    drop_empty_panels(figure);
    ovl_sorting_describe(figure, &s);
    ovl_groups_free(&groups);
    for (size_t f = 0; f < s.facets; f++)
        free(s.texts[f].text);
    free(s.found);
    free(s.raw);
}

void ovl_chart_data_free(struct ovl_chart_data *figure)
{
    free(figure->points);
    free(figure->joined);
    figure->points = NULL;
    figure->joined = NULL;
}
