/* The data of large messages: chunks, the receiver's windows, and the staging blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/worker/worker_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_flight *take_flight(struct ovl_worker *w)
{
    struct ovl_flight *f = w->free_flights;
    if (f)
        w->free_flights = f->next;
    else if (!(f = malloc(sizeof *f)))
        ovl_worker_fail(w, "no memory for messages under way");
    return f;
}

/* Tags are taken as long as a receive under them can match: a late peer's may be held while many others come and go. */
static int take_tag(struct ovl_worker *w)
{
    int tags = w->plan.transport->tags;
    for (int i = 0; i < tags; i++) {
        int tag = w->next_tag;
        w->next_tag = tag + 1 < tags ? tag + 1 : 0;
        uint64_t bit = (uint64_t)1 << tag % 64;
        if (!(w->tags_taken[tag / 64] & bit)) {
            w->tags_taken[tag / 64] |= bit;
            return tag;
        }
    }
    ovl_worker_fail(w, "more than %d messages under way", tags);
    return -1;
}

static void give_tag(struct ovl_worker *w, int tag)
{
    w->tags_taken[tag / 64] &= ~((uint64_t)1 << tag % 64);
}

static int end_errands(struct ovl_worker *w);

/* On its way between a staging block and the rank's memory. Errands end in the order begun: what is sent under one tag
   must not change places. */
static void send_on_errand(struct ovl_worker *w, struct ovl_flight *f)
{
    const struct ovl_p2p_req *t = f->req;
    struct ovl_bufref ref = f->sends ? t->step->from : t->step->to;
    uint64_t raddr;
    ref.offset += f->offset;
    char *direct = ovl_op_addr(t->op, ref, &raddr);
    if (direct) {
        memcpy(f->sends ? f->block : direct, f->sends ? direct : f->block, f->bytes);
        f->errand = (struct ovl_errand){.waiting = 0};
    } else
        ovl_mem_start(&t->op->client->rank_mem, f->block, raddr, f->bytes, !f->sends, &f->errand);
    if (!w->fetching)
        w->last_fetching = &w->fetching;
    f->next = NULL;
    *w->last_fetching = f;
    w->last_fetching = &f->next;
    end_errands(w);
}

static void depart(struct ovl_worker *w, struct ovl_flight *f)
{
    const struct ovl_transport *by = w->plan.transport;
    const struct ovl_p2p_req *t = f->req;
    char *data = f->block ? f->block : t->addr + f->offset;
    if ((f->sends ? by->send(by->state, t->worker, t->tag, data, f->bytes, f)
                  : by->receive(by->state, t->worker, t->tag, data, f->bytes, f)) != 0)
        ovl_worker_fail(w, "cannot exchange data with worker %d", t->worker);
}

/* A block that sends is filled first. */
static void fly(struct ovl_worker *w, struct ovl_p2p_req *t, bool sends, char *block, size_t bytes)
{
    struct ovl_flight *f = take_flight(w);
    if (!f)
        return;
    *f = (struct ovl_flight){.req = t, .offset = t->begun, .bytes = bytes, .block = block, .sends = sends};
    t->begun += bytes;
    t->inflight++;
    if (!sends) {
        if (w->coming == 0 && w->landed == 0)
            w->rx_since = ovl_clock_ns();
        w->coming += bytes;
    }
    if (block && sends)
        send_on_errand(w, f);
    else
        depart(w, f);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void tell_ready(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_ctrl_msg msg = {
        .kind = OVL_CTRL_CTS, .key = t->entry.key, .raddr = t->cts_bytes = t->begun, .chunk = t->chunk, .rank = t->tag};
    ovl_worker_send_ctrl(w, t->worker, &msg, NULL);
}

/* Posts receives into memory that can be addressed: a window full of them, then more when half of it is empty. */
static void grant_window(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->begun == t->step->bytes || t->inflight > OVL_WINDOW / 2)
        return;
    while (t->inflight < OVL_WINDOW && t->begun < t->step->bytes && !w->failed)
        fly(w, t, false, NULL, least(t->chunk, t->step->bytes - t->begun));
    tell_ready(w, t);
}

/* As many blocks as are free, one after the other among those that wait for one. */
static void grant_blocks(struct ovl_worker *w)
{
    struct ovl_queue *q = &w->hungry[OVL_RECEIVING];
    while (q->first && w->free_blocks[OVL_RECEIVING] > 0 && !w->failed) {
        struct ovl_p2p_req *t = ovl_queue_take(q);
        char *block = w->blocks[OVL_RECEIVING][--w->free_blocks[OVL_RECEIVING]];
        if (t->tag < 0)
            t->tag = take_tag(w);
        fly(w, t, false, block, least(t->chunk, t->step->bytes - t->begun));
        tell_ready(w, t);
        if (t->begun < t->step->bytes)
            ovl_queue_put(q, t);
    }
}

/* Choose the chunk so that one window covers the message; otherwise the next CTS queues behind our own outgoing data.
 */
static size_t chunk_of(size_t bytes)
{
    enum { WHOLE = 4096 }; /* elements */
    size_t chunk = (bytes / OVL_WINDOW + WHOLE) / WHOLE * WHOLE;
    return chunk < OVL_CHUNK ? OVL_CHUNK : least(chunk, OVL_BLOCK);
}

void ovl_p2p_send_cts(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    uint64_t raddr;
    if (t->step->kind == OVL_STEP_REDUCE)
        t->addr = t->recv_tmp = malloc(t->step->bytes);
    else
        t->addr = ovl_op_addr(t->op, t->step->to, &raddr);
    if (t->step->kind == OVL_STEP_REDUCE && !t->recv_tmp) {
        ovl_worker_fail(w, "no memory for %zu bytes", t->step->bytes);
        return;
    }
    t->chunk = t->addr ? chunk_of(t->step->bytes) : OVL_BLOCK;
    if (t->addr) {
        t->tag = take_tag(w);
        grant_window(w, t);
    } else {
        ovl_queue_put(&w->hungry[OVL_RECEIVING], t);
        grant_blocks(w);
    }
}

/* Sends what the CTS allows, as long as there are blocks where it needs them. */
static bool push(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    while (t->begun < t->cts_bytes && !w->failed) {
        size_t bytes = least(t->chunk, t->cts_bytes - t->begun);
        char *block = NULL;
        if (!t->addr) {
            if (w->free_blocks[OVL_SENDING] == 0)
                return false;
            block = w->blocks[OVL_SENDING][--w->free_blocks[OVL_SENDING]];
        }
        fly(w, t, true, block, bytes);
    }
    return true;
}

void ovl_p2p_send_data(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->addr)
        push(w, t);
    else if (t->begun < t->cts_bytes && !t->waits_for_buf) {
        t->waits_for_buf = true;
        ovl_queue_put(&w->hungry[OVL_SENDING], t);
    }
    struct ovl_queue *q = &w->hungry[OVL_SENDING];
    while (q->first && w->free_blocks[OVL_SENDING] > 0 && !w->failed && push(w, q->first))
        ovl_queue_take(q)->waits_for_buf = false;
}

static void give_block(struct ovl_worker *w, enum ovl_side side, char *block)
{
    w->blocks[side][w->free_blocks[side]++] = block;
}

static void sent(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_flight *f)
{
    if (f->block) {
        give_block(w, OVL_SENDING, f->block);
        ovl_p2p_send_data(w, t);
    }
    if (t->ended == t->step->bytes)
        ovl_p2p_complete(w, t);
}

static void received(struct ovl_worker *w, struct ovl_p2p_req *t, const struct ovl_flight *f)
{
    if (t->recv_tmp)
        ovl_p2p_deliver(w, t, t->addr + f->offset, f->offset, f->bytes);
    if (f->block) {
        give_block(w, OVL_RECEIVING, f->block);
        grant_blocks(w);
    } else
        grant_window(w, t);
    if (t->ended == t->step->bytes) {
        give_tag(w, t->tag);
        free(t->recv_tmp);
        t->recv_tmp = NULL;
        ovl_p2p_complete(w, t);
    }
}

static void land(struct ovl_worker *w, struct ovl_flight *f)
{
    struct ovl_flight now = *f;
    struct ovl_p2p_req *t = f->req;
    f->next = w->free_flights;
    w->free_flights = f;
    t->inflight--;
    if (!now.sends) {
        w->coming -= now.bytes;
        w->landed += now.bytes;
    }
    t->ended += now.bytes;
    if (now.sends)
        sent(w, t, &now);
    else
        received(w, t, &now);
}

static int end_errands(struct ovl_worker *w)
{
    int n = 0;
    for (struct ovl_flight *f; (f = w->fetching) && ovl_errand_ended(&f->errand) && !w->failed; n++) {
        w->fetching = f->next;
        if (f->errand.why)
            ovl_worker_unreached(w, &f->req->op->client->rank_mem, f->errand.why);
        else if (f->sends)
            depart(w, f);
        else
            land(w, f);
    }
    return n;
}

int ovl_worker_errands(struct ovl_worker *w)
{
    int n = 0;
    for (int c = 0; c < w->client_count && w->remote; c++) {
        struct ovl_client *client = &w->clients[c];
        if (!client->ep || client->detached)
            continue;
        n += client->ep->kind->poll(client->ep);
        if (client->ep->lost)
            ovl_worker_fail(w, "the line to rank %d is lost: %s", client->cmdq->rank, client->ep->lost);
    }
    return n + end_errands(w);
}

/* What has come to a block goes on to its rank. */
void ovl_worker_flight(void *worker, void *flight)
{
    struct ovl_worker *w = worker;
    struct ovl_flight *f = flight;
    if (f->block && !f->sends)
        send_on_errand(w, f);
    else
        land(w, f);
}
