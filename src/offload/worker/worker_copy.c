/* Copies inside a node, a chunk at a turn: from memory of one rank to that of another, or within one rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

#include <errno.h>

/* A piece from the source of a copy. Straight to its end where the one side can be addressed. */
static void copy_piece(struct ovl_worker *w, struct ovl_p2p_req *t, size_t offset, size_t bytes)
{
    const char *data = t->source ? t->source + offset : NULL;
    struct ovl_bufref to_spot = {t->step->to.buffer, t->step->to.offset + offset};
    if (!data) {
        uint64_t raddr;
        char *to = t->step->kind == OVL_STEP_REDUCE ? NULL : ovl_op_addr(t->op, to_spot, &raddr);
        char *into = to ? to : w->scratch[0];
        if (ovl_mem_get(t->rank_mem, into, t->raddr + offset, bytes) != 0) {
            ovl_worker_unreached(w, t->rank_mem, errno);
            return;
        }
        if (to)
            return;
        data = into;
    }
    ovl_p2p_deliver(w, t, data, offset, bytes);
}

void ovl_p2p_copy_done(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->sender)
        ovl_p2p_complete(w, t->sender);
    else if (t->step->kind != OVL_STEP_COPY) {
        struct ovl_ctrl_msg done = {.kind = OVL_CTRL_FIN, .key = t->entry.key};
        ovl_worker_send_ctrl(w, t->worker, &done, NULL);
    }
    ovl_p2p_complete(w, t);
}

int ovl_worker_copy(struct ovl_worker *w)
{
    struct ovl_p2p_req *t = ovl_queue_take(&w->copies);
    if (!t)
        return 0;
    size_t left = t->step->bytes - t->ended, now = left < OVL_CHUNK ? left : OVL_CHUNK;
    if (now)
        copy_piece(w, t, t->ended, now);
    t->ended += now;
    if (t->ended < t->step->bytes)
        ovl_queue_put(&w->copies, t);
    else
        ovl_p2p_copy_done(w, t);
    return 1;
}
