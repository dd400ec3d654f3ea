/* Between the files that bring ranks and workers together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_BOOT_CONNECT_MPI_H
#define OVL_OFFLOAD_BOOT_CONNECT_MPI_H

#include "offload/boot/engine_mpi.h"

/* Collective over MPI_COMM_WORLD: opens adapters and joins each rank to its worker. -1 everywhere with one error. */
int ovl_engine_connect_eps(struct ovl_engine *e, struct ovl_error *err);
/* Gives all of that back, as far as it is there. */
void ovl_engine_disconnect_eps(struct ovl_engine *e);

/* From now on this process leaves with OVL_ENVIRONMENT where another process of its Slurm step aborts the job. */
void ovl_engine_heed_abort(void);

#endif
