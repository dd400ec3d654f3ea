/* What ovl_hpl prints and records of one order and broadcast. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_REPORT_H
#define OVL_APPS_HPL_REPORT_H

#include "apps/hpl/measure.h"
#include "bench/app/app.h"

/* One row of the table and one line of the record. */
struct ovl_hpl_result {
    /* The caller's. */
    const struct ovl_app_job *job;
    int threads;
    uint64_t seed; /* of the order and of intervals */
    size_t group;  /* the same for what was measured in the same repetitions */

    struct ovl_hpl_shape shape;
    const struct ovl_hpl_variant *variant;
    char digit; /* of the scheme */
    struct ovl_cell cell;
};

/* At rank 0: what the measurement of a variant comes to. -1 when there is no memory; ovl_cell_free is called on its
   cell all the same. */
int ovl_hpl_result_make(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v,
                        struct ovl_error *err);

/* HPL's result line, without a newline: "WR", depth, broadcast, the kinds of factorisation, N, NB, P, Q, seconds and
   GFLOP/s. Recursion is right-looking by halves (R2) down to 8 columns taken left-looking (L8). Broadcast 6 is ibcast
   of the host, 7 that of dpu mode, which HPL has not. */
void ovl_hpl_result_line(const struct ovl_hpl_result *r, char text[128]);

/* HPL's own format. */
extern const struct ovl_format ovl_hpl_format_hpl;

#endif
