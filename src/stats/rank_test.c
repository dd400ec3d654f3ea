/* Rank statistics of launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/rank_test.h"
#include "base/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_TWO = 200, EXACT_PAIRED = 400 };

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
static void exact_two(double *probability, size_t m, size_t n)
{
    double *row = ovl_alloc((m + 1) * (m * n + 1), sizeof *row);
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
}

/* Each rank 1 .. n counts or does not, with 1/2. */
static void exact_paired(double *probability, size_t n)
{
    probability[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t t = rank * (rank + 1) / 2 + 1; t-- > 0;)
            probability[t] = (probability[t] + (t >= rank ? probability[t - rank] : 0)) / 2;
}

/* Turns probabilities into their sums, or fills in the normal approximation. */
static void finish(struct ovl_null_distribution *r, bool exact, double variance)
{
    double sum = 0, mean = (double)r->most / 2;
    for (size_t k = 0; k <= r->most; k++) {
        sum += r->cdf[k];
        r->cdf[k] = exact ? sum : erfc((mean - 0.5 - (double)k) / sqrt(2 * variance)) / 2;
    }
    r->cdf[r->most] = 1;
}

static struct ovl_null_distribution make(size_t m, size_t n, size_t most)
{
    return (struct ovl_null_distribution){.m = m, .n = n, .most = most, .cdf = ovl_alloc(most + 1, sizeof(double))};
}

struct ovl_null_distribution ovl_null_distribution_two(size_t m, size_t n)
{
    bool exact = m <= EXACT_TWO && n <= EXACT_TWO;
    struct ovl_null_distribution r = make(m, n, m * n);
    if (exact)
        exact_two(r.cdf, m, n);
    finish(&r, exact, (double)(m * n) * (double)(m + n + 1) / 12);
    return r;
}

struct ovl_null_distribution ovl_null_distribution_paired(size_t n)
{
    bool exact = n <= EXACT_PAIRED;
    struct ovl_null_distribution r = make(0, n, n * (n + 1) / 2);
    if (exact)
        exact_paired(r.cdf, n);
    finish(&r, exact, (double)(n * (n + 1)) * (double)(2 * n + 1) / 24);
    return r;
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

size_t ovl_null_distribution_order(const struct ovl_null_distribution *r, double level)
{
    size_t low = 0, high = r->most; /* the first k whose cdf reaches the level: that of `most` is 1 */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->cdf[middle] < level)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A difference, or the average of two. */
static double difference(const struct ovl_null_distribution *r, const double *old, const double *new, size_t i,
                         size_t j)
{
    return paired(r) ? (new[i] - old[i] + new[j] - old[j]) / 2 : new[j] - old[i];
}

void ovl_rank_differences(const struct ovl_null_distribution *r, const double *old, const double *new, double *d)
{
    for (size_t i = 0; i < (paired(r) ? r->n : r->m); i++)
        for (size_t j = paired(r) ? i : 0; j < r->n; j++)
            *d++ = difference(r, old, new, i, j);
}

struct ovl_rank_counts ovl_rank_count(const struct ovl_null_distribution *r, const double *old, const double *new,
                                      double bound)
{
    struct ovl_rank_counts count = {0, 0};
    for (size_t i = 0; i < (paired(r) ? r->n : r->m); i++)
        for (size_t j = paired(r) ? i : 0; j < r->n; j++) {
            double d = difference(r, old, new, i, j);
            count.above += d > bound;
            count.below += d < bound;
        }
    return count;
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
