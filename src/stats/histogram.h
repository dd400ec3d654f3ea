/* Histograms of samples: so many bins as the values bear, and what lies far outside counted beside them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_HISTOGRAM_H
#define OVL_STATS_HISTOGRAM_H

#include <stddef.h>

enum { OVL_HISTOGRAM_MOST = 40 };

struct ovl_histogram {
    double low, high; /* what the bins cover: all values but outliers, that are beyond 3 interquartile ranges of the
                         quartiles, and by 1 % of the median; of less than 10 values none is. low < high */
    size_t bins;      /* of the same width: 2 interquartile ranges / cube root of n (Freedman and Diaconis, Z. Wahrsch.
                         verw. Geb. 57, 1981), 5 to 40 of them; one where all values are equal */
    size_t count[OVL_HISTOGRAM_MOST];
    size_t below, above; /* outliers */
};

/* Of the values that are not NaN; bins is 0 where there is none. */
struct ovl_histogram ovl_histogram_make(const double *x, size_t n);

#endif
