/* Prediction intervals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/prediction.h"
#include "base/error.h"
#include "stats/stats.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean, and the standard deviation of a further value from it. */
static void spread_of(const double *x, size_t n, double *mean, double *spread)
{
    double squares = 0;
    *mean = ovl_stats_mean(x, n);
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *spread = n < 2 ? NAN : sqrt(squares / (double)(n - 1) * (1 + 1 / (double)n));
}

double ovl_prediction_p(const double *x, size_t n, double next)
{
    double mean, spread, *limited = ovl_alloc(2 * n + 1, sizeof *x);
    size_t reached = 0;
    memcpy(limited, x, n * sizeof *x);
    ovl_stats_sort(limited, n);
    for (size_t i = 0; i < n; i++)
        reached += x[i] >= next;
    if (reached < 2 || (double)reached < OVL_PREDICTION_USUAL * (double)n)
        ovl_stats_limit(limited, limited + n, n, OVL_PREDICTION_LIMIT);
    spread_of(limited, n, &mean, &spread);
    free(limited);
    if (!(spread > 0))
        return isnan(spread) ? NAN : next > mean ? 0 : 1;
    return ovl_student_above((next - mean) / spread, (double)(n - 1));
}

double ovl_prediction_bound(const double *x, size_t n, size_t future, double alpha)
{
    double mean, spread;
    spread_of(x, n, &mean, &spread);
    return isnan(spread) ? NAN : mean + spread * ovl_student_quantile(alpha / (double)future, (double)(n - 1));
}

struct placed {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

void ovl_prediction_holm(double *p, size_t n)
{
    struct placed *o = ovl_alloc(n + 1, sizeof *o);
    size_t m = 0;
    double before = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            o[m++] = (struct placed){p[i], i};
    qsort(o, m, sizeof *o, by_p);
    for (size_t k = 0; k < m; k++) {
        before = fmax(before, fmin(1, (double)(m - k) * o[k].p));
        p[o[k].at] = before;
    }
    free(o);
}
