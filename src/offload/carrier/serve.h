/* A carrier's life from its first message to its last rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CARRIER_SERVE_H
#define OVL_OFFLOAD_CARRIER_SERVE_H

#include "base/error.h"

/* Of a process that is a carrier and nothing else, with OVL_CARRIER_FD open: until its ranks have left, or it was not
   told what to do. -1 with what kept it from serving; without text where its ranks have been told. */
int ovl_carrier_serve(struct ovl_error *err);

#endif
