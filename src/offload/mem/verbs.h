/* RDMA for a rank and its worker: a port of an adapter, registered memory, and endpoints of one RC queue pair. A build
 * without libibverbs has the same functions, of which none comes to be called (verbs_none.c). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_VERBS_H
#define OVL_OFFLOAD_MEM_VERBS_H

#include "base/error.h"
#include "machine/port.h"
#include "offload/mem/ep.h"

struct ovl_verbs; /* a port, opened */

/* What the two ends of an endpoint tell each other. The same layout on all processors. */
struct ovl_ep_address {
    uint64_t address; /* where the copy of status page and command queue is at that end */
    uint32_t key;
    uint32_t bytes; /* of that copy */
    uint32_t queue_pair, sequence;
    uint32_t mtu;                 /* enum ibv_mtu */
    uint32_t reads_in, reads_out; /* RDMA READs outstanding that it answers, and that it may ask for */
    uint32_t ethernet, gid_type;
    uint32_t bluefield; /* 1, 2 or 3: the adapter's generation; 0: none */
    uint16_t lid, zero[3];
    uint8_t gid[16];
    char port[80]; /* "rxe0 port 1 on node a" */
};

/* What is not answered is sent again after 4.096 us * 2^TIMEOUT = 1.07 s, so many times (7 would be for ever with some
   adapters: a machine may be busy for that long); then the endpoint is lost. An adapter may take four times as long
   (InfiniBand Architecture Specification, volume 1, on the Local ACK Timeout). As long as UCX waits (UCX_RC_TIMEOUT,
   UCX_RC_RETRY_COUNT): half of it guests of a busy machine have been seen to be silent. */
enum { OVL_VERBS_TIMEOUT = 18, OVL_VERBS_RETRIES = 6 };

static inline double ovl_verbs_retry_seconds(void)
{
    return 4.096e-6 * (1 << OVL_VERBS_TIMEOUT) * (1 + OVL_VERBS_RETRIES);
}

/* Opens the port that `port_request` describes, else the nearest one that is active. `where` is the node's name, for
   errors. NULL and OVL_ENVIRONMENT: none here, none of that name, down, without a GID. One at a time in a process: the
   memory path registers with it. Its completion queue has room for that many endpoints. */
struct ovl_verbs *ovl_verbs_open(const struct ovl_port_request *port_request, const char *where, int endpoints,
                                 struct ovl_error *err);
void ovl_verbs_close(struct ovl_verbs *v);
/* "rxe0 port 1" */
const char *ovl_verbs_name(const struct ovl_verbs *v);

/* An endpoint over memory of its own, zeroed: status page, then command queue of `cmdq_bytes`. NULL with *err filled.
 */
struct ovl_ep *ovl_verbs_ep(struct ovl_verbs *v, size_t cmdq_bytes, struct ovl_ep_address *address,
                            struct ovl_error *err);
/* `asks`: this end begins RDMA. Afterwards the endpoint works as soon as the other end has joined too. */
int ovl_verbs_join(struct ovl_ep *w, const struct ovl_ep_address *other, bool asks, struct ovl_error *err);
void ovl_verbs_ep_close(struct ovl_ep *w);

/* For the memory path: an MR, and its key for the other end. NULL with *err filled. */
void *ovl_verbs_register(void *memory, size_t bytes, uint32_t *key, struct ovl_error *err);
void ovl_verbs_deregister(void *registration);
/* Memory that RDMA may use at this end, and nobody at the other. */
void *ovl_verbs_alloc_local(size_t bytes, struct ovl_error *err);
void ovl_verbs_free_local(void *memory);

#endif
