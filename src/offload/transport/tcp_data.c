/* The receiving side of data: a head, then the data, into the memory of the receive that the head names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_data.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SHARE = 1 << 20, /* bytes of data read from one worker before the next has its turn */
    BRIEF = 4096     /* comes in one packet or two: to be told of its first byte is as good */
};

void ovl_tcp_shut(struct ovl_tcp_state *s, struct ovl_tcp_conn *c)
{
    struct ovl_tcp_peer *p = &s->peers[c->peer];
    if (c->fd < 0)
        return;
    close(c->fd);
    c->fd = -1;
    c->done = 0;
    for (struct ovl_tcp_item *i; (i = ovl_tcp_pop(&c->leaving)); free(i))
        s->ctrl_leaving -= !c->is_data;
    if (c->is_data && !p->data_bye) /* half a connection is none */
        ovl_tcp_shut(s, &p->conn[OVL_TCP_CTRL]);
    if (!c->is_data && !p->bye && !p->lost) {
        p->lost = true;
        s->there--;
    }
}

int ovl_tcp_refused(bool gone)
{
    errno = gone ? ENOTCONN : ENOMEM;
    return -1;
}

/* So many bytes that must have come before there is something to do: the rest of what comes, or the shortest message
   that is waited for. Where nothing is, it stays as it is, since the next operation is often like the last; goodbyes
   are short. */
static size_t least_of(const struct ovl_tcp_state *s, const struct ovl_tcp_peer *p)
{
    size_t least = (size_t)p->conn[OVL_TCP_DATA].least;
    if (p->bye || s->given_up)
        return 1;
    if (p->into)
        least = sizeof p->head + p->head.bytes - p->had;
    else if (p->wanted.first)
        least = p->wanted.first->bytes;
    for (const struct ovl_tcp_item *i = p->into ? NULL : p->wanted.first; i; i = i->next)
        least = i->bytes < least ? i->bytes : least;
    return least > BRIEF ? least : 1;
}

void ovl_tcp_data_take_any(struct ovl_tcp_state *s)
{
    enum { EVERY_NS = 100000000 };
    int64_t now = ovl_clock_ns();
    if (now < s->next_any)
        return;
    s->next_any = now + EVERY_NS;
    for (struct ovl_tcp_peer *p = s->peers; p < s->peers + s->count; p++) {
        bool waits = p->into || p->wanted.first;
        if (waits && p->still)
            ovl_tcp_wait_for(&p->conn[OVL_TCP_DATA], 1);
        p->still = waits;
    }
}

void ovl_tcp_data_listen(struct ovl_tcp_state *s, struct ovl_tcp_conn *c)
{
    const struct ovl_tcp_peer *p = &s->peers[c->peer];
    bool held = c->is_data && p->had >= sizeof p->head && !p->into && !s->given_up;
    if (c->is_data)
        ovl_tcp_wait_for(c, least_of(s, p));
    ovl_tcp_listen_for(c, s->epoll, !held);
}

bool ovl_tcp_data_advance(struct ovl_tcp_state *s, struct ovl_tcp_peer *p)
{
    if (p->had < sizeof p->head)
        return true;
    if (p->head.tag == OVL_TCP_GOODBYE) {
        p->data_bye = true;
        p->had = 0;
        return true;
    }
    if (!p->into)
        p->into = ovl_tcp_remove_tag(&p->wanted, (int)p->head.tag);
    if (!p->into && !s->given_up)
        return false;
    if (p->into && p->into->bytes != p->head.bytes) { /* not what was agreed on */
        ovl_tcp_shut(s, &p->conn[OVL_TCP_DATA]);
        return false;
    }
    if (p->had == sizeof p->head + p->head.bytes) {
        if (p->into)
            ovl_tcp_push(&s->ended, p->into);
        p->into = NULL;
        p->had = 0;
    }
    return true;
}

int ovl_tcp_data_receive(void *state, int from, int tag, void *data, size_t bytes, void *frag)
{
    struct ovl_tcp_state *s = state;
    struct ovl_tcp_peer *p = &s->peers[from];
    struct ovl_tcp_item *i = p->conn[OVL_TCP_DATA].fd < 0 ? NULL : calloc(1, sizeof *i);
    if (!i)
        return ovl_tcp_refused(p->conn[OVL_TCP_DATA].fd < 0);
    i->frag = frag;
    i->data = data;
    i->bytes = bytes;
    i->tag = tag;
    ovl_tcp_push(&p->wanted, i);
    ovl_tcp_data_advance(s, p);
    ovl_tcp_data_listen(s, &p->conn[OVL_TCP_DATA]);
    return 0;
}

/* Reads what there is of the message that comes, and the head behind it. What nobody wants any more goes into the
   buffer. Returns whether there may be more; -1 at the connection's end. */
static int read_some(struct ovl_tcp_state *s, struct ovl_tcp_peer *p, struct ovl_tcp_conn *c, size_t *taken)
{
    struct ovl_tcp_data_head next = {.tag = 0};
    const size_t head = sizeof p->head, whole = head + p->head.bytes;
    struct iovec to[2] = {{(char *)&p->head + p->had, head - p->had}, {&next, 0}};
    if (p->had >= head && p->into)
        to[0] = (struct iovec){p->into->data + p->had - head, whole - p->had}, to[1].iov_len = head;
    else if (p->had >= head)
        to[0] = (struct iovec){s->buffer, whole - p->had < OVL_TCP_BUFFER ? whole - p->had : OVL_TCP_BUFFER};
    ssize_t n = ovl_tcp_read(c, to, 2);
    size_t asked = to[0].iov_len + to[1].iov_len, first = (size_t)n < to[0].iov_len ? (size_t)n : to[0].iov_len;
    if (n <= 0)
        return (int)n;
    *taken += (size_t)n;
    p->still = false;
    p->had += first;
    if ((size_t)n > first) { /* the message is whole */
        ovl_tcp_data_advance(s, p);
        p->had = (size_t)n - first;
        p->head = next;
    }
    return (size_t)n == asked;
}

void ovl_tcp_data_read(struct ovl_tcp_state *s, struct ovl_tcp_conn *c)
{
    struct ovl_tcp_peer *p = &s->peers[c->peer];
    int more = 1;
    for (size_t taken = 0; more > 0 && taken < SHARE && ovl_tcp_data_advance(s, p) && c->fd >= 0;)
        if ((more = read_some(s, p, c, &taken)) < 0)
            ovl_tcp_shut(s, c);
    ovl_tcp_data_advance(s, p);
    ovl_tcp_data_listen(s, c);
}
