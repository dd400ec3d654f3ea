/* The charts of ovl_serve: what requests waited for their tokens, and what was exposed of the communication. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "tool/chart/column.h"

#include <math.h>
#include <string.h>

static const char *const times[] = {"ttft_seconds", "ttft_unqueued_seconds", "tpot_seconds"};

static double percentile(const struct ovl_point *p, const char *time, const char *which)
{
    const json_t *v = json_object_get(json_object_get(json_object_get(p->cell->extra, "serving"), time), which);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* A line for each kind of time, whose highest percentile is the last that there is. */
bool ovl_chart_requests_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    size_t drawn = 0;
    (void)figure;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double p50 = percentile(p, times[i], "p50"), p90 = percentile(p, times[i], "p90");
        double p99 = percentile(p, times[i], "p99");
        fprintf(out, "%zu", i + 1);
        ovl_chart_put(out, p50);
        ovl_chart_put(out, p90);
        ovl_chart_put(out, isfinite(p99) ? p99 : isfinite(p90) ? p90 : p50);
        fprintf(out, "\t%d\n", ovl_chart_status(p));
        drawn += isfinite(p50);
    }
    return drawn > 0;
}

static void put_crosses(char text[OVL_FIGURE_LABEL], const char *what, const struct ovl_chart_data *figure,
                        size_t first, size_t last)
{
    const char *crosses = ovl_chart_crosses(figure, first, last);
    snprintf(text, OVL_FIGURE_LABEL, "%s%s%s", what, *crosses ? "; x: " : "", crosses);
}

/* Has a point in these panels that percentile of its first tokens? */
static bool any_has(const struct ovl_chart_data *figure, size_t first, size_t last, const char *which)
{
    bool any = false;
    for (size_t i = 0; i < figure->point_count; i++)
        any |= figure->points[i].panel >= first && figure->points[i].panel < last &&
               isfinite(percentile(&figure->points[i], times[0], which));
    return any;
}

void ovl_chart_requests_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                             size_t last)
{
    put_crosses(text,
                any_has(figure, first, last, "p99") ? "bars: the median of all requests; points: p90; lines: up to p99"
                : any_has(figure, first, last, "p90") ? "bars: the median of all requests; points: p90"
                                                      : "bars: the median of all requests",
                figure, first, last);
}

/* A line for each step of rank, from the least value of each kind of time to its largest. */
bool ovl_chart_spread_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *serving = json_object_get(p->cell->extra, "serving"), *steps[3];
    size_t drawn = 0, most = 0;
    (void)figure;
    for (size_t i = 0; i < 3; i++) {
        steps[i] = json_object_get(json_object_get(serving, times[i]), "steps");
        most = json_array_size(steps[i]) > most ? json_array_size(steps[i]) : most;
    }
    for (size_t k = 0; k < most; k++) {
        fprintf(out, "%g", most > 1 ? (double)k / (double)(most - 1) : 1.0);
        for (size_t i = 0; i < 3; i++) {
            ovl_chart_put(out, ovl_chart_number_at(steps[i], k));
            drawn += isfinite(ovl_chart_number_at(steps[i], k));
        }
        fprintf(out, "\t%d\n", ovl_chart_status(p));
    }
    if (most == 0)
        fputs("NaN\tNaN\tNaN\tNaN\tNaN\n", out);
    return drawn > 0;
}

void ovl_chart_spread_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    put_crosses(text,
                "above: to the first token, without the time in the queue thin; below: for each further one; medians "
                "over blocks",
                figure, first, last);
}

/* A line for each iteration; the first one has what all of them exposed and hid of the communication, too. */
bool ovl_chart_iterations_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const json_t *exposed = json_object_get(p->cell->curve, "exposed_comm_seconds");
    double comm = p->cell->summary[OVL_COMM].median, hidden = p->cell->derived[OVL_HIDDEN].value;
    size_t drawn = 0;
    (void)figure;
    for (size_t i = 0; i < json_array_size(exposed); i++) {
        fprintf(out, "%zu", i);
        ovl_chart_put(out, ovl_chart_number_at(exposed, i));
        ovl_chart_put(out, i == 0 ? (1 - hidden) * comm : NAN);
        ovl_chart_put(out, i == 0 ? hidden * comm : NAN);
        fprintf(out, "\t%d\n", ovl_chart_status(p));
        drawn += isfinite(ovl_chart_number_at(exposed, i));
    }
    if (json_array_size(exposed) == 0)
        fputs("NaN\tNaN\tNaN\tNaN\tNaN\n", out);
    return drawn > 0;
}

void ovl_chart_iterations_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                               size_t last)
{
    bool pd = false, more = false;
    char what[300];
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct ovl_point *p = &figure->points[i];
        if (p->panel < first || p->panel >= last)
            continue;
        pd |= strcmp(ovl_cell_problem_text(p->cell, "strategy"), "pd") == 0;
        more |= ovl_chart_status(p) < 2 && p->cell->derived[OVL_HIDDEN].value < 0;
    }
    snprintf(what, sizeof what,
             "above: the rank that waits longest%s; below: all iterations%s, dark exposed, light hidden%s",
             pd ? ", of pd among those that write" : "", figure->medians[0] ? ", medians over launches" : "",
             more ? "; no light part: more was exposed than the communication alone takes" : "");
    put_crosses(text, what, figure, first, last);
}
