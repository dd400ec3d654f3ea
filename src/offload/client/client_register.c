/* Which buffers stay registered with an adapter: each operation registers its own anew, or those that were used last
 * stay. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_wait.h"

static bool in_use(struct ovl_client_ctx *h, unsigned region)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    for (unsigned s = 0; s < OVL_SLOTS; s++)
        if ((h->uses[s].region[0] == region || h->uses[s].region[1] == region) &&
            h->uses[s].sequence == l->in_slot[s] && !ovl_conn_test(l, s, l->in_slot[s]))
            return true;
    return false;
}

/* Registers it where it is not, and in the cold in any case. The command goes ahead of the one that needs the key, and
   nobody waits for its answer. The worker would find the old key void in the midst of an operation that it has begun by
   it. */
static int renew(struct ovl_client_ctx *h, const void *address, size_t bytes, unsigned *region, struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    struct ovl_region *r = h->regions, *end = r + h->region_count;
    struct ovl_request unused;
    *region = 0;
    while (r < end && (uintptr_t)address - (uintptr_t)r->shared.base >= r->shared.bytes)
        r++;
    if (bytes == 0 || r == end || !r->path->reg)
        return 0;
    *region = r->number;
    r->used = h->conns[h->own].posted;
    if (r->registration && (!h->cold || in_use(h, r->number)))
        return 0;
    r->path->dereg(r);
    struct ovl_command c = ovl_client_map_command(r);
    if (r->path->reg(r, err) != 0)
        return -1;
    h->registered++;
    return ovl_conn_send(h, l, &c, r->name, sizeof r->name, &unused, err);
}

/* Those that were used longest ago go, but for the two of the next operation and what is under way: the worker keeps
   their keys, and uses none of them. */
static void drop_oldest(struct ovl_client_ctx *h, const unsigned next[2])
{
    for (;;) {
        struct ovl_region *oldest = NULL;
        size_t count = 0;
        for (struct ovl_region *r = h->regions; r < h->regions + h->region_count; r++) {
            count += r->registration != NULL;
            if (r->registration && r->number != next[0] && r->number != next[1] &&
                (!oldest || r->used < oldest->used) && !in_use(h, r->number))
                oldest = r;
        }
        if (count <= h->registrations || !oldest)
            return;
        oldest->path->dereg(oldest);
    }
}

int ovl_client_reregister(struct ovl_client_ctx *h, const struct ovl_coll_args *call, const struct ovl_extents *extents,
                          unsigned region[2], struct ovl_error *err)
{
    if (renew(h, call->send, extents->send, &region[0], err) != 0)
        return -1;
    if (renew(h, call->recv, extents->recv, &region[1], err) != 0)
        return -1;
    if (h->registrations)
        drop_oldest(h, region);
    return 0;
}
