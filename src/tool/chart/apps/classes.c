/* The chart of a training step's operations by size class, as the profiler hvprof has them: seconds of each class and
   their sum, by the host and by workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/size_class.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>

enum { OF_SUM = -1, NO_CHANGE = 1000000 };

struct class
{
    double seconds, calls; /* NaN where the cell has no such class */
};

static double number(const json_t *of, const char *name)
{
    const json_t *value = json_object_get(of, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A class of a cell, or the sum of all, which is made again: what the record says of it is not asked. */
static struct class class_of(const struct ovl_cell *cell, int wanted)
{
    struct class sum = {0, 0}, one = {NAN, NAN};
    size_t i;
    int n = 0;
    json_t *entry;
    json_array_foreach(json_object_get(cell->extra, "histogram"), i, entry) {
        const char *name = json_string_value(json_object_get(entry, "class"));
        int c = name ? ovl_size_class_find(name) : -1;
        if (c < 0)
            continue;
        n++;
        if (c == wanted)
            one = (struct class){number(entry, "seconds"), number(entry, "calls")};
        sum.seconds += number(entry, "seconds");
        sum.calls += number(entry, "calls");
    }
    return wanted == OF_SUM && n > 0 ? sum : one;
}

/* Does some cell of the panel have it? Those alone have a place. */
static bool is_there(const struct ovl_chart_data *figure, size_t panel, int c)
{
    for (size_t i = 0; i < figure->point_count; i++)
        if (figure->points[i].panel == panel && isfinite(class_of(figure->points[i].cell, c).seconds))
            return true;
    return false;
}

/* Against the host, in percent; NO_CHANGE of the host itself: gnuplot would make nothing of a line with NaN. */
static double change_of(const struct ovl_chart_data *figure, const struct ovl_point *p, double seconds, int wanted)
{
    const struct ovl_point *host = ovl_figure_host_of(figure, p);
    double change = host ? ovl_chart_change(class_of(host->cell, wanted).seconds, seconds) : NAN;
    return isfinite(change) ? change : NO_CHANGE;
}

/* How often it is called, -1 where cells of the panel that have it differ. */
static double calls_of(const struct ovl_chart_data *figure, size_t panel, int wanted)
{
    double calls = NAN;
    for (size_t i = 0; i < figure->point_count; i++) {
        double mine = class_of(figure->points[i].cell, wanted).calls;
        if (figure->points[i].panel != panel || !isfinite(mine))
            continue;
        if (isfinite(calls) && mine != calls)
            return -1;
        calls = mine;
    }
    return calls;
}

static bool put_class(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p, int place, int wanted)
{
    struct class c = class_of(p->cell, wanted);
    if (!isfinite(c.seconds))
        return false;
    fprintf(out, "%d", place);
    ovl_chart_put(out, c.seconds);
    ovl_chart_put(out, change_of(figure, p, c.seconds, wanted));
    fprintf(out, "\t%d\t\"%s\"", ovl_chart_status(p), wanted == OF_SUM ? "total" : ovl_size_classes[wanted].name);
    ovl_chart_put(out, calls_of(figure, p->panel, wanted));
    fputc('\n', out);
    return true;
}

bool ovl_chart_classes_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    bool drawn = false;
    int place = 1;
    for (int c = 0; c < OVL_SIZE_CLASSES; c++)
        if (is_there(figure, p->panel, c))
            drawn |= put_class(out, figure, p, place++, c);
    if (!drawn || !put_class(out, figure, p, place, OF_SUM))
        fputs("NaN\tNaN\tNaN\tNaN\t\"\"\tNaN\n", out);
    return drawn;
}

void ovl_chart_classes_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    bool both = false;
    for (size_t i = 0; i < figure->point_count; i++)
        both |= figure->points[i].panel >= first && figure->points[i].panel < last &&
                ovl_figure_host_of(figure, &figure->points[i]);
    snprintf(text, OVL_FIGURE_LABEL,
             "each operation of a step alone, nothing computed meanwhile, at the slowest rank%s",
             both ? "; percentages: DPU / host - 1, both with the same settings" : "");
}
