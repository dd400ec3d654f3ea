/* The shape of a collective as the drivers measure it: counts are even, and displacements leave no gaps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_OPERATION_H
#define OVL_SIMULATE_OPERATION_H

#include "offload/coll/schedule.h"

/* `bytes` as the driver's --message-size counts them (cli/catalog.c), in elements of so many bytes. Of a pair,
   OVL_ISENDRECV, the caller sets `from` and `to`. Without memory the process ends. The caller ends it by
   ovl_sim_shape_free. */
struct ovl_coll_shape ovl_sim_shape(enum ovl_operation operation, size_t bytes, size_t element, int ranks, int root);
void ovl_sim_shape_free(struct ovl_coll_shape *shape);

#endif
