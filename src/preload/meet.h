/* Do all ranks have this library? Who has not makes none of its calls, so nobody may wait for it without end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_MEET_H
#define OVL_PRELOAD_MEET_H

#include "preload/library.h"

/* Each rank with the library calls it at the end of MPI_Init. *settings are those of rank 0. 0: all have it, of one
   version. -1 with the reason at all of them: rank 0 has missed some, or its settings are wrong. Where rank 0 itself
   has no library the job ends, since it may take a message of this for one of its own. */
int ovl_meet(struct ovl_settings *settings, struct ovl_error *err);

#endif
