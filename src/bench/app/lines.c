/* Communicators and teams of rows and columns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/lines.h"
#include "offload/boot/agree_mpi.h"

int ovl_app_lines_open(struct ovl_app_lines *l, MPI_Comm comm, const struct ovl_space *space,
                       struct ovl_offload *offload, const bool workers[OVL_SPACE_LINES], struct ovl_error *err)
{
    int rank, place[OVL_SPACE_LINES], rc = 0;
    *l = (struct ovl_app_lines){.offload = offload};
    MPI_Comm_rank(comm, &rank);
    ovl_space_place(space, rank, place);
    for (int line = 0; line < OVL_SPACE_LINES; line++) {
        MPI_Comm_split(comm, place[!line], place[line], &l->comm[line]);
        if (!offload || !workers[line] || space->members[line] == 1)
            continue;
        l->attached[line] = ovl_engine_attach(&offload->engine, &l->team[line], l->comm[line], err) == 0;
        rc = l->attached[line] ? rc : -1;
    }
    return ovl_agree(comm, rc, err);
}

void ovl_app_lines_close(struct ovl_app_lines *l)
{
    struct ovl_error err;
    for (int line = 0; line < OVL_SPACE_LINES; line++) {
        if (l->attached[line] && ovl_engine_detach(&l->offload->engine, &l->team[line], l->comm[line], &err) != 0)
            ovl_engine_abort(l->offload->program, &err);
        l->attached[line] = false;
        MPI_Comm_free(&l->comm[line]);
    }
}
