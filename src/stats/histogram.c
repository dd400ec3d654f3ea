/* Histograms of samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/histogram.h"
#include "base/error.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEWEST = 5,   /* bins */
    TOO_FEW = 10, /* values, to tell outliers */
};

static void choose_bins(struct ovl_histogram *h, const double *sorted, size_t n)
{
    double q1 = sorted[(n - 1) / 4], q3 = sorted[3 * (n - 1) / 4],
           reach = fmax(3 * (q3 - q1), 0.01 * fabs(sorted[n / 2]));
    if (n < TOO_FEW)
        reach = INFINITY;
    size_t first = 0, last = n - 1;
    while (sorted[first] < q1 - reach)
        first++;
    while (sorted[last] > q3 + reach)
        last--;
    h->below = first;
    h->above = n - 1 - last;
    h->low = sorted[first];
    h->high = sorted[last];
    h->bins = 1;
    if (h->low == h->high) {
        double room = h->low != 0 ? 1e-3 * fabs(h->low) : 1e-9;
        h->low -= room;
        h->high += room;
        return;
    }
    double bins = q3 > q1 ? ceil((h->high - h->low) * cbrt((double)n) / (2 * (q3 - q1))) : FEWEST;
    h->bins = (size_t)fmax(FEWEST, fmin(OVL_HISTOGRAM_MOST, bins));
}

struct ovl_histogram ovl_histogram_make(const double *x, size_t n)
{
    struct ovl_histogram h = {0};
    double *sorted = ovl_alloc(n, sizeof *sorted);
    size_t m = ovl_stats_sorted(x, n, sorted);
    if (m > 0)
        choose_bins(&h, sorted, m);
    for (size_t i = h.below; i + h.above < m; i++) {
        size_t bin = (size_t)((double)h.bins * (sorted[i] - h.low) / (h.high - h.low));
        h.count[bin < h.bins ? bin : h.bins - 1]++;
    }
    free(sorted);
    return h;
}
