/* Change points of a series: splits, and their permutation tests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/change_points.h"
#include "base/rng.h"
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What was seen so far of the values up to one of them, in a binary indexed tree over ranks (Fenwick, 1994). */
struct seen {
    double count, sum;
};

/* A segment: its values in order of size, less the least of them, and which of them stands where. */
struct segment {
    size_t n;
    double *value, *far; /* far: sum of the distances of a value from all the others */
    size_t *rank;
    struct seen *seen;
};

static int make(struct segment *s, size_t n)
{
    *s = (struct segment){.rank = malloc((n + 1) * sizeof *s->rank),
                          .value = malloc(2 * (n + 1) * sizeof *s->value),
                          .seen = malloc((n + 1) * sizeof *s->seen)};
    if (!s->value || !s->rank || !s->seen)
        return -1;
    s->far = s->value + n + 1;
    return 0;
}

static void unmake(struct segment *s)
{
    free(s->value);
    free(s->rank);
    free(s->seen);
}

/* Values that are equal have the same rank. */
static void fill(struct segment *s, const double *x, size_t n)
{
    double sum = 0, below = 0;
    s->n = n;
    memcpy(s->value, x, n * sizeof *x);
    ovl_stats_sort(s->value, n);
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = n - 1;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (s->value[middle] < x[i])
                low = middle + 1;
            else
                high = middle;
        }
        s->rank[i] = low;
    }
    double least = s->value[0];
    for (size_t i = 0; i < n; i++)
        sum += s->value[i] -= least;
    for (size_t i = 0; i < n; i++) {
        s->far[i] = s->value[i] * (2 * (double)i - (double)n) + sum - 2 * below;
        below += s->value[i];
    }
}

/* Sum of the distances of the value at place k from those before it, which have the sum `all`. */
static double from_seen(struct segment *s, size_t k, double all)
{
    double x = s->value[s->rank[k]], count = 0, sum = 0;
    for (size_t j = s->rank[k]; j > 0; j &= j - 1) {
        count += s->seen[j].count;
        sum += s->seen[j].sum;
    }
    for (size_t j = s->rank[k] + 1; j <= s->n; j += j & -j) {
        s->seen[j].count += 1;
        s->seen[j].sum += x;
    }
    return x * (2 * count - (double)k) + all - 2 * sum;
}

static double pairs(double n)
{
    return n * (n - 1) / 2;
}

static double best_split(struct segment *s, size_t *at)
{
    double best = 0, all = 0, left = 0, right = 0;
    *at = 0;
    memset(s->seen, 0, (s->n + 1) * sizeof *s->seen);
    for (size_t i = 0; i < s->n; i++)
        right += s->far[i] / 2;
    double total = right;
    for (size_t t = 1; t + OVL_CHANGE_LEAST <= s->n; t++) {
        double before = from_seen(s, t - 1, all), m = (double)t, k = (double)(s->n - t);
        all += s->value[s->rank[t - 1]];
        left += before;
        right -= s->far[s->rank[t - 1]] - before;
        double between = total - left - right;
        double q = m * k / (m + k) * (2 * between / (m * k) - left / pairs(m) - right / pairs(k));
        if (t >= OVL_CHANGE_LEAST && q > best) {
            best = q;
            *at = t;
        }
    }
    return best;
}

/* Has none of so many permutations that p is at most the level a split with as great a Q? */
static bool stands_out(struct segment *s, double q, double level, struct ovl_rng *rng)
{
    size_t at;
    double left = ceil(1 / level) - 1;
    while (left-- > 0) {
        for (size_t k = s->n - 1; k > 0; k--) {
            size_t other = ovl_rng_below(rng, (uint32_t)k + 1), r = s->rank[k];
            s->rank[k] = s->rank[other];
            s->rank[other] = r;
        }
        if (best_split(s, &at) >= q * (1 - 1e-9)) /* alike, but for rounding */
            return false;
    }
    return true;
}

struct finding {
    struct segment segment;
    const double *x;
    double level; /* of a value */
    struct ovl_rng rng;
    size_t *at, count;
};

static void divide(struct finding *f, size_t first, size_t n)
{
    size_t at;
    double level = f->level * (double)n;
    if (n < ovl_change_points_needed(level))
        return;
    fill(&f->segment, f->x + first, n);
    double q = best_split(&f->segment, &at);
    if (at == 0 || !stands_out(&f->segment, q, level, &f->rng))
        return;
    divide(f, first, at);
    f->at[f->count++] = first + at;
    divide(f, first + at, n - at);
}

int ovl_change_points_find(const double *x, size_t n, double level, uint64_t seed, size_t *at, size_t *count)
{
    struct finding f = {.x = x, .level = level / (double)(n ? n : 1), .rng = ovl_rng_seeded(seed), .at = at};
    int rc = make(&f.segment, n);
    if (rc == 0)
        divide(&f, 0, n);
    unmake(&f.segment);
    *count = f.count;
    return rc;
}

size_t ovl_change_points_needed(double level)
{
    size_t n = 2 * OVL_CHANGE_LEAST;
    double ways = 70; /* 8! / (4! 4!) */
    while (2 / ways > level) {
        n++;
        size_t half = n / 2;
        ways *= (double)n / (double)(n - half);
    }
    return n;
}
