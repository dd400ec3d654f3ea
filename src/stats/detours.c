/* Detours in a series of fixed work quanta. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/detours.h"
#include "base/error.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s. No shorter excess is a detour: an interrupt takes a microsecond and more. */
static const double least = 1e-6;

/* Differences to so many followers are looked at; bins are so many to a factor of e. */
enum { FOLLOWERS = 4, MOST = 4096, BINS_PER_E = 40, BINS = 1200, LEAST_COUNT = 10 };
static const double shortest_gap = 1e-7, tolerance = 0.05, followed_least = 0.6, above_chance = 0.5, uneven = 0.25,
                    even_least = 0.9;

/* A detour of this length or longer is where half of the sum is reached, from the longest on. `sorted` goes upwards. */
static double typical_of(const double *sorted, size_t n)
{
    double sum = 0, reached = 0;
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    while (n > 0 && reached < 0.5 * sum)
        reached += sorted[--n];
    return sum > 0 ? sorted[n] : NAN;
}

/* How many of n times are followed by another after a period, as a share of those that can be. */
static double followed(const double *at, size_t n, double period, double slack)
{
    size_t can = 0, are = 0;
    for (size_t i = 0, j = 0; i < n && at[i] + period + slack <= at[n - 1]; i++, can++) {
        while (at[j] < at[i] + period - slack)
            j++;
        are += at[j] <= at[i] + period + slack;
    }
    return can + 2 >= LEAST_COUNT ? (double)are / (double)can : 0;
}

/* A scheduler may let what comes each 20 ms in after 16 and 24 ms in turn: where several come in a period, the time
   from each to the next is told, if they are about evenly apart. */
static double divide(const double *at, size_t n, double period)
{
    double parts = rint((double)n * period / (at[n - 1] - at[0]));
    return parts > 1 && followed(at, n, period / parts, uneven * period / parts) >= even_least ? period / parts
                                                                                               : period;
}

static int bin_of(double gap)
{
    double bin = BINS_PER_E * log(gap / shortest_gap);
    return bin >= 1 && bin < BINS - 1 ? (int)bin : -1;
}

/* The shortest time by which enough of n times in order are followed. */
static double search(const double *at, size_t n, double resolution)
{
    size_t count[BINS] = {0};
    double sum[BINS] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && j <= i + FOLLOWERS; j++) {
            int bin = bin_of(at[j] - at[i]);
            if (bin >= 0) {
                count[bin]++;
                sum[bin] += at[j] - at[i];
            }
        }
    double rate = (double)n / (at[n - 1] - at[0]);
    for (int b = 1; b < BINS - 1; b++) {
        if (count[b] == 0 || count[b] < count[b - 1] || count[b] < count[b + 1])
            continue;
        double period = (sum[b - 1] + sum[b] + sum[b + 1]) / (double)(count[b - 1] + count[b] + count[b + 1]);
        double slack = fmax(tolerance * period, resolution), share = followed(at, n, period, slack);
        double chance = 1 - exp(-2 * rate * slack);
        if (period > 2 * resolution && share >= followed_least && share - chance >= above_chance)
            return divide(at, n, period);
    }
    return NAN;
}

double ovl_detours_period(const double *at, const double *length, size_t n, double resolution)
{
    double *sorted = ovl_alloc(n + 1, sizeof *sorted), typical, period = NAN;
    size_t kept = 0;
    memcpy(sorted, length, n * sizeof *sorted);
    ovl_stats_sort(sorted, n);
    typical = typical_of(sorted, n);
    for (size_t i = 0; i < n && kept < MOST; i++)
        if (length[i] >= 0.25 * typical)
            sorted[kept++] = at[i];
    if (kept >= LEAST_COUNT && sorted[kept - 1] > sorted[0])
        period = search(sorted, kept, resolution);
    free(sorted);
    return period;
}

/* Fills what follows from the detours alone; puts `length` in order. */
static void summarise(struct ovl_detours *d, double *length, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += length[i];
    d->lost = sum / d->span;
    d->per_second = (double)n / d->span;
    ovl_stats_sort(length, n);
    d->typical = typical_of(length, n);
    d->longest = n > 0 ? length[n - 1] : NAN;
    d->p99 = n >= 100 ? length[(99 * n + 99) / 100 - 1] : NAN;
    d->median = ovl_stats_median(length, n);
}

struct ovl_detours ovl_detours_find(const double *begin, const double *took, size_t n)
{
    struct ovl_detours d = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return d;
    double *length = ovl_alloc(n, sizeof *length), *at = ovl_alloc(n, sizeof *at);
    size_t count = 0;
    memcpy(length, took, n * sizeof *length);
    ovl_stats_sort(length, n);
    d.quickest = length[0];
    d.usual = length[n / 4];
    d.threshold = d.usual + fmax(least, 4 * (d.usual - d.quickest));
    d.span = 0;
    for (size_t i = 0; i < n; i++) {
        d.span += took[i];
        if (took[i] > d.threshold) {
            at[count] = begin[i];
            length[count++] = took[i] - d.usual;
        }
    }
    d.above_quickest = 1 - (double)n * d.quickest / d.span;
    d.period = ovl_detours_period(at, length, count, d.usual);
    summarise(&d, length, count);
    free(length);
    free(at);
    return d;
}
