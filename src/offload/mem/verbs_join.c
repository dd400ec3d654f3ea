/* Endpoints of one RC queue pair: made, joined to their other end, closed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/mem/cmdq.h"
#include "offload/mem/verbs_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INLINE = 64,     /* bytes that are pushed without being read again */
    MOST_READS = 16, /* outstanding, where the adapters take as many */
    CLOSE_NS = 1000000000,
    STATUS_ROOM = 4096,
};

_Static_assert(sizeof(struct ovl_worker_status) <= STATUS_ROOM, "the status page has room before the command queue");

static int make_pair(struct ovl_verbs_ep *w)
{
    struct ibv_qp_init_attr init = {
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = OVL_SEND_DEPTH,
                .max_recv_wr = 1,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = INLINE},
    };
    struct ibv_qp_attr attributes = {
        .qp_state = IBV_QPS_INIT,
        .port_num = (uint8_t)w->port->number,
        .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    };
    init.send_cq = init.recv_cq = w->port->queue;
    w->pair = ibv_create_qp(w->port->domain, &init);
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

static void describe(const struct ovl_verbs_ep *w, struct ovl_ep_address *address)
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
    struct ovl_verbs_ep *w = calloc(1, sizeof *w);
    size_t bytes = (STATUS_ROOM + cmdq_bytes + 4095) / 4096 * 4096;
    if (!w || !(w->copy = aligned_alloc(4096, bytes))) {
        free(w);
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for an endpoint");
        return NULL;
    }
    memset(w->copy, 0, bytes);
    w->port = v;
    w->bytes = bytes;
    w->sequence = (uint32_t)ovl_clock_ns() & 0xffffff;
    w->next = v->eps;
    v->eps = w;
    w->ep = (struct ovl_ep){.kind = &ovl_verbs_ep_ops,
                            .group = v,
                            .status = (struct ovl_worker_status *)w->copy,
                            .channel = (struct ovl_cmdq *)(w->copy + STATUS_ROOM)};
    w->mr = ovl_verbs_mr(v, w->copy, bytes, OVL_MR_REMOTE_FLAGS, err);
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

static int check(const struct ovl_verbs_ep *w, const struct ovl_ep_address *mine, const struct ovl_ep_address *other,
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
    struct ovl_verbs_ep *w = ovl_verbs_ep_of(ep);
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
        .timeout = OVL_VERBS_TIMEOUT,
        .retry_cnt = OVL_VERBS_RETRIES,
        .rnr_retry = OVL_VERBS_RETRIES,
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
    struct ovl_verbs_ep *w = ovl_verbs_ep_of(ep);
    if (!w)
        return;
    int64_t limit = ovl_clock_ns() + (ep->lost ? CLOSE_NS : INT64_MAX / 2);
    while (w->pair && w->under_way > 0 && ovl_clock_ns() < limit) /* the last words go out, or come back flushed */
        ovl_verbs_poll(w->port);
    for (struct ovl_verbs_ep **at = &w->port->eps; *at; at = &(*at)->next)
        if (*at == w) {
            *at = w->next;
            break;
        }
    if (w->pair)
        ibv_destroy_qp(w->pair);
    if (w->mr)
        ibv_dereg_mr(w->mr);
    free(w->copy);
    free(w);
}
