/* Communicators of their own for operations that begin as ranks find time. Non-blocking collectives of a communicator
   must begin in one order at all ranks, and so must those of a team of workers; on several each begins by itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOSSY_CHANNELS_H
#define OVL_APPS_TRAIN_LOSSY_CHANNELS_H

#include "bench/exchange/offload.h"

struct ovl_lossy_channels {
    struct ovl_lossy_channel {
        MPI_Comm comm;
        struct ovl_team team; /* of workers, where there are some */
        bool attached;
    } * list;
    int count;
};

/* Collective over `comm`: as many duplicates of it; `offload` is NULL without workers. -1 with *err, the same at all
   ranks; then ovl_lossy_channels_close all the same. */
int ovl_lossy_channels_open(struct ovl_lossy_channels *c, int count, MPI_Comm comm, struct ovl_offload *offload,
                            struct ovl_error *err);
/* Collective. */
void ovl_lossy_channels_close(struct ovl_lossy_channels *c, struct ovl_offload *offload);

#endif
