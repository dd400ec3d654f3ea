/* Duplicates of a communicator, each with a team of workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/channels.h"
#include "offload/boot/agree_mpi.h"

#include <stdlib.h>

int ovl_lossy_channels_open(struct ovl_lossy_channels *c, int count, MPI_Comm comm, struct ovl_offload *offload,
                            struct ovl_error *err)
{
    int rc = 0;
    c->list = ovl_check_alloc(calloc((size_t)count + 1, sizeof *c->list));
    for (c->count = 0; c->count < count && rc == 0; c->count++) {
        struct ovl_lossy_channel *channel = &c->list[c->count];
        MPI_Comm_dup(comm, &channel->comm);
        if (offload) {
            rc = ovl_engine_attach(&offload->engine, &channel->team, channel->comm, err);
            channel->attached = rc == 0;
        }
        rc = ovl_agree(comm, rc, err);
    }
    return rc;
}

void ovl_lossy_channels_close(struct ovl_lossy_channels *c, struct ovl_offload *offload)
{
    struct ovl_error err;
    for (int i = 0; i < c->count; i++) {
        struct ovl_lossy_channel *channel = &c->list[i];
        if (channel->attached && ovl_engine_detach(&offload->engine, &channel->team, channel->comm, &err) != 0)
            ovl_engine_abort(offload->program, &err);
        MPI_Comm_free(&channel->comm);
    }
    free(c->list);
    *c = (struct ovl_lossy_channels){.count = 0};
}
