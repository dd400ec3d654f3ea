/* Do all ranks have this library? Who has not makes none of its calls, so nobody may wait for it without end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_RANK_HANDSHAKE_H
#define OVL_PRELOAD_JOB_RANK_HANDSHAKE_H

#include "preload/library/state.h"

/* Each rank with the library calls it at the end of MPI_Init. *settings are those of rank 0. 0: all have it, of one
   version. -1 with the reason at all ranks that rank 0 has sent: some rank did not answer, or the settings are wrong.
   More than 0 with the reason, and this rank's own settings, at a rank that heard nothing of rank 0, which then
   offloads nothing either: 1 at the first of such ranks, which says so. Nothing of it can come to the program, which
   may have ranks without the library. */
int ovl_rank_handshake(struct ovl_settings *settings, struct ovl_error *err);

/* Before MPI_Finalize, and needed only where nothing is offloaded. MPICH 4.0.2 may never come back from there when a
   message arrives at a rank that has begun to close its connections. So what is under way between ranks that have the
   library arrives first. For ranks that have it not, which cannot be told from those that are still to come, it waits
   as long as ovl_rank_handshake does. */
void ovl_rank_handshake_end(void);

#endif
