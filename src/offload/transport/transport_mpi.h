/* Workers that reach each other by MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TRANSPORT_MPI_H
#define OVL_OFFLOAD_TRANSPORT_TRANSPORT_MPI_H

#include "base/error.h"
#include "offload/transport/transport.h"

#include <mpi.h>

/* Collective over the workers; their ranks in `comm` are their numbers. Uses two communicators of its own. */
int ovl_transport_mpi_open(struct ovl_transport *t, MPI_Comm comm, struct ovl_error *err);
/* Collective, after all workers have ended their loops. */
void ovl_transport_mpi_close(struct ovl_transport *t);

#endif
