/* Places of several sides. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/ranking.h"
#include "base/error.h"
#include "stats/family.h"
#include "stats/stalls.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

static const double alpha = OVL_FAMILY_ALPHA;

/* A pair of sides, and what their test says. */
struct pair {
    size_t a, b;
    double p; /* two-sided, of "b is no better and no worse than a" */
    bool worse;
};

/* Values of two sides, as many of either. */
struct both {
    double *old, *new;
    size_t n;
};

/* Of n sorted values so many that are evenly spaced. */
static void thin(double *x, size_t n, size_t kept)
{
    for (size_t i = 0; i < kept; i++)
        x[i] = x[((2 * i + 1) * n - (i % 2 == 0)) / (2 * kept)];
}

static struct both take(const struct ovl_ranking *r, size_t a, size_t b)
{
    struct both v = {ovl_alloc(2 * r->launches + 1, sizeof *v.old), NULL, 0};
    const double *x = r->side[a].value, *y = r->side[b].value;
    v.new = v.old + r->launches;
    if (r->paired) {
        for (size_t i = 0; i < r->launches; i++)
            if (!isnan(x[i]) && !isnan(y[i])) {
                v.old[v.n] = x[i];
                v.new[v.n++] = y[i];
            }
        return v;
    }
    size_t m = ovl_stats_sorted(x, r->launches, v.old), n = ovl_stats_sorted(y, r->launches, v.new);
    v.n = m < n ? m : n;
    thin(v.old, m, v.n);
    thin(v.new, n, v.n);
    if (v.n < OVL_FAMILY_LEAST_UNPAIRED)
        v.n = 0;
    return v;
}

/* Is the side that is better in the middle far worse in too many pairs? Signed ranks do not see that. */
static bool stalls(const struct ovl_ranking *r, const struct both *v, bool worse)
{
    size_t far = !r->paired || !(r->margin > 0) ? 0
                 : worse                        ? ovl_stalls_count(v->new, v->old, v->n, r->margin)
                                                : ovl_stalls_count(v->old, v->new, v->n, r->margin);
    return far > 0 && 2 * far < v->n;
}

static void test_pair(const struct ovl_ranking *r, struct ovl_family_tests *tests, struct pair *p)
{
    struct both v = take(r, p->a, p->b);
    p->p = 1;
    if (v.n > 0) {
        struct ovl_evidence e = ovl_launch_test_evidence(ovl_family_test(tests, v.n), v.old, v.new, 0);
        p->worse = e.worse < e.better;
        p->p = stalls(r, &v, p->worse) ? 1 : fmin(1, 2 * fmin(e.worse, e.better));
    }
    free(v.old);
}

static int by_p(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

/* Each pair that is told apart takes the best place from the one, and the worst from the other. */
static void set_places(const struct ovl_ranking *r, struct ovl_family_tests *tests)
{
    size_t count = r->count * (r->count - 1) / 2, n = 0;
    struct pair *pair = ovl_alloc(count + 1, sizeof *pair);
    for (size_t a = 0; a < r->count; a++) {
        r->side[a].first = 1;
        r->side[a].last = r->count;
        for (size_t b = a + 1; b < r->count; b++) {
            pair[n] = (struct pair){.a = a, .b = b};
            test_pair(r, tests, &pair[n++]);
        }
    }
    qsort(pair, n, sizeof *pair, by_p);
    for (size_t k = 0; k < n && pair[k].p * (double)(n - k) < alpha; k++) {
        r->side[pair[k].worse ? pair[k].b : pair[k].a].first++;
        r->side[pair[k].worse ? pair[k].a : pair[k].b].last--;
    }
    free(pair);
}

static double median_of(const struct ovl_ranking *r, size_t side)
{
    return ovl_stats_summarise(r->side[side].value, r->launches).median;
}

static size_t best_of(const struct ovl_ranking *r)
{
    size_t best = 0;
    for (size_t i = 1; i < r->count; i++)
        if (isnan(median_of(r, best)) || median_of(r, i) < median_of(r, best))
            best = i;
    return best;
}

static void set_shifts(const struct ovl_ranking *r, struct ovl_family_tests *tests, size_t comparisons)
{
    double level = alpha / (double)(2 * comparisons);
    for (size_t i = 0; i < r->count; i++) {
        struct ovl_ranking_side *s = &r->side[i];
        struct both v = take(r, r->reference, i);
        s->shift = (struct ovl_shift){NAN, -INFINITY, INFINITY};
        s->n = v.n;
        if (i == r->reference)
            s->shift = (struct ovl_shift){0, 0, 0};
        else if (v.n > 0)
            s->shift = ovl_launch_test_shift(ovl_family_test(tests, v.n), v.old, v.new, level, level);
        if ((s->shift.low > 0 || s->shift.high < 0) && stalls(r, &v, s->shift.low > 0))
            s->shift = (struct ovl_shift){s->shift.value, -INFINITY, INFINITY};
        free(v.old);
    }
}

void ovl_ranking_make(struct ovl_ranking *r)
{
    struct ovl_family_tests tests = {.paired = r->paired};
    if (r->count == 0)
        return;
    if (r->reference >= r->count)
        r->reference = best_of(r);
    set_places(r, &tests);
    size_t comparisons = r->named ? r->count - 1 : r->count * (r->count - 1) / 2;
    set_shifts(r, &tests, comparisons > 0 ? comparisons : 1);
    ovl_family_tests_free(&tests);
}

size_t ovl_ranking_needed(size_t sides, bool paired)
{
    double pairs = (double)(sides * (sides - 1)) / 2;
    size_t n = ovl_launch_test_needed(alpha / (2 * pairs), paired);
    return !paired && n < OVL_FAMILY_LEAST_UNPAIRED ? OVL_FAMILY_LEAST_UNPAIRED : n;
}
