/* Measuring: repetitions of the solution at one order, with all broadcasts interleaved, and what they come to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_MEASURE_H
#define OVL_APPS_HPL_MEASURE_H

#include "apps/hpl/lu.h"
#include "stats/stats.h"

#include <stdbool.h>

/* What a repetition gives a number for. */
enum ovl_hpl_quantity {
    OVL_HPL_TIMES_OF_RUN = OVL_HPL_TIMES, /* the first ones are enum ovl_hpl_time */
    OVL_HPL_COMPUTE = OVL_HPL_TIMES,      /* all but the broadcasts, run apart */
    OVL_HPL_ALONE,                        /* the broadcasts apart; added up as OVL_HPL_BCAST */
    OVL_HPL_UPDATE_APART,                 /* as OVL_HPL_UPDATE */
    OVL_HPL_QUANTITIES
};

/* "total_seconds" and so on: the names in the record. */
extern const char *const ovl_hpl_quantity_names[OVL_HPL_QUANTITIES];

/* One way of broadcasting, measured beside the others. */
struct ovl_hpl_variant {
    const struct ovl_hpl_scheme *scheme;
    const struct ovl_mode *mode;
    struct ovl_hpl_bcast bcast;

    /* At rank 0; a value per repetition: of the slowest rank, and the mean over the ranks. Of broadcasts `max` is the
       sum of the curve: each panel by its slowest rank, since a root that has sent its own panels early would else pass
       for one that waited for none. */
    double *max[OVL_HPL_QUANTITIES], *mean[OVL_HPL_QUANTITIES];
    double *exposed, *alone; /* [panels x repetitions]: the curve; broadcasts in the run and apart, slowest rank */

    double residual; /* the worst; NaN where one is no number */
    bool wrong;      /* it does not pass */
    int singular;    /* first column without a pivot, or -1 */
};

struct ovl_hpl_measurement {
    struct ovl_hpl_system system;
    struct ovl_hpl_grid *grid;
    struct ovl_hpl_variant *variants;
    size_t variant_count;
    size_t repetitions, warmup;
    double max_seconds; /* then no repetition begins, warm-up counted; six are kept at least */
    uint64_t seed;

    double wire_bytes; /* of ovl_hpl_wire_bytes */

    size_t done;   /* repetitions */
    int signal;    /* that ended it early, or 0 */
    bool unproved; /* the caller's: workers did not do all that was posted */
    struct ovl_hpl_times times;
    double *largest; /* [panels]: of times.bcast, over ranks */
};

/* Collective. The caller sets grid, variants (scheme and mode), repetitions, warmup, max_seconds and seed. -1 when
   there is no memory; ovl_hpl_measurement_close is called all the same. */
int ovl_hpl_measurement_open(struct ovl_hpl_measurement *m, const struct ovl_hpl_shape *shape, uint64_t key,
                             struct ovl_error *err);
void ovl_hpl_measurement_close(struct ovl_hpl_measurement *m);

/* Collective: all repetitions, or those until the time was over, a signal came or a variant's result was wrong. In a
   repetition each variant runs twice, overlapped and apart, in an order drawn anew. */
void ovl_hpl_measure(struct ovl_hpl_measurement *m);

#endif
