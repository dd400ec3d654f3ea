/* Change points of a series: splits, and their permutation tests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/change_points.h"
#include "base/error.h"
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
    double *value, *far;  /* far: sum of the distances of a value from all the others */
    size_t *rank, *order; /* order: a copy of rank, to begin permutations from */
    struct seen *seen;
};

/* The splits that are looked at: so many values before them. */
struct range {
    size_t from, to;
};

static void make(struct segment *s, size_t n)
{
    *s = (struct segment){.rank = ovl_alloc(2 * (n + 1), sizeof *s->rank),
                          .value = ovl_alloc(2 * (n + 1), sizeof *s->value),
                          .seen = ovl_alloc(n + 1, sizeof *s->seen)};
    s->far = s->value + n + 1;
    s->order = s->rank + n + 1;
}

static void unmake(struct segment *s)
{
    free(s->value);
    free(s->rank);
    free(s->seen);
}

/* Values that are equal have the same rank; so have those that become equal when they are limited, or ranks between
   which no distance is. */
static void fill(struct segment *s, const double *x, size_t n, double deviations)
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
        s->order[i] = s->rank[i] = low;
    }
    ovl_stats_limit(s->value, s->far, n,
                    deviations); /* no order of the values matters to it: the permutation test holds */
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

static double best_split(struct segment *s, struct range range, size_t *at)
{
    double best = 0, all = 0, left = 0, right = 0;
    *at = 0;
    memset(s->seen, 0, (s->n + 1) * sizeof *s->seen);
    for (size_t i = 0; i < s->n; i++)
        right += s->far[i] / 2;
    double total = right;
    for (size_t t = 1; t <= range.to; t++) {
        double before = from_seen(s, t - 1, all), m = (double)t, k = (double)(s->n - t);
        all += s->value[s->rank[t - 1]];
        left += before;
        right -= s->far[s->rank[t - 1]] - before;
        double between = total - left - right;
        double q = m * k / (m + k) * 2 * (between / (m * k) - left / (m * m) - right / (k * k));
        if (t >= range.from && q > best) {
            best = q;
            *at = t;
        }
    }
    return best;
}

static void shuffle(size_t *rank, size_t n, struct ovl_rng *rng)
{
    for (size_t k = n; k-- > 1;) {
        size_t other = ovl_rng_below(rng, (uint32_t)k + 1), r = rank[k];
        rank[k] = rank[other];
        rank[other] = r;
    }
}

struct finding {
    struct segment segment;
    const double *x;
    size_t n;
    double level; /* of a value */
    struct ovl_rng rng;
    struct ovl_change_point *found;
    size_t count;
};

/* Do more than so many of the permutations of the values before a place, and of those behind it, have a split with as
   great a Q? 0 as a place: of all values. */
static bool is_common(struct finding *f, struct range range, double q, size_t place, int permutations, int most)
{
    struct segment *s = &f->segment;
    size_t at;
    memcpy(s->rank, s->order, s->n * sizeof *s->rank);
    for (int i = 0; i < permutations && most >= 0; i++) {
        shuffle(s->rank, place, &f->rng);
        shuffle(s->rank + place, s->n - place, &f->rng);
        most -= best_split(s, range, &at) >= q * (1 - 1e-9); /* alike, but for rounding */
    }
    return most < 0;
}

static void divide(struct finding *f, size_t first, size_t n)
{
    size_t at;
    double level = f->level * (double)n;
    if (n < ovl_change_points_needed(level))
        return;
    struct range range = {OVL_CHANGE_LEAST, n - OVL_CHANGE_LEAST};
    fill(&f->segment, f->x + first, n, OVL_CHANGE_LIMIT);
    double q = best_split(&f->segment, range, &at);
    if (at == 0 || is_common(f, range, q, 0, (int)ceil(1 / level) - 1, 0))
        return;
    divide(f, first, at);
    f->found[f->count++] = (struct ovl_change_point){.at = first + at};
    divide(f, first + at, n - at);
}

/* Goes from the place by steps of 1 or -1, and gives the last possible place on that side: places behind so many
   impossible ones as a segment has are not looked at. */
static size_t look_along(struct finding *f, struct range range, double q, size_t place, int step)
{
    enum { PERMUTATIONS = 499 };
    const int most = (int)(OVL_CHANGE_DOUBT * (PERMUTATIONS + 1)) - 1;
    size_t possible = place;
    for (size_t t = place + (size_t)step, failed = 0; t > 0 && t < f->segment.n && failed < OVL_CHANGE_LEAST;
         t += (size_t)step) {
        bool common = is_common(f, range, q, t, PERMUTATIONS, most);
        possible = common ? t : possible;
        failed = common ? 0 : failed + 1;
    }
    return possible;
}

/* Looks for the place of a change between its neighbours. Near an end, two or three values that are far off are told
   from those beside them by how far they are. */
static void place(struct finding *f, size_t i)
{
    const double near_end = 3 * OVL_CHANGE_LIMIT;
    struct ovl_change_point *c = &f->found[i];
    size_t from = i > 0 ? c[-1].at : 0, to = i + 1 < f->count ? c[1].at : f->n, n = to - from, at;
    bool near = c->at - from < 2 * OVL_CHANGE_LEAST || to - c->at < 2 * OVL_CHANGE_LEAST;
    struct range range = {OVL_CHANGE_LEAST, n - OVL_CHANGE_LEAST};
    fill(&f->segment, f->x + from, n, near ? near_end : OVL_CHANGE_LIMIT);
    if (near && best_split(&f->segment, range, &at) > 0)
        c->at = from + at;
    if (c->at - from <= OVL_CHANGE_LEAST)
        range.from = 1;
    if (to - c->at <= OVL_CHANGE_LEAST)
        range.to = n - 1;
    double q = best_split(&f->segment, range, &at);
    if (at == 0)
        at = c->at - from;
    c->at = from + at;
    c->first = from + look_along(f, range, q, at, -1);
    c->last = from + look_along(f, range, q, at, 1);
    if (f->n - c->at < 2 * OVL_CHANGE_LEAST) {
        c->first -= c->first == c->at && at > 1;
        c->last += c->last == c->at && at + 1 < n;
    }
}

size_t ovl_change_points_find(const double *x, size_t n, double level, uint64_t seed, struct ovl_change_point *found)
{
    struct finding f = {
        .x = x, .n = n, .level = level / (double)(n ? n : 1), .rng = ovl_rng_seeded(seed), .found = found};
    make(&f.segment, n);
    divide(&f, 0, n);
    for (size_t i = 0; i < f.count; i++)
        place(&f, i);
    unmake(&f.segment);
    return f.count;
}

/* Adds it in its place, unless it may be where one of the others may be. */
static size_t add_apart(struct ovl_change_point *found, size_t count, struct ovl_change_point more)
{
    size_t i = count;
    for (size_t k = 0; k < count; k++)
        if (found[k].first <= more.last && more.first <= found[k].last)
            return count;
    for (; i > 0 && found[i - 1].at > more.at; i--)
        found[i] = found[i - 1];
    found[i] = more;
    return count + 1;
}

/* Adds what is found in x[from .. to-1]. */
static size_t add_within(const double *x, size_t from, size_t to, double level, uint64_t seed,
                         struct ovl_change_point *found, size_t count)
{
    struct ovl_change_point *more = ovl_alloc((to - from) / OVL_CHANGE_LEAST + 1, sizeof *more);
    size_t there = ovl_change_points_find(x + from, to - from, level, seed, more);
    for (size_t i = 0; i < there; i++)
        count = add_apart(found, count,
                          (struct ovl_change_point){more[i].at + from, more[i].first + from, more[i].last + from});
    free(more);
    return count;
}

size_t ovl_change_points_find_since(const double *x, size_t n, size_t since, double level, uint64_t seed,
                                    struct ovl_change_point *found)
{
    size_t count = ovl_change_points_find(x, n, level, seed, found), from = 0, to = n;
    if (since == 0 || since >= n)
        return count;
    count = add_within(x, since, n, level / 4, seed, found, count);
    for (size_t i = 0; i < count && found[i].at <= since; i++)
        from = found[i].at < since ? found[i].at : from;
    for (size_t i = count; i > 0 && found[i - 1].at > since; i--)
        to = found[i - 1].at;
    return from > 0 || to < n ? add_within(x, from, to, level / 4, seed, found, count) : count;
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
