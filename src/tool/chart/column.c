/* What several charts say of a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/column.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "record/status.h"

#include <math.h>
#include <string.h>

int ovl_chart_status(const struct ovl_cell *cell)
{
    return strcmp(cell->status, "invalid") == 0 || cell->unshaped > 0 ? 2
           : strcmp(cell->status, "ci_not_reached") == 0              ? 1
                                                                      : 0;
}

void ovl_chart_put(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "\t%.9g", value);
    else
        fputs("\tNaN", out);
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
    bool invalid = false, unshaped = false;
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        bool drawn = p->panel >= first && p->panel < last;
        bool bad = strcmp(p->cell->status, "invalid") == 0;
        invalid |= drawn && bad;
        unshaped |= drawn && !bad && p->cell->unshaped > 0;
    }
    return invalid && unshaped ? "invalid or unshaped" : unshaped ? "unshaped" : "invalid";
}

void ovl_chart_name_cell(char label[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    char size[24] = "";
    const char *panel = figure->panels[p->panel];
    if (p->cell->size_bytes > 0)
        ovl_options_size_text((uint64_t)p->cell->size_bytes, size);
    ovl_utf8_print(label, OVL_FIGURE_LABEL, "%s%s%s%s%s%s", size, *size ? ", " : "", figure->series[p->series].label,
                   *panel ? ", " : "", panel, ovl_cell_claims(p->cell) ? "" : ", no claim");
}
