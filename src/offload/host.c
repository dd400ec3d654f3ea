/* Posting, testing and waiting at the rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/host.h"
#include "core/clock.h"
#include "offload/host_wait.h"

#include <string.h>

static inline bool complete(const struct ovl_link *l, unsigned slot, uint64_t sequence)
{
    return atomic_load_explicit(&l->segment->slot[slot].done, memory_order_acquire) >= sequence;
}

static inline bool seen(struct ovl_link *l, unsigned slot, uint64_t sequence)
{
    if (!complete(l, slot, sequence))
        return false;
    if (l->in_slot[slot] == sequence)
        l->free |= (uint64_t)1 << slot;
    return true;
}

/* Looks whether any slot has become free. */
static bool any_free(void *line, const struct ovl_ticket *ticket)
{
    struct ovl_link *l = line;
    (void)ticket;
    for (unsigned s = 0; s < OVL_SLOTS; s++)
        seen(l, s, l->in_slot[s]);
    return l->free != 0;
}

static bool ticket_complete(void *line, const struct ovl_ticket *ticket)
{
    return seen(line, ticket->slot, ticket->sequence);
}

int ovl_link_wait(struct ovl_host *h, struct ovl_link *l, const struct ovl_ticket *ticket, struct ovl_error *err)
{
    return ovl_host_await(h, l, ticket_complete, l, ticket, err);
}

int ovl_link_slot(struct ovl_host *h, struct ovl_link *l, struct ovl_error *err)
{
    if (!l->free && ovl_host_await(h, l, any_free, l, NULL, err) != 0)
        return -1;
    return __builtin_ctzll(l->free);
}

void ovl_link_send(struct ovl_link *l, unsigned slot, const struct ovl_command *command, struct ovl_ticket *ticket)
{
    uint64_t sequence = ++l->posted;
    struct ovl_command *to = &l->segment->ring[(sequence - 1) % OVL_SLOTS];
    l->free &= ~((uint64_t)1 << slot);
    l->in_slot[slot] = sequence;
    to->kind = command->kind;
    to->operation = command->operation;
    to->number = command->number;
    to->combiner = command->combiner;
    to->flags = command->flags;
    to->slot = (uint8_t)slot;
    to->team = command->team;
    to->root = command->root;
    to->ranks = command->ranks;
    to->rank = command->rank;
    to->bytes = command->bytes;
    to->send = command->send;
    to->recv = command->recv;
    atomic_store(&to->sequence, sequence); /* sequentially consistent: who then looks at the board rings or is seen */
    if (l->wire) {
        ovl_wire_push(l->wire, to, offsetof(struct ovl_command, sequence));
        ovl_wire_push(l->wire, &to->sequence, sizeof to->sequence);
    }
    ticket->sequence = sequence;
    ticket->slot = slot;
}

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
    return seen(&h->lines[h->own], ticket->slot, ticket->sequence);
}

int ovl_host_wait(struct ovl_host *h, const struct ovl_ticket *ticket, struct ovl_error *err)
{
    struct ovl_link *l = &h->lines[h->own];
    return seen(l, ticket->slot, ticket->sequence) ? 0 : ovl_link_wait(h, l, ticket, err);
}
