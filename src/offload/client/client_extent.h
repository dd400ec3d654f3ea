/* How much memory an operation uses at its rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CLIENT_CLIENT_EXTENT_H
#define OVL_OFFLOAD_CLIENT_CLIENT_EXTENT_H

#include "offload/client/client.h"

/* Bytes from the begin of each buffer to the end of what is read or written of it; 0: the operation does not look at
   it. Of what ovl_client_check lets pass. */
struct ovl_extents {
    size_t send, recv;
};

struct ovl_extents ovl_client_extents(const struct ovl_coll_args *call);

#endif
