/* The arithmetic of overlap: samples of timed quantities, and the values derived from them, unclamped, with intervals.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_OVERLAP_H
#define OVL_STATS_OVERLAP_H

#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* The timed quantities, in seconds. The first four are samples of a block, the others parts of `total`. */
enum ovl_quantity {
    OVL_COMM,     /* C: post and wait, no compute */
    OVL_COMPUTE,  /* W: the fixed work, no request outstanding */
    OVL_BLOCKING, /* B: the blocking twin */
    OVL_TOTAL,    /* T: post, the same work, wait */
    OVL_INIT,
    OVL_TEST,
    OVL_WAIT,
    OVL_INNER,       /* the work as it ran inside T */
    OVL_OWN_EXPOSED, /* of each rank T less the median of its last W: what its communication cost it */
    OVL_COMM_LATE,   /* lateness: how long after the agreed start a rank began its sample of C, */
    OVL_COMPUTE_LATE,
    OVL_BLOCKING_LATE,
    OVL_TOTAL_LATE, /* and of T; kept also where the sample itself is invalid for it */
    OVL_STREAM,     /* an operation of several, each posted when the one before has completed, no start between */
    OVL_STREAM_LATE,
    OVL_QUANTITIES
};

/* The lateness of samples that have a start of their own; -1 of other quantities. */
int ovl_quantity_late(int q);

/* One cell's samples, a value per block; NaN where a sample is invalid or was not taken. */
struct ovl_samples {
    size_t blocks;
    double *max[OVL_QUANTITIES];  /* of the slowest rank */
    double *mean[OVL_QUANTITIES]; /* over the ranks */
};

/* Makes room for `capacity` blocks, all NaN, with blocks = 0. */
void ovl_samples_make(struct ovl_samples *s, size_t capacity);
void ovl_samples_free(struct ovl_samples *s);

struct ovl_estimate {
    double value, ci_low, ci_high; /* NaN where there is none */
};

/* The derived values of ovl(7). New ones go to the end; their order in the record is that of record/fields_cell.c. */
enum ovl_derived {
    OVL_HIDDEN,           /* 1 - (T - W) / C */
    OVL_HIDEABLE,         /* min(1, W / C) */
    OVL_OVERLAP,          /* (W + C - T) / min(W, C) */
    OVL_EFFICIENCY,       /* 1 - (T - W) / B */
    OVL_SPEEDUP,          /* (W + B) / T */
    OVL_SLOWDOWN,         /* inner compute / W */
    OVL_PENALTY,          /* C / B */
    OVL_HIDDEN_RANK_MEAN, /* 1 - (T - W) / C, each the mean over ranks */
    OVL_HIDDEN_OWN,       /* 1 - E / C with E the largest over ranks of OVL_OWN_EXPOSED */
    OVL_HIDDEN_OWN_MEAN,  /* the same of the means over ranks */
    OVL_DERIVED
};

/* A row per derived value: how it follows from the medians, and what it needs. */
struct ovl_derived_row {
    double (*of)(const double median[OVL_QUANTITIES]);
    unsigned terms;  /* bit 1 << q for each quantity q in the formula */
    unsigned divide; /* bit for each quantity whose smallness makes the value meaningless */
    bool rank_mean;  /* from the means over ranks, not from the slowest rank */
};
extern const struct ovl_derived_row ovl_derived_rows[OVL_DERIVED];

/* The value of a row: ratio of medians over the blocks in which no term is NaN, and its percentile bootstrap interval
   (2,000 draws of whole blocks, Efron and Tibshirani 1993, ch. 13), between the points p and 1 - p with p of
   ovl_overlap_percentile. Its distances from the value grow by ovl_stats_widening for the autocorrelation of the
   formula's values block by block. NaN where a divisor's median is under `least` seconds (20 clock reads); no interval
   below 6 blocks. */
struct ovl_estimate ovl_overlap_estimate(const struct ovl_samples *s, enum ovl_derived which, double least,
                                         uint64_t seed);

/* The estimates of several derived values, a bit 1 << d of `which` for each, to the last bit what ovl_overlap_estimate
   says of each alone, and sooner: rows of the same blocks share their draws. Others are NaN. */
void ovl_overlap_estimates(const struct ovl_samples *s, unsigned which, double least, uint64_t seed,
                           struct ovl_estimate out[OVL_DERIVED]);

/* The point of the bootstrap distribution at which the interval of n blocks begins: 2.5 %, or less where the median of
   one quantity, bootstrapped alone, would give a narrower interval than its exact one (ovl_stats_ci_rank): 0.51 % at
   n = 7, 1.5 % at 15, 2.5 % as n grows. At 2.5 % throughout a ratio with one noisy term is covered by 86 % at n = 7. */
double ovl_overlap_percentile(size_t n);

/* The same by a row of another table. */
struct ovl_estimate ovl_overlap_estimate_row(const struct ovl_samples *s, const struct ovl_derived_row *row,
                                             double least, uint64_t seed);

/* The value alone, without the 2,000 draws. */
double ovl_overlap_value(const struct ovl_samples *s, const struct ovl_derived_row *row, double least);

/* One quantity over the blocks in which all `terms` (a bit 1 << q for each) are valid, so that several quantities of
   one row are of the same blocks. `columns` is s->max or s->mean. Blocks 0 and NaN where there is no such block. */
struct ovl_joint {
    size_t blocks;
    double mean, min, max;
};
struct ovl_joint ovl_samples_joint(const struct ovl_samples *s, double *const columns[OVL_QUANTITIES], unsigned terms,
                                   enum ovl_quantity q);

/* OMB's formula: max(0, 100 - 100 (total - inner) / comm). NaN where a value is, or comm is 0. */
double ovl_overlap_omb_of(double total, double inner, double comm);

/* What OMB prints: the formula on means over ranks and blocks. NaN where one was not measured. */
double ovl_overlap_omb(const struct ovl_samples *s);

/* The rank whose mean T is the largest, of equal ones the highest, and its own means: seconds, over the blocks in which
   all three count. NaN where there is no such block. */
struct ovl_slowest {
    double rank, total, inner, comm;
};

/* IMB-NBC's formula: 100 (C + inner - T) / max(C, inner), clamped to 0..100, of the slowest rank (IMB_output.c). Of an
   older record, which does not tell it, each term is the mean of the rank that was the slowest in it. NaN as above. */
double ovl_overlap_imb(const struct ovl_samples *s, const struct ovl_slowest *slowest);

#endif
