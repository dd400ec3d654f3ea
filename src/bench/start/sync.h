/* A common start for all ranks: a start time on rank 0's clock, to which everyone spins. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_START_SYNC_H
#define OVL_BENCH_START_SYNC_H

#include "bench/start/clock_model.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OVL_SYNC_ANNOUNCEMENTS = 256 };

/* Times in ns unless they are called seconds. */
struct ovl_sync {
    MPI_Comm comm;
    int rank, ranks;
    int64_t (*clock)(void);
    bool common; /* all ranks read one clock */
    bool usable; /* the clocks can be followed; else a start is a bare barrier */
    bool yield;  /* more processes than cores: give the core away while waiting */

    MPI_Comm domain;              /* ranks that read this rank's clock; MPI_COMM_NULL when common */
    MPI_Comm leaders;             /* the lowest rank of each domain; MPI_COMM_NULL at others, and when common */
    struct ovl_clock_model model; /* rank 0's clock, from this rank's */
    int refused;                  /* comparisons in a row that said nothing */
    double own_missed;            /* largest error of this rank's own model so far; a leader's */
    double missed;                /* of all, what ovl_sync_renew has not returned yet */

    double announced[OVL_SYNC_ANNOUNCEMENTS]; /* rank 0's: how long the last announcements took, used in turn */
    size_t announcements;
    double lead; /* rank 0's: how far ahead a start time is set */
};

#define OVL_SYNC_UNSYNCHRONISED INT64_MIN

/* Collective. `domain` is the same number on ranks that read the same clock (bench/start/clock_domain.h). Makes its own
   communicators, compares the clocks, and measures how long an announcement takes. */
void ovl_sync_open(struct ovl_sync *s, MPI_Comm comm, uint64_t domain, int64_t (*clock)(void), bool yield);
void ovl_sync_close(struct ovl_sync *s);

/* Collective: compares the clocks and fits the models again. The leaders form a binomial tree, in which each compares
   its clock with its parent's idea of rank 0's, in the order from the root, so that it takes O(log machines) rounds
   (HCA3; see bench/start/clock_model.h). Returns, at all ranks, by how many seconds a model was off at most since it
   last returned a number; NaN, and at once, where the clock is common; INFINITY where two were too slow to answer: then
   try again soon. Sets `usable`: an error over 10 us, and over what an announcement takes, makes a bare barrier the
   better start, after which ranks are apart by about an announcement, so at least that is returned. */
double ovl_sync_renew(struct ovl_sync *s);

/* Collective: agrees on the next start. Returns it on this rank's clock, or OVL_SYNC_UNSYNCHRONISED after a bare
   barrier. *announced is how many seconds the announcement took to get here (NaN after a bare barrier). The caller then
   spins with ovl_sync_spin. */
int64_t ovl_sync_agree(struct ovl_sync *s, double *announced);

/* Spins until the clock shows `when`, and returns what it shows. */
int64_t ovl_sync_spin(const struct ovl_sync *s, int64_t when);

/* At rank 0: an announcement took so long till it had arrived everywhere. A start is set three times the 99th
   percentile of the last ones ahead, and the time that the caller needs after it arrived. */
void ovl_sync_announced(struct ovl_sync *s, double seconds);

#endif
