/* Pairs of launches of which the new one stalls now and then. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stalls.h"
#include "base/error.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

static const double level = OVL_STALLS_LEVEL,
                    level_far = 0.01; /* of `level` that part is for pairs that are far apart */

/* Do `more` of n tosses of a fair coin, or as many, come less often than `below`? */
static bool is_rare(size_t more, size_t n, double below)
{
    double tail = 0, all = (double)n;
    for (size_t i = more; i <= n; i++) {
        double k = (double)i;
        tail += exp(lgamma(all + 1) - lgamma(k + 1) - lgamma(all - k + 1) - all * log(2));
    }
    return tail < below;
}

static double log_choose(size_t n, size_t k)
{
    double all = (double)n, some = (double)k;
    return lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1);
}

bool ovl_stalls_more(size_t before, size_t old, size_t after, size_t new, double below)
{
    size_t slow = before + after;
    double tail = 0;
    for (size_t k = after; k <= slow && k <= new; k++)
        if (slow - k <= old)
            tail += exp(log_choose(new, k) + log_choose(old, slow - k) - log_choose(old + new, slow));
    return slow > 0 && tail < below;
}

size_t ovl_stalls_above(const double *x, size_t n, double most)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] > most;
    return count;
}

/* Are more of the differences above `most` than are as far from the middle on the other side, beyond chance? */
static bool is_odd(const double *x, size_t n, double middle, double most, double below)
{
    size_t worse = ovl_stalls_above(x, n, most), better = 0;
    for (size_t i = 0; i < n; i++)
        better += x[i] < 2 * middle - most;
    return worse > better && is_rare(worse, worse + better, below);
}

size_t ovl_stalls_count(const double *old, const double *new, size_t n, double margin)
{
    double *x = ovl_alloc(2 * n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = x[n + i] = new[i] - old[i];
    ovl_stats_sort(x + n, n);
    double middle = n > 0 ? fmin(0, x[n + n / 2]) : 0;
    bool odd =
        is_odd(x, n, middle, 2 * margin, level - level_far) || is_odd(x, n, middle, OVL_STALLS_FAR * margin, level_far);
    size_t stalls = odd ? ovl_stalls_above(x, n, 2 * margin) : 0;
    free(x);
    return stalls;
}
