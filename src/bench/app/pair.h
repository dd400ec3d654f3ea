/* A message one way between two ranks, as an operation that modes post: one of them has it to send, and no rank to
   receive from, the other one the reverse. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_PAIR_H
#define OVL_BENCH_APP_PAIR_H

#include "bench/exchange/collective.h"

/* Of an exchange with `to` or `from`; the other one is MPI_PROC_NULL. */
extern const struct ovl_collective ovl_app_pair;

#endif
