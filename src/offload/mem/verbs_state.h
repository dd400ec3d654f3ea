/* Inside the verbs files: an opened port, its completion queue, its endpoints, and what is registered with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_VERBS_STATE_H
#define OVL_OFFLOAD_MEM_VERBS_STATE_H

#include "offload/mem/verbs.h"

#include <infiniband/verbs.h>

enum {
    OVL_LOCAL_MRS = 4,
    OVL_SEND_DEPTH = 256 /* requests of one queue pair under way; half of them at most move data */
};

struct ovl_verbs {
    struct ibv_context *context;
    struct ibv_pd *domain;
    struct ibv_cq *queue; /* of all queue pairs */
    struct ibv_device_attr device;
    struct ibv_port_attr port;
    int number; /* of the port */
    int gid_index;
    union ibv_gid gid;
    enum ovl_gid_type gid_type;
    unsigned bluefield;
    char name[80];  /* "rxe0 port 1" */
    char where[64]; /* node */
    struct ibv_mr *local[OVL_LOCAL_MRS];
    struct ovl_verbs_ep *eps;
    struct ovl_rdma *ended; /* not yet told: first to last */
    struct ovl_rdma **last_ended;
    int64_t next_look;
};

struct ovl_verbs_ep {
    struct ovl_ep ep;
    struct ovl_verbs *port;
    struct ovl_verbs_ep *next; /* of the port */
    struct ibv_qp *pair;
    struct ibv_mr *mr; /* of the copy: */
    char *copy;
    size_t bytes;
    uint64_t there; /* the other end's */
    uint32_t key;
    uint32_t sequence, inline_bytes;
    unsigned under_way, of_data, reads, most_reads; /* requests */
    struct ovl_rdma *first, **last;                 /* RDMAs of which some bytes have still to be asked for */
    char text[256];                                 /* why it is lost */
};

static inline struct ovl_verbs_ep *ovl_verbs_ep_of(struct ovl_ep *w)
{
    return (struct ovl_verbs_ep *)w;
}

extern const struct ovl_ep_ops ovl_verbs_ep_ops;

/* Takes all completions off the port's queue. Returns whether there were some. */
bool ovl_verbs_poll(struct ovl_verbs *v);

/* Registers, and says why it cannot. `access` as in ibv_reg_mr. Memory in which flags are polled is not relaxed: writes
   to it may not pass those to other memory. */
enum ovl_mr_access { OVL_MR_LOCAL, OVL_MR_REMOTE, OVL_MR_REMOTE_FLAGS };
struct ibv_mr *ovl_verbs_mr(struct ovl_verbs *v, void *memory, size_t bytes, enum ovl_mr_access access,
                            struct ovl_error *err);

/* The local key of memory of ovl_verbs_alloc_local; 0, and -1 when it is none. */
int ovl_verbs_local_key(const struct ovl_verbs *v, const void *memory, size_t bytes, uint32_t *key);

#endif
