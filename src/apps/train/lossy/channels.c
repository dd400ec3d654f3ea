/* Duplicates of a communicator. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/channels.h"
#include "base/error.h"

#include <stdlib.h>

void ovl_lossy_channels_open(struct ovl_lossy_channels *c, int count, MPI_Comm comm)
{
    c->list = ovl_check_alloc(calloc((size_t)count + 1, sizeof *c->list));
    for (c->count = 0; c->count < count; c->count++)
        MPI_Comm_dup(comm, &c->list[c->count]);
}

void ovl_lossy_channels_close(struct ovl_lossy_channels *c)
{
    for (int i = 0; i < c->count; i++)
        MPI_Comm_free(&c->list[i]);
    free(c->list);
    *c = (struct ovl_lossy_channels){.count = 0};
}
