/* What ovl_hpl prints as HPL does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_REPORT_H
#define OVL_APPS_HPL_REPORT_H

#include "apps/hpl/state.h"

/* HPL's result line, without a newline, from the samples of T: "WR", depth, broadcast, the kinds of factorisation, N,
   NB, P, Q, seconds and GFLOP/s. Recursion is right-looking by halves (R2) down to 8 columns taken left-looking (L8).
   Broadcast 6 is ibcast of the host, 7 that of dpu mode, which HPL has not. */
void ovl_hpl_result_line(const struct ovl_hpl_shape *shape, char digit, const struct ovl_cell *cell, char text[128]);

/* HPL's own format. */
extern const struct ovl_format ovl_hpl_format_hpl;

#endif
