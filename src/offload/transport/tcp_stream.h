/* One TCP connection of a worker: a list of what is to be sent, many items in a call, and reading what is there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TCP_STREAM_H
#define OVL_OFFLOAD_TRANSPORT_TCP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* What waits in a list: a head, which is the item's own, and data, which stay where they are. */
struct ovl_tcp_item {
    struct ovl_tcp_item *next;
    void *frag; /* the transport's word for a piece of data */
    char *data;
    size_t bytes;
    int tag;
    size_t head_bytes;
    char head[];
};

struct ovl_tcp_list {
    struct ovl_tcp_item *first, **last;
};

void ovl_tcp_push(struct ovl_tcp_list *l, struct ovl_tcp_item *i);
/* The first item; NULL when there is none. */
struct ovl_tcp_item *ovl_tcp_pop(struct ovl_tcp_list *l);
/* Takes the first item of that tag; NULL when there is none. */
struct ovl_tcp_item *ovl_tcp_remove_tag(struct ovl_tcp_list *l, int tag);
/* Frees all items. */
void ovl_tcp_clear(struct ovl_tcp_list *l);

struct ovl_tcp_conn {
    int fd; /* -1 when nothing more comes or goes */
    int peer;
    bool is_data;
    uint32_t listens;            /* epoll's events that are asked for */
    int least;                   /* bytes that must have come before epoll tells of them; 0 stands for 1 */
    struct ovl_tcp_list leaving; /* in this order; `done` bytes of the first item have gone */
    size_t done;
};

/* Sends as much as the connection takes; whole items that have gone move to `gone`. -1: the connection is broken. */
int ovl_tcp_flush(struct ovl_tcp_conn *c, struct ovl_tcp_list *gone);

/* Reads into so many places, in their order, some of which may be of no bytes. Returns how many came, 0 for none now,
   -1 at the connection's end. Fewer than there is room for: there are no more now, and the next read would come in
   vain. */
ssize_t ovl_tcp_read(struct ovl_tcp_conn *c, struct iovec *to, int places);

/* Asks epoll for what comes, where `reads`, and for room, where something waits to be sent. */
void ovl_tcp_listen_for(struct ovl_tcp_conn *c, int epoll, bool reads);

/* From now on epoll tells of what comes when it is so many bytes: so many will come (SO_RCVLOWAT, socket(7)). On an
   older kernel it tells of any. */
void ovl_tcp_wait_for(struct ovl_tcp_conn *c, size_t bytes);

/* Does a kernel of that release tell of what has come, though it is less, when it takes no more in? Before Linux 5.12
   it does not, and who waits for more waits in vain. */
bool ovl_tcp_kernel_tells(const char *release);

/* Gives up what waits to leave; of data that has gone in part the rest goes too, from a copy. -1 where there is no
   memory for it. */
int ovl_tcp_copy_rest(struct ovl_tcp_conn *c);

#endif
