/* Does another worker still live? Asked only of those that something waits for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

static void find_awaited(struct ovl_worker *w)
{
    for (int f = 0; f < w->plan.workers; f++)
        w->peer_workers[f].needed = false;
    for (const struct ovl_op *t = w->ops; t; t = t->after)
        for (const struct ovl_p2p_req *r = t->reqs; r; r = r->after)
            if (r->step->kind != OVL_STEP_COPY)
                w->peer_workers[r->worker].needed = true;
    w->peer_workers[w->plan.index].needed = false;
}

void ovl_worker_keepalive(struct ovl_worker *w)
{
    int64_t now = w->lived + 1;
    int unresponsive = -1;
    find_awaited(w);
    for (int i = 0; i < w->plan.workers; i++) {
        struct ovl_peer_worker *f = &w->peer_workers[i];
        if (!f->needed)
            f->ping_sent_ns = 0;
        else if (f->ping_sent_ns == 0) {
            struct ovl_ctrl_msg ping = {.kind = OVL_CTRL_PING};
            f->ping_sent_ns = now;
            ovl_worker_send_ctrl(w, i, &ping, NULL);
        } else if (1e-9 * (double)(now - f->ping_sent_ns) > w->plan.timeout)
            unresponsive = i;
    }
    atomic_store_explicit(&w->plan.status->unresponsive, unresponsive, memory_order_relaxed);
}
