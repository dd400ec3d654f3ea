/* The two halves of a transfer meet: by the same worker, by a copy on one node, or by control messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

#include <stdlib.h>
#include <string.h>

static bool same_node(const struct ovl_p2p_req *t)
{
    const struct ovl_worker_team *team = t->op->team;
    return team->node[t->step->peer] == team->node[team->rank];
}

/* Must the sender speak first? It does where the receiver cannot know how the message will come, or would have to
   hold a staging block for a sender that may not have posted. */
static bool sender_speaks(const struct ovl_p2p_req *t)
{
    return t->step->bytes <= OVL_EAGER_BYTES || t->op->command.flags & OVL_COMMAND_STAGED || same_node(t);
}

static void set_key(struct ovl_p2p_req *t, bool sends)
{
    const struct ovl_op *op = t->op;
    t->entry.key = (struct ovl_key){
        .team = op->team->id,
        .sequence = op->sequence,
        .source = sends ? op->team->rank : t->step->peer,
        .destination = sends ? t->step->peer : op->team->rank,
        .tag = t->step->tag,
    };
    t->entry.req = t;
}

void ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (w->remote && ovl_p2p_is_carried(t))
        ovl_p2p_carry(w, t);
    else
        ovl_queue_put(&w->copies, t);
}

static void begin_copy(struct ovl_worker *w, struct ovl_p2p_req *to, struct ovl_p2p_req *from)
{
    to->sender = from;
    to->source = ovl_op_addr(from->op, from->step->from, &to->raddr);
    to->rank_mem = &from->op->client->rank_mem;
    ovl_p2p_copy(w, to);
}

/* The message itself in a control message, if it is small and there is credit. */
static bool send_eagerly(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_peer_worker *f = &w->peer_workers[t->worker];
    size_t bytes = t->step->bytes;
    if (bytes > OVL_EAGER_BYTES || f->credit < ovl_worker_eager_cost(bytes))
        return false;
    uint64_t raddr;
    const char *data = bytes ? ovl_op_addr(t->op, t->step->from, &raddr) : w->scratch[0];
    if (!data) {
        if (ovl_op_get(w, t->op, w->scratch[0], t->step->from, bytes) != 0)
            return true;
        data = w->scratch[0];
    }
    f->credit -= ovl_worker_eager_cost(bytes);
    struct ovl_ctrl_msg msg = {.kind = OVL_CTRL_EAGER, .key = t->entry.key, .bytes = (uint32_t)bytes};
    ovl_worker_send_ctrl(w, t->worker, &msg, data);
    ovl_p2p_complete(w, t);
    return true;
}

/* CTS has come, perhaps for more than before. */
static void on_cts(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg)
{
    t->cts_bytes = msg->raddr;
    t->chunk = msg->chunk;
    t->tag = msg->rank;
    if (t->cts_bytes < t->step->bytes)
        ovl_match_put(&w->table[OVL_SENDING], &t->entry);
    ovl_p2p_send_data(w, t);
}

void ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    uint64_t raddr = 0;
    set_key(t, true);
    t->addr = t->step->bytes ? ovl_op_addr(t->op, t->step->from, &raddr) : NULL;
    if (t->worker == w->plan.index) {
        struct ovl_match_entry *e = ovl_match_take(&w->table[OVL_RECEIVING], &t->entry.key);
        if (e)
            begin_copy(w, e->req, t);
        else
            ovl_match_put(&w->table[OVL_RECEIVING], &t->entry);
        return;
    }
    /* What stands in this worker's own memory another one cannot copy. */
    if (same_node(t) && t->step->from.buffer != OVL_TEMPORARY && t->step->bytes) {
        struct ovl_ctrl_msg offer = {
            .kind = OVL_CTRL_RTS_LOCAL, .key = t->entry.key, .raddr = raddr, .rank = t->op->client->cmdq->rank};
        ovl_match_put(&w->table[OVL_SENDING], &t->entry);
        ovl_worker_send_ctrl(w, t->worker, &offer, NULL);
        return;
    }
    if (send_eagerly(w, t))
        return;
    if (sender_speaks(t)) {
        struct ovl_ctrl_msg want = {.kind = OVL_CTRL_RTS, .key = t->entry.key};
        ovl_match_put(&w->table[OVL_SENDING], &t->entry);
        ovl_worker_send_ctrl(w, t->worker, &want, NULL);
        return;
    }
    struct ovl_match_entry *e = ovl_match_take(&w->table[OVL_SENDING], &t->entry.key);
    if (e) {
        on_cts(w, t, &e->msg);
        free(e);
    } else
        ovl_match_put(&w->table[OVL_SENDING], &t->entry);
}

static const struct ovl_rank_mem *reach_of(const struct ovl_worker *w, int rank)
{
    for (int c = 0; c < w->client_count; c++)
        if (w->clients[c].cmdq->rank == rank)
            return &w->clients[c].rank_mem;
    return NULL;
}

/* A control message of the sender and a posted receive have met. */
static void match_recv(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg, const void *payload)
{
    switch (msg->kind) {
    case OVL_CTRL_EAGER:
        ovl_p2p_deliver(w, t, payload, 0, msg->bytes);
        ovl_worker_return_credit(w, t->worker, msg->bytes);
        ovl_p2p_complete(w, t);
        break;
    case OVL_CTRL_RTS_LOCAL:
        t->rank_mem = reach_of(w, msg->rank);
        t->raddr = msg->raddr;
        if (!t->rank_mem)
            ovl_worker_fail(w, "was offered the memory of rank %d, which it does not serve", msg->rank);
        else {
            t->source = ovl_mem_addr(t->rank_mem, t->raddr);
            ovl_p2p_copy(w, t);
        }
        break;
    default:
        ovl_p2p_send_cts(w, t);
    }
}

void ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    set_key(t, false);
    struct ovl_match_entry *e = ovl_match_take(&w->table[OVL_RECEIVING], &t->entry.key);
    if (e && e->req)
        begin_copy(w, t, e->req);
    else if (e) {
        match_recv(w, t, &e->msg, e + 1);
        free(e);
    } else if (t->worker == w->plan.index || sender_speaks(t))
        ovl_match_put(&w->table[OVL_RECEIVING], &t->entry);
    else
        ovl_p2p_send_cts(w, t);
}

static void store_unexpected(struct ovl_worker *w, struct ovl_match_table *table, int from,
                             const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct ovl_match_entry *e = malloc(sizeof *e + msg->bytes);
    if (!e) {
        ovl_worker_fail(w, "no memory for early messages");
        return;
    }
    *e = (struct ovl_match_entry){.key = msg->key, .from = from, .msg = *msg};
    if (msg->bytes)
        memcpy(e + 1, payload, msg->bytes);
    ovl_match_put(table, e);
}

void ovl_worker_on_ctrl(void *worker, int from, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct ovl_worker *w = worker;
    struct ovl_peer_worker *f = &w->peer_workers[from];
    f->credit += msg->credit;
    f->ping_sent_ns = 0;
    bool to_sender = msg->kind == OVL_CTRL_CTS || msg->kind == OVL_CTRL_FIN;
    struct ovl_match_table *table = &w->table[to_sender ? OVL_SENDING : OVL_RECEIVING];
    struct ovl_ctrl_msg pong = {.kind = OVL_CTRL_PONG};
    struct ovl_match_entry *e;
    switch (msg->kind) {
    case OVL_CTRL_CREDIT:
    case OVL_CTRL_PONG:
        return;
    case OVL_CTRL_PING:
        ovl_worker_send_ctrl(w, from, &pong, NULL);
        return;
    }
    e = ovl_match_take(table, &msg->key);
    if (!e)
        store_unexpected(w, table, from, msg, payload);
    else if (msg->kind == OVL_CTRL_CTS)
        on_cts(w, e->req, msg);
    else if (msg->kind == OVL_CTRL_FIN)
        ovl_p2p_complete(w, e->req);
    else
        match_recv(w, e->req, msg, payload);
}
