/* A common start for all ranks: a start time on rank 0's clock, to which everyone spins. The only MPI file of the core.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_SYNC_H
#define OVL_BENCH_SYNC_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct ovl_sync {
    MPI_Comm comm;
    int rank, ranks;
    int64_t (*clock)(void);
    bool common;       /* all ranks read one clock: no offsets */
    bool usable;       /* offsets are known well enough; else a start is a bare barrier */
    bool yield;        /* more processes than cores: give the core away while waiting */
    MPI_Comm domain;   /* ranks that read this rank's clock, MPI_COMM_NULL when common */
    bool leader;       /* lowest rank of its domain */
    int64_t offset_ns; /* rank 0's clock minus this rank's */
    double slack_ns;   /* rank 0's: how far ahead a start time is set */
};

#define OVL_SYNC_UNSYNCHRONISED INT64_MIN

/* Collective. `domain` is the same number on ranks that read the same clock. Makes its own communicators. */
void ovl_sync_open(struct ovl_sync *s, MPI_Comm comm, uint64_t domain, int64_t (*clock)(void), bool yield);
void ovl_sync_close(struct ovl_sync *s);

/* Collective, before and after each cell: estimates offset_ns by the quickest of many round trips with rank 0 (F.
   Cristian, Distributed Computing 3, 1989). Returns the largest change of an offset since the last call, in ns, at
   every rank; 0 at once where the clock is common. Clears `usable` where two estimates in a row differ by more than 10
   us. */
double ovl_sync_measure(struct ovl_sync *s);

/* Collective: agrees on the next start. Returns it on this rank's clock, or OVL_SYNC_UNSYNCHRONISED after a bare
   barrier. The caller then spins with ovl_sync_spin. */
int64_t ovl_sync_agree(struct ovl_sync *s);

/* Spins until the clock shows `when`, and returns what it shows. */
int64_t ovl_sync_spin(const struct ovl_sync *s, int64_t when);

/* At rank 0: tells by how many seconds too much the last starts were late somewhere (0 or less: they were not), so that
   the next ones are set further ahead. A rank that lost its core is later than any sensible lead, and changes nothing.
 */
void ovl_sync_feedback(struct ovl_sync *s, double late);

#endif
