/* Detours: what a core does beside its program, seen in a series of equal pieces of work (fixed work quanta). Beside
   FWQ and FTQ of the LLNL Sequoia benchmarks (M. Sottile and R. Minnich, Analysis of microbenchmarks for performance
   tuning of clusters, CLUSTER 2004) the model is selfish detour of netgauge (T. Hoefler, T. Schneider and
   A. Lumsdaine, Characterizing the influence of system noise ..., SC 2010). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_STATS_DETOURS_H
#define OVL_STATS_DETOURS_H

#include <stddef.h>

/* Times are in seconds; each NaN where there is no such value. */
struct ovl_detours {
    double span;            /* all quanta together */
    double quickest, usual; /* the quickest quantum, and the lower quartile: one without a detour */
    double above_quickest;  /* share of the span that quanta took longer than the quickest: a slower clock counts too */
    double threshold;       /* a quantum with a detour takes longer than this */
    double lost;            /* share of the span that quanta with detours took longer than usual */
    double per_second;
    double median, p99, longest; /* of the detours; p99 from 100 on */
    double typical;              /* half of what is lost is lost in detours at least this long */
    double period;               /* NaN where none stands out */
};

/* The detours of n quanta: the i-th began at begin[i], not before the one before it had ended, and took[i]. What lies
   between quanta was not measured. */
struct ovl_detours ovl_detours_find(const double *begin, const double *took, size_t n);

/* The time between detours, where they come in time: at least 6 of 10 of those that matter, which are at least a
   quarter as long as the typical one, are followed by another one after a period, within 5 % or `resolution`; and these
   are at least 5 of 10 more than if the same number came at random. Misses and jitter that adds up do not hide it; of
   several in a period that are about evenly apart the time from one to the next is told. The
   shortest such time; NaN where there is none, or where fewer than 10 matter. */
double ovl_detours_period(const double *at, const double *length, size_t n, double resolution);

#endif
