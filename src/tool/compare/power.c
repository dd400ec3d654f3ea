/* Planning a comparison from the launches of one side. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/power.h"
#include "base/clock.h"
#include "record/derived/show.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000, LEAST_SPREAD = 3 };

static const double power = 0.8, gate_power = 0.9, most_certain = 0.999;

/* What the launches of one cell show. Spreads are of losses: logarithms, or differences. */
struct spread {
    size_t launches;
    double median;
    double launch; /* standard deviation between launches */
    double pair;   /* of the difference of two launches that follow each other, so that a drift counts little */
    bool same_work;
};

/* A question to the tests: the fewest launches that find `distance`. Factors are known after the first cell asked. */
struct question {
    bool paired;
    double level, power;
    double factor[MOST + 1]; /* what that many launches detect, in spreads; NaN when not asked yet */
};

struct plan {
    const struct ovl_gate *gate;
    const struct ovl_groups *groups;
    struct spread *spread; /* of each group */
    size_t cells, wanted;
    struct question label[2], pass[2]; /* unpaired, paired */
    size_t need[2], gate_need[2];      /* of the cell that needs most */
    double seconds;                    /* of one launch of everything, 0 when the records do not tell */
    bool unlike_work;
};

static struct question ask(bool paired, double level, double at_power)
{
    struct question q = {.paired = paired, .level = level, .power = at_power};
    for (size_t n = 0; n <= MOST; n++)
        q.factor[n] = NAN;
    return q;
}

static double factor(struct question *q, size_t n)
{
    struct ovl_launch_test t;
    if (isnan(q->factor[n])) {
        ovl_launch_test_make(&t, n, q->paired);
        q->factor[n] = ovl_launch_test_detectable(&t, q->level, q->power);
        ovl_launch_test_free(&t);
    }
    return q->factor[n];
}

/* The fewest launches of either side that find a change of that distance from the margin; above MOST when none do. */
static size_t launches_for(struct question *q, double spread, double distance)
{
    size_t low = ovl_launch_test_needed(q->level, q->paired), high = MOST;
    if (!q->paired && low < OVL_FAMILY_LEAST_UNPAIRED)
        low = OVL_FAMILY_LEAST_UNPAIRED;
    if (!(factor(q, high) * spread <= distance))
        return MOST + 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (factor(q, middle) * spread <= distance)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool as_ratio(const struct ovl_gate *gate)
{
    return gate->metric->scale == OVL_METRIC_RATIO;
}

/* From the margin to twice the margin, which is no more than from no change to the margin. */
static double distance_of(const struct ovl_gate *gate)
{
    return as_ratio(gate) ? log((1 + 2 * gate->delta) / (1 + gate->delta)) : gate->delta;
}

static double margin_of(const struct ovl_gate *gate)
{
    return as_ratio(gate) ? log1p(gate->delta) : gate->delta;
}

/* Values as losses. */
static void measure(const struct ovl_gate *gate, const struct ovl_group *group, struct spread *s)
{
    double *x = ovl_alloc(group->count, sizeof *x);
    const struct ovl_cell *before = NULL;
    bool logs = as_ratio(gate);
    *s = (struct spread){.launch = NAN, .pair = NAN, .same_work = true};
    for (size_t i = 0; i < group->count; i++) {
        const struct ovl_cell *cell = group->member[i].cell;
        double value = ovl_metric_of(gate->metric, &group->member[i]).value;
        if (!isfinite(value))
            continue;
        s->same_work &= !before || ovl_same_units(cell, before);
        before = cell;
        x[s->launches++] = value;
        logs &= value > 0;
    }
    s->median = ovl_stats_summarise(x, s->launches).median;
    double mean = 0, squares = 0, steps = 0, n = (double)s->launches;
    for (size_t i = 0; i < s->launches; i++) {
        x[i] = logs ? log(x[i]) : as_ratio(gate) ? x[i] / fabs(s->median) : x[i];
        mean += x[i] / n;
        steps += i > 0 ? pow(x[i] - x[i - 1], 2) : 0;
    }
    for (size_t i = 0; i < s->launches; i++)
        squares += pow(x[i] - mean, 2);
    if (s->launches >= LEAST_SPREAD) {
        s->launch = sqrt(squares / (n - 1));
        s->pair = sqrt(steps / (n - 1));
    }
    free(x);
}

static double time_in(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? ovl_clock_utc_seconds(text) : NAN;
}

/* What one launch of every job takes: all that was measured, over how often the cells were. */
static double seconds_of(const struct ovl_record *old, const struct ovl_groups *groups)
{
    double sum = 0, n = 1;
    for (size_t r = 0; r < old->run_count; r++) {
        double took = time_in(old->runs[r].end, "finished") - time_in(old->runs[r].head, "started");
        sum += took > 0 ? took : 0;
    }
    for (size_t g = 0; g < groups->count; g++)
        n = fmax(n, (double)groups->group[g].count);
    return sum / n;
}

static void put_launches(char text[32], size_t n)
{
    if (n > MOST)
        snprintf(text, 32, "over %d", MOST);
    else
        snprintf(text, 32, "%zu", n);
}

const struct ovl_column ovl_power_columns[] = {
    {.show = {"cell", 1, 0, 0, false}, .left = 2},
    {.show = {"median us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"launches", 1, 0, 9, false}},
    {.show = {"spread", 1, 4, 9, false}},
    {.show = {"pairs", 1, 0, 10, false}},
    {.show = {"a side", 1, 0, 10, false}},
    {.show = {"MDE pairs", 1, 3, 10, false}, .of = OVL_COLUMN_CHANGE, .full = true},
    {.show = {"MDE side", 1, 3, 10, false}, .of = OVL_COLUMN_CHANGE, .full = true},
    {.field = NULL},
};

/* The change that `wanted` launches find in 80 % of cases. */
static double detected(struct plan *p, const struct spread *s, bool paired)
{
    double shift = margin_of(p->gate) + factor(&p->label[paired], p->wanted) * (paired ? s->pair : s->launch);
    double x = p->gate->metric->more_is_better ? -shift : shift;
    if (!isfinite(x) || (!paired && p->wanted < OVL_FAMILY_LEAST_UNPAIRED))
        return NAN;
    return as_ratio(p->gate) ? exp(x) : x;
}

static void put_cell(struct ovl_table *t, const void *of, size_t i)
{
    struct plan *p = *(struct plan *const *)of;
    const struct spread *s = &p->spread[i];
    char text[32];
    ovl_table_text(t, "%s", p->groups->group[i].label);
    ovl_table_number(t, s->median);
    ovl_table_number(t, (double)s->launches);
    if (isnan(s->launch)) {
        snprintf(text, sizeof text, "fewer than %d valid launches", LEAST_SPREAD);
        ovl_table_put(t, &(struct ovl_value){.text = "-", .reason = text});
        ovl_table_row_end(t);
        return;
    }
    ovl_table_text(t, as_ratio(p->gate) ? "%.2f%%" : "%.4f", (as_ratio(p->gate) ? 100 : 1) * s->launch);
    for (int paired = 1; paired >= 0; paired--) {
        double spread = paired ? s->pair : s->launch;
        size_t n = launches_for(&p->label[paired], spread, distance_of(p->gate)),
               pass = launches_for(&p->pass[paired], spread, margin_of(p->gate));
        p->need[paired] = n > p->need[paired] ? n : p->need[paired];
        p->gate_need[paired] = pass > p->gate_need[paired] ? pass : p->gate_need[paired];
        put_launches(text, n);
        ovl_table_text(t, "%s", text);
    }
    for (int paired = 1; paired >= 0 && p->wanted > 0; paired--)
        ovl_table_number(t, detected(p, s, paired));
    ovl_table_row_end(t);
}

static void print_time(const struct plan *p, size_t launches)
{
    double seconds = 2 * (double)launches * p->seconds;
    if (launches > MOST)
        return;
    if (seconds < 1)
        printf("# time     the old records do not tell: they began and ended within a second\n");
    else
        printf(
            "# time     %zu launches of each side take %.0f s (%.1f min), as long as the old ones measured; starting "
            "them comes on top\n",
            launches, seconds, seconds / 60);
}

static void print_foot(const struct plan *p)
{
    char pairs[32], side[32];
    put_launches(pairs, p->need[1]);
    put_launches(side, p->need[0]);
    printf("#\n# spread   standard deviation between launches%s\n", as_ratio(p->gate) ? ", part of the value" : "");
    printf(
        "# needed   %s pairs (old, new, new, old, ...; --paired), or %s launches of each side: then a cell that is %g "
        "worse\n"
        "#          is called REGRESSED, and an unchanged one OK, in at least 80 %% of cases, as one of %zu cell%s\n",
        pairs, side, 2 * p->gate->delta, p->cells, p->cells == 1 ? "" : "s");
    put_launches(pairs, p->gate_need[1]);
    put_launches(side, p->gate_need[0]);
    printf("# gate     passes in 90 %% of cases in which nothing changed, from %s pairs or %s launches a side on\n",
           pairs, side);
    size_t least = p->wanted ? p->wanted : p->need[1] > p->gate_need[1] ? p->need[1] : p->gate_need[1];
    print_time(p, least);
    if (p->unlike_work && p->gate->metric->of_work)
        printf(
            "# note     the old launches did not the same work, and totals compare only at equal work: take the units\n"
            "#          of one record by --work-from FILE, and plan again\n");
}

static void print_cells(struct plan *p)
{
    struct ovl_table t = ovl_table_to(stdout, &ovl_table_plain, ovl_power_columns, 0, p->wanted > 0);
    t.metric = p->gate->metric;
    printf("#\n");
    ovl_table_print(t, p->groups->count, put_cell, &p);
}

/* Looks at all cells first: how many can be compared decides what each of them needs. */
static int measure_all(struct plan *p, struct ovl_error *err)
{
    for (size_t i = 0; i < p->groups->count; i++) {
        measure(p->gate, &p->groups->group[i], &p->spread[i]);
        p->unlike_work |= !p->spread[i].same_work;
        p->cells += !isnan(p->spread[i].launch);
    }
    if (p->cells == 0)
        return ovl_error_set(err, OVL_INCONCLUSIVE,
                             "no cell has the %d valid launches that show a spread: measure more", LEAST_SPREAD);
    for (int paired = 0; paired < 2; paired++) {
        p->label[paired] = ask(paired, ovl_family_first_level(p->cells), power);
        p->pass[paired] = ask(paired, OVL_FAMILY_ALPHA, fmin(most_certain, 1 - (1 - gate_power) / (double)p->cells));
    }
    return 0;
}

int ovl_compare_plan(const struct ovl_groups *groups, const struct ovl_record *old, const struct ovl_gate *gate,
                     size_t launches, struct ovl_error *err)
{
    struct plan *p = ovl_alloc(1, sizeof *p);
    *p = (struct plan){.gate = gate,
                       .groups = groups,
                       .spread = ovl_alloc(groups->count, sizeof *p->spread),
                       .wanted = launches,
                       .seconds = seconds_of(old, groups)};
    printf("# common   %s\n# margin   %g %s of %s\n", groups->common, gate->delta,
           as_ratio(gate) ? "part" : "difference", gate->metric->name);
    int rc = measure_all(p, err);
    if (rc == 0) {
        print_cells(p);
        print_foot(p);
    }
    free(p->spread);
    free(p);
    return rc;
}
