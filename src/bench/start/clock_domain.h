/* Which ranks read one clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_START_CLOCK_DOMAIN_H
#define OVL_BENCH_START_CLOCK_DOMAIN_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Collective. `claimed` is the same number at ranks that seem to read one clock (machine/machine.h), `clock` reads it.
   Guests that were cloned from one image with its memory claim the same, since they share a boot_id; but a message
   between them arrives before it was sent, or after its answer came back. Each rank exchanges some messages with the
   lowest rank of its domain. Returns a number that is the same at ranks that claim the same and did not fail, and at
   those of a node that did, whose lowest rank is `leader`; *ranks is how many failed. */
uint64_t ovl_clock_domain(MPI_Comm comm, uint64_t claimed, int leader, int64_t (*clock)(void), int *ranks);

/* Collective: the lowest rank that has the same value. */
int ovl_clock_first_with(MPI_Comm comm, uint64_t value);

#endif
