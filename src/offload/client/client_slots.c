/* More slots than the queue has, for programs that post far ahead on many communicators. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_wait.h"
#include "offload/mem/local.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Hands them over: 0, an errno, or -1. */
static int hand_over(struct ovl_client_ctx *h, struct ovl_worker_conn *l, const struct ovl_region *region,
                     struct ovl_error *err)
{
    struct ovl_command c = ovl_client_map_command(region);
    int file = region->shared.file, why = file ? ovl_local_send_file(l->socket, region->number, file) : 0;
    c.flags = OVL_COMMAND_SLOTS;
    return why != 0 ? why : ovl_conn_ask(h, l, &c, region->name, sizeof region->name, err);
}

int ovl_client_add_slots(struct ovl_client_ctx *h, struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    if (l->more)
        return 0;
    struct ovl_more_slots *more = calloc(1, sizeof *more);
    if (!more)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a list of operations");
    const struct ovl_mem_path *path = h->path->map ? h->path : &ovl_mem_path_shm;
    more->region.path = path;
    int rc = path->alloc(&more->region, OVL_MORE_SLOTS_BYTES, err);
    if (rc == 0) {
        more->region.number = ovl_client_alloc_region(h);
        rc = more->region.number ? hand_over(h, l, &more->region, err) : ENFILE;
        if (rc > 0)
            ovl_error_set(err, OVL_ENVIRONMENT, "%s cannot take more than %d operations at once: %s", l->name,
                          OVL_SLOTS, strerror(rc));
        ovl_shared_close_file(&more->region.shared);
        if (rc != 0)
            path->dealloc(&more->region);
    }
    if (rc == 0)
        l->more = more;
    else
        free(more);
    return rc == 0 ? 0 : -1;
}
