/* Which series a chart has: each that is found while there is room; else the first of each mode, the second of each ...
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/sorting.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t ovl_sorting_find_series(struct ovl_sorting *s, const char *label, const char *variant, const char *mode,
                               enum ovl_series_mode kind)
{
    size_t at = 0, turn = 0;
    for (; at < s->found_count && strcmp(s->found[at].series.label, label) != 0; at++)
        turn += strcmp(s->found[at].mode, mode) == 0;
    if (at < s->found_count)
        return at;
    s->found = ovl_grow_one(s->found, s->found_count, sizeof *s->found);
    struct ovl_found_series *f = &s->found[s->found_count++];
    *f = (struct ovl_found_series){.series = {.mode = kind}, .mode = mode, .turn = turn};
    snprintf(f->series.label, OVL_FIGURE_LABEL, "%s", label);
    snprintf(f->variant, OVL_FIGURE_LABEL, "%s", variant);
    return at;
}

void ovl_sorting_name_mode(char text[OVL_FIGURE_LABEL], const char *mode)
{
    snprintf(text, OVL_FIGURE_LABEL, "%s", strcmp(mode, "dpu") == 0 ? "DPU" : mode);
    text[0] = (char)toupper((unsigned char)text[0]);
}

/* Is there room for it, when modes take turns? */
static bool has_room(const struct ovl_sorting *s, size_t i)
{
    size_t before = 0;
    for (size_t k = 0; k < s->found_count; k++)
        before += s->found[k].turn < s->found[i].turn || (s->found[k].turn == s->found[i].turn && k < i);
    return before < OVL_FIGURE_SERIES;
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

/* Keeps a mode for the subtitle, once. */
static void keep_mode(struct ovl_sorting *s, const char *mode)
{
    for (size_t i = 0; i < s->mode_count; i++)
        if (strcmp(s->modes[i], mode) == 0)
            return;
    s->modes[s->mode_count++] = mode;
}

static void add_series(struct ovl_chart_data *figure, struct ovl_sorting *s, const struct ovl_found_series *f)
{
    struct ovl_series *series = &figure->series[figure->series_count];
    size_t v = 0;
    *series = f->series;
    series->style = free_style(figure, series->mode);
    while (v < figure->variant_count && strcmp(figure->variants[v], f->variant) != 0)
        v++;
    if (v == figure->variant_count)
        strcpy(figure->variants[figure->variant_count++], f->variant);
    series->variant = v;
    figure->series_count++;
    keep_mode(s, f->mode);
}

void ovl_sorting_keep_series(struct ovl_chart_data *figure, struct ovl_sorting *s)
{
    size_t *kept = ovl_alloc(s->found_count + 1, sizeof *kept);
    figure->series_count = figure->variant_count = s->mode_count = 0;
    for (size_t i = 0; i < s->found_count; i++) {
        kept[i] = has_room(s, i) ? figure->series_count : OVL_FIGURE_SERIES;
        if (kept[i] < OVL_FIGURE_SERIES)
            add_series(figure, s, &s->found[i]);
    }
    for (size_t i = 0; i < s->count; i++)
        s->raw[i].point.series = kept[s->raw[i].point.series];
    free(kept);
}

/* Have all points of each panel the same text of that facet? */
static bool same_in_panels(const struct ovl_sorting *s, size_t f)
{
    const struct ovl_raw_point *first[OVL_FIGURE_PANELS] = {NULL};
    for (size_t i = 0; i < s->count; i++) {
        const struct ovl_raw_point *r = &s->raw[i];
        if (r->point.panel >= OVL_FIGURE_PANELS)
            continue;
        if (!first[r->point.panel])
            first[r->point.panel] = r;
        if (first[r->point.panel]->text[f] != r->text[f])
            return false;
    }
    return true;
}

bool ovl_sorting_tell_by_panels(struct ovl_sorting *s)
{
    bool any = false;
    for (size_t f = 0; f < s->facets; f++) {
        s->of_panel[f] = s->facet[f]->axis == OVL_AXIS_VARIANT && s->differs[f] && same_in_panels(s, f);
        any |= s->of_panel[f];
    }
    return any;
}
