/* An endpoint of one RC queue pair. All requests are signalled, and there are few of them: pushes wait for room. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/mem/cmdq.h"
#include "offload/mem/verbs_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH = 256,       /* requests under way; half of them at most are of errands */
    PIECE = 64 << 10,  /* bytes of one READ or WRITE */
    INLINE = 64,       /* bytes that are pushed without being read again */
    MOST_READS = 16,   /* outstanding, where the adapters take as many */
    SEND_TIMEOUT = 17, /* 4.096 us * 2^17 = 0.54 s, then again, up to */
    RETRIES = 6,       /* times; 7 would be for ever with some adapters. A machine may be busy for that long */
    LOOK_NS = 200000000,
    STATUS_ROOM = 4096,
};

_Static_assert(sizeof(struct ovl_worker_status) <= STATUS_ROOM, "the board has room before the channel");

struct ep {
    struct ovl_ep ep;
    struct ovl_verbs *port;
    struct ibv_cq *queue;
    struct ibv_qp *pair;
    struct ibv_mr *mr; /* of the copy: */
    char *copy;
    size_t bytes;
    uint64_t there; /* the other end's */
    uint32_t key;
    uint32_t sequence, inline_bytes;
    unsigned under_way, of_errands, reads, most_reads;
    struct ovl_errand *errands, **last_errand; /* begun and not ended */
    int64_t next_look;
    char text[256]; /* why it is lost */
};

static struct ep *wire_of(struct ovl_ep *w)
{
    return (struct ep *)w;
}

static void lose(struct ep *w, const char *what)
{
    if (w->ep.lost)
        return;
    snprintf(w->text, sizeof w->text, "%s", what);
    w->ep.lost = w->text;
    for (struct ovl_errand *e = w->errands; e; e = e->next)
        e->why = EIO;
    w->errands = NULL;
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

static void ended(struct ep *w, const struct ibv_wc *wc)
{
    struct ovl_errand *e = (struct ovl_errand *)(uintptr_t)wc->wr_id;
    w->under_way--;
    if (wc->status != IBV_WC_SUCCESS) {
        char text[sizeof w->text];
        snprintf(text, sizeof text, "%s by %s: %s (%s)",
                 !e       ? "a flag"
                 : e->put ? "RDMA WRITE"
                          : "RDMA READ",
                 w->port->name, explain(wc->status), ibv_wc_status_str(wc->status));
        lose(w, text);
        return;
    }
    if (!e)
        return;
    e->under_way--;
    w->of_errands--;
    w->reads -= !e->put;
    while (w->errands && ovl_errand_ended(w->errands))
        w->errands = w->errands->next;
}

static bool reap(struct ep *w)
{
    struct ibv_wc wc[16];
    int all = 0, n;
    while (w->under_way > 0 && !w->ep.lost && (n = ibv_poll_cq(w->queue, 16, wc)) != 0) {
        if (n < 0)
            lose(w, "the completion queue cannot be read");
        for (int i = 0; i < n && !w->ep.lost; i++)
            ended(w, &wc[i]);
        all += n;
    }
    return all > 0;
}

static void request(struct ep *w, struct ibv_send_wr *request)
{
    struct ibv_send_wr *bad;
    request->send_flags |= IBV_SEND_SIGNALED;
    int why = ibv_post_send(w->pair, request, &bad);
    if (why == 0) {
        w->under_way++;
        return;
    }
    char text[128];
    snprintf(text, sizeof text, "%s takes no request: %s", w->port->name, strerror(why));
    lose(w, text);
}

/* Requests end or fail by the adapter's retries, so that this ends too. */
static void push(struct ovl_ep *ep, const void *what, size_t bytes)
{
    struct ep *w = wire_of(ep);
    size_t offset = (size_t)((const char *)what - w->copy);
    while (w->under_way >= DEPTH / 2 + w->of_errands && !ep->lost)
        reap(w);
    if (ep->lost)
        return;
    struct ibv_sge from = {.addr = (uintptr_t)what, .length = (uint32_t)bytes, .lkey = w->mr->lkey};
    request(w, &(struct ibv_send_wr){.sg_list = &from,
                                     .num_sge = 1,
                                     .opcode = IBV_WR_RDMA_WRITE,
                                     .send_flags = bytes <= w->inline_bytes ? IBV_SEND_INLINE : 0,
                                     .wr.rdma = {.remote_addr = w->there + offset, .rkey = w->key}});
}

/* As many pieces of errands as may be under way. */
static void advance(struct ep *w)
{
    for (struct ovl_errand *e = w->errands; e && !w->ep.lost; e = e->next)
        while (e->waiting > 0 && !w->ep.lost) {
            if (w->of_errands >= DEPTH / 2 || (!e->put && w->reads >= w->most_reads))
                return;
            size_t now = e->waiting < PIECE ? e->waiting : PIECE;
            struct ibv_sge here = {.addr = (uintptr_t)e->here, .length = (uint32_t)now, .lkey = e->local_key};
            struct ibv_send_wr wr = {.wr_id = (uintptr_t)e,
                                     .sg_list = &here,
                                     .num_sge = 1,
                                     .opcode = e->put ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ,
                                     .wr.rdma = {.remote_addr = e->there, .rkey = e->key}};
            e->here += now;
            e->there += now;
            e->waiting -= now;
            e->under_way++;
            w->of_errands++;
            w->reads += !e->put;
            request(w, &wr);
        }
}

static void begin(struct ovl_ep *ep, struct ovl_errand *e)
{
    struct ep *w = wire_of(ep);
    e->next = NULL;
    if (ep->lost)
        e->why = EIO;
    else if (ovl_verbs_local_key(w->port, e->here, e->waiting, &e->local_key) != 0)
        e->why = EINVAL;
    if (e->why || e->waiting == 0)
        return;
    if (!w->errands)
        w->last_errand = &w->errands;
    *w->last_errand = e;
    w->last_errand = &e->next;
    advance(w);
}

/* An end that only answers learns of the queue pair's error by asking. */
static void look(struct ep *w)
{
    struct ibv_qp_attr attributes;
    struct ibv_qp_init_attr ignored;
    int64_t now = ovl_clock_ns();
    if (now < w->next_look)
        return;
    w->next_look = now + LOOK_NS;
    if (ibv_query_qp(w->pair, &attributes, IBV_QP_STATE, &ignored) != 0)
        lose(w, "the queue pair cannot be asked");
    else if (attributes.qp_state != IBV_QPS_RTS)
        lose(w, "the queue pair is in error: the other end asked for what it may not have, or it ended");
}

static bool poll(struct ovl_ep *ep)
{
    struct ep *w = wire_of(ep);
    if (ep->lost)
        return false;
    bool moved = reap(w);
    if (w->errands)
        advance(w);
    if (!moved)
        look(w);
    return moved;
}

static const struct ovl_ep_ops kind = {.push = push, .begin = begin, .poll = poll};

static int make_pair(struct ep *w)
{
    struct ibv_qp_init_attr init = {
        .qp_type = IBV_QPT_RC,
        .cap =
            {.max_send_wr = DEPTH, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = INLINE},
    };
    struct ibv_qp_attr attributes = {
        .qp_state = IBV_QPS_INIT,
        .port_num = (uint8_t)w->port->number,
        .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    };
    w->queue = ibv_create_cq(w->port->context, DEPTH, NULL, NULL, 0);
    init.send_cq = init.recv_cq = w->queue;
    w->pair = w->queue ? ibv_create_qp(w->port->domain, &init) : NULL;
    w->inline_bytes = init.cap.max_inline_data;
    return w->pair && ibv_modify_qp(w->pair, &attributes,
                                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0
               ? 0
               : -1;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void describe(const struct ep *w, struct ovl_ep_address *address)
{
    const struct ovl_verbs *v = w->port;
    *address = (struct ovl_ep_address){
        .address = (uintptr_t)w->copy,
        .key = w->mr->rkey,
        .bytes = (uint32_t)w->bytes,
        .queue_pair = w->pair->qp_num,
        .sequence = w->sequence,
        .mtu = v->port.active_mtu,
        .reads_in = least((unsigned)v->device.max_qp_rd_atom, MOST_READS),
        .reads_out = least((unsigned)v->device.max_qp_init_rd_atom, MOST_READS),
        .ethernet = v->port.link_layer == IBV_LINK_LAYER_ETHERNET,
        .gid_type = v->gid_type,
        .bluefield = v->bluefield,
        .lid = v->port.lid,
    };
    memcpy(address->gid, v->gid.raw, sizeof address->gid);
    snprintf(address->port, sizeof address->port, "%.30s on node %.30s", v->name, v->where);
}

struct ovl_ep *ovl_verbs_ep(struct ovl_verbs *v, size_t cmdq_bytes, struct ovl_ep_address *address,
                            struct ovl_error *err)
{
    struct ep *w = calloc(1, sizeof *w);
    size_t bytes = (STATUS_ROOM + cmdq_bytes + 4095) / 4096 * 4096;
    if (!w || !(w->copy = aligned_alloc(4096, bytes))) {
        free(w);
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a wire");
        return NULL;
    }
    memset(w->copy, 0, bytes);
    w->port = v;
    w->bytes = bytes;
    w->sequence = (uint32_t)ovl_clock_ns() & 0xffffff;
    w->ep = (struct ovl_ep){.kind = &kind,
                            .status = (struct ovl_worker_status *)w->copy,
                            .channel = (struct ovl_cmdq *)(w->copy + STATUS_ROOM)};
    w->mr = ovl_verbs_mr(v, w->copy, bytes, false, err);
    errno = 0;
    if (w->mr && make_pair(w) == 0) {
        describe(w, address);
        return &w->ep;
    }
    if (w->mr)
        ovl_error_set(err, OVL_ENVIRONMENT, "%s on node %s makes no queue pair: %s", v->name, v->where,
                      strerror(errno ? errno : EIO));
    ovl_verbs_ep_close(&w->ep);
    return NULL;
}

static int check(const struct ep *w, const struct ovl_ep_address *mine, const struct ovl_ep_address *other,
                 struct ovl_error *err)
{
    const char *what = mine->bytes != other->bytes         ? "hold different layouts: build both from one version"
                       : mine->ethernet != other->ethernet ? "are of different networks (Ethernet and InfiniBand)"
                       : mine->gid_type != other->gid_type && mine->ethernet
                           ? "have GIDs of different RoCE versions; choose them in the dpu-map"
                           : NULL;
    if (!what)
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s on node %s and %s %s", w->port->name, w->port->where, other->port,
                         what);
}

int ovl_verbs_join(struct ovl_ep *ep, const struct ovl_ep_address *other, bool asks, struct ovl_error *err)
{
    struct ep *w = wire_of(ep);
    struct ovl_verbs *v = w->port;
    struct ovl_ep_address mine;
    describe(w, &mine);
    if (check(w, &mine, other, err) != 0)
        return -1;
    unsigned reads = asks ? least(mine.reads_out, other->reads_in) : least(other->reads_out, mine.reads_in);
    struct ibv_qp_attr receive = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = (enum ibv_mtu)least(mine.mtu, other->mtu),
        .dest_qp_num = other->queue_pair,
        .rq_psn = other->sequence,
        .max_dest_rd_atomic = (uint8_t)(asks ? 1 : reads),
        .min_rnr_timer = 12,
        .ah_attr = {.dlid = other->lid, .port_num = (uint8_t)v->number},
    };
    if (mine.ethernet) {
        receive.ah_attr.is_global = 1;
        receive.ah_attr.grh = (struct ibv_global_route){.sgid_index = (uint8_t)v->gid_index, .hop_limit = 64};
        memcpy(receive.ah_attr.grh.dgid.raw, other->gid, sizeof other->gid);
    }
    struct ibv_qp_attr send = {
        .qp_state = IBV_QPS_RTS,
        .sq_psn = mine.sequence,
        .max_rd_atomic = (uint8_t)(asks ? reads : 1),
        .timeout = SEND_TIMEOUT,
        .retry_cnt = RETRIES,
        .rnr_retry = RETRIES,
    };
    w->there = other->address;
    w->key = other->key;
    w->most_reads = reads;
    int why = ibv_modify_qp(w->pair, &receive,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (why == 0)
        why = ibv_modify_qp(w->pair, &send,
                            IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                                IBV_QP_MAX_QP_RD_ATOMIC);
    if (why == 0)
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot join %s on node %s to %s: %s", v->name, v->where, other->port,
                         strerror(why));
}

void ovl_verbs_ep_close(struct ovl_ep *ep)
{
    struct ep *w = wire_of(ep);
    if (!w)
        return;
    while (w->pair && w->under_way > 0 && !ep->lost) /* the last words go out */
        reap(w);
    if (w->pair)
        ibv_destroy_qp(w->pair);
    if (w->queue)
        ibv_destroy_cq(w->queue);
    if (w->mr)
        ibv_dereg_mr(w->mr);
    free(w->copy);
    free(w);
}
