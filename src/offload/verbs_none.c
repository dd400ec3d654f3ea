/* Verbs in a build without libibverbs: the path's `absent` is seen first, so that none of these comes to be called. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/path.h"
#include "offload/verbs.h"

struct ovl_verbs *ovl_verbs_open(const struct ovl_port_wish *wish, const char *where, struct ovl_error *err)
{
    (void)wish, (void)where, (void)err;
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

struct ovl_wire *ovl_verbs_wire(struct ovl_verbs *v, size_t channel_bytes, struct ovl_verbs_card *card,
                                struct ovl_error *err)
{
    (void)v, (void)channel_bytes, (void)card, (void)err;
    return NULL;
}

int ovl_verbs_join(struct ovl_wire *w, const struct ovl_verbs_card *other, bool asks, struct ovl_error *err)
{
    (void)w, (void)other, (void)asks, (void)err;
    return -1;
}

void ovl_verbs_unwire(struct ovl_wire *w)
{
    (void)w;
}

const struct ovl_path ovl_path_verbs = {
    .name = "verbs",
    .summary = "RDMA READ and WRITE, staged through the worker's blocks",
    .absent = "this build has no libibverbs; install libibverbs-dev and build again",
    .wired = true,
    .staged = true,
};
