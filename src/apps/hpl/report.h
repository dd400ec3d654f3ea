/* What ovl_hpl prints and records of one order and broadcast. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_REPORT_H
#define OVL_APPS_HPL_REPORT_H

#include "apps/hpl/measure.h"
#include "bench/output.h"

/* One row of the table and one line of the record. */
struct ovl_hpl_result {
    /* The caller's. */
    const struct ovl_run *run;
    int threads;
    uint64_t seed; /* of the order and of intervals */
    double clock_read;
    double stolen; /* as ovl_steal_largest */
    size_t group;  /* the same for what was measured in the same repetitions */

    const char *scheme, *mode, *engine, *placement;
    const struct ovl_offload *offload; /* NULL where no worker took part */
    double efficiency;                 /* the quickest right host variant's time / this; NaN where one is missing */
    char digit;                        /* of the scheme */
    int ranks;
    struct ovl_hpl_shape shape;
    size_t repetitions;
    const char *status; /* of the cell, or unshaped */
    char reason[160];   /* "" when it is ok */
    double residual;    /* NaN: not a number */
    double panel_bytes; /* the largest broadcast of a rank's row */

    struct ovl_summary summary[OVL_HPL_QUANTITIES];
    double slowdown; /* of the update: medians, overlapped / apart */
    const struct ovl_hpl_variant *variant;
    int panels;
    double *exposed, *alone; /* [panels]: medians over the repetitions */
    struct ovl_cell cell;    /* what the record has of every proxy */
};

/* At rank 0: what the measurement of a variant comes to. -1 when there is no memory; ovl_hpl_result_free is called all
   the same. */
int ovl_hpl_result_make(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v,
                        struct ovl_error *err);
void ovl_hpl_result_free(struct ovl_hpl_result *r);

/* The line of the record; the caller owns it. NULL when there is no memory. */
json_t *ovl_hpl_result_json(const struct ovl_hpl_result *r);

/* HPL's result line, without a newline: "WR", depth, broadcast, the kinds of factorisation, N, NB, P, Q, seconds and
   GFLOP/s. Recursion is right-looking by halves (R2) down to 8 columns taken left-looking (L8). Broadcast 6 is ibcast
   of the host, 7 that of dpu mode, which HPL has not. */
void ovl_hpl_result_line(const struct ovl_hpl_result *r, char text[128]);

/* "table" and "hpl"; rows are printed by ovl_hpl_result_print. */
extern const struct ovl_format ovl_hpl_format_table, ovl_hpl_format_hpl;
void ovl_hpl_result_print(FILE *out, const struct ovl_format *format, const struct ovl_hpl_result *r, bool full);

#endif
