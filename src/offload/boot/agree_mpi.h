/* One outcome for all ranks: who failed, told by rank 0. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_BOOT_AGREE_MPI_H
#define OVL_OFFLOAD_BOOT_AGREE_MPI_H

#include "base/error.h"

#include <mpi.h>

/* Collective. `rc` is 0, or -1 with *err filled. When it is -1 anywhere, *err becomes that of the lowest such rank at
   rank 0, its code at all ranks, and -1 is returned everywhere. */
int ovl_agree(MPI_Comm comm, int rc, struct ovl_error *err);

#endif
