/* The arithmetic of overlap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/overlap.h"
#include "base/error.h"
#include "stats/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ovl_samples_make(struct ovl_samples *s, size_t capacity)
{
    memset(s, 0, sizeof *s);
    size_t arrays = 2 * OVL_QUANTITIES, values = arrays * capacity;
    double *all = ovl_alloc(values, sizeof *all);
    for (size_t i = 0; i < values; i++)
        all[i] = NAN;
    for (size_t q = 0; q < OVL_QUANTITIES; q++) {
        s->max[q] = all + 2 * q * capacity;
        s->mean[q] = s->max[q] + capacity;
    }
}

void ovl_samples_free(struct ovl_samples *s)
{
    free(s->max[0]); /* the start of the one allocation */
    memset(s, 0, sizeof *s);
}

#define C m[OVL_COMM]
#define W m[OVL_COMPUTE]
#define B m[OVL_BLOCKING]
#define T m[OVL_TOTAL]
static double hidden(const double *m)
{
    return 1 - (T - W) / C;
}
static double hideable(const double *m)
{
    return fmin(1, W / C);
}
static double overlap(const double *m)
{
    return (W + C - T) / fmin(W, C);
}
static double efficiency(const double *m)
{
    return 1 - (T - W) / B;
}
static double speedup(const double *m)
{
    return (W + B) / T;
}
static double slowdown(const double *m)
{
    return m[OVL_INNER] / W;
}
static double penalty(const double *m)
{
    return C / B;
}
static double hidden_own(const double *m)
{
    return 1 - m[OVL_OWN_EXPOSED] / C;
}
#undef C
#undef W
#undef B
#undef T

enum {
    C = 1 << OVL_COMM,
    W = 1 << OVL_COMPUTE,
    B = 1 << OVL_BLOCKING,
    T = 1 << OVL_TOTAL,
    INNER = 1 << OVL_INNER,
    EXPOSED = 1 << OVL_OWN_EXPOSED,
};

const struct ovl_derived_row ovl_derived_rows[OVL_DERIVED] = {
    [OVL_HIDDEN] = {hidden, C | W | T, C, false},
    [OVL_HIDEABLE] = {hideable, C | W, C, false},
    [OVL_OVERLAP] = {overlap, C | W | T, C | W, false},
    [OVL_EFFICIENCY] = {efficiency, B | W | T, B, false},
    [OVL_SPEEDUP] = {speedup, B | W | T, T, false},
    [OVL_SLOWDOWN] = {slowdown, INNER | W, W, false},
    [OVL_PENALTY] = {penalty, C | B, B, false},
    [OVL_HIDDEN_RANK_MEAN] = {hidden, C | W | T, C, true},
    [OVL_HIDDEN_OWN] = {hidden_own, C | EXPOSED, C, false},
    [OVL_HIDDEN_OWN_MEAN] = {hidden_own, C | EXPOSED, C, true},
};

int ovl_quantity_late(int q)
{
    static const int late[] = {OVL_COMM_LATE, OVL_COMPUTE_LATE, OVL_BLOCKING_LATE, OVL_TOTAL_LATE};
    return q == OVL_STREAM ? OVL_STREAM_LATE : q >= OVL_COMM && q <= OVL_TOTAL ? late[q] : -1;
}

/* The terms of one formula over the blocks that have them all, each quantity also in ascending order. */
struct joint {
    size_t n;
    uint32_t *block;                 /* the n blocks' places in the samples */
    double *value[OVL_QUANTITIES];   /* NULL for quantities that are no terms */
    uint32_t *order[OVL_QUANTITIES]; /* block numbers, 0 to n - 1, by ascending value */
    unsigned own;                    /* a bit for each quantity whose arrays are not those of an earlier row */
    double least;
    bool divides; /* no divisor of any block is too small, and so no median of one */
    const struct ovl_derived_row *row;
};

struct keyed {
    double value;
    uint32_t block;
};

static int by_value(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->block > y->block) - (x->block < y->block);
}

static void joint_free(struct joint *j)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (j->own >> q & 1) {
            free(j->value[q]);
            free(j->order[q]);
        }
    free(j->block);
}

static bool block_complete(double *const *columns, unsigned terms, size_t block)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if ((terms >> q & 1) && isnan(columns[q][block]))
            return false;
    return true;
}

static bool same_blocks(const struct joint *a, const struct joint *b)
{
    return a->n == b->n && memcmp(a->block, b->block, a->n * sizeof *a->block) == 0;
}

static void sort_quantity(struct joint *j, int q, const double *column)
{
    struct keyed *keyed = ovl_alloc(j->n, sizeof *keyed);
    j->value[q] = ovl_alloc(j->n, sizeof *j->value[q]);
    j->order[q] = ovl_alloc(j->n, sizeof *j->order[q]);
    j->own |= 1U << q;
    for (uint32_t i = 0; i < j->n; i++) {
        j->value[q][i] = column[j->block[i]];
        keyed[i] = (struct keyed){j->value[q][i], i};
    }
    qsort(keyed, j->n, sizeof *keyed, by_value);
    for (size_t i = 0; i < j->n; i++)
        j->order[q][i] = keyed[i].block;
    free(keyed);
}

/* Is no divisor too small, by a value of each quantity? */
static bool can_divide(const struct joint *j, const double value[OVL_QUANTITIES])
{
    for (unsigned left = j->row->divide; left; left &= left - 1) {
        int q = __builtin_ctz(left);
        if (!(j->value[q] && value[q] >= j->least && value[q] > 0))
            return false;
    }
    return true;
}

/* `earlier` rows of the same blocks lend what they have sorted. */
static void joint_make(struct joint *j, const struct ovl_samples *s, const struct ovl_derived_row *row, double least,
                       const struct joint *earlier, size_t count)
{
    double *const *columns = row->rank_mean ? s->mean : s->max;
    *j = (struct joint){.block = ovl_alloc(s->blocks, sizeof *j->block), .row = row, .least = least};
    for (size_t b = 0; b < s->blocks; b++)
        if (block_complete(columns, row->terms, b))
            j->block[j->n++] = (uint32_t)b;
    for (size_t i = 0; i < count; i++)
        for (int q = 0; q < OVL_QUANTITIES && earlier[i].row->rank_mean == row->rank_mean; q++)
            if ((row->terms >> q & 1) && earlier[i].value[q] && same_blocks(&earlier[i], j)) {
                j->value[q] = earlier[i].value[q];
                j->order[q] = earlier[i].order[q];
            }
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if ((row->terms >> q & 1) && !j->value[q])
            sort_quantity(j, q, columns[q]);
    double smallest[OVL_QUANTITIES] = {0};
    for (int q = 0; q < OVL_QUANTITIES && j->n > 0; q++)
        if (j->value[q])
            smallest[q] = j->value[q][j->order[q][0]];
    j->divides = can_divide(j, smallest);
}

/* The medians of the present draws that a row has asked for: of the slowest rank, and of the means over ranks. */
struct medians {
    unsigned known[2];
    double of[2][OVL_DRAWS_AT_ONCE][OVL_QUANTITIES];
};

static double value_of(const struct joint *j, const double median[OVL_QUANTITIES])
{
    return j->divides || can_divide(j, median) ? j->row->of(median) : NAN;
}

/* Adds the values of the present draws to n, those without one left out. Returns how many there are then. */
static size_t add_drawn(const struct joint *j, const struct ovl_draws *d, struct medians *m, double *draws, size_t n)
{
    bool means = j->row->rank_mean;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (j->value[q] && !(m->known[means] >> q & 1)) {
            ovl_draws_medians(d, j->value[q], j->order[q], &m->of[means][0][q], OVL_QUANTITIES);
            m->known[means] |= 1U << q;
        }
    for (int i = 0; i < OVL_DRAWS_AT_ONCE; i++) {
        draws[n] = value_of(j, m->of[means][i]);
        n += !isnan(draws[n]);
    }
    return n;
}

/* P(Binomial(n, p) >= k). */
static double binomial_above(size_t n, double p, size_t k)
{
    double sum = 0, all = lgamma((double)n + 1), log_p = log(p), log_not = log1p(-p);
    for (size_t i = k; i <= n && p > 0; i++)
        sum += exp(all - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log_p +
                   (double)(n - i) * log_not);
    return sum;
}

/* P(the median of n draws out of n values is at most the one with that rank). For an even n a middle one of the two
   that are averaged counts half. */
static double drawn_below(size_t n, size_t rank)
{
    double p = (double)rank / (double)n, above = binomial_above(n, p, n / 2 + 1);
    return n % 2 ? above : (above + binomial_above(n, p, n / 2)) / 2;
}

double ovl_overlap_percentile(size_t n)
{
    size_t rank = ovl_stats_ci_rank(n);
    if (rank == 0)
        return NAN;
    /* Half way between the ranks, so that the draws' own noise does not reach the next one. */
    return fmin(0.025, (drawn_below(n, rank - 1) + drawn_below(n, rank)) / 2);
}

/* The autocorrelation of the row's value, block by block. */
static double autocorrelation(const struct ovl_samples *s, const struct ovl_derived_row *row)
{
    double *const *columns = row->rank_mean ? s->mean : s->max;
    double *value = ovl_alloc(s->blocks, sizeof *value);
    for (size_t b = 0; b < s->blocks; b++) {
        double block[OVL_QUANTITIES];
        for (int q = 0; q < OVL_QUANTITIES; q++)
            block[q] = row->terms >> q & 1 ? columns[q][b] : NAN;
        value[b] = block_complete(columns, row->terms, b) ? row->of(block) : NAN;
    }
    double r = ovl_stats_autocorrelation(value, s->blocks);
    free(value);
    return r;
}

/* Fills in the interval between the points `point` and 1 - `point` of draws of the row's value, those without one left
   out. */
static void interval(const struct joint *j, const struct ovl_samples *s, double *draws, size_t n, double point,
                     struct ovl_estimate *out)
{
    if (n < OVL_DRAWS / 2) /* the divisor hovers at the limit: no interval that means anything */
        return;
    size_t tail = (size_t)(point * (double)n);
    double low = ovl_stats_select(draws, n, tail), high = ovl_stats_select(draws + tail, n - tail, n - 1 - 2 * tail);
    double wider = ovl_stats_widening(autocorrelation(s, j->row));
    out->ci_low = out->value + wider * (low - out->value);
    out->ci_high = out->value + wider * (high - out->value);
}

/* The intervals of rows of the same blocks, of which the draws are the same, too: each median is taken once a draw. */
static void intervals(const struct joint *const *rows, size_t count, const struct ovl_samples *s, uint64_t seed,
                      struct ovl_estimate *const *out)
{
    double *draws = ovl_alloc(count * (OVL_DRAWS + 1), sizeof *draws);
    size_t n[OVL_DERIVED] = {0};
    struct medians m;
    struct ovl_draws d;
    for (ovl_draws_begin(&d, seed, (uint32_t)rows[0]->n); ovl_draws_next(&d);) {
        m.known[0] = m.known[1] = 0;
        for (size_t r = 0; r < count; r++)
            n[r] = add_drawn(rows[r], &d, &m, draws + r * (OVL_DRAWS + 1), n[r]);
    }
    double point = ovl_overlap_percentile(rows[0]->n);
    for (size_t r = 0; r < count; r++)
        interval(rows[r], s, draws + r * (OVL_DRAWS + 1), n[r], point, out[r]);
    free(draws);
}

/* The value of all blocks; NaN where there is none. */
static double whole_value(const struct joint *j)
{
    double median[OVL_QUANTITIES] = {0};
    for (int q = 0; q < OVL_QUANTITIES && j->n > 0; q++)
        if (j->value[q])
            median[q] = (j->value[q][j->order[q][(j->n - 1) / 2]] + j->value[q][j->order[q][j->n / 2]]) / 2;
    return j->n > 0 ? value_of(j, median) : NAN;
}

/* The estimates of up to OVL_DERIVED rows. */
static void estimate(const struct ovl_samples *s, const struct ovl_derived_row *const *rows, size_t count, double least,
                     uint64_t seed, struct ovl_estimate *const *out)
{
    struct joint joints[OVL_DERIVED];
    bool done[OVL_DERIVED];
    for (size_t r = 0; r < count; r++) {
        joint_make(&joints[r], s, rows[r], least, joints, r);
        *out[r] = (struct ovl_estimate){whole_value(&joints[r]), NAN, NAN};
        done[r] = joints[r].n < 6 || isnan(out[r]->value);
    }
    for (size_t first = 0; first < count; first++) {
        const struct joint *alike[OVL_DERIVED];
        struct ovl_estimate *to[OVL_DERIVED];
        size_t n = 0;
        for (size_t r = first; r < count && !done[first]; r++)
            if (!done[r] && same_blocks(&joints[first], &joints[r])) {
                to[n] = out[r];
                alike[n++] = &joints[r];
                done[r] = r > first;
            }
        if (n > 0)
            intervals(alike, n, s, seed, to);
    }
    for (size_t r = 0; r < count; r++)
        joint_free(&joints[r]);
}

struct ovl_estimate ovl_overlap_estimate(const struct ovl_samples *s, enum ovl_derived which, double least,
                                         uint64_t seed)
{
    return ovl_overlap_estimate_row(s, &ovl_derived_rows[which], least, seed);
}

struct ovl_estimate ovl_overlap_estimate_row(const struct ovl_samples *s, const struct ovl_derived_row *row,
                                             double least, uint64_t seed)
{
    struct ovl_estimate e, *out = &e;
    estimate(s, &row, 1, least, seed, &out);
    return e;
}

void ovl_overlap_estimates(const struct ovl_samples *s, unsigned which, double least, uint64_t seed,
                           struct ovl_estimate out[OVL_DERIVED])
{
    const struct ovl_derived_row *rows[OVL_DERIVED];
    struct ovl_estimate *to[OVL_DERIVED];
    size_t n = 0;
    for (int d = 0; d < OVL_DERIVED; d++) {
        out[d] = (struct ovl_estimate){NAN, NAN, NAN};
        if (which >> d & 1) {
            to[n] = &out[d];
            rows[n++] = &ovl_derived_rows[d];
        }
    }
    estimate(s, rows, n, least, seed, to);
}

double ovl_overlap_value(const struct ovl_samples *s, const struct ovl_derived_row *row, double least)
{
    struct joint j;
    joint_make(&j, s, row, least, NULL, 0);
    double value = whole_value(&j);
    joint_free(&j);
    return value;
}

struct ovl_joint ovl_samples_joint(const struct ovl_samples *s, double *const columns[OVL_QUANTITIES], unsigned terms,
                                   enum ovl_quantity q)
{
    struct ovl_joint j = {0, 0, INFINITY, -INFINITY};
    for (size_t b = 0; b < s->blocks; b++) {
        if (!block_complete(columns, terms | 1U << q, b))
            continue;
        double x = columns[q][b];
        j.mean += (x - j.mean) / (double)++j.blocks;
        j.min = fmin(j.min, x);
        j.max = fmax(j.max, x);
    }
    return j.blocks > 0 ? j : (struct ovl_joint){0, NAN, NAN, NAN};
}
