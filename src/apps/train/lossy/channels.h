/* Communicators of their own for operations that begin as ranks find time. Non-blocking collectives of a communicator
   must begin in one order at all ranks; on several each begins by itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOSSY_CHANNELS_H
#define OVL_APPS_TRAIN_LOSSY_CHANNELS_H

#include <mpi.h>

struct ovl_lossy_channels {
    MPI_Comm *list;
    int count;
};

/* Both collective over `comm`: as many duplicates of it; and their end. */
void ovl_lossy_channels_open(struct ovl_lossy_channels *c, int count, MPI_Comm comm);
void ovl_lossy_channels_close(struct ovl_lossy_channels *c);

#endif
