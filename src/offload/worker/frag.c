/* Fragments: parts of messages on their way, stage by stage, none of which the loop waits for. In: by a GET from a
 * rank's memory, from another worker, or there already; with the operand of a reduction beside it. Then combined. Out:
 * by a PUT or a copy into a rank's memory, or to another worker. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/worker/state.h"

#include <string.h>

struct ovl_location ovl_op_location(const struct ovl_op *op, struct ovl_bufref ref)
{
    uint64_t raddr = (ref.buffer == OVL_SEND_BUFFER ? op->command.send : op->command.recv) + ref.offset;
    if (ref.buffer == OVL_TEMPORARY)
        return (struct ovl_location){.addr = op->temporary + ref.offset, .client = op->client};
    if (ref.buffer == OVL_SEND_BUFFER && op->command.flags & OVL_COMMAND_BRIEF)
        return (struct ovl_location){.addr = ovl_cmdq_brief(op->client->cmdq, op->command.slot) + ref.offset,
                                     .raddr = raddr, /* for another worker of the node */
                                     .client = op->client};
    return (struct ovl_location){
        .addr = ovl_mem_addr(&op->client->rank_mem, raddr), .raddr = raddr, .client = op->client};
}

static struct ovl_location location_at(struct ovl_location s, size_t offset)
{
    return (struct ovl_location){
        .addr = s.addr ? s.addr + offset : NULL, .raddr = s.raddr + offset, .client = s.client};
}

static bool reduces(const struct ovl_p2p_req *t)
{
    return t->step->kind == OVL_STEP_REDUCE;
}

/* It has gone through. */
static void end(struct ovl_frag *f)
{
    struct ovl_worker *w = f->w;
    struct ovl_p2p_req *t = f->req;
    t->inflight--;
    t->ended += f->bytes;
    ovl_frag_free(f);
    t->moved(w, t);
}

static void advance_frag(struct ovl_frag *f);

/* An RDMA has ended. False: not as it should have. */
static bool reached(struct ovl_rdma *r, const struct ovl_location *location)
{
    struct ovl_frag *f = r->of;
    f->w->rdmas--;
    if (r->why)
        ovl_worker_unreached(f->w, location->client, r->why);
    return !r->why;
}

static void stage_ended(struct ovl_frag *f)
{
    if (--f->waiting == 0)
        advance_frag(f);
}

static void data_got(struct ovl_rdma *r)
{
    struct ovl_frag *f = r->of;
    if (reached(r, &f->req->from))
        stage_ended(f);
}

static void operand_got(struct ovl_rdma *r)
{
    struct ovl_frag *f = r->of;
    if (reached(r, &f->req->operand))
        stage_ended(f);
}

static void data_put(struct ovl_rdma *r)
{
    struct ovl_frag *f = r->of;
    if (reached(r, &f->req->to))
        end(f);
}

static void start_rdma(struct ovl_frag *f, struct ovl_rdma *r, char *here, struct ovl_location there, bool put,
                       void (*complete)(struct ovl_rdma *r))
{
    r->complete = complete;
    r->of = f;
    f->w->rdmas++;
    if (ovl_mem_start(&there.client->rank_mem, here, there.raddr, f->bytes, put, r))
        complete(r);
}

/* The buffer of what comes and goes, if it has one; the operand has the last one. */
static char *data_buffer(const struct ovl_frag *f)
{
    bool operand = reduces(f->req) && !f->req->operand.addr;
    return f->buffers > operand ? ovl_frag_buffer(f, 0) : NULL;
}

static void receive(struct ovl_frag *f)
{
    struct ovl_worker *w = f->w;
    const struct ovl_transport *by = w->config.transport;
    if (w->coming == 0 && w->landed == 0)
        w->rx_since = ovl_clock_ns();
    w->coming += f->bytes;
    f->waiting++;
    if (by->receive(by->state, f->req->worker, f->req->tag, f->data, f->bytes, f) != 0)
        ovl_worker_refused(w, f->req->worker);
}

static void begin_input(struct ovl_frag *f)
{
    struct ovl_p2p_req *t = f->req;
    struct ovl_location from = location_at(t->from, f->offset), to = location_at(t->to, f->offset);
    char *buffer = data_buffer(f);
    f->data = t->route != OVL_ROUTE_RECEIVE && from.addr ? from.addr : buffer ? buffer : to.addr;
    if (t->route == OVL_ROUTE_RECEIVE)
        receive(f);
    else if (!from.addr) {
        f->waiting++;
        start_rdma(f, &f->rdma[0], f->data, from, false, data_got);
    }
}

static void begin_operand(struct ovl_frag *f)
{
    struct ovl_location operand = location_at(f->req->operand, f->offset);
    f->operand = operand.addr ? operand.addr : ovl_frag_buffer(f, f->buffers - 1);
    if (!operand.addr) {
        f->waiting++;
        start_rdma(f, &f->rdma[1], f->operand, operand, false, operand_got);
    }
}

void ovl_frag_start(struct ovl_frag *f)
{
    struct ovl_p2p_req *t = f->req;
    t->begun += f->bytes;
    t->inflight++;
    if (t->route == OVL_ROUTE_SEND) {
        if (!t->first)
            t->last = &t->first;
        *t->last = f;
        t->last = &f->next;
    }
    f->waiting = 1; /* this function */
    begin_input(f);
    if (reduces(t))
        begin_operand(f);
    stage_ended(f);
}

/* Of one tag, data must be sent in order: order is kept for each message, whatever its GETs do. */
static void send_ready(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    const struct ovl_transport *by = w->config.transport;
    for (struct ovl_frag *f; (f = t->first) && f->ready && !w->failed;) {
        t->first = f->next;
        if (by->send(by->state, t->worker, t->tag, f->data, f->bytes, f) != 0)
            ovl_worker_refused(w, t->worker);
    }
}

static void send_eagerly(struct ovl_frag *f)
{
    struct ovl_ctrl_msg msg = ovl_p2p_msg(f->req, OVL_CTRL_EAGER);
    msg.bytes = (uint32_t)f->bytes;
    ovl_worker_send_ctrl(f->w, f->req->worker, &msg, f->data);
    end(f);
}

/* Into the rank's memory, or what stands for it. */
static void begin_output(struct ovl_frag *f)
{
    struct ovl_location to = location_at(f->req->to, f->offset);
    char *buffer = data_buffer(f);
    if (to.addr) {
        if (to.addr != f->data)
            memmove(to.addr, f->data, f->bytes);
        end(f);
        return;
    }
    if (buffer && buffer != f->data) {
        memcpy(buffer, f->data, f->bytes);
        f->data = buffer;
    }
    start_rdma(f, &f->rdma[0], f->data, to, true, data_put);
}

static void combine(struct ovl_frag *f)
{
    const struct ovl_op *op = f->req->op;
    char *to = location_at(f->req->to, f->offset).addr, *result = to ? to : data_buffer(f);
    ovl_reduce_local(op->command.redop, op->command.dtype, result, f->data, f->operand, f->bytes);
    f->data = result;
}

/* All that it waited for is there. */
static void advance_frag(struct ovl_frag *f)
{
    struct ovl_p2p_req *t = f->req;
    if (f->w->failed)
        return;
    if (t->route == OVL_ROUTE_SEND) {
        f->ready = true;
        send_ready(f->w, t);
    } else if (t->route == OVL_ROUTE_EAGER)
        send_eagerly(f);
    else {
        if (reduces(t))
            combine(f);
        begin_output(f);
    }
}

void ovl_worker_on_complete(void *worker, void *frag)
{
    struct ovl_worker *w = worker;
    struct ovl_frag *f = frag;
    if (f->side == OVL_SENDING) {
        end(f);
        return;
    }
    w->coming -= f->bytes;
    w->landed += f->bytes;
    stage_ended(f);
}

int ovl_worker_poll_eps(struct ovl_worker *w)
{
    int n = 0;
    for (int c = 0; c < w->client_count && w->remote; c++) {
        struct ovl_client *client = &w->clients[c];
        if (client->polls)
            n += client->ep->kind->poll(client->ep);
        if (client->ep && !client->detached && client->ep->lost)
            ovl_worker_fail(w, "the line to rank %d is lost: %s", client->cmdq->rank, client->ep->lost);
    }
    return n;
}
