/* Control messages to other workers, and the credit that bounds the eager messages among them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

/* An eager message costs its control message too, so that credit bounds the number of short ones. Empty ones are
   bounded by the operations under way. */
uint32_t ovl_worker_eager_cost(size_t bytes)
{
    return bytes ? (uint32_t)(sizeof(struct ovl_ctrl_msg) + bytes) : 0;
}

size_t ovl_worker_eager_bytes(int workers)
{
    size_t all = (size_t)workers * OVL_CREDIT;
    return all < OVL_CREDITS ? all : OVL_CREDITS;
}

void ovl_worker_send_ctrl(struct ovl_worker *w, int to, struct ovl_ctrl_msg *msg, const void *payload)
{
    struct ovl_peer_worker *f = &w->peer_workers[to];
    msg->credit = f->credit_to_return;
    f->credit_to_return = 0;
    if (w->config.transport->send_ctrl(w->config.transport->state, to, msg, payload) != 0)
        ovl_worker_refused(w, to);
}

void ovl_worker_return_credit(struct ovl_worker *w, int from, size_t bytes)
{
    struct ovl_peer_worker *f = &w->peer_workers[from];
    f->credit_to_return += ovl_worker_eager_cost(bytes);
    if (f->credit_to_return >= w->credit / 2) {
        struct ovl_ctrl_msg credit = {.kind = OVL_CTRL_CREDIT};
        ovl_worker_send_ctrl(w, from, &credit, NULL);
    }
}
