/* Rounds are drawn as a whole, so that columns stay beside each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/bootstrap.h"
#include "base/rng.h"
#include "stats/student.h"

#include <math.h>

enum { DRAWS = 2000 };

double ovl_bootstrap_mean(double column[OVL_BOOTSTRAP_COLUMNS][OVL_BOOTSTRAP_ROUNDS], size_t n)
{
    return ovl_stats_mean(column[0], n);
}

double ovl_bootstrap_median_by_mean(double column[OVL_BOOTSTRAP_COLUMNS][OVL_BOOTSTRAP_ROUNDS], size_t n)
{
    return ovl_stats_median(column[0], n) / ovl_stats_mean(column[1], n);
}

double ovl_bootstrap_median_by_median(double column[OVL_BOOTSTRAP_COLUMNS][OVL_BOOTSTRAP_ROUNDS], size_t n)
{
    return ovl_stats_median(column[0], n) / ovl_stats_median(column[1], n);
}

/* The point at which the interval begins, for a mean of n rounds (Hesterberg, American Statistician 69, 2015, 4.1), or
   for a median, whichever is wider. */
static double percentile(size_t n)
{
    double few = n > 1 ? sqrt((double)n / (double)(n - 1)) * ovl_student_quantile(0.025, (double)(n - 1)) : NAN;
    return fmin(erfc(few / sqrt(2)) / 2, ovl_overlap_percentile(n));
}

struct ovl_estimate ovl_stats_bootstrap(ovl_bootstrap_value *value, const double *const columns[OVL_BOOTSTRAP_COLUMNS],
                                        size_t n, uint64_t seed)
{
    double draws[DRAWS], drawn[OVL_BOOTSTRAP_COLUMNS][OVL_BOOTSTRAP_ROUNDS];
    struct ovl_rng rng = ovl_rng_seeded(seed);
    bool few = ovl_stats_ci_rank(n) == 0;
    for (size_t d = 0; d < (few ? 1 : DRAWS); d++) {
        for (size_t i = 0; i < n; i++) {
            size_t round = d == 0 ? i : ovl_rng_below(&rng, (uint32_t)n); /* the first one is what was measured */
            for (int c = 0; c < OVL_BOOTSTRAP_COLUMNS; c++)
                drawn[c][i] = columns[c] ? columns[c][round] : NAN;
        }
        draws[d] = value(drawn, n);
    }
    struct ovl_estimate e = {draws[0], NAN, NAN};
    if (few)
        return e;
    size_t tail = (size_t)(percentile(n) * DRAWS);
    ovl_stats_sort(draws, DRAWS);
    e.ci_low = draws[tail];
    e.ci_high = draws[DRAWS - 1 - tail];
    return e;
}
