/* Verdicts over launches; the statistics are stats/rank_test.h's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/verdict.h"
#include "stats/rank_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double alpha = 0.05;

const char *const ovl_verdict_names[OVL_VERDICTS] = {
    [OVL_VERDICT_REGRESSED] = "REGRESSED",
    [OVL_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    [OVL_VERDICT_OK] = "OK",
    [OVL_VERDICT_IMPROVED] = "IMPROVED",
};

/* Losses: the logarithm or the value itself, turned so that more is worse. */
static double loss_of(const struct ovl_gate *gate, double value)
{
    double x = gate->metric->scale == OVL_METRIC_RATIO ? (value > 0 ? log(value) : NAN) : value;
    return gate->metric->more_is_better ? -x : x;
}

static double back(const struct ovl_gate *gate, double loss)
{
    double x = gate->metric->more_is_better ? 0 - loss : loss;
    return gate->metric->scale == OVL_METRIC_RATIO ? exp(x) : x;
}

static double bound_of(const struct ovl_gate *gate)
{
    return gate->metric->scale == OVL_METRIC_RATIO ? log1p(gate->delta) : gate->delta;
}

double ovl_gate_line(const struct ovl_gate *gate)
{
    return back(gate, bound_of(gate));
}

/* The distribution and the detectable effect are the same for all cells with the same numbers of launches. */
struct cached {
    struct ovl_null_distribution ranks;
    bool known;
    double detectable, level;
};

struct judging {
    const struct ovl_gate *gate;
    struct cached *cache;
    size_t cached;
    double *old, *new, *spread; /* losses of one cell; spread of each cell */
    size_t *ranks;              /* index into the cache of each cell */
};

static int find_ranks(struct judging *j, size_t m, size_t n, size_t *at)
{
    size_t old = j->gate->paired ? 0 : m;
    for (*at = 0; *at < j->cached; ++*at)
        if (j->cache[*at].ranks.m == old && j->cache[*at].ranks.n == n)
            return 0;
    struct cached *larger = realloc(j->cache, (j->cached + 1) * sizeof *larger);
    if (!larger)
        return -1;
    j->cache = larger;
    struct cached *c = &larger[j->cached];
    *c = (struct cached){.known = false};
    if ((j->gate->paired ? ovl_null_distribution_paired(&c->ranks, n) : ovl_null_distribution_two(&c->ranks, m, n)) !=
        0)
        return -1;
    j->cached++;
    return 0;
}

/* The losses of one side; how many are no number is counted. */
static size_t losses(const struct ovl_gate *gate, const struct ovl_member *m, size_t n, double *x, size_t *left_out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double value = ovl_metric_stored(gate->metric, m[i].cell).value;
        double loss = ovl_metric_claims(m[i].cell) ? loss_of(gate, value) : NAN;
        if (isfinite(loss))
            x[kept++] = loss;
        else
            ++*left_out;
    }
    return kept;
}

/* Pairs of which one part cannot be used are left out whole. */
static size_t pairs(const struct ovl_gate *gate, const struct ovl_member *old, const struct ovl_member *new, size_t n,
                    struct judging *j, size_t *left_out)
{
    size_t kept = 0, none = 0;
    for (size_t i = 0; i < n; i++)
        if (losses(gate, old + i, 1, j->old + kept, &none) && losses(gate, new + i, 1, j->new + kept, &none))
            kept++;
        else
            *left_out += 2;
    return kept;
}

static double median_of(const double *x, size_t n)
{
    struct ovl_summary s;
    return ovl_stats_summarise(x, n, &s) == 0 ? s.median : NAN;
}

static double median_units(const struct ovl_member *m, size_t n)
{
    double *units = malloc((n ? n : 1) * sizeof *units), median = NAN;
    for (size_t i = 0; units && i < n; i++)
        units[i] = ovl_metric_claims(m[i].cell) ? m[i].cell->units : NAN;
    if (units)
        median = median_of(units, n);
    free(units);
    return median;
}

/* Exactly, as recorded: a total at other units is the total of another problem. */
static bool same_units(const struct ovl_member *m, size_t n, const struct ovl_cell **first)
{
    for (size_t i = 0; i < n; i++) {
        const struct ovl_cell *cell = m[i].cell;
        if (!ovl_metric_claims(cell))
            continue;
        *first = *first ? *first : cell;
        if (cell->units != (*first)->units && !(isnan(cell->units) && isnan((*first)->units)))
            return false;
    }
    return true;
}

static int judge_cell(struct judging *j, struct ovl_change *c, size_t at)
{
    const struct ovl_member *old, *new;
    size_t m = ovl_group_side(c->group, 0, &old), n = ovl_group_side(c->group, 1, &new), both = m < n ? m : n;
    c->value = c->low = c->high = c->p = c->detectable = j->spread[at] = NAN;
    const struct ovl_cell *first = NULL;
    c->work = median_units(new, n) / median_units(old, m);
    c->same_work = same_units(old, m, &first) && same_units(new, n, &first);
    if (j->gate->paired) {
        c->old = c->new = pairs(j->gate, old, new, both, j, &c->left_out);
        c->left_out += m + n - 2 * both;
    } else {
        c->old = losses(j->gate, old, m, j->old, &c->left_out);
        c->new = losses(j->gate, new, n, j->new, &c->left_out);
    }
    c->before = back(j->gate, median_of(j->old, c->old));
    c->now = back(j->gate, median_of(j->new, c->new));
    if (n == 0 || c->old == 0 || c->new == 0) {
        snprintf(c->reason, sizeof c->reason, "%s",
                 n == 0 ? "not measured on the new side" : "no launch of one side is valid");
        return 0;
    }
    if (!c->same_work && j->gate->metric->of_work && !j->gate->any_work) {
        strcpy(c->reason, "different work");
        return 0;
    }
    struct ovl_shift shift;
    if (find_ranks(j, c->old, c->new, &j->ranks[at]) != 0 ||
        ovl_shift_estimate(&j->cache[j->ranks[at]].ranks, j->old, j->new, bound_of(j->gate), &shift) != 0)
        return -1;
    j->spread[at] = ovl_launches_spread(&j->cache[j->ranks[at]].ranks, j->old, j->new);
    bool turned = j->gate->metric->more_is_better;
    c->value = back(j->gate, shift.value);
    c->low = back(j->gate, turned ? shift.high : shift.low);
    c->high = back(j->gate, turned ? shift.low : shift.high);
    if (c->old > 1 && c->new > 1)
        c->p = shift.p;
    return 0;
}

/* What Holm's first step asks of these launches. */
static void find_detectable(struct judging *j, struct ovl_change *c, size_t at, double level)
{
    struct cached *cached = &j->cache[j->ranks[at]];
    if (!cached->known) {
        cached->detectable = ovl_null_distribution_detectable(&cached->ranks, level);
        cached->known = true;
    }
    if (isinf(cached->detectable))
        c->detectable = INFINITY;
    else if (!isnan(j->spread[at]))
        c->detectable = back(j->gate, bound_of(j->gate) + cached->detectable * j->spread[at]);
}

static void decide(const struct ovl_gate *gate, struct ovl_change *c)
{
    double high = gate->metric->more_is_better ? loss_of(gate, c->low) : loss_of(gate, c->high);
    c->verdict = OVL_VERDICT_INCONCLUSIVE;
    if (*c->reason)
        return;
    if (c->old < 2 || c->new < 2)
        strcpy(c->reason, gate->paired ? "one pair of launches cannot tell" : "one launch a side cannot tell");
    else if (c->p < alpha)
        c->verdict = OVL_VERDICT_REGRESSED;
    else if (high < 0)
        c->verdict = OVL_VERDICT_IMPROVED;
    else if (high < bound_of(gate))
        c->verdict = OVL_VERDICT_OK;
    else if (isnan(high))
        strcpy(c->reason, "too few launches for an interval: 4 a side give one, or 6 pairs");
    else if (isinf(c->detectable))
        strcpy(c->reason, "too few launches to call any change a regression");
    else
        strcpy(c->reason, "the interval holds both well and worse");
}

/* The fewest launches a side with which a cell can be REGRESSED at that level. */
static size_t launches_for(double level, bool paired)
{
    double least = 1;
    size_t n = 0;
    while (least >= level && n < 100) {
        n++;
        least *= paired ? 0.5 : (double)n / (double)(2 * (2 * n - 1)); /* 1 / binomial(2n, n) */
    }
    return n;
}

static int judge(struct ovl_changes *c, struct judging *j)
{
    double *p = malloc((c->count ? c->count : 1) * sizeof *p);
    if (!p)
        return -1;
    for (size_t i = 0; i < c->count; i++) {
        if (judge_cell(j, &c->change[i], i) != 0) {
            free(p);
            return -1;
        }
        p[i] = c->change[i].p;
        c->tested += !isnan(p[i]);
        c->unlike += !c->change[i].same_work;
    }
    int rc = ovl_holm_adjust(p, c->count);
    double level = alpha / (double)(c->tested ? c->tested : 1);
    c->needed = launches_for(level, j->gate->paired);
    for (size_t i = 0; i < c->count && rc == 0; i++) {
        struct ovl_change *change = &c->change[i];
        if (j->cache && !isnan(p[i])) /* a p has come of ranks, which are there then */
            find_detectable(j, change, i, level);
        change->p = p[i];
        decide(j->gate, change);
        c->verdicts[change->verdict]++;
    }
    free(p);
    return rc;
}

int ovl_changes_make(struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate,
                     struct ovl_error *err)
{
    size_t most = 1, room = groups->count ? groups->count : 1;
    *c = (struct ovl_changes){.change = calloc(room, sizeof *c->change)};
    for (size_t g = 0; g < groups->count; g++)
        most = groups->group[g].count > most ? groups->group[g].count : most;
    struct judging j = {.gate = gate,
                        .old = calloc(most, sizeof *j.old),
                        .new = calloc(most, sizeof *j.new),
                        .spread = calloc(room, sizeof *j.spread),
                        .ranks = calloc(room, sizeof *j.ranks)};
    int rc = c->change && j.old && j.new &&j.spread &&j.ranks ? 0 : -1;
    for (size_t g = 0; g < groups->count && rc == 0; g++) {
        const struct ovl_member *first;
        if (ovl_group_side(&groups->group[g], 0, &first) > 0)
            c->change[c->count++].group = &groups->group[g];
        else
            c->added++;
    }
    if (rc == 0)
        rc = judge(c, &j);
    for (size_t i = 0; i < j.cached; i++)
        ovl_null_distribution_free(&j.cache[i].ranks);
    free(j.cache);
    free(j.old);
    free(j.new);
    free(j.spread);
    free(j.ranks);
    if (rc != 0) {
        ovl_changes_free(c);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory to compare the launches");
    }
    return 0;
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
    return c->verdicts[OVL_VERDICT_INCONCLUSIVE] > 0 || c->count == 0 ? OVL_INCONCLUSIVE : OVL_OK;
}
