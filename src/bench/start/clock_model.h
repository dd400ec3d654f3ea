/* Another clock as a line over one's own: offset and rate, by round trips of least time. No MPI in it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_START_CLOCK_MODEL_H
#define OVL_BENCH_START_CLOCK_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { OVL_CLOCK_POINTS = 16 };

/* One comparison, by the quickest of several round trips (F. Cristian, Distributed Computing 3, 1989). All in ns. */
struct ovl_clock_point {
    int64_t at;     /* one's own clock in the middle of the round trip */
    int64_t offset; /* the other clock minus one's own then; wrong by half of the round trip at most */
    int64_t round_trip;
};

/* The other clock is own + base + offset + rate (own - at). Without points: the same clock. The line is fitted
   to the last points by least squares, as in T. Jones and G. A. Koenig, "Clock synchronization in high-end computing
   environments", Concurrency Computat. Pract. Exper. 25, 2013, and in HCA3 (S. Hunold and A. Carpen-Amarie,
   "Hierarchical Clock Synchronization in MPI", IEEE Cluster 2018). A point counts by the inverse square of what its
   round trip took longer than the quickest of all. */
struct ovl_clock_model {
    int64_t base, at;
    double offset, rate;
    struct ovl_clock_point point[OVL_CLOCK_POINTS]; /* the last ones, used in turn */
    size_t points;                                  /* that were added */
};

/* Adds a point and fits the line again. Of points less than 10 ms apart only the one with the shorter round trip stays,
   so that the line always has a length to stand on. Returns by how many ns the line before missed the point; 0 for the
   first one.
 */
double ovl_clock_model_add(struct ovl_clock_model *model, const struct ovl_clock_point *point);

/* The shortest round trip among the last points; INT64_MAX when there is none. */
int64_t ovl_clock_model_quickest(const struct ovl_clock_model *model);

int64_t ovl_clock_model_other(const struct ovl_clock_model *model, int64_t own);
int64_t ovl_clock_model_own(const struct ovl_clock_model *model, int64_t other);

#endif
