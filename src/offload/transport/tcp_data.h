/* Inside the transport by TCP: what its two files share, and the receiving side of data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TCP_DATA_H
#define OVL_OFFLOAD_TRANSPORT_TCP_DATA_H

#include "offload/transport/tcp_join.h"
#include "offload/transport/tcp_stream.h"

#include <sys/epoll.h>

enum {
    OVL_TCP_BUFFER = 64 << 10, /* for what arrives of control messages, from one worker after the other */
    OVL_TCP_EVENTS = 64,
    OVL_TCP_TAGS = 1 << 20,
    OVL_TCP_GOODBYE = OVL_TCP_TAGS /* instead of a tag: no more data */
};

/* What goes before a piece of data. */
struct ovl_tcp_data_head {
    uint64_t bytes;
    uint32_t tag, zero;
};

struct ovl_tcp_peer {
    struct ovl_tcp_conn conn[OVL_TCP_STREAMS];
    bool bye, data_bye, lost; /* it said goodbye, there is no more data of it; it went without */
    char *rest;               /* the first `rest_bytes` of a control message */
    size_t rest_bytes;
    struct ovl_tcp_list wanted;    /* receives in the order posted */
    struct ovl_tcp_data_head head; /* of the data that comes: `had` bytes of head and data have come */
    size_t had;
    struct ovl_tcp_item *into; /* its receive; NULL: not posted yet, or given up */
    bool still;                /* no data have come since the transport last asked for any there are */
};

struct ovl_tcp_state {
    int count, index, epoll, there; /* `there` workers have neither said goodbye nor gone */
    struct epoll_event event[OVL_TCP_EVENTS];
    int events; /* that a sleep has ended with, for the next poll */
    bool skips; /* that poll has seen to them: the one after it asks for no more, since the next sleep will */
    struct ovl_tcp_peer *peers;
    char *buffer;
    struct ovl_tcp_list ended;
    size_t ctrl_leaving;
    int64_t next_any; /* when it next asks so */
    bool given_up;    /* data that nobody wants is dropped */
};

/* The connection, and what hangs on it, is gone. */
void ovl_tcp_shut(struct ovl_tcp_state *s, struct ovl_tcp_conn *c);
/* -1 with errno: the other side is gone, or there is no memory. */
int ovl_tcp_refused(bool gone);

/* Looks for who wants the data whose head has come, and ends what has come whole. False: it has to wait. */
bool ovl_tcp_data_advance(struct ovl_tcp_state *s, struct ovl_tcp_peer *p);
/* A connection is listened to where a receive waits for its data, and told of when all of a message is there. */
void ovl_tcp_data_listen(struct ovl_tcp_state *s, struct ovl_tcp_conn *c);
/* Epoll has told of it. */
void ovl_tcp_data_read(struct ovl_tcp_state *s, struct ovl_tcp_conn *c);
/* Now and then, whatever else comes: where data have been waited for and none have come for long, what there is,
   however little, is to be told of, so that a message which is shorter than it should be is seen. */
void ovl_tcp_data_take_any(struct ovl_tcp_state *s);
/* The transport's hook. */
int ovl_tcp_data_receive(void *state, int from, int tag, void *data, size_t bytes, void *frag);

#endif
