/* Verbs in a build without libibverbs: the path's `absent` is seen first, so that none of these comes to be called. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/path.h"
#include "offload/mem/verbs.h"

struct ovl_verbs *ovl_verbs_open(const struct ovl_port_request *port_request, const char *where, int endpoints,
                                 struct ovl_error *err)
{
    (void)port_request, (void)where, (void)endpoints, (void)err;
    return NULL;
}

void ovl_verbs_close(struct ovl_verbs *v)
{
    (void)v;
}

const char *ovl_verbs_name(const struct ovl_verbs *v)
{
    (void)v;
    return "";
}

struct ovl_ep *ovl_verbs_ep(struct ovl_verbs *v, size_t cmdq_bytes, struct ovl_ep_address *address,
                            struct ovl_error *err)
{
    (void)v, (void)cmdq_bytes, (void)address, (void)err;
    return NULL;
}

int ovl_verbs_join(struct ovl_ep *w, const struct ovl_ep_address *other, bool asks, struct ovl_error *err)
{
    (void)w, (void)other, (void)asks, (void)err;
    return -1;
}

void ovl_verbs_ep_close(struct ovl_ep *w)
{
    (void)w;
}

const struct ovl_mem_path ovl_mem_path_verbs = {
    .name = "verbs",
    .summary = "RDMA READ and WRITE, staged through the worker's blocks",
    .absent = "this build has no libibverbs; install libibverbs-dev and build again",
    .remote = true,
    .staged = true,
};
