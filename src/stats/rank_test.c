/* Comparing launches by ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/rank_test.h"
#include "base/rng.h"
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_TWO = 200, EXACT_PAIRED = 400, DRAWS = 4000, SIMULATED = 2000 };

static bool paired(const struct ovl_null_distribution *r)
{
    return r->m == 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The greatest of the m + n values is a new one with n / (m + n), and then above all m old ones. Row i has the
 * probabilities of U with i old values and as many new ones as the outer loop has reached. */
static int exact_two(double *probability, size_t m, size_t n)
{
    double *row = calloc((m + 1) * (m * n + 1), sizeof *row);
    if (!row)
        return -1;
    for (size_t i = 0; i <= m; i++)
        row[i * (m * n + 1)] = 1;
    for (size_t j = 1; j <= n; j++)
        for (size_t i = 1; i <= m; i++) {
            double *now = row + i * (m * n + 1);
            const double *fewer = now - (m * n + 1);
            double new = (double)j / (double)(i + j);
            for (size_t u = i * j + 1; u-- > 0;)
                now[u] = (u >= i ? new *now[u - i] : 0) + (u <= (i - 1) * j ? (1 - new) * fewer[u] : 0);
        }
    memcpy(probability, row + m * (m * n + 1), (m * n + 1) * sizeof *probability);
    free(row);
    return 0;
}

/* Each rank 1 .. n counts or does not, with 1/2. */
static void exact_paired(double *probability, size_t n)
{
    probability[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t t = rank * (rank + 1) / 2 + 1; t-- > 0;)
            probability[t] = (probability[t] + (t >= rank ? probability[t - rank] : 0)) / 2;
}

/* Turns probabilities into their sums, or fills in the normal approximation, and finds the interval's order. */
static void finish(struct ovl_null_distribution *r, bool exact, double variance)
{
    double sum = 0, mean = (double)r->most / 2;
    for (size_t k = 0; k <= r->most; k++) {
        sum += r->cdf[k];
        r->cdf[k] = exact ? sum : erfc((mean - 0.5 - (double)k) / sqrt(2 * variance)) / 2;
    }
    r->cdf[r->most] = 1;
    for (r->order = 0; r->order <= r->most && r->cdf[r->order] <= 0.025; r->order++)
        ;
}

int ovl_null_distribution_two(struct ovl_null_distribution *r, size_t m, size_t n)
{
    bool exact = m <= EXACT_TWO && n <= EXACT_TWO;
    *r = (struct ovl_null_distribution){.m = m, .n = n, .most = m * n};
    r->cdf = calloc(r->most + 1, sizeof *r->cdf);
    if (!r->cdf || m == 0 || (exact && exact_two(r->cdf, m, n) != 0)) {
        ovl_null_distribution_free(r);
        return -1;
    }
    finish(r, exact, (double)(m * n) * (double)(m + n + 1) / 12);
    return 0;
}

int ovl_null_distribution_paired(struct ovl_null_distribution *r, size_t n)
{
    bool exact = n <= EXACT_PAIRED;
    *r = (struct ovl_null_distribution){.n = n, .most = n * (n + 1) / 2};
    r->cdf = calloc(r->most + 1, sizeof *r->cdf);
    if (!r->cdf)
        return -1;
    if (exact)
        exact_paired(r->cdf, n);
    finish(r, exact, (double)(n * (n + 1)) * (double)(2 * n + 1) / 24);
    return 0;
}

void ovl_null_distribution_free(struct ovl_null_distribution *r)
{
    free(r->cdf);
    r->cdf = NULL;
}

/* By symmetry, so that small probabilities keep their digits. */
double ovl_null_distribution_above(const struct ovl_null_distribution *r, size_t k)
{
    return k > r->most ? 0 : r->cdf[r->most - k];
}

double ovl_ranks_least_p(const struct ovl_null_distribution *r)
{
    return ovl_null_distribution_above(r, r->most);
}

/* The differences of all pairs of an old and a new value, or the averages of two differences (each with itself too). */
static void differences(const struct ovl_null_distribution *r, const double *old, const double *new, double *d)
{
    size_t k = 0;
    for (size_t i = 0; i < (paired(r) ? r->n : r->m); i++)
        for (size_t j = paired(r) ? i : 0; j < r->n; j++)
            d[k++] = paired(r) ? (new[i] - old[i] + new[j] - old[j]) / 2 : new[j] - old[i];
}

int ovl_shift_estimate(const struct ovl_null_distribution *r, const double *old, const double *new, double bound,
                       struct ovl_shift *out)
{
    double *d = malloc((r->most ? r->most : 1) * sizeof *d);
    size_t above = 0;
    *out = (struct ovl_shift){NAN, NAN, NAN, NAN};
    if (!d)
        return -1;
    differences(r, old, new, d);
    for (size_t k = 0; k < r->most; k++)
        above += d[k] > bound;
    out->value = ovl_stats_median(d, r->most);
    if (r->order > 0 && r->order <= r->most) {
        out->low = d[r->order - 1];
        out->high = d[r->most - r->order];
    }
    if (r->most > 0)
        out->p = ovl_null_distribution_above(r, above);
    free(d);
    return 0;
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

int ovl_holm_adjust(double *p, size_t n)
{
    struct ordered *o = malloc((n ? n : 1) * sizeof *o);
    size_t count = 0;
    double before = 0;
    if (!o)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            o[count++] = (struct ordered){p[i], i};
    qsort(o, count, sizeof *o, by_p);
    for (size_t k = 0; k < count; k++) {
        before = fmax(before, fmin(1, (double)(count - k) * o[k].p));
        p[o[k].at] = before;
    }
    free(o);
    return 0;
}

/* A standard normal number (Box and Muller). */
static double normal(struct ovl_rng *rng)
{
    double u = ((double)(ovl_rng_next(rng) >> 11) + 1) * 0x1p-53, v = (double)(ovl_rng_next(rng) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Where the normal distribution leaves that much above; by bisection. */
static double normal_above(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(erfc(middle / M_SQRT2) / 2 > p ? &low : &high) = middle;
    }
    return low;
}

/* Of each simulated comparison without a change, the shift from which on the test would reject: 80 % of them are below
 * the answer. */
static double simulate(const struct ovl_null_distribution *r, size_t critical)
{
    struct ovl_rng rng = ovl_rng_seeded(20);
    double *d = malloc(r->most * sizeof *d), *x = malloc((r->m + 2 * r->n) * sizeof *x), needed[DRAWS], answer = NAN;
    double *old = x, *new = x + (paired(r) ? r->n : r->m);
    for (size_t k = 0; d && x && k < DRAWS; k++) {
        for (size_t i = 0; i < (paired(r) ? r->n : r->m); i++)
            old[i] = paired(r) ? 0 : normal(&rng);
        for (size_t i = 0; i < r->n; i++)
            new[i] = normal(&rng);
        differences(r, old, new, d);
        ovl_stats_sort(d, r->most);
        needed[k] = -d[r->most - critical];
    }
    if (d && x) {
        ovl_stats_sort(needed, DRAWS);
        answer = needed[DRAWS * 4 / 5];
    }
    free(d);
    free(x);
    return answer;
}

double ovl_null_distribution_detectable(const struct ovl_null_distribution *r, double alpha)
{
    size_t critical = 0;
    if (r->most == 0 || ovl_ranks_least_p(r) >= alpha)
        return INFINITY;
    while (ovl_null_distribution_above(r, critical) >= alpha)
        critical++;
    if (r->most <= SIMULATED)
        return simulate(r, critical);
    /* The test's efficiency against the t test is 3 / pi for normal launches. */
    double launches = paired(r) ? (double)r->n : 1 / (1 / (double)r->m + 1 / (double)r->n);
    return (normal_above(alpha) + normal_above(0.2)) * sqrt(M_PI / 3 / launches);
}

static double squares(const double *x, const double *minus, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += (x[i] - (minus ? minus[i] : 0)) / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += pow(x[i] - (minus ? minus[i] : 0) - mean, 2);
    return sum;
}

double ovl_launches_spread(const struct ovl_null_distribution *r, const double *old, const double *new)
{
    if (paired(r))
        return r->n < 2 ? NAN : sqrt(squares(new, old, r->n) / (double)(r->n - 1));
    if (least(r->m, r->n) < 2)
        return NAN;
    return sqrt((squares(old, NULL, r->m) + squares(new, NULL, r->n)) / (double)(r->m + r->n - 2));
}
