/* An endpoint of one RC queue pair at work. All requests are signalled, and there are few of them: pushes wait for
 * room. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/mem/verbs_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    PIECE = 64 << 10, /* bytes of one READ or WRITE */
    LOOK_NS = 200000000,
};

static void end(struct ovl_verbs *v, struct ovl_rdma *r)
{
    if (!v->ended)
        v->last_ended = &v->ended;
    r->next = NULL;
    *v->last_ended = r;
    v->last_ended = &r->next;
}

/* What is at the adapter comes back flushed, since the queue pair is in error from now on. */
static void lose(struct ovl_verbs_ep *w, const char *what)
{
    struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
    if (w->ep.lost)
        return;
    snprintf(w->text, sizeof w->text, "%s", what);
    w->ep.lost = w->text;
    ibv_modify_qp(w->pair, &error, IBV_QP_STATE);
    for (struct ovl_rdma *r = w->first, *next; r; r = next) {
        next = r->next;
        r->why = EIO;
        r->waiting = 0;
        if (r->under_way == 0)
            end(w->port, r);
    }
    w->first = NULL;
}

/* What a status means here, and what to look at. */
static const char *explain(enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
        return "the other end does not answer: it ended, a link is down, or the fabric does not carry RDMA between the "
               "two adapters";
    case IBV_WC_RNR_RETRY_EXC_ERR:
        return "the other end was not ready";
    case IBV_WC_REM_ACCESS_ERR:
        return "the other end refuses access: a wrong key, or memory that is registered no longer";
    case IBV_WC_REM_OP_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
        return "the other end could not do it";
    case IBV_WC_LOC_PROT_ERR:
        return "memory at this end is not registered as it should be";
    default:
        return "the queue pair is in error";
    }
}

/* A request's number is its RDMA operation, or for a flag its endpoint, with the lowest bit set. */
enum { OF_FLAG = 1 };

static void ended(const struct ibv_wc *wc)
{
    struct ovl_rdma *r = wc->wr_id & OF_FLAG ? NULL : (struct ovl_rdma *)(uintptr_t)wc->wr_id;
    struct ovl_verbs_ep *w = r ? ovl_verbs_ep_of(r->ep) : (struct ovl_verbs_ep *)(uintptr_t)(wc->wr_id - OF_FLAG);
    w->under_way--;
    if (r) {
        w->of_data--;
        w->reads -= !r->put;
    }
    if (wc->status != IBV_WC_SUCCESS) {
        if (r)
            r->why = EIO;
        char text[sizeof w->text];
        snprintf(text, sizeof text, "%s by %s: %s (%s)",
                 !r       ? "a flag"
                 : r->put ? "RDMA WRITE"
                          : "RDMA READ",
                 w->port->name, explain(wc->status), ibv_wc_status_str(wc->status));
        lose(w, text); /* then nothing of it is asked for any more; this request still counts as under way */
    }
    if (r && --r->under_way == 0 && r->waiting == 0)
        end(w->port, r);
}

bool ovl_verbs_poll(struct ovl_verbs *v)
{
    struct ibv_wc wc[32];
    int all = 0, n;
    while ((n = ibv_poll_cq(v->queue, 32, wc)) > 0) {
        for (int i = 0; i < n; i++)
            ended(&wc[i]);
        all += n;
    }
    for (struct ovl_verbs_ep *w = v->eps; w && n < 0; w = w->next)
        lose(w, "the completion queue cannot be read");
    return all > 0;
}

static int request(struct ovl_verbs_ep *w, struct ibv_send_wr *request)
{
    struct ibv_send_wr *bad;
    request->send_flags |= IBV_SEND_SIGNALED;
    int why = ibv_post_send(w->pair, request, &bad);
    if (why == 0) {
        w->under_way++;
        return 0;
    }
    char text[128];
    snprintf(text, sizeof text, "%s takes no request: %s", w->port->name, strerror(why));
    lose(w, text);
    return -1;
}

/* Requests end or fail by the adapter's retries, so that this ends too. */
static void push(struct ovl_ep *ep, const void *what, size_t bytes)
{
    struct ovl_verbs_ep *w = ovl_verbs_ep_of(ep);
    size_t offset = (size_t)((const char *)what - w->copy);
    while (w->under_way >= OVL_SEND_DEPTH / 2 + w->of_data && !ep->lost)
        ovl_verbs_poll(w->port);
    if (ep->lost)
        return;
    struct ibv_sge from = {.addr = (uintptr_t)what, .length = (uint32_t)bytes, .lkey = w->mr->lkey};
    request(w, &(struct ibv_send_wr){.wr_id = (uintptr_t)w | OF_FLAG,
                                     .sg_list = &from,
                                     .num_sge = 1,
                                     .opcode = IBV_WR_RDMA_WRITE,
                                     .send_flags = bytes <= w->inline_bytes ? IBV_SEND_INLINE : 0,
                                     .wr.rdma = {.remote_addr = w->there + offset, .rkey = w->key}});
}

/* The next piece of it. -1 when the endpoint is lost by that. */
static int ask(struct ovl_verbs_ep *w, struct ovl_rdma *r)
{
    size_t now = r->waiting < PIECE ? r->waiting : PIECE;
    struct ibv_sge here = {.addr = (uintptr_t)r->here, .length = (uint32_t)now, .lkey = r->local_key};
    struct ibv_send_wr wr = {.wr_id = (uintptr_t)r,
                             .sg_list = &here,
                             .num_sge = 1,
                             .opcode = r->put ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ,
                             .wr.rdma = {.remote_addr = r->there, .rkey = r->key}};
    if (request(w, &wr) != 0)
        return -1;
    r->here += now;
    r->there += now;
    r->waiting -= now;
    r->under_way++;
    w->of_data++;
    w->reads += !r->put;
    return 0;
}

/* As many pieces as may be under way. What is asked for whole leaves the list: its completions end it. */
static bool advance(struct ovl_verbs_ep *w)
{
    bool asked = false;
    for (struct ovl_rdma *r; (r = w->first) && !w->ep.lost;) {
        while (r->waiting > 0) {
            if (w->of_data >= OVL_SEND_DEPTH / 2 || (!r->put && w->reads >= w->most_reads))
                return asked;
            if (ask(w, r) != 0)
                return true;
            asked = true;
        }
        w->first = r->next;
    }
    return asked;
}

static bool begin(struct ovl_ep *ep, struct ovl_rdma *r)
{
    struct ovl_verbs_ep *w = ovl_verbs_ep_of(ep);
    r->next = NULL;
    r->ep = ep;
    r->under_way = 0;
    if (ep->lost)
        r->why = EIO;
    else if (ovl_verbs_local_key(w->port, r->here, r->waiting, &r->local_key) != 0)
        r->why = EINVAL;
    if (r->why || r->waiting == 0)
        return true;
    if (!w->first)
        w->last = &w->first;
    *w->last = r;
    w->last = &r->next;
    advance(w);
    return false;
}

/* An end that only answers learns of the queue pair's error by asking. */
static void check_pair(struct ovl_verbs_ep *w)
{
    struct ibv_qp_attr attributes;
    struct ibv_qp_init_attr ignored;
    if (w->ep.lost)
        return;
    if (ibv_query_qp(w->pair, &attributes, IBV_QP_STATE, &ignored) != 0)
        lose(w, "the queue pair cannot be asked");
    else if (attributes.qp_state != IBV_QPS_RTS)
        lose(w, "the queue pair is in error: the other end asked for what it may not have, or it ended");
}

static void check_pairs(struct ovl_verbs *v)
{
    int64_t now = ovl_clock_ns();
    if (now < v->next_look)
        return;
    v->next_look = now + LOOK_NS;
    for (struct ovl_verbs_ep *w = v->eps; w; w = w->next)
        check_pair(w);
}

static bool poll(struct ovl_ep *ep)
{
    struct ovl_verbs *v = ovl_verbs_ep_of(ep)->port;
    bool moved = ovl_verbs_poll(v);
    for (struct ovl_verbs_ep *w = v->eps; w; w = w->next)
        if (w->first)
            moved = advance(w) || moved;
    if (!moved)
        check_pairs(v);
    for (struct ovl_rdma *r; (r = v->ended); moved = true) {
        v->ended = r->next;
        r->complete(r);
    }
    return moved;
}

const struct ovl_ep_ops ovl_verbs_ep_ops = {.push = push, .begin = begin, .poll = poll};
