/* What is said above a chart: what all its points share, what they are medians of, and their warnings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/column.h"
#include "tool/chart/sorting.h"

#include <stdarg.h>
#include <stdio.h>
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

/* What a facet says of all points: its one text; where modes have different ones, each with the first that has it. */
static void describe_facet(struct ovl_chart_data *figure, const struct ovl_sorting *s, size_t f)
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
        ovl_chart_append(figure->subtitle, sizeof figure->subtitle, "%s%s",
                         !figure->subtitle[0] ? ""
                         : said++             ? ", "
                                              : "; ",
                         s->texts[f].text[t]);
        if (different > 1)
            ovl_chart_append(figure->subtitle, sizeof figure->subtitle, " (%s)", s->raw[i].point.cell->mode);
    }
}

void ovl_sorting_describe(struct ovl_chart_data *figure, const struct ovl_sorting *s)
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
    if (figure->launches[1] > 0 && figure->single > 0)
        ovl_chart_append(figure->medians, sizeof figure->medians, ", %zu point%s of one launch", figure->single,
                         figure->single == 1 ? "" : "s");
    if (figure->silent > 0)
        ovl_chart_append(figure->medians, sizeof figure->medians, ", without %zu cell%s of no claim", figure->silent,
                         figure->silent == 1 ? "" : "s");
    if (figure->left_out > 0)
        ovl_chart_append(figure->warnings, sizeof figure->warnings,
                         "%zu point%s not drawn: there is room for %d series", figure->left_out,
                         figure->left_out == 1 ? "" : "s", OVL_FIGURE_SERIES);
    ovl_chart_marks(figure, marks);
    if (*marks)
        ovl_chart_append(figure->warnings, sizeof figure->warnings, "%s%s, of %zu points",
                         figure->warnings[0] ? "; " : "", marks, figure->point_count);
    for (size_t p = 0; p < figure->point_count; p++) {
        const json_t *warnings = json_object_get(figure->points[p].run->head, "warnings");
        for (size_t w = 0; w < json_array_size(warnings); w++) {
            const char *text = json_string_value(json_array_get(warnings, w));
            if (text && !strstr(figure->warnings, text))
                ovl_chart_append(figure->warnings, sizeof figure->warnings, "%s%s", figure->warnings[0] ? "; " : "",
                                 text);
        }
    }
}
