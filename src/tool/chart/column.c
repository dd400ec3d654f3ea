/* What several charts say of a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/column.h"
#include "base/utf8.h"
#include "cli/options.h"

#include <math.h>
#include <string.h>

const char *ovl_chart_no_claim(const struct ovl_point *p)
{
    const char *why = ovl_run_no_claim(p->run, p->cell);
    return why ? why : p->odd;
}

int ovl_chart_status(const struct ovl_point *p)
{
    return ovl_chart_no_claim(p) ? 2 : strcmp(p->cell->status, "ci_not_reached") == 0 ? 1 : 0;
}

void ovl_chart_put_first(FILE *out, double size)
{
    if (isfinite(size))
        fprintf(out, "%.0f", size);
    else
        fputs("NaN", out);
}

void ovl_chart_put(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "\t%.9g", value);
    else
        fputs("\tNaN", out);
}

double ovl_chart_number_at(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

void ovl_chart_put_estimate(FILE *out, struct ovl_estimate e, double factor)
{
    ovl_chart_put(out, factor * e.value);
    ovl_chart_put(out, factor * (isnan(e.ci_low) ? e.value : e.ci_low));
    ovl_chart_put(out, factor * (isnan(e.ci_high) ? e.value : e.ci_high));
}

double ovl_chart_change(double before, double now)
{
    return 100 * (now / before - 1);
}

void ovl_chart_put_name(FILE *out, const char *name, int most)
{
    fputc('"', out);
    for (int c = 0; c < most && name[c]; c++)
        fputc((unsigned char)name[c] >= ' ' && name[c] != 127 && !strchr("\"\\", name[c]) ? name[c] : '?', out);
    fputc('"', out);
}

const char *ovl_chart_crosses(const struct ovl_chart_data *figure, size_t first, size_t last)
{
    static char words[64];
    *words = '\0';
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        const char *why = ovl_chart_no_claim(p);
        size_t n = strlen(words);
        if (p->panel >= first && p->panel < last && why && !strstr(words, why))
            snprintf(words + n, sizeof words - n, "%s%s", n ? " or " : "", why);
    }
    return words;
}

void ovl_chart_marks(const struct ovl_chart_data *figure, char text[OVL_STATUS_TEXT])
{
    struct ovl_marks_seen seen = {.cells = {0}};
    for (size_t i = 0; i < figure->point_count; i++)
        if (!ovl_chart_no_claim(&figure->points[i]))
            ovl_marks_see(&seen, figure->points[i].cell);
    ovl_marks_text(&seen, text);
    char *ratio = strstr(text, "W/C"), rest[OVL_STATUS_TEXT];
    if (!ratio)
        return;
    snprintf(rest, sizeof rest, "%s", ratio + strlen("W/C"));
    snprintf(ratio, OVL_STATUS_TEXT - (size_t)(ratio - text), "W/C out of range%s", rest);
}

void ovl_chart_name_cell(char label[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    char size[24] = "";
    const char *panel = figure->panels[p->panel];
    if (p->cell->size_bytes > 0)
        ovl_options_size_text((uint64_t)p->cell->size_bytes, size);
    ovl_utf8_print(label, OVL_FIGURE_LABEL, "%s%s%s%s%s%s", size, *size ? ", " : "", figure->series[p->series].label,
                   *panel ? ", " : "", panel, ovl_chart_no_claim(p) ? ", no claim" : "");
}
