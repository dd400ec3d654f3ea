/* The line from a rank to one worker: commands out, completions back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_wait.h"

#include <stddef.h>
#include <string.h>

static inline bool complete(const struct ovl_worker_conn *l, unsigned slot, uint64_t sequence)
{
    return atomic_load_explicit(&ovl_conn_completion(l, slot)->done, memory_order_acquire) >= sequence;
}

static inline uint64_t *used(struct ovl_worker_conn *l, unsigned slot)
{
    return slot < OVL_SLOTS ? &l->used[slot / 64] : &l->more->used[(slot - OVL_SLOTS) / 64];
}

static inline uint64_t *in_slot(struct ovl_worker_conn *l, unsigned slot)
{
    return slot < OVL_SLOTS ? &l->in_slot[slot] : &l->more->in_slot[slot - OVL_SLOTS];
}

bool ovl_conn_test(struct ovl_worker_conn *l, unsigned slot, uint64_t sequence)
{
    if (!complete(l, slot, sequence))
        return false;
    if (*in_slot(l, slot) == sequence)
        *used(l, slot) &= ~((uint64_t)1 << slot % 64);
    return true;
}

static int free_bit(const uint64_t *taken, int words)
{
    for (int i = 0; i < words; i++)
        if (taken[i] != UINT64_MAX)
            return 64 * i + __builtin_ctzll(~taken[i]);
    return -1;
}

static int free_slot(const struct ovl_worker_conn *l)
{
    int slot = free_bit(l->used, OVL_SLOTS / 64);
    if (slot >= 0 || !l->more)
        return slot;
    slot = free_bit(l->more->used, (OVL_MOST_SLOTS - OVL_SLOTS) / 64);
    return slot < 0 ? -1 : OVL_SLOTS + slot;
}

/* Looks whether any slot has become free. */
static bool any_free(void *line, const struct ovl_request *request)
{
    struct ovl_worker_conn *l = line;
    (void)request;
    for (unsigned s = 0; s < (l->more ? OVL_MOST_SLOTS : OVL_SLOTS); s++)
        ovl_conn_test(l, s, *in_slot(l, s));
    return free_slot(l) >= 0;
}

static bool has_room(struct ovl_worker_conn *l)
{
    if (l->posted - l->taken < OVL_RING)
        return true;
    l->taken = atomic_load_explicit(&l->cmdq->taken, memory_order_acquire);
    return l->posted - l->taken < OVL_RING;
}

/* Not `of` the line itself: the worker wakes nobody when it takes a command. */
static bool ring_has_room(void *of, const struct ovl_request *request)
{
    (void)request;
    return has_room(*(struct ovl_worker_conn **)of);
}

bool ovl_conn_is_ready(struct ovl_worker_conn *l)
{
    return has_room(l) && (free_slot(l) >= 0 || any_free(l, NULL));
}

static bool request_complete(void *line, const struct ovl_request *request)
{
    return ovl_conn_test(line, request->slot, request->sequence);
}

int ovl_conn_wait(struct ovl_client_ctx *h, struct ovl_worker_conn *l, const struct ovl_request *request,
                  struct ovl_error *err)
{
    return ovl_client_wait_for(h, l, request_complete, l, request, err);
}

int ovl_conn_get_slot(struct ovl_client_ctx *h, struct ovl_worker_conn *l, struct ovl_error *err)
{
    int slot = free_slot(l);
    if (slot < 0 && ovl_client_wait_for(h, l, any_free, l, NULL, err) != 0)
        return -1;
    if (!has_room(l) && ovl_client_wait_for(h, l, ring_has_room, &l, NULL, err) != 0)
        return -1;
    return slot >= 0 ? slot : free_slot(l);
}

static unsigned free_area(const struct ovl_worker_conn *l)
{
    uint64_t taken = atomic_load_explicit(&l->cmdq->taken, memory_order_acquire);
    for (unsigned a = 0; a < l->cmdq->areas; a++)
        if (l->in_area[a] <= taken)
            return a + 1;
    return 0;
}

/* Not `of` the line itself, as ring_has_room: a worker that takes a command wakes nobody. */
static bool any_area_free(void *line, const struct ovl_request *request)
{
    struct ovl_worker_conn *const *l = line;
    (void)request;
    return free_area(*l) > 0;
}

void *ovl_conn_get_args(struct ovl_client_ctx *h, struct ovl_worker_conn *l, unsigned slot, size_t bytes,
                        struct ovl_command *c, struct ovl_error *err)
{
    c->slot = (uint16_t)slot;
    c->area = 0;
    if (bytes > OVL_BRIEF_BYTES || slot >= OVL_RING) {
        if (free_area(l) == 0 && ovl_client_wait_for(h, l, any_area_free, &l, NULL, err) != 0)
            return NULL;
        c->area = (uint8_t)free_area(l);
    }
    return ovl_cmdq_args(l->cmdq, c);
}

int ovl_conn_send(struct ovl_client_ctx *h, struct ovl_worker_conn *l, struct ovl_command *c, const void *args,
                  size_t bytes, struct ovl_request *request, struct ovl_error *err)
{
    int slot = ovl_conn_get_slot(h, l, err);
    void *to = slot < 0 ? NULL : ovl_conn_get_args(h, l, (unsigned)slot, bytes, c, err);
    if (!to)
        return -1;
    if (bytes) {
        memcpy(to, args, bytes);
        ovl_ep_put_flag(l->ep, to, (bytes + 7) / 8 * 8);
    }
    ovl_conn_post(l, (unsigned)slot, c, request);
    return 0;
}

void ovl_conn_post(struct ovl_worker_conn *l, unsigned slot, const struct ovl_command *command,
                   struct ovl_request *request)
{
    uint64_t sequence = ++l->posted;
    struct ovl_command *to = &l->cmdq->ring[(sequence - 1) % OVL_RING];
    *used(l, slot) |= (uint64_t)1 << slot % 64;
    *in_slot(l, slot) = sequence;
    if (command->area)
        l->in_area[command->area - 1] = sequence;
    to->kind = command->kind;
    to->operation = command->operation;
    to->dtype = command->dtype;
    to->redop = command->redop;
    to->flags = command->flags;
    to->slot = (uint16_t)slot;
    to->team = command->team;
    to->root = command->root;
    to->ranks = command->ranks;
    to->rank = command->rank;
    to->from = command->from;
    to->algorithm = command->algorithm;
    to->area = command->area;
    to->bytes = command->bytes;
    to->send = command->send;
    to->recv = command->recv;
    atomic_store(&to->sequence,
                 sequence); /* sequentially consistent: who then looks at the status page rings or is seen */
    if (l->ep) {
        ovl_ep_put_flag(l->ep, to, offsetof(struct ovl_command, sequence));
        ovl_ep_put_flag(l->ep, &to->sequence, sizeof to->sequence);
    }
    request->sequence = sequence;
    request->slot = slot;
}
