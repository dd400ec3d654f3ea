/* The table of acceptance: verdicts as a report has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"
#include "table/columns.h"

#include <math.h>
#include <string.h>

const struct ovl_column ovl_verdict_columns[] = {
    {.show = {"rule", 1, 0, 6, false}, .in = OVL_IN_TEXT},
    {.show = {"cell", 1, 0, 34, false}, .left = 1},
    {.show = {"rule", 1, 0, 6, false}, .in = OVL_IN_PAGE},
    {.show = {"metric", 1, 0, 24, false}, .left = 1, .in = OVL_IN_TEXT},
    {.show = {"limit", 1, 0, 14, false}, .left = 1},
    {.show = {"value", 1, -6, 13, false}},
    {.show = {"95 % interval", 1, -6, 0, false}, .interval = 27},
    {.show = {"n", 1, 0, 4, false}, .page = "launches"},
    {.show = {"metric", 1, 0, 24, false}, .left = 1, .in = OVL_IN_PAGE},
    {.show = {"verdict", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static const char *text_of(const json_t *v, const char *name)
{
    return json_string_value(json_object_get(v, name));
}

static double number_of(const json_t *v, const char *name)
{
    const json_t *x = json_object_get(v, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

/* What a report has as null is the worst value, if a launch has none. */
static double or_worst(const json_t *v, double x)
{
    bool lost = number_of(v, "lacking") > 0 || number_of(v, "invalid") > 0 || text_of(v, "ratio_to");
    return !isnan(x) || !lost ? x : *text_of(v, "operator") == '<' ? INFINITY : -INFINITY;
}

static void put_metric(struct ovl_table *t, const json_t *v)
{
    const char *statistic = text_of(v, "statistic");
    bool usual = !statistic || strcmp(statistic, "median") == 0 || strcmp(statistic, "count") == 0;
    if (text_of(v, "ratio_to"))
        ovl_table_text(t, "T / %s", text_of(v, "ratio_to"));
    else if (!usual)
        ovl_table_text(t, "%s (%s)", text_of(v, "metric"), statistic);
    else
        ovl_table_text(t, "%s", text_of(v, "metric"));
}

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const json_t *v = json_array_get(of, i);
    char interval[72] = "-", worst[16];
    const char *label = text_of(v, "label"), *name = text_of(v, "name");
    double value = or_worst(v, number_of(v, "value"));
    struct ovl_estimate x = {NAN, or_worst(v, number_of(v, "ci_low")), or_worst(v, number_of(v, "ci_high"))};
    json_int_t launches = json_integer_value(json_object_get(v, "n"));
    snprintf(worst, sizeof worst, "%.3g", value);
    if (ovl_stats_ci_rank((size_t)launches) > 0 && json_object_get(v, "ci_low") && !isnan(x.ci_low) &&
        !isnan(x.ci_high))
        snprintf(interval, sizeof interval, "%.6g .. %.6g", x.ci_low, x.ci_high);
    ovl_table_number(t, number_of(v, "rule"));
    ovl_table_text(t, "%s", label ? label : name ? name : "-");
    ovl_table_number(t, number_of(v, "rule"));
    put_metric(t, v);
    ovl_table_text(t, "%s %.6g", text_of(v, "operator"), number_of(v, "limit"));
    ovl_table_put(t, &(struct ovl_value){.text = isinf(value) ? worst : NULL, .number = true, .x.value = value});
    ovl_table_put(t, &(struct ovl_value){.number = true, .text = interval, .x = x});
    ovl_table_number(t, (double)launches);
    put_metric(t, v);
    ovl_table_verdict(t, text_of(v, "verdict"), text_of(v, "reason"), NULL);
    ovl_table_row_end(t);
}

void ovl_table_verdicts(FILE *out, const struct ovl_table_writer *writer, const json_t *verdicts)
{
    struct ovl_table t = ovl_table_to(out, writer, ovl_verdict_columns, 0, false);
    t.caption = "Acceptance: the whole interval must keep the limit";
    ovl_table_print(t, json_array_size(verdicts), put_row, verdicts);
}
