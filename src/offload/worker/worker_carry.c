/* Copies from one rank of this worker to another where endpoints lead to both: a chunk is read and then written,
 * several chunks at a time, and the loop waits for none of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

bool ovl_p2p_is_carried(const struct ovl_p2p_req *t)
{
    uint64_t raddr;
    return t->rank_mem && t->rank_mem->ep && !t->source && t->step->bytes > 0 && t->step->kind != OVL_STEP_REDUCE &&
           !ovl_op_addr(t->op, t->step->to, &raddr);
}

void ovl_p2p_carry(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    t->begun = 0;
    ovl_queue_put(&w->to_carry, t);
}

static void read_chunk(struct ovl_carrier *c, struct ovl_p2p_req *t)
{
    size_t left = t->step->bytes - t->begun;
    c->req = t;
    c->offset = t->begun;
    c->bytes = left < OVL_CHUNK ? left : OVL_CHUNK;
    t->begun += c->bytes;
    ovl_mem_start(t->rank_mem, c->block, t->raddr + c->offset, c->bytes, false, &c->errand);
}

static void write_chunk(struct ovl_carrier *c)
{
    const struct ovl_p2p_req *t = c->req;
    struct ovl_bufref to = {t->step->to.buffer, t->step->to.offset + c->offset};
    uint64_t raddr;
    ovl_op_addr(t->op, to, &raddr);
    ovl_mem_start(&t->op->client->rank_mem, c->block, raddr, c->bytes, true, &c->errand);
}

static void go_on(struct ovl_worker *w, struct ovl_carrier *c)
{
    struct ovl_p2p_req *t = c->req;
    if (c->errand.why) {
        ovl_worker_unreached(w, c->errand.put ? &t->op->client->rank_mem : t->rank_mem, c->errand.why);
    } else if (!c->errand.put) {
        write_chunk(c);
    } else {
        c->req = NULL;
        t->ended += c->bytes;
        if (t->ended == t->step->bytes)
            ovl_p2p_copy_done(w, t);
    }
}

int ovl_worker_carry(struct ovl_worker *w)
{
    int n = 0;
    w->carrying = 0;
    for (struct ovl_carrier *c = w->carriers; c < w->carriers + OVL_CARRIERS && !w->failed; c++) {
        struct ovl_p2p_req *t;
        if (c->req && ovl_errand_ended(&c->errand)) {
            go_on(w, c);
            n++;
        }
        if (!c->req && (t = ovl_queue_take(&w->to_carry))) {
            read_chunk(c, t);
            if (t->begun < t->step->bytes)
                ovl_queue_put(&w->to_carry, t);
            n++;
        }
        w->carrying += c->req != NULL;
    }
    return n;
}
