/* What ranks ask: the rings, and the commands that are not operations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/local.h"
#include "offload/worker/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void unmap(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    size_t number = (size_t)k->root;
    if (number >= c->rank_mem.count || !c->rank_mem.regions[number].number)
        return;
    if (w->config.path->unmap)
        w->config.path->unmap(&c->rank_mem.regions[number]);
    c->rank_mem.regions[number] = (struct ovl_region){.number = 0};
}

static int map(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    struct ovl_rank_mem *r = &c->rank_mem;
    size_t number = (size_t)k->root;
    if (number >= r->count) {
        size_t count = number + 1 < 2 * r->count ? 2 * r->count : number + 1;
        struct ovl_region *more = realloc(r->regions, count * sizeof *more);
        if (!more) { /* the file that was sent with it must not pass for the next one */
            int file = w->config.path->remote ? 0 : ovl_local_receive_file(c->socket, (uint32_t)number);
            ovl_local_close(&file);
            return ENOMEM;
        }
        memset(more + r->count, 0, (count - r->count) * sizeof *more);
        r->regions = more;
        r->count = count;
    }
    struct ovl_region *region = &r->regions[number];
    if (region->number && w->config.path->unmap && !w->config.path->remote)
        w->config.path->unmap(region);
    region->number = (unsigned)number;
    region->shared.base = (void *)(uintptr_t)k->send; /* for a path of the same address space */
    region->shared.bytes = k->bytes;
    int why = w->config.path->map(region, (const char *)ovl_cmdq_args(c->cmdq, k), c->socket);
    if (!why && k->flags & OVL_COMMAND_SLOTS && region->shared.bytes < OVL_MORE_SLOTS_BYTES) {
        unmap(w, c, k);
        return EINVAL;
    }
    if (why)
        *region = (struct ovl_region){.number = 0};
    else if (k->flags & OVL_COMMAND_SLOTS)
        c->more = region->shared.base;
    return why;
}

/* The rank's question: some of its memory is read, and written to another place of it. */

static void answer_probe(struct ovl_worker *w, int why)
{
    struct ovl_probe *p = &w->probe;
    struct ovl_client *c = p->client;
    p->client = NULL;
    w->rdmas--;
    ovl_client_complete(c, &p->command, why);
}

static void probe_put(struct ovl_rdma *r)
{
    answer_probe(r->of, r->why);
}

static void probe_got(struct ovl_rdma *r)
{
    struct ovl_worker *w = r->of;
    struct ovl_probe *p = &w->probe;
    if (r->why) {
        answer_probe(w, r->why);
        return;
    }
    r->complete = probe_put;
    if (ovl_mem_start(&p->client->rank_mem, p->memory, p->command.recv, p->command.bytes, true, r))
        probe_put(r);
}

static void probe(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    struct ovl_probe *p = &w->probe;
    *p = (struct ovl_probe){.client = c, .command = *k, .rdma = {.complete = probe_got, .of = w}, .memory = p->memory};
    p->command.bytes = k->bytes < OVL_PROBE_BYTES ? k->bytes : OVL_PROBE_BYTES;
    w->rdmas++;
    if (ovl_mem_start(&c->rank_mem, p->memory, k->send, p->command.bytes, false, &p->rdma))
        probe_got(&p->rdma);
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
        result = ovl_team_attach(w, c, k);
        break;
    case OVL_COMMAND_DETACH:
        ovl_team_detach(w, c, k->team);
        break;
    case OVL_COMMAND_MAP:
        result = map(w, c, k);
        break;
    case OVL_COMMAND_UNMAP:
        unmap(w, c, k);
        break;
    case OVL_COMMAND_PROBE:
        probe(w, c, k);
        return;
    case OVL_COMMAND_LEAVE:
        leave(w, c);
        break;
    default:
        result = EINVAL;
    }
    ovl_client_complete(c, k, result);
}

/* One probe at a time; before, nothing of the rank's is under way. */
static bool must_wait(const struct ovl_worker *w, const struct ovl_command *k)
{
    return k->kind == OVL_COMMAND_PROBE && w->probe.client;
}

int ovl_worker_poll_cmds(struct ovl_worker *w, struct ovl_client *c)
{
    int n = 0;
    for (; !c->detached && !w->failed; n++) {
        const struct ovl_command *from = &c->cmdq->ring[c->taken % OVL_RING];
        if (atomic_load_explicit(&from->sequence, memory_order_acquire) != c->taken + 1 || must_wait(w, from))
            break;
        struct ovl_command copy = {
            .kind = from->kind,
            .operation = from->operation,
            .dtype = from->dtype,
            .redop = from->redop,
            .flags = from->flags,
            .slot = c->more ? from->slot : from->slot % OVL_SLOTS,
            .team = from->team,
            .root = from->root,
            .ranks = from->ranks,
            .rank = from->rank,
            .from = from->from,
            .algorithm = from->algorithm,
            .area = from->area,
            .bytes = from->bytes,
            .send = from->send,
            .recv = from->recv,
            .sequence = ++c->taken,
        };
        execute(w, c, &copy);
        /* The rank may use its entry again, and its area. */
        atomic_store_explicit(&c->cmdq->taken, c->taken, memory_order_release);
        if (copy.area || c->taken % (OVL_RING / 2) == 0)
            ovl_ep_put_flag(c->ep, &c->cmdq->taken, sizeof c->cmdq->taken);
    }
    return n;
}
