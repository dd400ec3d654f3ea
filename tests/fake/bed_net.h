/* What lies between the workers and ranks of the bed: messages and RDMA that are under way, and who decides which of
 * them arrives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_BED_NET_H
#define OVL_TESTS_FAKE_BED_NET_H

#include "base/rng.h"
#include "tests/fake/bed.h"

/* A control message, a send or a receive. */
struct bed_item {
    struct bed_item *next;
    int from, tag;
    struct ovl_ctrl_msg msg;
    char *data;
    size_t bytes;
    void *frag;
    struct bed_item *match; /* of a receive: the send */
    bool polled;            /* of a send: its receive has been */
    _Alignas(8) char payload[];
};

struct bed_list {
    struct bed_item *first;
};

struct bed_net;

/* A worker's end. */
struct bed_port {
    struct bed_net *net;
    int index;
    struct bed_list ctrl, sends, receives; /* to arrive here; begun here */
    bool has_sent[BED_WORKERS];            /* data to that worker in this turn of the loop */
};

/* A rank's endpoint. */
struct bed_ep {
    struct ovl_ep ep;
    struct bed_net *net;
    struct ovl_rdma *first;
    bool stuck;
};

/* What may arrive: of control messages the first from `from` at `worker`; the nth of the receives, sends or RDMA that
   can end. */
struct bed_event {
    enum { BED_NOTHING, BED_CTRL, BED_RECEIVE, BED_SEND, BED_RDMA } kind;
    int at, number;
};

struct bed_net {
    int workers, ranks;
    bool strict;
    struct bed_port port[BED_WORKERS];
    struct bed_ep ep[BED_RANKS];
    struct ovl_rng rng;
    bool all;    /* everything arrives */
    bool chosen; /* only `event` does */
    struct bed_event event;
    int moved;
    uint64_t messages[OVL_CTRL_KINDS], data, cts_behind_data;
};

void bed_net_open(struct bed_net *net, const struct bed_job *job, uint64_t seed);
void bed_net_close(struct bed_net *net);
struct ovl_transport bed_transport(struct bed_net *net, int worker, int tags);
/* Lists what could arrive now; at most `room`. */
int bed_events(const struct bed_net *net, struct bed_event *events, int room);

/* Memory at the far end of the bed's endpoints; memory of the same address space. */
extern const struct ovl_mem_path bed_remote_path, bed_direct_path;

#endif
