/* What follows from the samples of a proxy's cell (ovl_cell_solves): its rate, the communication that was not hidden,
   what its scheme gains. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_PROXY_H
#define OVL_RECORD_PROXY_H

#include "record/cell.h"

struct ovl_run;

/* Floating-point operations of what is timed once. A matrix of order n: 2/3 n^3 + 3/2 n^2, as HPL counts (Petitet et
   al., HPL - A Portable Implementation of the High-Performance Linpack Benchmark). A grid of N points, transformed
   there and back: 2 x 5 N log2 N, half of it for real numbers (Frigo and Johnson, benchFFT). NaN where the cell says
   neither. */
double ovl_proxy_operations(const struct ovl_cell *cell);

/* Fills gflops, exposed and the ratios to bounds; summaries must be there. The second is the median of samples of that
   name where the cell has them, else T - W. Called by ovl_cell_derive. */
void ovl_proxy_derive(struct ovl_cell *cell);

/* Their values alone, without intervals. */
double ovl_proxy_gflops(const struct ovl_cell *cell, double total_seconds);
double ovl_proxy_exposed(const struct ovl_cell *cell);

/* Is C no longer than the half-width of T - W? Then T - W, which holds load imbalance too, does not say what of C is
   hidden. */
bool ovl_proxy_lost_in_noise(const struct ovl_cell *cell);

/* Values as rows of the table of fields want them (ovl_field.again): from the samples; NaN where there is none. */
double ovl_proxy_gflops_of(const struct ovl_run *run, const struct ovl_cell *cell);
double ovl_proxy_exposed_of(const struct ovl_run *run, const struct ovl_cell *cell);
double ovl_proxy_samples_rate_of(const struct ovl_run *run, const struct ovl_cell *cell);
double ovl_proxy_bound_ratio_of(const struct ovl_run *run, const struct ovl_cell *cell);
double ovl_proxy_here_ratio_of(const struct ovl_run *run, const struct ovl_cell *cell);
double ovl_proxy_slowdown_of(const struct ovl_run *run, const struct ovl_cell *cell);

/* 1 - T / T of the blocking scheme, whose samples of the same blocks `blocking` has; NaN where they are of others. */
struct ovl_estimate ovl_proxy_gain(const struct ovl_cell *cell, const struct ovl_samples *blocking);

/* In how many blocks T lies below the bound of the block by over 2 %, and of how many. Where the bound is what the work
   alone took, but for as much, T is judged by that and not here. False where the cell has no bound. */
bool ovl_proxy_below_bound(const struct ovl_cell *cell, size_t *below, size_t *blocks);

/* The slowest rank's values of cell->others[name], NaN where invalid; the caller frees them. NULL where there are none.
 */
double *ovl_proxy_samples(const struct ovl_cell *cell, const char *name, size_t *n);

/* Their summary. False where there are none. */
bool ovl_proxy_summarise(const struct ovl_cell *cell, const char *name, struct ovl_summary *out);

/* The same, as stored in the line where the samples were not read; NaN without either. */
struct ovl_summary ovl_proxy_summary(const struct ovl_cell *cell, const char *name);

#endif
