/* Sorting cells into panels and series by their facets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/data.h"
#include "tool/chart/column.h"
#include "tool/chart/launches.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The different texts of a facet, each once. */
struct texts {
    char (*text)[OVL_FACET_TEXT];
    size_t count;
};

/* A point while it is sorted. */
struct raw {
    struct ovl_point point;
    size_t order;              /* in which it was read */
    unsigned text[OVL_FACETS]; /* index into the facet's texts */
};

struct sorting {
    struct raw *raw;
    size_t count;
    const struct ovl_field *facet[OVL_FACETS];
    size_t facets;
    struct texts texts[OVL_FACETS];
    bool differs[OVL_FACETS]; /* among the points of one mode */
    char modes[256];          /* "host, DPU": each mode once */
    size_t mode_count;
};

static enum ovl_series_mode mode_of(const struct ovl_cell *cell)
{
    return strcmp(cell->mode, "host") == 0  ? OVL_SERIES_HOST
           : strcmp(cell->mode, "dpu") == 0 ? OVL_SERIES_DPU
                                            : OVL_SERIES_OTHER;
}

/* "Host", "DPU", or the mode's own name with a capital letter. */
static void put_mode(char text[OVL_FIGURE_LABEL], const struct ovl_cell *cell)
{
    snprintf(text, OVL_FIGURE_LABEL, "%s", mode_of(cell) == OVL_SERIES_DPU ? "DPU" : cell->mode);
    text[0] = (char)toupper((unsigned char)text[0]);
}

static const char *text_of(const struct sorting *s, size_t facet, const struct raw *r)
{
    return s->texts[facet].text[r->text[facet]];
}

/* Finds or adds a text. */
static unsigned find_text(struct texts *all, const char *text)
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

static void gather_run(struct sorting *s, const json_t *differing, const struct ovl_run *run, const char *benchmark)
{
    char text[OVL_FACET_TEXT];
    for (size_t c = 0; c < run->cell_count; c++) {
        struct raw *raw = &s->raw[s->count];
        if (strcmp(run->cells[c].benchmark, benchmark) != 0)
            continue;
        raw->point = (struct ovl_point){.run = run, .cell = &run->cells[c]};
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

static void gather(struct sorting *s, const struct ovl_record *record, const char *benchmark)
{
    size_t most = 0;
    for (size_t r = 0; r < record->run_count; r++)
        most += record->runs[r].cell_count;
    while (s->facets < OVL_FACETS && (s->facet[s->facets] = ovl_facet(s->facets)))
        s->facets++;
    s->raw = ovl_alloc(most, sizeof *s->raw);
    json_t *differing = ovl_facet_differing(record, benchmark, "environment");
    for (size_t r = 0; r < record->run_count; r++)
        gather_run(s, differing, &record->runs[r], benchmark);
    json_decref(differing);
}

static void find_differences(struct sorting *s)
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

static void __attribute__((format(printf, 3, 4))) append(char *text, size_t room, const char *format, ...)
{
    va_list args;
    size_t n = strlen(text);
    va_start(args, format);
    vsnprintf(text + n, room - n, format, args);
    va_end(args);
}

/* The texts of those facets of an axis in which points differ. */
static void append_differences(char *text, const struct sorting *s, const struct raw *r, enum ovl_field_axis axis)
{
    for (size_t f = 0; f < s->facets; f++)
        if (s->facet[f]->axis == axis && s->differs[f] && *text_of(s, f, r))
            append(text, OVL_FIGURE_LABEL, "%s%s", *text ? ", " : "", text_of(s, f, r));
}

static size_t find_label(char (*labels)[OVL_FIGURE_LABEL], size_t *count, size_t most, const char *label)
{
    size_t i = 0;
    while (i < *count && strcmp(labels[i], label) != 0)
        i++;
    if (i == *count && i < most)
        strcpy(labels[(*count)++], label);
    return i;
}

static int free_style(const struct ovl_chart_data *figure, enum ovl_series_mode mode)
{
    int before = 0;
    for (size_t i = 0; i < figure->series_count; i++)
        before += figure->series[i].mode == mode;
    return mode == OVL_SERIES_HOST  ? 2 * before + 1
           : mode == OVL_SERIES_DPU ? 2 * before + 2
                                    : OVL_FIGURE_STYLES - 2 * before;
}

static size_t find_series(struct ovl_chart_data *figure, const char *label, enum ovl_series_mode mode, size_t variant)
{
    size_t i = 0;
    while (i < figure->series_count && strcmp(figure->series[i].label, label) != 0)
        i++;
    if (i == figure->series_count && i < OVL_FIGURE_SERIES) {
        struct ovl_series *series = &figure->series[i];
        *series = (struct ovl_series){.mode = mode, .style = free_style(figure, mode), .variant = variant};
        strcpy(series->label, label);
        figure->series_count++;
    }
    return i;
}

static void place(struct ovl_chart_data *figure, const struct sorting *s, struct raw *r)
{
    char panel[OVL_FIGURE_LABEL] = "", variant[OVL_FIGURE_LABEL] = "", label[OVL_FIGURE_LABEL];
    enum ovl_series_mode mode = mode_of(r->point.cell);
    append_differences(panel, s, r, OVL_AXIS_PANEL);
    append_differences(variant, s, r, OVL_AXIS_VARIANT);
    put_mode(label, r->point.cell);
    append_differences(label, s, r, OVL_AXIS_OFFLOAD);
    append_differences(label, s, r, OVL_AXIS_VARIANT);
    r->point.panel = find_label(figure->panels, &figure->panel_count, OVL_FIGURE_PANELS, panel);
    size_t v = find_label(figure->variants, &figure->variant_count, OVL_FIGURE_SERIES, variant);
    r->point.series = find_series(figure, label, mode, v);
}

/* Places the points of one kind of mode, and names the modes for the subtitle. */
static void place_mode(struct ovl_chart_data *figure, struct sorting *s, enum ovl_series_mode mode)
{
    char seen[OVL_FIGURE_LABEL] = "", name[OVL_FIGURE_LABEL], bounded[OVL_FIGURE_LABEL + 4];
    for (size_t i = 0; i < s->count; i++) {
        if (mode_of(s->raw[i].point.cell) != mode)
            continue;
        place(figure, s, &s->raw[i]);
        put_mode(name, s->raw[i].point.cell);
        if (mode != OVL_SERIES_DPU)
            name[0] = (char)tolower((unsigned char)name[0]);
        snprintf(bounded, sizeof bounded, "|%s|", name);
        if (strstr(seen, bounded))
            continue;
        append(seen, sizeof seen, "%s", bounded);
        append(s->modes, sizeof s->modes, "%s%s", s->mode_count++ ? ", " : "", name);
    }
}

/* By panel, series and size; the latest of several in front. */
static int in_order(const void *a, const void *b)
{
    const struct raw *x = a, *y = b;
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
static void put_point(struct ovl_chart_data *figure, const struct raw *first, size_t n)
{
    const struct ovl_cell **cells = ovl_alloc(n, sizeof *cells);
    const struct ovl_run *latest = NULL;
    size_t count = 0, silent = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ovl_point *p = &first[i].point;
        if (i > 0 && strcmp(p->cell->run_id, first[i - 1].point.cell->run_id) == 0)
            continue;
        if (ovl_run_no_claim(p->run, p->cell)) {
            silent++;
            continue;
        }
        latest = latest ? latest : p->run;
        cells[count++] = p->cell;
    }
    struct ovl_point *point = &figure->points[figure->point_count++];
    struct ovl_cell *joined = &figure->joined[figure->point_count - 1];
    *point = first->point;
    figure->repeated += n - 1;
    if (ovl_chart_launches_join(joined, cells, count)) {
        point->cell = joined;
        point->run = latest; /* what is not a median is that of the latest with a claim, on its nodes */
        figure->launches[0] = figure->launches[0] && figure->launches[0] < count ? figure->launches[0] : count;
        figure->launches[1] = figure->launches[1] > count ? figure->launches[1] : count;
        figure->silent += silent;
        figure->repeated -= n - 1;
    }
    free(cells);
}

static void keep_one_of_each(struct ovl_chart_data *figure, struct sorting *s)
{
    figure->points = ovl_alloc(s->count, sizeof *figure->points);
    figure->joined = ovl_alloc(s->count, sizeof *figure->joined);
    qsort(s->raw, s->count, sizeof *s->raw, in_order);
    for (size_t i = 0, n; i < s->count; i += n) {
        const struct ovl_point *point = &s->raw[i].point;
        for (n = 1; i + n < s->count && same_place(point, &s->raw[i + n].point);)
            n++;
        if (point->panel >= OVL_FIGURE_PANELS || point->series >= OVL_FIGURE_SERIES)
            figure->left_out += n;
        else
            put_point(figure, &s->raw[i], n);
    }
}

/* "host mode, no workers", "host and DPU modes", "host, DPU and blocking modes" */
static void describe_modes(struct ovl_chart_data *figure, const struct sorting *s)
{
    const char *last = strrchr(s->modes, ',');
    if (strcmp(s->modes, "host") == 0)
        append(figure->subtitle, sizeof figure->subtitle, "; host mode, no workers");
    else if (!last)
        append(figure->subtitle, sizeof figure->subtitle, "; %s mode", s->modes);
    else
        append(figure->subtitle, sizeof figure->subtitle, "; %.*s and%s modes", (int)(last - s->modes), s->modes,
               last + 1);
}

/* What a facet says of all points: its one text; where modes have different ones, each with the first that has it. */
static void describe_facet(struct ovl_chart_data *figure, const struct sorting *s, size_t f)
{
    size_t said = 0, different = 0;
    for (size_t t = 0; t < s->texts[f].count; t++)
        different += *s->texts[f].text[t] != '\0';
    for (size_t t = 0; t < s->texts[f].count && !s->differs[f]; t++) {
        size_t i = 0;
        while (s->raw[i].text[f] != t)
            i++;
        if (!*s->texts[f].text[t])
            continue;
        append(figure->subtitle, sizeof figure->subtitle, "%s%s",
               !figure->subtitle[0] ? ""
               : said++             ? ", "
                                    : "; ",
               s->texts[f].text[t]);
        if (different > 1)
            append(figure->subtitle, sizeof figure->subtitle, " (%s)", s->raw[i].point.cell->mode);
    }
}

static void describe(struct ovl_chart_data *figure, const struct sorting *s)
{
    char marks[OVL_STATUS_TEXT];
    bool told = false;
    for (size_t f = 0; f < s->facets; f++) {
        if (s->facet[f]->axis == OVL_AXIS_OFFLOAD && !told) {
            describe_modes(figure, s);
            told = true;
        }
        describe_facet(figure, s, f);
    }
    if (figure->launches[1] > figure->launches[0])
        snprintf(figure->medians, sizeof figure->medians, "; medians over %zu to %zu launches", figure->launches[0],
                 figure->launches[1]);
    else if (figure->launches[1] > 0)
        snprintf(figure->medians, sizeof figure->medians, "; medians over %zu launches", figure->launches[1]);
    if (figure->silent > 0)
        append(figure->medians, sizeof figure->medians, ", without %zu cell%s of no claim", figure->silent,
               figure->silent == 1 ? "" : "s");
    ovl_chart_marks(figure, marks);
    if (*marks)
        append(figure->warnings, sizeof figure->warnings, "%s, of %zu points", marks, figure->point_count);
    for (size_t p = 0; p < figure->point_count; p++) {
        const json_t *warnings = json_object_get(figure->points[p].run->head, "warnings");
        for (size_t w = 0; w < json_array_size(warnings); w++) {
            const char *text = json_string_value(json_array_get(warnings, w));
            if (text && !strstr(figure->warnings, text))
                append(figure->warnings, sizeof figure->warnings, "%s%s", figure->warnings[0] ? "; " : "", text);
        }
    }
}

void ovl_chart_data_make(struct ovl_chart_data *figure, const struct ovl_record *record, const char *benchmark)
{
    struct sorting s = {0};
    *figure = (struct ovl_chart_data){.benchmark = benchmark};
    gather(&s, record, benchmark);
    find_differences(&s);
    for (int mode = OVL_SERIES_HOST; mode <= OVL_SERIES_OTHER; mode++) /* the order of every legend */
        place_mode(figure, &s, (enum ovl_series_mode)mode);
    keep_one_of_each(figure, &s);
    describe(figure, &s);
    for (size_t f = 0; f < s.facets; f++)
        free(s.texts[f].text);
    free(s.raw);
}

void ovl_chart_data_free(struct ovl_chart_data *figure)
{
    free(figure->points);
    free(figure->joined);
    figure->points = NULL;
    figure->joined = NULL;
}

const struct ovl_point *ovl_chart_data_point(const struct ovl_chart_data *figure, size_t panel, size_t series,
                                             double size)
{
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        double other = p->cell->size_bytes;
        if (p->panel == panel && p->series == series && (other == size || (isnan(other) && isnan(size))))
            return p;
    }
    return NULL;
}

/* Medians over launches that were calibrated anew have no units; in each of them a block group has but one number. */
static bool same_work(const struct ovl_cell *a, const struct ovl_cell *b)
{
    return a->units == b->units ||
           (isnan(a->units) && isnan(b->units) && strcmp(a->block_group, b->block_group) == 0 && *a->block_group);
}

const struct ovl_point *ovl_figure_host_of(const struct ovl_chart_data *figure, const struct ovl_point *point)
{
    const struct ovl_series *mine = &figure->series[point->series];
    for (size_t s = 0; s < figure->series_count && mine->mode == OVL_SERIES_DPU; s++) {
        if (figure->series[s].mode != OVL_SERIES_HOST || figure->series[s].variant != mine->variant)
            continue;
        const struct ovl_point *host = ovl_chart_data_point(figure, point->panel, s, point->cell->size_bytes);
        if (host && same_work(host->cell, point->cell) && !ovl_run_no_claim(host->run, host->cell) &&
            !ovl_run_no_claim(point->run, point->cell))
            return host;
    }
    return NULL;
}
