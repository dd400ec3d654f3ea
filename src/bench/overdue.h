/* A signal that a run does not obey in time: one in the middle of long work, or waiting for a rank that is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_OVERDUE_H
#define OVL_BENCH_OVERDUE_H

#include "bench/output.h"

/* Seconds from a signal to the end, at the rank that has the record, and what other ranks leave it beyond that: until
   a launcher has ended all. */
enum { OVL_OVERDUE_S = 5, OVL_OVERDUE_MORE_S = 2 };

/* After MPI_Init: catches signals (bench/interrupt.h), and has a thread that sleeps until one comes. Where this process
   still runs OVL_OVERDUE_S later, the thread ends the whole job with exit code 2: it writes the `end` line of the
   record that `output` has open, says why on stderr, as `program`, and aborts. Both must last until the process ends. A
   thread, since the ranks' own may be anywhere: in a kernel, in MPI, in a library that plans. */
void ovl_overdue_watch(const char *program, struct ovl_output *output);

#endif
