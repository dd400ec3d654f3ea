/* Posting, testing and waiting at the rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client.h"
#include "base/clock.h"
#include "offload/client/client_wait.h"

#include <string.h>

/* The raddr of an address: in the region that holds it, else the address itself. */
static inline uint64_t raddr_of(const struct ovl_client_ctx *h, const void *address)
{
    uintptr_t a = (uintptr_t)address;
    size_t low = 0, high = h->region_count;
    while (low < high) { /* the last region that begins at or before it */
        size_t middle = (low + high) / 2;
        if ((uintptr_t)h->regions[middle].shared.base <= a)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return a;
    const struct ovl_region *r = &h->regions[low - 1];
    uintptr_t offset = a - (uintptr_t)r->shared.base;
    return offset <= r->shared.bytes && r->number ? ovl_raddr(r->number, offset) : a;
}

/* Counts and displacements go to the slot's argument area, in the order of struct ovl_coll_shape. */
static void copy_counts(const struct ovl_worker_conn *l, unsigned slot, const struct ovl_coll_args *call)
{
    const int *const lists[] = {call->send_counts, call->send_displs, call->recv_counts, call->recv_displs};
    size_t n = (size_t)call->team->ranks;
    int32_t *args = ovl_cmdq_args(l->cmdq, slot);
    for (int i = 0; i < 4; i++)
        if (lists[i])
            memcpy(args + (size_t)i * n, lists[i], n * sizeof *args);
    ovl_ep_put_flag(l->ep, args, 4 * n * sizeof *args);
}

int ovl_client_post(struct ovl_client_ctx *h, const struct ovl_coll_args *call, struct ovl_request *request,
                    struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    if (h->cold && ovl_client_reregister(h, call, err) != 0)
        return -1;
    int slot = ovl_conn_get_slot(h, l, err);
    if (slot < 0)
        return -1;
    if (call->recv_counts)
        copy_counts(l, (unsigned)slot, call);
    struct ovl_command c = {
        .kind = OVL_COMMAND_OPERATION,
        .operation = (uint8_t)call->operation,
        .dtype = (uint8_t)call->dtype,
        .redop = (uint8_t)call->redop,
        .flags = (uint8_t)((call->in_place ? OVL_COMMAND_IN_PLACE : 0) | (h->path->staged ? OVL_COMMAND_STAGED : 0)),
        .team = call->team->number,
        .root = call->root,
        .bytes = call->bytes,
        .send = call->in_place ? 0 : raddr_of(h, call->send),
        .recv = raddr_of(h, call->recv),
    };
    ovl_conn_post(l, (unsigned)slot, &c, request);
    if (atomic_load(&l->status->state) == OVL_WORKER_SLEEP_LONG)
        ovl_worker_wakeup(l->status);
    h->operations++;
    h->bytes += call->payload;
    return 0;
}

bool ovl_client_test(struct ovl_client_ctx *h, const struct ovl_request *request)
{
    return ovl_conn_seen(&h->conns[h->own], request->slot, request->sequence);
}

int ovl_client_wait(struct ovl_client_ctx *h, const struct ovl_request *request, struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    return ovl_conn_seen(l, request->slot, request->sequence) ? 0 : ovl_conn_wait(h, l, request, err);
}
