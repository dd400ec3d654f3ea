/* The Gantt charts of ovl_train: what each rank does in a step, by each scheme, and what checkpoints take of an epoch,
   by who writes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/lanes.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"
#include "tool/chart/sorting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FLIGHTS = 6, MOST_KINDS = 7 };
static const double of_lane = 1, of_flight = 0.3, between = 0.35; /* heights */

/* Where the next one goes, from the top, and where time begins. */
struct cursor {
    double y, start, end;
    size_t drawn;
};

static void put_span(FILE *out, struct cursor *at, double begin, double end, double low, double high,
                     enum ovl_span_kind kind)
{
    fprintf(out, "%.9g\t%.9g\t%.4g\t%.4g\t%d\t\"\"\n", begin - at->start, end - at->start, low, high, (int)kind);
    at->end = fmax(at->end, end - at->start);
    at->drawn++;
}

/* The first begin in these lanes, which are a part where a record has no room for the whole; 0 where there is none. */
static double start_of(const json_t *lanes)
{
    double first = INFINITY, begin, end;
    size_t l;
    json_t *lane;
    json_array_foreach(lanes, l, lane)
        for (enum ovl_span_kind k = 0; l < OVL_SPAN_LANES && k < OVL_SPAN_KINDS; k++)
            for (size_t i = 0; i < ovl_lane_count(lane, k); i++)
                if (ovl_lane_span(lane, k, i, &begin, &end) == 0)
                    first = fmin(first, begin);
    return isinf(first) ? 0 : first;
}

/* Is it what the lane itself did, one after the other? Operations and bulk work stand beside that. */
static bool in_a_row(enum ovl_span_kind k)
{
    return k != OVL_SPAN_OPERATION && k != OVL_SPAN_BULK;
}

/* All that is. */
static void put_work(FILE *out, const json_t *lane, struct cursor *at)
{
    double begin, end;
    for (enum ovl_span_kind k = 0; k < OVL_SPAN_KINDS; k++)
        for (size_t i = 0; in_a_row(k) && i < ovl_lane_count(lane, k); i++) {
            if (ovl_lane_span(lane, k, i, &begin, &end) != 0)
                continue;
            put_span(out, at, begin, end, at->y, at->y + of_lane, k);
        }
    at->y += of_lane;
}

/* Spans of a kind, below each other where they overlap; the last line has all that find no room. */
static void put_beside(FILE *out, const json_t *lane, enum ovl_span_kind kind, struct cursor *at)
{
    double begin, end, until[MOST_FLIGHTS] = {0};
    int lines = 0;
    for (size_t i = 0; i < ovl_lane_count(lane, kind); i++) {
        int line = 0;
        if (ovl_lane_span(lane, kind, i, &begin, &end) != 0)
            continue;
        while (line < MOST_FLIGHTS - 1 && line < lines && until[line] > begin)
            line++;
        lines = line < lines ? lines : line + 1;
        until[line] = end > until[line] ? end : until[line];
        put_span(out, at, begin, end, at->y + line * of_flight, at->y + (line + 0.85) * of_flight, kind);
    }
    at->y += lines * of_flight;
}

/* A line per span: begin, end, its heights from the top, its kind; a line per lane with its name in the middle; and one
   with the end of all, the status of the cell in place of the upper edge, and how high they are together. */
static bool put_lanes(FILE *out, const json_t *lanes, int status)
{
    struct cursor at = {.start = start_of(lanes)};
    size_t i;
    json_t *lane;
    json_array_foreach(lanes, i, lane) {
        const char *name = json_string_value(json_object_get(lane, "lane"));
        if (i == OVL_SPAN_LANES)
            break;
        fprintf(out, "NaN\tNaN\t%.4g\t%.4g\t-2\t", at.y, at.y + of_lane);
        ovl_chart_put_name(out, name ? name : "", 16);
        fputc('\n', out);
        put_work(out, lane, &at);
        put_beside(out, lane, OVL_SPAN_BULK, &at);
        put_beside(out, lane, OVL_SPAN_OPERATION, &at);
        at.y += between;
    }
    if (at.drawn > 0)
        fprintf(out, "%.9g\t%.9g\t%d\t%.4g\t-1\t\"\"\n", at.end, at.end, status, at.y);
    else
        fputs("NaN\tNaN\tNaN\tNaN\tNaN\tNaN\n", out);
    return at.drawn > 0;
}

/* Of a trace that is served a record may have an iteration from its middle. */
static bool is_part(const struct ovl_cell *cell)
{
    return start_of(json_object_get(cell->extra, "timeline")) > 0.1 * cell->summary[OVL_TOTAL].median;
}

bool ovl_chart_gantt_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    (void)figure;
    return put_lanes(out, json_object_get(p->cell->extra, "timeline"), ovl_chart_status(p));
}

void ovl_chart_gantt_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    double ranks = 0;
    bool cut = false;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        if (p->panel < first || p->panel >= last)
            continue;
        ranks = p->cell->ranks > ranks ? p->cell->ranks : ranks;
        cut |= is_part(p->cell);
    }
    snprintf(text, OVL_FIGURE_LABEL,
             "%sone sample of each scheme, of three the middle one; in flight: until it was seen to have ended",
             cut ? "the middle iteration, as a record has no room for all, of " : "");
    if (ranks > OVL_SPAN_LANES)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; the first %d of %.0f ranks", OVL_SPAN_LANES, ranks);
    if (*crosses)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; x: %s", crosses);
}

/* The epochs of a cell with checkpoints by `who`, or NULL. */
static const json_t *epochs_of(const struct ovl_cell *cell, size_t i, const char **who)
{
    const json_t *one = json_array_get(json_object_get(cell->extra, "epochs"), i);
    *who = json_string_value(json_object_get(one, "checkpoint"));
    return *who && json_array_size(json_object_get(one, "timeline")) > 0 ? one : NULL;
}

static const char *label_of(const char *who)
{
    return strcmp(who, "none") == 0 ? "no checkpoints" : who;
}

static size_t find_series(struct ovl_chart_data *arranged, const char *label)
{
    size_t s = 0;
    while (s < arranged->series_count && strcmp(arranged->series[s].label, label) != 0)
        s++;
    if (s == arranged->series_count && s < OVL_FIGURE_SERIES) {
        arranged->series[s] = (struct ovl_series){.mode = OVL_SERIES_OTHER, .style = 2 * (int)s + 1};
        snprintf(arranged->series[s].label, OVL_FIGURE_LABEL, "%s", label);
        arranged->series_count++;
    }
    return s;
}

/* Has the present panel, whose points begin at `from`, that series? A damaged record may name a kind twice. */
static bool has_series(const struct ovl_chart_data *arranged, size_t from, size_t series)
{
    while (from < arranged->point_count && arranged->points[from].series != series)
        from++;
    return from < arranged->point_count;
}

void ovl_chart_checkpoints_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure)
{
    *arranged = *figure;
    arranged->panel_count = arranged->point_count = arranged->series_count = arranged->left_out = 0;
    arranged->points = ovl_alloc(OVL_FIGURE_SERIES * figure->point_count, sizeof *arranged->points);
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        size_t before = arranged->point_count;
        const char *who;
        for (size_t e = 0; e < MOST_KINDS && arranged->panel_count < OVL_FIGURE_PANELS; e++) {
            if (!epochs_of(p->cell, e, &who))
                continue;
            size_t s = find_series(arranged, label_of(who));
            arranged->left_out += s == OVL_FIGURE_SERIES;
            if (s < OVL_FIGURE_SERIES && !has_series(arranged, before, s))
                arranged->points[arranged->point_count++] = ovl_chart_point_at(p, arranged->panel_count, s);
        }
        if (arranged->point_count > before)
            ovl_chart_name_cell(arranged->panels[arranged->panel_count++], figure, p);
    }
}

bool ovl_chart_checkpoints_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const char *who;
    for (size_t e = 0; e < MOST_KINDS; e++) {
        const json_t *one = epochs_of(p->cell, e, &who);
        if (one && strcmp(label_of(who), figure->series[p->series].label) == 0)
            return put_lanes(out, json_object_get(one, "timeline"), ovl_chart_status(p));
    }
    return put_lanes(out, NULL, 0);
}

/* Of the first cell in the panels: what its checkpoints are. */
void ovl_chart_checkpoints_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                                size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(text, OVL_FIGURE_LABEL,
             "of each kind the epoch of middle length, until its last checkpoint is on disk%s%s",
             *crosses ? "; x: " : "", crosses);
    if (figure->left_out > 0)
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; %zu more not drawn", figure->left_out);
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        const char *who;
        const json_t *one = NULL;
        for (size_t e = 0; e < MOST_KINDS && (!one || json_number_value(json_object_get(one, "count")) == 0); e++)
            one = epochs_of(p->cell, e, &who);
        if (p->panel < first || p->panel >= last || !one)
            continue;
        const char *disk = json_string_value(json_object_get(one, "file_system"));
        ovl_chart_append(text, OVL_FIGURE_LABEL, "; %.0f steps, %.0f checkpoints of %.3g MiB, on %.15s",
                         json_number_value(json_object_get(one, "steps")),
                         json_number_value(json_object_get(one, "count")),
                         json_number_value(json_object_get(one, "bytes")) / (1 << 20), disk ? disk : "?");
        return;
    }
}
