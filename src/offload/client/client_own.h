/* The block that a rank has for itself: where cores are shared the rank copies it, since the worker, in another
 * process, would copy it twice on the same core. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CLIENT_CLIENT_OWN_H
#define OVL_OFFLOAD_CLIENT_CLIENT_OWN_H

#include "offload/client/client.h"

/* Bytes, and where they begin in the send buffer and in the receive buffer: what a schedule of the operation copies
   from the one to the other. `bytes` is 0 where the operation has no such block, or it is in place. */
struct ovl_own_block {
    size_t from, to, bytes;
};

struct ovl_own_block ovl_client_own_block(const struct ovl_coll_args *call);

/* Copies it, if it is worth that. False: it is for the worker to do. Memory that this process cannot read, such as a
   GPU's, is left alone: `mapped` says that both buffers are the engine's. */
bool ovl_client_copy_own(const struct ovl_coll_args *call, bool mapped);

#endif
