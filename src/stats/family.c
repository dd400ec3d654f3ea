/* Verdicts over a family of cells. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/family.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const double alpha = OVL_FAMILY_ALPHA;

const struct ovl_launch_test *ovl_family_test(struct ovl_family_tests *tests, size_t n)
{
    for (size_t i = 0; i < tests->count; i++)
        if (tests->test[i]->n == n)
            return tests->test[i];
    struct ovl_launch_test *t = ovl_alloc(1, sizeof *t);
    ovl_launch_test_make(t, n, tests->paired);
    tests->test = ovl_grow_one(tests->test, tests->count, sizeof(struct ovl_launch_test *));
    return tests->test[tests->count++] = t;
}

void ovl_family_tests_free(struct ovl_family_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++) {
        ovl_launch_test_free(tests->test[i]);
        free(tests->test[i]);
    }
    free(tests->test);
    *tests = (struct ovl_family_tests){.paired = tests->paired};
}

double ovl_family_first_level(size_t count)
{
    return alpha / (double)(count ? count : 1);
}

/* How much a p value grows where `left` of m cells are not refuted yet. */
static double factor(size_t left, size_t m)
{
    return 2 * (double)m * (double)left / (double)(m + left);
}

/* The levels at which the ends of intervals are taken: of cells that are not refuted, and of the others. */
struct levels {
    double standing, refuted;
};

static struct levels levels_of(size_t standing, size_t m)
{
    return (struct levels){standing ? alpha / factor(standing, m) : alpha,
                           standing ? alpha / (double)(2 * m) : alpha / (double)m};
}

struct ordered {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->at > y->at) - (x->at < y->at);
}

/* Puts the adjusted p values in the place of each p; a cell is refuted when its own is below alpha. */
static struct levels step_down(struct ordered *o, size_t m)
{
    double before = 0;
    size_t standing = 0;
    qsort(o, m, sizeof *o, by_p);
    for (size_t k = 0; k < m; k++) {
        before = fmax(before, fmin(1, factor(m - k, m) * o[k].p));
        o[k].p = before;
        standing += before >= alpha;
    }
    return levels_of(standing, m);
}

/* Takes the interval and reads the verdict from it: an end that a later step reached is the margin itself. */
static void decide(const struct ovl_launch_test *test, struct ovl_family_cell *c, const struct levels *low,
                   const struct levels *high)
{
    bool regressed = c->p_worse < alpha, within = c->p_within < alpha;
    c->shift = ovl_launch_test_shift(test, c->old, c->new, regressed ? low->refuted : low->standing,
                                     within ? high->refuted : high->standing);
    c->shift.low = regressed ? fmax(c->shift.low, c->margin) : fmin(c->shift.low, c->margin);
    c->shift.high = within ? fmin(c->shift.high, c->margin) : fmax(c->shift.high, c->margin);
    bool improved = within && c->shift.high < 0 && c->p.better < high->refuted;
    c->verdict = regressed  ? OVL_VERDICT_REGRESSED
                 : improved ? OVL_VERDICT_IMPROVED
                 : within   ? OVL_VERDICT_OK
                            : OVL_VERDICT_INCONCLUSIVE;
}

void ovl_family_judge(struct ovl_family_tests *tests, struct ovl_family_cell *cell, size_t count)
{
    struct ordered *worse = ovl_alloc(2 * count, sizeof *worse), *within = worse + count;
    for (size_t i = 0; i < count; i++) {
        struct ovl_family_cell *c = &cell[i];
        const struct ovl_launch_test *test = ovl_family_test(tests, c->n);
        c->p = ovl_launch_test_evidence(test, c->old, c->new, c->margin);
        c->p.worse = fmax(c->p.worse, c->least.worse);
        c->p.within = fmax(c->p.within, c->least.within);
        c->p.better = fmax(c->p.better, c->least.better);
        c->passes = c->p.within < alpha;
        worse[i] = (struct ordered){c->p.worse, i};
        within[i] = (struct ordered){c->p.within, i};
    }
    struct levels low = step_down(worse, count), high = step_down(within, count);
    for (size_t i = 0; i < count; i++) {
        cell[worse[i].at].p_worse = worse[i].p;
        cell[within[i].at].p_within = within[i].p;
    }
    for (size_t i = 0; i < count; i++)
        decide(ovl_family_test(tests, cell[i].n), &cell[i], &low, &high);
    free(worse);
}
