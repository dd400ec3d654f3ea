/* One small collective where nobody failed, two where somebody did. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/agree_mpi.h"

int ovl_agree(MPI_Comm comm, int rc, struct ovl_error *err)
{
    int rank, ranks, mine, first;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mine = rc == 0 ? ranks : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == ranks)
        return 0;
    MPI_Bcast(err, sizeof *err, MPI_BYTE, first, comm);
    err->text[sizeof err->text - 1] = '\0';
    /* A library whose broadcast brings something else must not end the program well. */
    if ((int)err->code <= OVL_OK || (int)err->code > OVL_ENVIRONMENT)
        ovl_error_set(err, OVL_ENVIRONMENT, "rank %d failed, and MPI_Bcast did not bring what it says", first);
    return -1;
}
