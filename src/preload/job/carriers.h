/* The carriers of the job: one rank of each node starts them, and all join. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_CARRIERS_H
#define OVL_PRELOAD_JOB_CARRIERS_H

#include "preload/library/state.h"

/* Collective over the library's communicator. -1 at all ranks with the reason of the first that has one. */
int ovl_carriers_join(struct ovl_error *err);

/* With nothing outstanding. */
int ovl_carriers_leave(struct ovl_error *err);

#endif
