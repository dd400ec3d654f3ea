/* What is said above a chart: what all its points share, what they are medians of, and their warnings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/column.h"
#include "tool/chart/sorting.h"
#include "tool/util/json_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ovl_chart_append(char *text, size_t room, const char *format, ...)
{
    va_list args;
    size_t n = strlen(text);
    va_start(args, format);
    vsnprintf(text + n, room - n, format, args);
    va_end(args);
}

/* "host mode, no workers", "host and DPU modes", "host, DPU and blocking modes" */
static void describe_modes(struct ovl_chart_data *figure, const struct ovl_sorting *s)
{
    for (size_t i = 0; i < s->mode_count; i++)
        ovl_chart_append(figure->subtitle, sizeof figure->subtitle, "%s%s",
                         i == 0                   ? "; "
                         : i + 1 == s->mode_count ? " and "
                                                  : ", ",
                         strcmp(s->modes[i], "dpu") == 0 ? "DPU" : s->modes[i]);
    if (s->mode_count > 0)
        ovl_chart_append(figure->subtitle, sizeof figure->subtitle, "%s",
                         s->mode_count > 1                  ? " modes"
                         : strcmp(s->modes[0], "host") == 0 ? " mode, no workers"
                                                            : " mode");
}

static bool is_drawn(const struct ovl_raw_point *r)
{
    return r->point.panel < OVL_FIGURE_PANELS && r->point.series < OVL_FIGURE_SERIES;
}

/* The modes that have that text of a facet, "Host, DPU". Returns how many. */
static size_t modes_with(char text[OVL_FIGURE_LABEL], const struct ovl_sorting *s, size_t f, size_t t)
{
    size_t count = 0;
    *text = '\0';
    for (size_t m = 0; m < s->mode_count; m++) {
        char name[OVL_FIGURE_LABEL];
        bool has = false;
        for (size_t i = 0; i < s->count; i++)
            has |=
                is_drawn(&s->raw[i]) && s->raw[i].text[f] == t && strcmp(s->raw[i].point.cell->mode, s->modes[m]) == 0;
        if (!has)
            continue;
        ovl_sorting_name_mode(name, s->modes[m]);
        ovl_chart_append(text, OVL_FIGURE_LABEL, "%s%s", count++ ? ", " : "", name);
    }
    return count;
}

/* What a facet says of all points: its one text; where modes have different ones, each with the modes that have it.
   Facets of axis OFFLOAD are of dpu mode alone anyway. */
static void describe_facet(struct ovl_chart_data *figure, const struct ovl_sorting *s, size_t f)
{
    char modes[OVL_FIGURE_LABEL];
    size_t said = 0;
    for (size_t t = 0; t < s->texts[f].count && !s->differs[f]; t++) {
        size_t count = modes_with(modes, s, f, t);
        if (!*s->texts[f].text[t] || count == 0)
            continue;
        ovl_chart_append(figure->subtitle, sizeof figure->subtitle, "%s%s",
                         !figure->subtitle[0] ? ""
                         : said > 0           ? ", "
                                              : "; ",
                         s->texts[f].text[t]);
        said++;
        if (count < s->mode_count && s->facet[f]->axis != OVL_AXIS_OFFLOAD)
            ovl_chart_append(figure->subtitle, sizeof figure->subtitle, " (%s)", modes);
    }
}

/* The variables that tune MPI and that all points share. */
static void describe_tuning(struct ovl_chart_data *figure, const struct ovl_sorting *s)
{
    const char *name;
    json_t *value;
    if (s->count == 0)
        return;
    json_object_foreach(json_object_get(s->raw[0].point.run->head, "environment"), name, value) {
        bool all = ovl_environment_tunes(s->raw[0].point.run, name, value);
        for (size_t i = 1; i < s->count && all; i++)
            all =
                ovl_json_same(json_object_get(json_object_get(s->raw[i].point.run->head, "environment"), name), value);
        char *said = all ? ovl_environment_text(name, value) : NULL;
        if (said)
            ovl_chart_append(figure->subtitle, sizeof figure->subtitle, "; %s=%s", name, said);
        free(said);
    }
}

/* Is the part one of those between semicolons? */
static bool has_part(const char *all, const char *part)
{
    size_t n = strlen(part);
    for (const char *at = all; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
        if (strncmp(at, part, n) == 0 && (at[n] == '\0' || strncmp(at + n, "; ", 2) == 0))
            return true;
    return false;
}

/* Adds those parts of a warning that are not there yet: of runs that differ in numbers the advice is said once. */
static void add_warning(struct ovl_chart_data *figure, const char *text)
{
    for (size_t n; *text; text += n) {
        char part[sizeof figure->warnings];
        const char *end = strstr(text, "; ");
        n = end ? (size_t)(end - text) : strlen(text);
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        if (!has_part(figure->warnings, part))
            ovl_chart_append(figure->warnings, sizeof figure->warnings, "%s%s", figure->warnings[0] ? "; " : "", part);
        n += end ? strlen("; ") : 0;
    }
}

void ovl_chart_left_out(const struct ovl_chart_data *figure, char text[OVL_CHART_LEFT_OUT])
{
    *text = '\0';
    if (figure->left_out > 0)
        snprintf(text, OVL_CHART_LEFT_OUT, "%zu point%s not drawn: there is room for %d %s", figure->left_out,
                 figure->left_out == 1 ? "" : "s", figure->off_panels ? OVL_FIGURE_PANELS : OVL_FIGURE_SERIES,
                 figure->off_panels ? "panels" : "series");
}

void ovl_sorting_describe(struct ovl_chart_data *figure, const struct ovl_sorting *s)
{
    char marks[OVL_STATUS_TEXT], left_out[OVL_CHART_LEFT_OUT];
    bool told = false;
    for (size_t f = 0; f < s->facets; f++) {
        if (s->facet[f]->axis == OVL_AXIS_OFFLOAD && !told) {
            describe_modes(figure, s);
            told = true;
        }
        describe_facet(figure, s, f);
    }
    describe_tuning(figure, s);
    if (figure->launches[1] > figure->launches[0])
        snprintf(figure->medians, sizeof figure->medians, "; medians over %zu to %zu launches", figure->launches[0],
                 figure->launches[1]);
    else if (figure->launches[1] > 0)
        snprintf(figure->medians, sizeof figure->medians, "; medians over %zu launches", figure->launches[1]);
    if (figure->launches[1] > 0 && figure->single > 0)
        ovl_chart_append(figure->medians, sizeof figure->medians, ", %zu point%s of one launch", figure->single,
                         figure->single == 1 ? "" : "s");
    if (figure->silent > 0)
        ovl_chart_append(figure->medians, sizeof figure->medians, ", %zu cell%s without a claim left out",
                         figure->silent, figure->silent == 1 ? "" : "s");
    ovl_chart_left_out(figure, left_out);
    ovl_chart_append(figure->warnings, sizeof figure->warnings, "%s", left_out);
    ovl_chart_marks(figure, marks);
    if (*marks)
        ovl_chart_append(figure->warnings, sizeof figure->warnings, "%s%s, of %zu point%s",
                         figure->warnings[0] ? "; " : "", marks, figure->point_count,
                         figure->point_count == 1 ? "" : "s");
    for (size_t p = 0; p < figure->point_count; p++) {
        const json_t *warnings = json_object_get(figure->points[p].run->head, "warnings");
        for (size_t w = 0; w < json_array_size(warnings); w++) {
            const char *text = json_string_value(json_array_get(warnings, w));
            if (text)
                add_warning(figure, text);
        }
    }
}
