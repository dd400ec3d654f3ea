/* Does another worker still live? Asked only of those that something waits for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

/* What is copied, or has only to be sent, is in this worker's hands. */
static bool awaits_peer(const struct ovl_p2p_req *r)
{
    return r->step->kind != OVL_STEP_COPY && (r->route == OVL_ROUTE_SEND || r->route == OVL_ROUTE_RECEIVE);
}

static void find_awaited(struct ovl_worker *w)
{
    for (int f = 0; f < w->config.workers; f++)
        w->peer_workers[f].needed = NULL;
    for (const struct ovl_op *t = w->ops; t; t = t->after)
        for (const struct ovl_p2p_req *r = t->reqs; r; r = r->after)
            if (awaits_peer(r))
                w->peer_workers[r->worker].needed = r;
    w->peer_workers[w->config.index].needed = NULL;
}

/* It has ended as it should, with all that its ranks asked for. */
static void miss(struct ovl_worker *w, const struct ovl_p2p_req *r)
{
    const struct ovl_worker_team *team = r->op->team;
    ovl_worker_fail(w,
                    "rank %d waits in %s for rank %d, which has ended all its collectives: all ranks of a communicator "
                    "must call the same ones, with counts that match",
                    team->world_rank[team->rank], ovl_operations[r->op->command.operation].name,
                    team->world_rank[r->step->peer]);
}

void ovl_worker_keepalive(struct ovl_worker *w)
{
    int64_t now = w->lived + 1;
    const struct ovl_transport *by = w->config.transport;
    int unresponsive = -1;
    find_awaited(w);
    for (int i = 0; i < w->config.workers; i++) {
        struct ovl_peer_worker *f = &w->peer_workers[i];
        if (!f->needed)
            f->ping_sent_ns = 0;
        else if (f->ping_sent_ns == 0) {
            struct ovl_ctrl_msg ping = {.kind = OVL_CTRL_PING};
            f->ping_sent_ns = now;
            ovl_worker_send_ctrl(w, i, &ping, NULL);
        } else if (1e-9 * (double)(now - f->ping_sent_ns) <= w->config.timeout)
            continue;
        else if (by->left && by->left(by->state, i))
            miss(w, f->needed);
        else
            unresponsive = i;
    }
    atomic_store_explicit(&w->config.status->unresponsive, unresponsive, memory_order_relaxed);
}
