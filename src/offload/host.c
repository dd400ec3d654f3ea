/* Posting, testing and waiting at the rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/host.h"
#include "core/clock.h"
#include "offload/host_wait.h"

#include <string.h>

/* The place of an address: in the region that holds it, else the address itself. */
static inline uint64_t place_of(const struct ovl_host *h, const void *address)
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
    return offset <= r->shared.bytes && r->number ? ovl_place(r->number, offset) : a;
}

/* Counts and displacements go to the slot's slab, in the order of struct ovl_shape. */
static void copy_counts(const struct ovl_link *l, unsigned slot, const struct ovl_call *call)
{
    const int *const lists[] = {call->send_counts, call->send_displs, call->recv_counts, call->recv_displs};
    size_t n = (size_t)call->team->ranks;
    int32_t *slab = ovl_channel_slab(l->segment, slot);
    for (int i = 0; i < 4; i++)
        if (lists[i])
            memcpy(slab + (size_t)i * n, lists[i], n * sizeof *slab);
    ovl_wire_push(l->wire, slab, 4 * n * sizeof *slab);
}

int ovl_host_post(struct ovl_host *h, const struct ovl_call *call, struct ovl_ticket *ticket, struct ovl_error *err)
{
    struct ovl_link *l = &h->lines[h->own];
    if (h->cold && ovl_host_renew(h, call, err) != 0)
        return -1;
    int slot = ovl_link_slot(h, l, err);
    if (slot < 0)
        return -1;
    if (call->recv_counts)
        copy_counts(l, (unsigned)slot, call);
    struct ovl_command c = {
        .kind = OVL_COMMAND_OPERATION,
        .operation = (uint8_t)call->operation,
        .number = (uint8_t)call->number,
        .combiner = (uint8_t)call->combiner,
        .flags = (uint8_t)((call->in_place ? OVL_COMMAND_IN_PLACE : 0) | (h->path->staged ? OVL_COMMAND_STAGED : 0)),
        .team = call->team->number,
        .root = call->root,
        .bytes = call->bytes,
        .send = call->in_place ? 0 : place_of(h, call->send),
        .recv = place_of(h, call->recv),
    };
    ovl_link_send(l, (unsigned)slot, &c, ticket);
    if (atomic_load(&l->board->state) == OVL_WORKER_NAPS)
        ovl_board_wake(l->board);
    h->operations++;
    h->bytes += call->payload;
    return 0;
}

bool ovl_host_test(struct ovl_host *h, const struct ovl_ticket *ticket)
{
    return ovl_link_seen(&h->lines[h->own], ticket->slot, ticket->sequence);
}

int ovl_host_wait(struct ovl_host *h, const struct ovl_ticket *ticket, struct ovl_error *err)
{
    struct ovl_link *l = &h->lines[h->own];
    return ovl_link_seen(l, ticket->slot, ticket->sequence) ? 0 : ovl_link_wait(h, l, ticket, err);
}
