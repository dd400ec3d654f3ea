/* The line from a rank to one worker: commands out, completions back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/host_wait.h"

#include <stddef.h>

static inline bool complete(const struct ovl_link *l, unsigned slot, uint64_t sequence)
{
    return atomic_load_explicit(&l->segment->slot[slot].done, memory_order_acquire) >= sequence;
}

bool ovl_link_seen(struct ovl_link *l, unsigned slot, uint64_t sequence)
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
        ovl_link_seen(l, s, l->in_slot[s]);
    return l->free != 0;
}

static bool ticket_complete(void *line, const struct ovl_ticket *ticket)
{
    return ovl_link_seen(line, ticket->slot, ticket->sequence);
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
