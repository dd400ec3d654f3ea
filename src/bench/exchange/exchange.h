/* Making, checking and freeing one exchange: the buffers and arguments of a collective at one size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_EXCHANGE_H
#define OVL_BENCH_EXCHANGE_EXCHANGE_H

#include "base/error.h"
#include "bench/exchange/collective.h"
#include "bench/exchange/mode.h"

#include <stdint.h>

/* What is to be exchanged. */
struct ovl_exchange_plan {
    const struct ovl_collective *collective;
    MPI_Comm comm;
    enum ovl_exchange_type type;
    size_t size;
    int root;
    bool reduces; /* combines numbers, by `redop` */
    enum ovl_redop redop;
    struct ovl_layout layout;
    const char *pairs;                  /* of messages to single ranks: the word of --pairs */
    int dimensions;                     /* of a neighbourhood: those of its grid, unless it is */
    const struct ovl_neighbours *graph; /* lent, for as long as the exchange is open; NULL: a grid */
    bool in_place, persistent;
    struct ovl_offload *offload; /* whose memory the buffers are, or NULL */
};

/* Collective: bytes that the exchange needs at the rank that needs most. */
size_t ovl_exchange_memory(const struct ovl_exchange_plan *plan);

/* Collective: does the message fit what MPI can count? -1 where it does not, which may differ between ranks. */
int ovl_exchange_check(const struct ovl_exchange_plan *plan, struct ovl_error *err);

/* Collective, also where it fails. Page aligned buffers, touched by this rank. -1 when there is no memory or the
   displacements do not fit an int; then ovl_exchange_close is called all the same. */
int ovl_exchange_open(struct ovl_exchange *x, const struct ovl_exchange_plan *plan, struct ovl_error *err);
/* Collective: makes the persistent request, if the plan has one; after all ranks opened. */
void ovl_exchange_init(struct ovl_exchange *x, const struct ovl_exchange_plan *plan);
/* Collective. */
void ovl_exchange_close(struct ovl_exchange *x);

/* Can it be seen whether the operation does what it should? It moves data, or it synchronises. */
bool ovl_exchange_checks(const struct ovl_collective *collective);
enum { OVL_EXCHANGE_FEW = 8 };
/* How a sample runs the operation. */
struct ovl_exchange_way {
    const struct ovl_mode *mode; /* NULL: the blocking twin */
    uint64_t tests, units;       /* the units of work in tests + 1 pieces, a test call behind each but the last */
    void (*compute)(void *stage, uint64_t units); /* NULL: it is waited for at once, as C is */
    void *stage;
};

/* exchange_check.c. Collective: runs the operation once in that way on data that follow from `key`, and compares every
   byte received. An operation that only synchronises is run once for each of up to OVL_EXCHANGE_FEW ranks, and of more
   for the first, the last and log2 of their number that follow from `key`: that rank comes late, and the others must
   not have ended before. So with more ranks it may not be seen that some rank ends without one that was never late.
   Returns 0 where all is right, -1 with the place of this rank's first wrong byte, or who ended too soon. */
int ovl_exchange_validate(struct ovl_exchange *x, const struct ovl_exchange_way *way, uint64_t key,
                          struct ovl_error *err);
/* Compares every byte that the last run of the operation left, after a validation whose data all runs since then have
   sent. Sees what came damaged, and not what did not come: the run before brought the same. In place, where results
   replace what is sent, there is nothing to compare with. */
int ovl_exchange_look(const struct ovl_exchange *x, struct ovl_error *err);

#endif
