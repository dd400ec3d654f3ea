/* What ranks ask: the rings, and the commands that are not operations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int map(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    struct ovl_rank_mem *r = &c->rank_mem;
    size_t number = (size_t)k->root;
    if (number >= r->count) {
        size_t count = number + 1 < 2 * r->count ? 2 * r->count : number + 1;
        struct ovl_region *more = realloc(r->regions, count * sizeof *more);
        if (!more)
            return ENOMEM;
        memset(more + r->count, 0, (count - r->count) * sizeof *more);
        r->regions = more;
        r->count = count;
    }
    struct ovl_region *region = &r->regions[number];
    region->number = (unsigned)number;
    region->shared.base = (void *)(uintptr_t)k->send; /* for a path of the same address space */
    region->shared.bytes = k->bytes;
    int why = w->plan.path->map(region, (const char *)ovl_cmdq_args(c->cmdq, k->slot));
    if (why)
        *region = (struct ovl_region){.number = 0};
    return why;
}

static void unmap(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    size_t number = (size_t)k->root;
    if (number >= c->rank_mem.count || !c->rank_mem.regions[number].number)
        return;
    if (w->plan.path->unmap)
        w->plan.path->unmap(&c->rank_mem.regions[number]);
    c->rank_mem.regions[number] = (struct ovl_region){.number = 0};
}

static int probe(const struct ovl_client *c, const struct ovl_command *k)
{
    char bytes[64];
    size_t n = k->bytes < sizeof bytes ? k->bytes : sizeof bytes;
    errno = 0;
    if (ovl_mem_get(&c->rank_mem, bytes, k->send, n) != 0 || ovl_mem_put(&c->rank_mem, k->recv, bytes, n) != 0)
        return errno ? errno : EIO;
    return 0;
}

static int attach(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    int ranks = (int)k->ranks;
    const int *members = ovl_cmdq_args(c->cmdq, k->slot);
    if (k->team >= c->team_room) {
        size_t room = 2 * (size_t)k->team + 8;
        struct ovl_worker_team **more = realloc(c->teams, room * sizeof(struct ovl_worker_team *));
        if (!more)
            return ENOMEM;
        memset(more + c->team_room, 0, (room - c->team_room) * sizeof(struct ovl_worker_team *));
        c->teams = more;
        c->team_room = room;
    }
    struct ovl_worker_team *t = calloc(1, sizeof *t);
    int *world_rank = malloc((size_t)ranks * sizeof *world_rank), *node = malloc((size_t)ranks * sizeof *node);
    if (!t || !world_rank || !node) {
        free(t);
        free(world_rank);
        free(node);
        return ENOMEM;
    }
    for (int r = 0; r < ranks; r++) {
        world_rank[r] = members[r];
        node[r] = w->plan.peers[members[r]].node;
    }
    *t = (struct ovl_worker_team){
        .id = k->send, .rank = (int)k->rank, .ranks = ranks, .world_rank = world_rank, .node = node};
    c->teams[k->team] = t;
    return 0;
}

static void detach(struct ovl_client *c, const struct ovl_command *k)
{
    if (k->team >= c->team_room)
        return;
    ovl_worker_team_free(c->teams[k->team]);
    c->teams[k->team] = NULL;
}

static void leave(struct ovl_worker *w, struct ovl_client *c)
{
    c->detached = true;
    if (c->own)
        w->present--;
    else
        w->foreign_present--;
}

static void execute(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    int result = 0;
    switch (k->kind) {
    case OVL_COMMAND_OPERATION:
        ovl_op_begin(w, c, k);
        return;
    case OVL_COMMAND_ATTACH:
        result = attach(w, c, k);
        break;
    case OVL_COMMAND_DETACH:
        detach(c, k);
        break;
    case OVL_COMMAND_MAP:
        result = map(w, c, k);
        break;
    case OVL_COMMAND_UNMAP:
        unmap(w, c, k);
        break;
    case OVL_COMMAND_PROBE:
        result = probe(c, k);
        break;
    case OVL_COMMAND_LEAVE:
        leave(w, c);
        break;
    default:
        result = EINVAL;
    }
    ovl_cmdq_complete(c->cmdq, c->ep, k->slot, k->sequence, result);
}

int ovl_worker_poll_cmds(struct ovl_worker *w, struct ovl_client *c)
{
    int n = 0;
    for (; !c->detached && !w->failed; n++) {
        const struct ovl_command *from = &c->cmdq->ring[c->taken % OVL_SLOTS];
        if (atomic_load_explicit(&from->sequence, memory_order_acquire) != c->taken + 1)
            break;
        struct ovl_command copy = {
            .kind = from->kind,
            .operation = from->operation,
            .dtype = from->dtype,
            .redop = from->redop,
            .flags = from->flags,
            .slot = from->slot % OVL_SLOTS,
            .team = from->team,
            .root = from->root,
            .ranks = from->ranks,
            .rank = from->rank,
            .bytes = from->bytes,
            .send = from->send,
            .recv = from->recv,
            .sequence = ++c->taken,
        };
        execute(w, c, &copy);
    }
    return n;
}
