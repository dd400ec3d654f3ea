/* Inside the verbs files: an opened port and what is registered with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_VERBS_STATE_H
#define OVL_OFFLOAD_MEM_VERBS_STATE_H

#include "offload/mem/verbs.h"

#include <infiniband/verbs.h>

enum { OVL_LODGINGS = 16 };

struct ovl_verbs {
    struct ibv_context *context;
    struct ibv_pd *domain;
    struct ibv_device_attr device;
    struct ibv_port_attr port;
    int number; /* of the port */
    int gid_index;
    union ibv_gid gid;
    enum ovl_gid_type gid_type;
    unsigned bluefield;
    char name[80];  /* "rxe0 port 1" */
    char where[64]; /* node */
    struct ibv_mr *lodging[OVL_LODGINGS];
};

/* Registers, and says why it cannot. Memory in which flags are polled is not `relaxed`: writes to it may not pass those
   to other memory. */
struct ibv_mr *ovl_verbs_mr(struct ovl_verbs *v, void *memory, size_t bytes, bool relaxed, struct ovl_error *err);

/* The local key of lodged memory; 0 and -1 when it is not lodged. */
int ovl_verbs_local_key(const struct ovl_verbs *v, const void *memory, size_t bytes, uint32_t *key);

#endif
