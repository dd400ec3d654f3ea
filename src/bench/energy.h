/* What an operation takes of energy: T again and again, as blocks are too short for the counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_ENERGY_H
#define OVL_BENCH_ENERGY_H

#include "bench/loop.h"
#include "bench/provenance.h"
#include "machine/energy.h"
#include "record/cell.h"

struct ovl_rank_energy {
    MPI_Comm comm;
    struct ovl_energy counters; /* at the first rank of a machine; none at the others */
    char source[OVL_ENERGY_KINDS]
               [16]; /* at rank 0: who tells of that kind, on all machines of ranks; "": nobody does */
};

/* Collective. `root` as in ovl_energy_find. */
void ovl_rank_energy_open(struct ovl_rank_energy *e, MPI_Comm comm, const struct ovl_provenance *p, const char *root);

/* Collective: takes samples of T in that mode, each from a start that is agreed on, until `seconds` are over. At rank 0
   fills what one of them took on all machines of ranks, starts included; NaN of a kind that some machine does not tell.
   Where nothing is told, no sample is taken. */
void ovl_rank_energy_measure(const struct ovl_rank_energy *e, const struct ovl_loop *loop, int mode, uint64_t units,
                             double seconds, struct ovl_cell_energy *taken);

/* At rank 0: `energy` of the run line. The caller owns it. */
json_t *ovl_rank_energy_json(const struct ovl_rank_energy *e);

#endif
