/* Verdicts over launches; the statistics are stats/family.h's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/verdict.h"
#include "base/number.h"
#include "record/derived/show.h"
#include "stats/stalls.h"
#include "tool/cells/lost.h"
#include "tool/cells/odd_ratio.h"
#include "tool/cells/unlike.h"
#include "tool/compare/launch_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double power = 0.8, machine_alpha = 0.025, machine_slower = 1.02, machine_faster = 0.98;

const char *const ovl_verdict_names[OVL_VERDICTS] = {
    [OVL_VERDICT_REGRESSED] = "REGRESSED",
    [OVL_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    [OVL_VERDICT_OK] = "OK",
    [OVL_VERDICT_IMPROVED] = "IMPROVED",
};

/* What a loss of one cell means: losses are logarithms, differences, or parts of the old median, turned so that more is
 * worse. */
struct scale {
    const struct ovl_gate *gate;
    bool by_difference; /* a ratio that logarithms cannot show */
    double unit;        /* what a difference is a part of: 1 where it is none */
};

static double turned(const struct scale *s, double x)
{
    return s->gate->metric->more_is_better ? 0 - x : x;
}

static bool of_logs(const struct scale *s)
{
    return s->gate->metric->scale == OVL_METRIC_RATIO && !s->by_difference;
}

static double loss_of(const struct scale *s, double value)
{
    return turned(s, of_logs(s) ? log(value) : value / s->unit);
}

/* Of a shift of losses. */
static double change_of(const struct scale *s, double shift)
{
    double x = turned(s, shift);
    return of_logs(s) ? exp(x) : s->by_difference ? 1 + x : x;
}

double ovl_gate_line(const struct ovl_gate *gate)
{
    bool more = gate->metric->more_is_better;
    if (gate->metric->scale != OVL_METRIC_RATIO)
        return more ? -gate->delta : gate->delta;
    return more ? 1 / (1 + gate->delta) : 1 + gate->delta;
}

static double margin_of(const struct scale *s)
{
    double line = ovl_gate_line(s->gate);
    return turned(s, of_logs(s) ? log(line) : s->by_difference ? line - 1 : line);
}

struct judging {
    const struct ovl_groups *groups;
    const struct ovl_gate *gate;
    struct ovl_family_tests tests;
    struct ovl_family_cell *cell; /* those that can be tested */
    struct scale *scale;          /* of each of these */
    struct ovl_change **change;
    size_t count;
    double *losses; /* that cells point into; as many as there are members */
    size_t used;
};

static bool measured(const struct ovl_group *group, size_t side)
{
    const struct ovl_member *first;
    return ovl_group_side(group, side, &first) > 0;
}

static double value_of(const struct ovl_member *m, const void *gate)
{
    return ovl_metric_of(((const struct ovl_gate *)gate)->metric, m).value;
}

static bool usable(const struct ovl_member *m, const void *gate)
{
    return isfinite(value_of(m, gate));
}

static double median_of(const double *x, size_t n)
{
    return ovl_stats_summarise(x, n).median;
}

/* Exactly, as recorded: a total at other units is the total of another problem. Work that no record tells is the same
   only where the cell's point says what is solved. */
static void compare_work(struct ovl_change *c, const struct ovl_launch_pairs *p)
{
    size_t n = p->count;
    double *units = ovl_alloc(4 * n, sizeof *units), *beside = units + 2 * n; /* beside: W as a part of C */
    c->same_work = c->same_model = true;
    for (size_t i = 0; i < 2 * n; i++) {
        const struct ovl_cell *cell = (i < n ? p->old[i] : p->new[i - n])->cell;
        units[i] = cell->units;
        c->same_work &= ovl_same_units(cell, p->old[0]->cell);
        beside[i] = ovl_work_beside(cell);
        c->same_model &= ovl_same_model((i < n ? p->old[i] : p->new[i - n])->run, p->old[0]->run);
    }
    c->work = median_of(units + n, n) / median_of(units, n);
    c->beside = median_of(beside + n, n) / median_of(beside, n);
    free(units);
}

/* The values of the launches as losses; a cell with a value that has no logarithm goes by differences. */
static bool fill_losses(struct judging *j, struct ovl_change *c, const struct ovl_launch_pairs *p, struct scale *s)
{
    double *old = j->losses + j->used, *new = old + p->count;
    *s = (struct scale){.gate = j->gate, .unit = 1};
    for (size_t i = 0; i < p->count; i++) {
        old[i] = ovl_field_estimate(j->gate->metric, p->old[i]->cell).value;
        new[i] = ovl_field_estimate(j->gate->metric, p->new[i]->cell).value;
        s->by_difference |= j->gate->metric->scale == OVL_METRIC_RATIO && (old[i] <= 0 || new[i] <= 0);
    }
    c->before = median_of(old, p->count);
    c->now = median_of(new, p->count);
    c->by_difference = s->by_difference;
    if (s->by_difference)
        s->unit = c->before;
    for (size_t i = 0; i < 2 * p->count; i++)
        old[i] = loss_of(s, old[i]);
    return s->unit > 0;
}

/* Of one part of the cells' time: T - W in parts of T, or the logarithm of W. */
static bool fill_parts(const struct ovl_launch_pairs *p, double total, bool rest, double *x)
{
    for (size_t i = 0; i < 2 * p->count; i++) {
        const struct ovl_cell *cell = (i < p->count ? p->old[i] : p->new[i - p->count])->cell;
        double work = cell->summary[OVL_COMPUTE].median;
        x[i] = rest ? (cell->summary[OVL_TOTAL].median - work) / total : log(work);
        if (!isfinite(x[i]))
            return false;
    }
    return true;
}

/* Where the machine itself became slower or faster, its speed must not pass for the change: a regression has to show in
 * T - W too, and so has its absence on a faster machine. Where launches were taken in turns no machine's pace favours a
 * side: there T alone decides where the work is slower, for what slows it is the side's own, such as a library's
 * thread. A calibrated work that is quicker is no gain, and must not hide a loss; the program's own is a gain. */
static void look_at_pace(const struct ovl_launch_test *t, const struct ovl_launch_pairs *p, struct ovl_change *c,
                         struct ovl_family_cell *cell)
{
    size_t n = p->count;
    double *x = ovl_alloc(2 * n, sizeof *x);
    if (fill_parts(p, c->before, false, x)) {
        bool slower = ovl_launch_test_evidence(t, x, x + n, log(machine_slower)).worse < machine_alpha,
             faster = ovl_launch_test_evidence(t, x, x + n, log(machine_faster)).within < machine_alpha;
        bool decides = c->in_turns && (c->own_work || slower);
        if (slower || faster)
            c->pace = exp(median_of(x + n, n) - median_of(x, n));
        if ((slower || faster) && !decides && fill_parts(p, c->before, true, x)) {
            struct ovl_evidence rest = ovl_launch_test_evidence(t, x, x + n, expm1(cell->margin));
            c->by_rest = true;
            c->slower = slower && ovl_launch_test_evidence(t, cell->old, cell->new, cell->margin).worse < machine_alpha;
            cell->least = (struct ovl_evidence){rest.worse, faster ? rest.within : 0, faster ? rest.better : 0};
        }
    }
    free(x);
}

static bool different_work(const struct judging *j, const struct ovl_change *c)
{
    bool beside = j->gate->metric->derived > 0 && !isnan(c->beside) && !ovl_work_beside_like(c->beside);
    return !c->same_model || (!c->same_work && (j->gate->metric->of_work || beside) && !j->gate->any_work);
}

/* The reason why a cell can have no verdict, or NULL. */
static const char *obstacle(const struct judging *j, const struct ovl_change *c, bool has_unit)
{
    size_t n = c->launches;
    if (!measured(c->group, 1))
        return "not measured on the new side";
    if (n == 0 && c->apart > 0)
        return "launches of one number do not follow each other in time: take them in turns";
    if (n == 0)
        return j->gate->paired ? "no two valid launches make a pair" : "no launch of one side is valid";
    for (size_t side = 0; side < 2; side++)
        if (ovl_lost_many(j->groups, c->group, side, usable, j->gate))
            return side == 0
                       ? "too many old launches are unusable, were cut short or lack the cell: measure them again"
                       : "too many new launches are unusable, were cut short or lack the cell: measure them again";
    if (j->gate->paired && 2 * c->unmatched + c->unusable > n)
        return "too many launches have no partner: give both sides as many, taken in turns";
    if (different_work(j, c))
        return "different work";
    if (!has_unit)
        return "the old median is not above 0, so no margin is a part of it: take another metric";
    if (j->gate->paired)
        return n < 2 ? "one pair of launches cannot tell" : NULL;
    return n < OVL_FAMILY_LEAST_UNPAIRED ? "too few launches: 10 a side, or pairs taken in turns (--paired)" : NULL;
}

static void add_cell(struct judging *j, struct ovl_change *c, const struct ovl_launch_pairs *p, const struct scale *s)
{
    const double *old = j->losses + j->used;
    const struct ovl_launch_test *t = ovl_family_test(&j->tests, p->count);
    struct ovl_family_cell *cell = &j->cell[j->count];
    *cell = (struct ovl_family_cell){.old = old, .new = old + p->count, .n = p->count, .margin = margin_of(s)};
    if (j->gate->metric->quantity == 1 + OVL_TOTAL && j->gate->metric->percent == 0 && c->same_work &&
        !s->by_difference)
        look_at_pace(t, p, c, cell);
    j->scale[j->count] = *s;
    j->change[j->count++] = c;
    j->used += 2 * p->count;
}

/* Of all launches, where none stand against each other. */
static void show_medians(const struct ovl_gate *gate, struct ovl_change *c)
{
    const struct ovl_member *old, *new;
    size_t n;
    size_t olds = ovl_group_side(c->group, 0, &old), news = ovl_group_side(c->group, 1, &new);
    c->before = ovl_metric_over(gate->metric, old, olds, &n).value;
    c->now = ovl_metric_over(gate->metric, new, news, &n).value;
}

/* Of the old side. */
static double odd_ratio(const struct ovl_launch_pairs *p)
{
    const struct ovl_cell **cells = ovl_alloc(p->count + 1, sizeof(struct ovl_cell *));
    for (size_t i = 0; i < p->count; i++)
        cells[i] = p->old[i]->cell;
    double times = p->count > 0 ? ovl_odd_ratio(cells, p->count) : NAN;
    free(cells);
    return times;
}

static void look_at(struct judging *j, struct ovl_change *c, struct ovl_changes *all)
{
    struct ovl_launch_pairs p = {0};
    struct scale scale;
    c->value = c->low = c->high = c->p = c->detectable = c->pace = NAN;
    if (j->gate->paired)
        ovl_launch_pairs_match(&p, c->group, usable, j->gate);
    else
        ovl_launch_pairs_level(&p, c->group, usable, value_of, j->gate);
    c->launches = p.count;
    c->unusable = p.unusable;
    c->unmatched = measured(c->group, 1) ? p.unmatched : 0;
    c->apart = p.apart;
    c->gone = ovl_lost_gone(j->groups, c->group, 0) + ovl_lost_gone(j->groups, c->group, 1);
    all->by_number += p.by_number;
    all->one_order += p.one_order;
    bool has_unit = fill_losses(j, c, &p, &scale);
    compare_work(c, &p);
    c->own_work = p.count > 0 && isnan(p.old[0]->cell->units);
    c->in_turns = p.in_turns;
    c->odd_ratio = j->gate->metric->of_work && !j->gate->any_work ? odd_ratio(&p) : NAN;
    const char *why = obstacle(j, c, has_unit);
    if (why)
        snprintf(c->reason, sizeof c->reason, "%s", why);
    else
        add_cell(j, c, &p, &scale);
    if (p.count == 0)
        show_medians(j->gate, c);
    if (why && p.count > 0 && has_unit && !different_work(j, c))
        c->value = change_of(&scale, median_of(j->losses + j->used + p.count, p.count) -
                                         median_of(j->losses + j->used, p.count));
    all->unlike += !c->same_work;
    ovl_launch_pairs_free(&p);
}

/* Of values one may be in doubt, of bytes not. */
static void refuse_wrong(struct ovl_change *c)
{
    const struct ovl_member *first;
    if (c->wrong == 0)
        return;
    c->passes = false;
    c->verdict = OVL_VERDICT_REGRESSED;
    snprintf(c->reason, sizeof c->reason, "wrong data in %zu of %zu launches of the new side", c->wrong,
             ovl_group_side(c->group, 1, &first));
}

/* What the first step asks of these launches; it is the same for all cells with as many launches. */
static void find_detectable(struct judging *j)
{
    double *known = ovl_alloc(j->tests.count, sizeof *known), level = ovl_family_first_level(j->count);
    for (size_t k = 0; k < j->tests.count; k++)
        known[k] = ovl_launch_test_detectable(j->tests.test[k], level, power);
    for (size_t i = 0; i < j->count; i++) {
        const struct ovl_family_cell *cell = &j->cell[i];
        size_t k = 0;
        while (j->tests.test[k]->n != cell->n)
            k++;
        double spread = ovl_launches_spread(&j->tests.test[k]->ranks, cell->old, cell->new);
        if (isinf(known[k]))
            j->change[i]->detectable = INFINITY;
        else if (!isnan(spread))
            j->change[i]->detectable = change_of(&j->scale[i], cell->margin + known[k] * spread);
    }
    free(known);
}

static void take_over(struct judging *j, size_t i)
{
    struct ovl_change *c = j->change[i];
    const struct ovl_family_cell *cell = &j->cell[i];
    const struct scale *s = &j->scale[i];
    bool more = j->gate->metric->more_is_better;
    c->value = change_of(s, cell->shift.value);
    c->low = change_of(s, more ? cell->shift.high : cell->shift.low);
    c->high = change_of(s, more ? cell->shift.low : cell->shift.high);
    /* The logarithm of no bound is 0 or infinite. */
    c->low = isfinite(more ? cell->shift.high : cell->shift.low) ? c->low : NAN;
    c->high = isfinite(more ? cell->shift.low : cell->shift.high) ? c->high : NAN;
    c->p = cell->p_worse;
    c->passes = cell->passes;
    c->verdict = cell->verdict;
    c->stalls = j->gate->paired ? ovl_stalls_count(cell->old, cell->new, cell->n, cell->margin) : 0;
    if ((!isnan(c->odd_ratio) || c->stalls > 0) && c->verdict != OVL_VERDICT_REGRESSED) {
        c->passes = false;
        c->verdict = OVL_VERDICT_INCONCLUSIVE;
    }
    if (c->verdict == OVL_VERDICT_INCONCLUSIVE)
        ovl_change_reason(c, j->count);
}

static void judge(struct ovl_changes *all, struct judging *j)
{
    for (size_t i = 0; i < all->count; i++) {
        all->change[i].verdict = OVL_VERDICT_INCONCLUSIVE;
        look_at(j, &all->change[i], all);
    }
    ovl_family_judge(&j->tests, j->cell, j->count);
    find_detectable(j);
    for (size_t i = 0; i < j->count; i++)
        take_over(j, i);
    for (size_t i = 0; i < all->count; i++) {
        refuse_wrong(&all->change[i]);
        all->wrong += all->change[i].wrong > 0;
        all->verdicts[all->change[i].verdict]++;
        all->passing += all->change[i].passes;
    }
    all->tested = j->count;
    all->needed = ovl_launch_test_needed(ovl_family_first_level(j->count), j->gate->paired);
    if (!j->gate->paired && all->needed < OVL_FAMILY_LEAST_UNPAIRED)
        all->needed = OVL_FAMILY_LEAST_UNPAIRED;
}

void ovl_changes_make(struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate)
{
    size_t room = groups->count;
    *c = (struct ovl_changes){.change = ovl_alloc(room, sizeof *c->change)};
    struct judging j = {.groups = groups,
                        .gate = gate,
                        .tests = {.paired = gate->paired},
                        .cell = ovl_alloc(room, sizeof *j.cell),
                        .scale = ovl_alloc(room, sizeof *j.scale),
                        .change = ovl_alloc(room, sizeof(struct ovl_change *)),
                        .losses = ovl_alloc(groups->member_count, sizeof *j.losses)};
    for (size_t g = 0; g < groups->count; g++) {
        size_t wrong = ovl_lost_wrong(&groups->group[g], 1);
        if (measured(&groups->group[g], 0) || wrong > 0)
            c->change[c->count++] = (struct ovl_change){.group = &groups->group[g], .wrong = wrong};
        else
            c->added++;
    }
    judge(c, &j);
    ovl_family_tests_free(&j.tests);
    free(j.cell);
    free(j.scale);
    free(j.change);
    free(j.losses);
}

void ovl_changes_free(struct ovl_changes *c)
{
    free(c->change);
    *c = (struct ovl_changes){0};
}

int ovl_changes_exit(const struct ovl_changes *c)
{
    if (c->verdicts[OVL_VERDICT_REGRESSED] > 0)
        return OVL_MISSED;
    return c->passing < c->count || c->count == 0 ? OVL_INCONCLUSIVE : OVL_OK;
}
