/* `ovl validate`: a cell against its own samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/proxy.h"
#include "record/status.h"
#include "tool/validate_state.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void ovl_checking_problem(struct ovl_checking *c, const char *format, ...)
{
    va_list args;
    if (c->problems++ >= OVL_CHECKING_SHOWN)
        return;
    printf("%s:%zu: ", c->file, c->line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void ovl_checking_compare(struct ovl_checking *c, const char *name, const char *part, double stored, double again,
                          double small)
{
    if (isnan(stored) && isnan(again))
        return;
    if (fabs(stored - again) <= 1e-9 * fmax(fabs(stored), fabs(again)) + small)
        return;
    char text[32] = "null";
    if (!isnan(again))
        snprintf(text, sizeof text, "%.12g", again);
    if (isnan(stored))
        ovl_checking_problem(c, "/%s%s: null, but the samples give %s", name, part, text);
    else
        ovl_checking_problem(c, "/%s%s: %.12g, but the samples give %s", name, part, stored, text);
}

static void compare_summary(struct ovl_checking *c, const char *name, const struct ovl_summary *a,
                            const struct ovl_summary *b)
{
    ovl_checking_compare(c, name, "/median", a->median, b->median, 0);
    ovl_checking_compare(c, name, "/ci_low", a->ci_low, b->ci_low, 0);
    ovl_checking_compare(c, name, "/ci_high", a->ci_high, b->ci_high, 0);
    ovl_checking_compare(c, name, "/min", a->min, b->min, 0);
    ovl_checking_compare(c, name, "/max", a->max, b->max, 0);
    ovl_checking_compare(c, name, "/p99", a->p99, b->p99, 0);
    ovl_checking_compare(c, name, "/outliers", (double)a->outliers, (double)b->outliers, 0);
}

void ovl_checking_estimate(struct ovl_checking *c, const char *name, const struct ovl_estimate *a,
                           const struct ovl_estimate *b)
{
    ovl_checking_compare(c, name, "/value", a->value, b->value, 1e-11);
    ovl_checking_compare(c, name, "/ci_low", a->ci_low, b->ci_low, 1e-11);
    ovl_checking_compare(c, name, "/ci_high", a->ci_high, b->ci_high, 1e-11);
}

/* A proxy's cell holds what was measured; the schema wants all of the others. */
static void compare_derived(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                            const struct ovl_cell *again)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (json_object_get(line, ovl_quantity_names[q]))
            compare_summary(c, ovl_quantity_names[q], &stored->summary[q], &again->summary[q]);
    for (int d = 0; d < OVL_DERIVED; d++)
        if (json_object_get(line, ovl_derived_rows[d].name))
            ovl_checking_estimate(c, ovl_derived_rows[d].name, &stored->derived[d], &again->derived[d]);
    if (json_object_get(line, "autocorrelation"))
        ovl_checking_compare(c, "autocorrelation", "", stored->autocorrelation, again->autocorrelation, 1e-11);
    if (json_object_get(line, "omb_overlap_percent"))
        ovl_checking_compare(c, "omb_overlap_percent", "", stored->omb_percent, again->omb_percent, 1e-9);
    if (json_object_get(line, "imb_overlap_percent"))
        ovl_checking_compare(c, "imb_overlap_percent", "", stored->imb_percent, again->imb_percent, 1e-9);
}

static double number_of(const json_t *o, const char *name)
{
    const json_t *x = json_object_get(o, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static void compare_proxy(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                          const struct ovl_cell *again)
{
    const char *name;
    json_t *samples;
    if (json_object_get(line, "gflops"))
        ovl_checking_estimate(c, "gflops", &stored->gflops, &again->gflops);
    if (json_object_get(line, "exposed_comm_seconds"))
        ovl_checking_estimate(c, "exposed_comm_seconds", &stored->exposed, &again->exposed);
    json_object_foreach(again->others, name, samples) {
        const json_t *o = json_object_get(line, name);
        struct ovl_summary said = {number_of(o, "median"),
                                   number_of(o, "ci_low"),
                                   number_of(o, "ci_high"),
                                   number_of(o, "min"),
                                   number_of(o, "max"),
                                   number_of(o, "p99"),
                                   0,
                                   (size_t)json_integer_value(json_object_get(o, "outliers"))},
                           found;
        if (json_object_get(o, "median") && ovl_proxy_summarise(again, name, &found))
            compare_summary(c, name, &said, &found);
    }
}

/* By how much the parts of T may exceed it: the inner compute counts a clock read for each test call. */
static double slack(const struct ovl_cell *cell)
{
    double reads = 2 * cell->test_calls * cell->clock_read_seconds;
    return isnan(reads) ? 0 : reads;
}

/* What must hold of one block's slowest rank and mean over ranks; a word on what does not, or NULL. */
static const char *implausible(const struct ovl_cell *cell, int q, size_t block)
{
    const struct ovl_samples *s = &cell->samples;
    const double more = 1 + 1e-9;
    double max = s->max[q][block], mean = s->mean[q][block], total = s->max[OVL_TOTAL][block];
    if (isnan(max) != isnan(mean))
        return "is null in one of max and mean";
    if (mean > max * more)
        return "has a mean over ranks above its slowest rank";
    if (max > cell->ranks * mean * more)
        return "has a slowest rank above the sum of all ranks";
    if (q >= OVL_INIT && isnan(total) && !isnan(max))
        return "has a part of a total that is null";
    if (q >= OVL_INIT && max > total * more + slack(cell))
        return "has a part that is longer than its total";
    return NULL;
}

static bool parts_exceed(const struct ovl_cell *cell, size_t block)
{
    const struct ovl_samples *s = &cell->samples;
    double sum = 0;
    for (int q = OVL_INIT; q <= OVL_INNER; q++)
        sum += s->mean[q][block];
    return sum > s->mean[OVL_TOTAL][block] * (1 + 1e-9) + slack(cell);
}

/* Not every sample moves a derived value: these find a change in most others. */
static void check_samples(struct ovl_checking *c, const struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    for (size_t b = 0; b < s->blocks; b++) {
        for (int q = 0; q < OVL_QUANTITIES; q++) {
            const char *why = implausible(cell, q, b);
            if (why)
                ovl_checking_problem(c, "/samples/%s: block %zu %s", ovl_quantity_names[q], b, why);
        }
        if (parts_exceed(cell, b))
            ovl_checking_problem(c, "/samples/total_seconds: block %zu has parts that are more than the total", b);
    }
}

static void check_invalid_counts(struct ovl_checking *c, json_t *line, const struct ovl_cell *again)
{
    for (int q = OVL_COMM; q <= OVL_TOTAL; q++) {
        if (!json_object_get(json_object_get(line, "invalid_samples"), ovl_quantity_names[q]))
            continue;
        double stored =
            json_number_value(json_object_get(json_object_get(line, "invalid_samples"), ovl_quantity_names[q]));
        ovl_checking_compare(c, "invalid_samples/", ovl_quantity_names[q], stored,
                             (double)(again->samples.blocks - again->summary[q].n), 0);
    }
}

static void check_sum(struct ovl_checking *c, json_t *line, const struct ovl_cell *cell)
{
    const char *stored = json_string_value(json_object_get(line, "samples_crc32"));
    char again[9];
    ovl_cell_checksum(cell, again);
    if (stored && strcmp(stored, again) != 0)
        ovl_checking_problem(c, "/samples_crc32: \"%s\", but the samples give \"%s\": a sample was changed", stored,
                             again);
}

/* `few` and `drifting` follow from the samples; older records have neither. */
static void check_status(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                         const struct ovl_cell *again)
{
    static const char *const settled[] = {"ok", "few", "drifting"};
    struct ovl_cell right = *again;
    for (size_t i = 0; i < 3 && json_object_get(line, "autocorrelation"); i++)
        if (strcmp(stored->status, settled[i]) == 0) {
            strcpy(right.status, "ok");
            ovl_cell_settle(&right);
            if (strcmp(right.status, stored->status) != 0)
                ovl_checking_problem(c, "/status: \"%s\", but the samples give \"%s\"", stored->status, right.status);
        }
}

void ovl_checking_cell(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                       const struct ovl_cell *again)
{
    check_sum(c, line, again);
    check_samples(c, again);
    check_invalid_counts(c, line, again);
    compare_derived(c, line, stored, again);
    check_status(c, line, stored, again);
    if (ovl_cell_solves(again))
        compare_proxy(c, line, stored, again);
}
