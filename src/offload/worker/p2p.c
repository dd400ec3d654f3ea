/* The two halves of a message meet: at one worker, by a copy on one node, or by control messages. Up to the eager limit
 * the message goes in a control message, as long as there is credit. Else the sender sends an RTS when it begins,
 * unless a CTS is here already; the receiver sends a CTS when its receive has begun and the RTS is here, or before that
 * (R5). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

#include <stdlib.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same_node(const struct ovl_p2p_req *t)
{
    const struct ovl_worker_team *team = t->op->team;
    return team->node[t->step->peer] == team->node[team->rank];
}

static struct ovl_early *early(struct ovl_match_entry *e)
{
    return (struct ovl_early *)(void *)e;
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

/* Where what is received or copied goes, and what it is combined with. */
static void set_target(struct ovl_p2p_req *t)
{
    t->to = ovl_op_location(t->op, t->step->to);
    if (t->step->kind == OVL_STEP_REDUCE)
        t->operand = ovl_op_location(t->op, t->step->from);
}

/* Copies: from memory of this worker's node, or an eager message on its way to its place. */

static void end_copy(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->payload) {
        ovl_worker_return_credit(w, t->worker, t->step->bytes);
        free(t->payload);
        t->payload = NULL;
    } else if (t->sender)
        ovl_p2p_complete(w, t->sender);
    else if (t->step->kind != OVL_STEP_COPY) {
        struct ovl_ctrl_msg fin = {.kind = OVL_CTRL_FIN, .key = t->entry.key};
        ovl_worker_send_ctrl(w, t->worker, &fin, NULL);
    }
    ovl_p2p_complete(w, t);
}

static void copied(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->ended == t->step->bytes)
        end_copy(w, t);
    else if (t->begun < t->step->bytes)
        ovl_wait_enqueue(w, t, OVL_WAIT_COPY);
}

/* t->from and t->to are set. */
static void copy(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    t->route = OVL_ROUTE_COPY;
    t->moved = copied;
    t->chunk = ovl_frag_buffers(t) ? w->config.limits.fragment : OVL_CHUNK;
    if (t->step->bytes == 0)
        end_copy(w, t);
    else
        ovl_wait_enqueue(w, t, OVL_WAIT_COPY);
}

void ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    t->from = ovl_op_location(t->op, t->step->from);
    t->to = ovl_op_location(t->op, t->step->to);
    copy(w, t);
}

static void begin_copy(struct ovl_worker *w, struct ovl_p2p_req *to, struct ovl_p2p_req *from)
{
    struct ovl_ctrl_msg rts = ovl_p2p_msg(from, OVL_CTRL_RTS);
    if (!ovl_p2p_accept(w, to, &rts))
        return;
    to->sender = from;
    to->from = from->from;
    copy(w, to);
}

/* The sender. */

static void sent(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->ended == t->step->bytes)
        ovl_p2p_complete(w, t);
    else if (t->route == OVL_ROUTE_SEND && t->begun < t->cts_bytes)
        ovl_wait_enqueue(w, t, OVL_WAIT_SEND);
}

/* The message itself in a control message, if it is small and there is credit. */
static bool send_eagerly(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_peer_worker *f = &w->peer_workers[t->worker];
    size_t bytes = t->step->bytes;
    if (bytes > w->config.limits.eager || f->credit < ovl_worker_eager_cost(bytes))
        return false;
    f->credit -= ovl_worker_eager_cost(bytes);
    t->route = OVL_ROUTE_EAGER;
    if (bytes && !t->from.addr) {
        ovl_wait_enqueue(w, t, OVL_WAIT_SEND);
        return true;
    }
    struct ovl_ctrl_msg msg = ovl_p2p_msg(t, OVL_CTRL_EAGER);
    msg.bytes = (uint32_t)bytes;
    ovl_worker_send_ctrl(w, t->worker, &msg, t->from.addr);
    ovl_p2p_complete(w, t);
    return true;
}

static void ask(struct ovl_worker *w, struct ovl_p2p_req *t, enum ovl_ctrl_kind kind)
{
    struct ovl_ctrl_msg msg = ovl_p2p_msg(t, kind);
    msg.raddr = t->from.raddr;
    msg.rank = t->op->client->cmdq->rank;
    ovl_match_insert(&w->table[OVL_SENDING], &t->entry);
    ovl_worker_send_ctrl(w, t->worker, &msg, NULL);
}

/* CTS has come, perhaps for more than before. Only now is anything taken for the message (R1). One for another message
   than this was granted before the RTS: nothing is sent by it, and the receiver sees by the RTS what differs. */
static void on_cts(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg)
{
    if (!ovl_p2p_same(t, msg)) {
        ask(w, t, OVL_CTRL_RTS);
        return;
    }
    if (msg->chunk == 0 || (!t->from.addr && msg->chunk > w->config.limits.fragment)) {
        ovl_worker_fail(w, "worker %d asks for fragments of %zu bytes, and here they have %zu: it is not of this build",
                        t->worker, (size_t)msg->chunk, w->config.limits.fragment);
        return;
    }
    t->cts_bytes = least(msg->raddr, t->step->bytes);
    t->chunk = msg->chunk;
    t->tag = msg->rank;
    if (t->cts_bytes < t->step->bytes)
        ovl_match_insert(&w->table[OVL_SENDING], &t->entry);
    ovl_wait_enqueue(w, t, OVL_WAIT_SEND);
}

void ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_match_entry *e;
    set_key(t, true);
    t->from = ovl_op_location(t->op, t->step->from);
    t->route = OVL_ROUTE_SEND;
    t->moved = sent;
    t->chunk = w->config.limits.fragment;
    if (t->worker == w->config.index) {
        e = ovl_match_remove(&w->table[OVL_RECEIVING], &t->entry.key);
        if (e)
            begin_copy(w, e->req, t);
        else
            ovl_match_insert(&w->table[OVL_RECEIVING], &t->entry);
        return;
    }
    /* What stands in this worker's own memory another one cannot copy. */
    if (same_node(t) && t->step->from.buffer != OVL_TEMPORARY && t->step->bytes)
        ask(w, t, OVL_CTRL_RTS_LOCAL);
    else if (send_eagerly(w, t))
        return;
    else if ((e = ovl_match_remove(&w->table[OVL_SENDING], &t->entry.key))) {
        on_cts(w, t, &early(e)->msg);
        free(early(e));
    } else
        ask(w, t, OVL_CTRL_RTS);
}

/* The receiver. */

static void received(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->ended < t->step->bytes) {
        if (t->begun < t->step->bytes && t->inflight <= OVL_WINDOW / 2)
            ovl_wait_enqueue(w, t, OVL_WAIT_RECEIVE);
        return;
    }
    ovl_pool_free(&w->tags, t->tag_claim, t->tag);
    w->retry[OVL_WAIT_RECEIVE] = true;
    if (!t->rts_seen) {
        ovl_match_remove(&w->table[OVL_RECEIVING], &t->entry.key);
        t->op->early++;
        t->op->team->early = true;
    }
    ovl_p2p_complete(w, t);
}

/* A fragment such that one window covers the message; otherwise the next CTS queues behind our own outgoing data. Where
   either end may need a staging buffer, as large as that. */
static size_t chunk_of(const struct ovl_worker *w, const struct ovl_p2p_req *t)
{
    enum { WHOLE = 4096 }; /* elements */
    size_t bytes = t->step->bytes, chunk = (bytes / OVL_WINDOW + WHOLE) / WHOLE * WHOLE;
    if (t->op->command.flags & OVL_COMMAND_STAGED || t->step->kind == OVL_STEP_REDUCE)
        return bytes <= w->config.limits.eager ? w->config.limits.eager : w->config.limits.fragment;
    return chunk < OVL_CHUNK ? OVL_CHUNK : least(chunk, OVL_LARGE_CHUNK);
}

/* A small message, or one for which there is no room yet, is kept until it is in its place. */
static void deliver(struct ovl_worker *w, struct ovl_p2p_req *t, struct ovl_early *kept, const void *payload)
{
    bool reduce = t->step->kind == OVL_STEP_REDUCE;
    size_t bytes = t->step->bytes;
    if (bytes == 0 || (t->to.addr && (!reduce || t->operand.addr))) {
        if (bytes && reduce)
            ovl_reduce_local(t->op->command.redop, t->op->command.dtype, t->to.addr, payload, t->operand.addr, bytes);
        else if (bytes)
            memcpy(t->to.addr, payload, bytes);
        ovl_worker_return_credit(w, t->worker, bytes);
        free(kept);
        ovl_p2p_complete(w, t);
        return;
    }
    if (!kept && (kept = malloc(sizeof *kept + bytes)))
        memcpy(kept->payload, payload, bytes);
    if (!kept) {
        ovl_worker_fail(w, "no memory for a message of %zu bytes", bytes);
        return;
    }
    t->payload = kept;
    t->from = (struct ovl_location){.addr = kept->payload};
    copy(w, t);
}

static struct ovl_client *client_of(const struct ovl_worker *w, int rank)
{
    for (int c = 0; c < w->client_count; c++)
        if (w->clients[c].cmdq->rank == rank)
            return &w->clients[c];
    return NULL;
}

static void copy_from(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg)
{
    struct ovl_client *c = client_of(w, msg->rank);
    if (!c) {
        ovl_worker_fail(w, "was offered the memory of rank %d, which it does not serve", msg->rank);
        return;
    }
    t->from = (struct ovl_location){.addr = ovl_mem_addr(&c->rank_mem, msg->raddr), .raddr = msg->raddr, .client = c};
    copy(w, t);
}

/* A control message of the sender and a begun receive have met. `kept`: where the message lies, if it came before; it
   goes by this. */
static void match_recv(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg,
                       struct ovl_early *kept, const void *payload)
{
    if (!ovl_p2p_accept(w, t, msg)) {
        free(kept);
        return;
    }
    if (msg->kind == OVL_CTRL_EAGER) {
        deliver(w, t, kept, payload);
        return;
    }
    t->rts_seen = true;
    if (msg->kind == OVL_CTRL_RTS_LOCAL)
        copy_from(w, t, msg);
    else if (t->begun < t->step->bytes)
        ovl_wait_enqueue(w, t, OVL_WAIT_RECEIVE);
    free(kept);
}

void ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    set_key(t, false);
    set_target(t);
    t->route = OVL_ROUTE_RECEIVE;
    t->moved = received;
    t->chunk = chunk_of(w, t);
    struct ovl_match_entry *e = ovl_match_remove(&w->table[OVL_RECEIVING], &t->entry.key);
    if (e && e->req) {
        begin_copy(w, t, e->req);
        return;
    }
    if (e) {
        match_recv(w, t, &early(e)->msg, early(e), early(e)->payload);
        return;
    }
    /* Of these the sender decides how they come. */
    if (t->worker != w->config.index && t->step->bytes > w->config.limits.eager && !same_node(t))
        ovl_grant_early(w, t);
    ovl_match_insert(&w->table[OVL_RECEIVING], &t->entry);
}

/* An RTS may cross an early grant, and come when the operation has ended, or its team is no more. A team that is not
   here may also not yet be attached by its rank: members need not wait for each other. */
static bool is_late(const struct ovl_worker *w, const struct ovl_ctrl_msg *msg)
{
    if (msg->kind != OVL_CTRL_RTS)
        return false;
    const struct ovl_worker_team *team = ovl_team_find(w, msg->key.team, msg->key.destination);
    if (!team)
        return ovl_gone_has(&w->gone, msg->key.team, msg->key.destination);
    if (msg->key.sequence >= team->sequence)
        return false;
    for (const struct ovl_op *op = team->ops; op; op = op->team_after)
        if (op->sequence == msg->key.sequence)
            return false;
    return true;
}

void ovl_p2p_forget(struct ovl_worker *w, const struct ovl_op *op)
{
    for (size_t i = 0; i < op->schedule->steps && op->early > 0; i++) {
        struct ovl_p2p_req t = {.op = (struct ovl_op *)op, .step = &op->schedule->step[i]};
        if (t.step->kind != OVL_STEP_RECV && t.step->kind != OVL_STEP_REDUCE)
            continue;
        set_key(&t, false);
        const struct ovl_match_entry *e = ovl_match_find(&w->table[OVL_RECEIVING], &t.entry.key);
        if (e && !e->req)
            free(early(ovl_match_remove(&w->table[OVL_RECEIVING], &t.entry.key)));
    }
}

static void store_unexpected(struct ovl_worker *w, struct ovl_match_table *table, const struct ovl_ctrl_msg *msg,
                             const void *payload)
{
    if (is_late(w, msg))
        return;
    struct ovl_early *e = malloc(sizeof *e + msg->bytes);
    if (!e) {
        ovl_worker_fail(w, "no memory for early messages");
        return;
    }
    *e = (struct ovl_early){.entry = {.key = msg->key}, .msg = *msg};
    if (msg->bytes)
        memcpy(e->payload, payload, msg->bytes);
    ovl_match_insert(table, &e->entry);
}

void ovl_worker_on_ctrl(void *worker, int from, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct ovl_worker *w = worker;
    struct ovl_peer_worker *f = &w->peer_workers[from];
    f->credit += msg->credit;
    f->ping_sent_ns = 0;
    bool to_sender = msg->kind == OVL_CTRL_CTS || msg->kind == OVL_CTRL_FIN;
    struct ovl_match_table *table = &w->table[to_sender ? OVL_SENDING : OVL_RECEIVING];
    struct ovl_ctrl_msg pong = {.kind = OVL_CTRL_PONG, .key.sequence = msg->key.sequence};
    struct ovl_match_entry *e;
    switch (msg->kind) {
    case OVL_CTRL_CREDIT:
        return;
    case OVL_CTRL_PONG:
        if (msg->key.sequence)
            f->answered = msg->key.sequence;
        return;
    case OVL_CTRL_LOST:
        ovl_worker_on_lost(w, payload, msg->bytes);
        return;
    case OVL_CTRL_PING:
        ovl_worker_send_ctrl(w, from, &pong, NULL);
        return;
    }
    e = ovl_match_remove(table, &msg->key);
    if (!e)
        store_unexpected(w, table, msg, payload);
    else if (msg->kind == OVL_CTRL_CTS)
        on_cts(w, e->req, msg);
    else if (msg->kind == OVL_CTRL_FIN)
        ovl_p2p_complete(w, e->req);
    else
        match_recv(w, e->req, msg, NULL, payload);
}
