/* A node's line from what its ranks found. Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_NOISE_MERGE_H
#define OVL_APPS_NOISE_MERGE_H

#include "record/node.h"
#include "stats/detours.h"

/* Puts another rank's findings to those of the ranks before: of quanta those of the rank that lost more, of costs,
   lateness and steal the larger, of clocks that went backwards the sum. The rest stays. */
void ovl_noise_merge(struct ovl_node *into, const struct ovl_node *rank);

/* The quanta of a rank, as a line has them. */
struct ovl_node_quanta ovl_noise_quanta(int rank, const struct ovl_detours *d);

#endif
