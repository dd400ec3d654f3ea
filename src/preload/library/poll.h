/* Waits that give the processor away. While ranks start, carriers and other ranks have work to do, perhaps on the same
 * cores; MPI's own waits would take these from them for a time slice each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_LIBRARY_POLL_H
#define OVL_PRELOAD_LIBRARY_POLL_H

#include "preload/pmpi/pmpi.h"

/* The pause after `polls` polls in vain: gives the processor away. */
void ovl_poll_pause(int polls);

/* Waits until the request has completed. */
void ovl_poll_wait(MPI_Request *q);

#endif
