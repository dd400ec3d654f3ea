/* Heads and data of many items go in one sendmsg. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/utsname.h>

enum { AT_ONCE = 16 }; /* items in one call */

void ovl_tcp_push(struct ovl_tcp_list *l, struct ovl_tcp_item *i)
{
    if (!l->first)
        l->last = &l->first;
    i->next = NULL;
    *l->last = i;
    l->last = &i->next;
}

struct ovl_tcp_item *ovl_tcp_pop(struct ovl_tcp_list *l)
{
    struct ovl_tcp_item *i = l->first;
    if (i)
        l->first = i->next;
    return i;
}

struct ovl_tcp_item *ovl_tcp_remove_tag(struct ovl_tcp_list *l, int tag)
{
    for (struct ovl_tcp_item **at = &l->first; *at; at = &(*at)->next)
        if ((*at)->tag == tag) {
            struct ovl_tcp_item *found = *at;
            *at = found->next;
            if (!found->next)
                l->last = at;
            return found;
        }
    return NULL;
}

void ovl_tcp_clear(struct ovl_tcp_list *l)
{
    for (struct ovl_tcp_item *i; (i = ovl_tcp_pop(l));)
        free(i);
}

/* The unsent parts of the first items. */
static size_t gather(const struct ovl_tcp_conn *c, struct iovec io[2 * AT_ONCE])
{
    size_t n = 0, skip = c->done;
    for (struct ovl_tcp_item *i = c->leaving.first; i && n + 2 <= 2 * AT_ONCE; i = i->next) {
        size_t of_data = skip > i->head_bytes ? skip - i->head_bytes : 0;
        if (skip < i->head_bytes)
            io[n++] = (struct iovec){i->head + skip, i->head_bytes - skip};
        if (of_data < i->bytes)
            io[n++] = (struct iovec){i->data + of_data, i->bytes - of_data};
        skip = 0;
    }
    return n;
}

int ovl_tcp_flush(struct ovl_tcp_conn *c, struct ovl_tcp_list *gone)
{
    while (c->leaving.first) {
        struct iovec io[2 * AT_ONCE];
        struct msghdr m = {.msg_iov = io, .msg_iovlen = gather(c, io)};
        ssize_t sent = sendmsg(c->fd, &m, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN ? 0 : -1;
        c->done += (size_t)sent;
        for (struct ovl_tcp_item *i; (i = c->leaving.first) && c->done >= i->head_bytes + i->bytes;) {
            c->done -= i->head_bytes + i->bytes;
            ovl_tcp_push(gone, ovl_tcp_pop(&c->leaving));
        }
    }
    return 0;
}

ssize_t ovl_tcp_read(struct ovl_tcp_conn *c, struct iovec *to, int places)
{
    struct msghdr m = {.msg_iov = to, .msg_iovlen = (size_t)places};
    ssize_t n;
    do
        n = recvmsg(c->fd, &m, 0);
    while (n < 0 && errno == EINTR);
    return n > 0 ? n : n < 0 && errno == EAGAIN ? 0 : -1;
}

void ovl_tcp_listen_for(struct ovl_tcp_conn *c, int epoll, bool reads)
{
    /* Of an error epoll tells in any case: of one that is not to be read yet only once. */
    uint32_t events = (reads ? EPOLLIN : EPOLLET) | (c->leaving.first ? EPOLLOUT : 0U);
    if (c->fd < 0 || events == c->listens)
        return;
    epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &(struct epoll_event){.events = events, .data.ptr = c});
    c->listens = events;
}

bool ovl_tcp_kernel_tells(const char *release)
{
    int major = 0, minor = 0;
    return sscanf(release, "%d.%d", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 12));
}

static bool kernel_tells(void)
{
    static _Atomic int tells; /* 0: not looked yet */
    struct utsname system;
    if (tells == 0)
        tells = uname(&system) == 0 && ovl_tcp_kernel_tells(system.release) ? 1 : -1;
    return tells > 0;
}

void ovl_tcp_wait_for(struct ovl_tcp_conn *c, size_t bytes)
{
    enum { MOST = 256 << 10 }; /* of what a kernel holds for us at least */
    if (!kernel_tells())
        return;
    int least = bytes < MOST ? (int)bytes : MOST;
    if (c->fd >= 0 && least != c->least && setsockopt(c->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least) == 0)
        c->least = least;
}

int ovl_tcp_copy_rest(struct ovl_tcp_conn *c)
{
    struct ovl_tcp_item *i = ovl_tcp_pop(&c->leaving), *copy = calloc(1, sizeof *copy + i->head_bytes + i->bytes);
    ovl_tcp_clear(&c->leaving);
    if (copy) {
        copy->head_bytes = i->head_bytes + i->bytes;
        memcpy(copy->head, i->head, i->head_bytes);
        memcpy(copy->head + i->head_bytes, i->data, i->bytes);
        ovl_tcp_push(&c->leaving, copy);
    }
    free(i);
    return copy ? 0 : -1;
}
