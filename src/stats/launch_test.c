/* Tests on launches: ranks, and Welch's t beside them where there are no pairs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/launch_test.h"
#include "base/error.h"
#include "base/rng.h"
#include "stats/stats.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 4000, SIMULATED = 2000, MOST_NEEDED = 1000 };

void ovl_launch_test_make(struct ovl_launch_test *t, size_t n, bool paired)
{
    t->paired = paired;
    t->n = n;
    t->ranks = paired ? ovl_null_distribution_paired(n) : ovl_null_distribution_two(n, n);
}

void ovl_launch_test_free(struct ovl_launch_test *t)
{
    ovl_null_distribution_free(&t->ranks);
}

/* Welch, Biometrika 34, 1947. */
struct welch {
    double shift, error, freedom; /* error 0: all launches of a side are alike */
};

static void moments(const double *x, size_t n, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *variance = squares / (double)(n - 1) / (double)n; /* of the mean */
}

static struct welch welch_of(const double *old, const double *new, size_t n)
{
    double before, now, a, b;
    moments(old, n, &before, &a);
    moments(new, n, &now, &b);
    return (struct welch){now - before, sqrt(a + b), (a + b) * (a + b) * (double)(n - 1) / (a * a + b * b)};
}

/* Of "at most `bound`". */
static double welch_p(const struct welch *w, double bound)
{
    if (!(w->error > 0))
        return w->shift > bound ? 0 : 1;
    return ovl_student_above((w->shift - bound) / w->error, w->freedom);
}

struct ovl_evidence ovl_launch_test_evidence(const struct ovl_launch_test *t, const double *old, const double *new,
                                             double margin)
{
    struct ovl_rank_counts at_margin = ovl_rank_count(&t->ranks, old, new, margin),
                           at_none = ovl_rank_count(&t->ranks, old, new, 0);
    struct ovl_evidence e = {ovl_null_distribution_above(&t->ranks, at_margin.above),
                             ovl_null_distribution_above(&t->ranks, at_margin.below),
                             ovl_null_distribution_above(&t->ranks, at_none.below)};
    if (t->paired)
        return e;
    struct welch w = welch_of(old, new, t->n), turned = {-w.shift, w.error, w.freedom};
    e.worse = fmax(e.worse, welch_p(&w, margin));
    e.within = fmax(e.within, welch_p(&turned, -margin));
    e.better = fmax(e.better, welch_p(&turned, 0));
    return e;
}

static double welch_reach(const struct welch *w, double level)
{
    return w->error > 0 ? w->error * ovl_student_quantile(level, w->freedom) : 0;
}

struct ovl_shift ovl_launch_test_shift(const struct ovl_launch_test *t, const double *old, const double *new,
                                       double low_level, double high_level)
{
    const struct ovl_null_distribution *r = &t->ranks;
    size_t low = ovl_null_distribution_order(r, low_level), high = ovl_null_distribution_order(r, high_level);
    double *d = ovl_alloc(r->most, sizeof *d);
    struct ovl_shift s;
    ovl_rank_differences(r, old, new, d);
    s.value = ovl_stats_median(d, r->most);
    s.low = low > 0 ? d[low - 1] : -INFINITY;
    s.high = high > 0 ? d[r->most - high] : INFINITY;
    free(d);
    if (!t->paired) {
        struct welch w = welch_of(old, new, t->n);
        s.low = fmin(s.low, w.shift - welch_reach(&w, low_level));
        s.high = fmax(s.high, w.shift + welch_reach(&w, high_level));
    }
    return s;
}

/* A standard normal number (Box and Muller). */
static double normal(struct ovl_rng *rng)
{
    double u = ((double)(ovl_rng_next(rng) >> 11) + 1) * 0x1p-53, v = (double)(ovl_rng_next(rng) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Of each simulated comparison without a change, the shift from which on the test would reject: that share of them is
 * below the answer. */
static double simulate(const struct ovl_launch_test *t, double alpha, double power)
{
    struct ovl_rng rng = ovl_rng_seeded(20);
    size_t most = t->ranks.most, order = ovl_null_distribution_order(&t->ranks, alpha);
    double *d = ovl_alloc(most + 2 * t->n + DRAWS, sizeof *d);
    double *old = d + most, *new = old + t->n, *needed = new + t->n;
    for (size_t k = 0; k < DRAWS; k++) {
        for (size_t i = 0; i < t->n; i++)
            old[i] = t->paired ? 0 : normal(&rng);
        for (size_t i = 0; i < t->n; i++)
            new[i] = normal(&rng);
        ovl_rank_differences(&t->ranks, old, new, d);
        needed[k] = -ovl_stats_select(d, most, order - 1);
        if (!t->paired) {
            struct welch w = welch_of(old, new, t->n);
            needed[k] = fmax(needed[k], welch_reach(&w, alpha) - w.shift);
        }
    }
    double answer = ovl_stats_select(needed, DRAWS, (size_t)fmin(DRAWS * power, DRAWS - 1));
    free(d);
    return answer;
}

double ovl_launch_test_detectable(const struct ovl_launch_test *t, double alpha, double power)
{
    if (t->ranks.most == 0 || ovl_ranks_least_p(&t->ranks) >= alpha)
        return INFINITY;
    if (t->ranks.most <= SIMULATED)
        return simulate(t, alpha, power);
    /* The ranks' efficiency against the t test is 3 / pi for normal launches. */
    double launches = (double)t->n / (t->paired ? 1 : 2), many = 1e6;
    return (ovl_student_quantile(alpha, many) + ovl_student_quantile(1 - power, many)) * sqrt(M_PI / 3 / launches);
}

size_t ovl_launch_test_needed(double level, bool paired)
{
    double least = 1;
    size_t n = 0;
    while (least >= level && n < MOST_NEEDED) {
        n++;
        least *= paired ? 0.5 : (double)n / (double)(2 * (2 * n - 1)); /* 1 / binomial(2n, n) */
    }
    return n;
}
