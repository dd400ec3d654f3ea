/* The chart of a training step's operations by size class, as the profiler hvprof has them: seconds of each class and
   their sum, by the host and by workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart.h"
#include "tool/chart_column.h"

#include <math.h>
#include <string.h>

enum { MOST_CLASSES = 8, OF_SUM = -1, NO_CHANGE = 1000000 };

struct class
{
    const char *name;
    double seconds, calls;
};

static double number(const json_t *of, const char *name)
{
    const json_t *value = json_object_get(of, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A class of a cell, or their sum, which is made again: what the record says of it is not asked. */
static struct class class_of(const struct ovl_cell *cell, int wanted)
{
    struct class sum = {"total", 0, 0}, one = {NULL, NAN, NAN};
    size_t i;
    int n = 0;
    json_t *entry;
    json_array_foreach(json_object_get(cell->extra, "histogram"), i, entry) {
        const char *name = json_string_value(json_object_get(entry, "class"));
        if (!name || strcmp(name, sum.name) == 0)
            continue;
        if (n++ == wanted)
            one = (struct class){name, number(entry, "seconds"), number(entry, "calls")};
        sum.seconds += number(entry, "seconds");
        sum.calls += number(entry, "calls");
    }
    return wanted == OF_SUM && n > 0 ? sum : one;
}

/* Against the host, in percent; NO_CHANGE of the host itself: gnuplot would make nothing of a line with NaN. */
static double change_of(const struct ovl_chart_data *figure, const struct ovl_point *p, const struct class *c,
                        int wanted)
{
    const struct ovl_point *host = ovl_figure_host_of(figure, p);
    struct class before = host ? class_of(host->cell, wanted) : (struct class){NULL, NAN, NAN};
    double change = 100 * (c->seconds / before.seconds - 1);
    return before.name && strcmp(before.name, c->name) == 0 && isfinite(change) ? change : NO_CHANGE;
}

static bool put_class(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p, int place, int wanted)
{
    struct class c = class_of(p->cell, wanted);
    if (!c.name)
        return false;
    fprintf(out, "%d", place);
    ovl_chart_put(out, c.seconds);
    ovl_chart_put(out, change_of(figure, p, &c, wanted));
    fprintf(out, "\t%d\t\"", ovl_chart_status(p->cell));
    for (int i = 0; i < 20 && c.name[i]; i++)
        fputc(c.name[i] >= ' ' && c.name[i] < 127 && !strchr("\"\\", c.name[i]) ? c.name[i] : '?', out);
    fprintf(out, "\"");
    ovl_chart_put(out, c.calls);
    fputc('\n', out);
    return isfinite(c.seconds);
}

bool ovl_chart_classes_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    bool drawn = false;
    int place = 1;
    for (int k = 0; k < MOST_CLASSES && class_of(p->cell, k).name; k++)
        drawn |= put_class(out, figure, p, place++, k);
    if (drawn)
        put_class(out, figure, p, place, OF_SUM);
    else
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
             both ? "; percentages: DPU against host, new / old - 1" : "");
}
