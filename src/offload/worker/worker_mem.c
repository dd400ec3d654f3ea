/* Moving bytes inside a node: buffers of ranks, temporary memory, reductions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

#include <errno.h>
#include <string.h>

char *ovl_op_addr(const struct ovl_op *op, struct ovl_bufref ref, uint64_t *raddr)
{
    *raddr = 0;
    if (ref.buffer == OVL_TEMPORARY)
        return op->temporary + ref.offset;
    *raddr = (ref.buffer == OVL_SEND_BUFFER ? op->command.send : op->command.recv) + ref.offset;
    return ovl_mem_addr(&op->client->rank_mem, *raddr);
}

static int reached(struct ovl_worker *w, const struct ovl_rank_mem *rank_mem, int rc)
{
    if (rc != 0)
        ovl_worker_unreached(w, rank_mem, errno);
    return rc;
}

int ovl_op_get(struct ovl_worker *w, const struct ovl_op *op, void *to, struct ovl_bufref from, size_t bytes)
{
    uint64_t raddr;
    const struct ovl_rank_mem *rank_mem = &op->client->rank_mem;
    const char *address = ovl_op_addr(op, from, &raddr);
    if (!address)
        return reached(w, rank_mem, ovl_mem_get(rank_mem, to, raddr, bytes));
    memcpy(to, address, bytes);
    return 0;
}

int ovl_op_put(struct ovl_worker *w, const struct ovl_op *op, struct ovl_bufref to, const void *from, size_t bytes)
{
    uint64_t raddr;
    const struct ovl_rank_mem *rank_mem = &op->client->rank_mem;
    char *address = ovl_op_addr(op, to, &raddr);
    if (!address)
        return reached(w, rank_mem, ovl_mem_put(rank_mem, raddr, from, bytes));
    if (address != from)
        memmove(address, from, bytes);
    return 0;
}

/* At most a chunk: it fits the scratch. */
static void combine(struct ovl_worker *w, struct ovl_p2p_req *t, const char *data, size_t offset, size_t bytes)
{
    const struct ovl_op *op = t->op;
    uint64_t raddr;
    struct ovl_bufref from_spot = ovl_bufref_at(t->step->from, offset), to_spot = ovl_bufref_at(t->step->to, offset);
    const char *from = ovl_op_addr(op, from_spot, &raddr);
    char *to = ovl_op_addr(op, to_spot, &raddr), *result = to ? to : w->scratch[2];
    if (!from) {
        if (ovl_op_get(w, op, w->scratch[1], from_spot, bytes) != 0)
            return;
        from = w->scratch[1];
    }
    ovl_reduce_local(op->command.redop, op->command.dtype, result, data, from, bytes);
    if (!to)
        ovl_op_put(w, op, to_spot, result, bytes);
}

void ovl_p2p_deliver(struct ovl_worker *w, struct ovl_p2p_req *t, const char *data, size_t offset, size_t bytes)
{
    if (t->step->kind != OVL_STEP_REDUCE) {
        if (bytes)
            ovl_op_put(w, t->op, ovl_bufref_at(t->step->to, offset), data, bytes);
        return;
    }
    for (size_t done = 0; done < bytes; done += OVL_CHUNK) {
        size_t now = bytes - done < OVL_CHUNK ? bytes - done : OVL_CHUNK;
        combine(w, t, data + done, offset + done, now);
    }
}
