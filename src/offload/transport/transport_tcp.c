/* Control messages and data of workers by TCP: two connections a pair, so that data holds no control message up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/transport_tcp.h"
#include "base/clock.h"
#include "offload/transport/tcp_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    CTRL_BYTES = sizeof(struct ovl_ctrl_msg) + OVL_EAGER_BYTES,
    BUFFER = 64 << 10, /* for what arrives of control messages, from one worker after the other */
    EVENTS = 64,
    SHARE = 1 << 20, /* bytes of data read from one worker before the next has its turn */
    TAGS = 1 << 20,
    GOODBYE = TAGS /* instead of a tag: no more data */
};

/* What goes before a piece of data. */
struct data_head {
    uint64_t bytes;
    uint32_t tag, zero;
};

struct peer {
    struct ovl_tcp_conn conn[OVL_TCP_STREAMS];
    bool bye, data_bye, lost; /* it said goodbye, there is no more data of it; it went without */
    char *rest;               /* the first `rest_bytes` of a control message */
    size_t rest_bytes;
    struct ovl_tcp_list wanted; /* receives in the order posted */
    struct data_head head;      /* of the data that comes: `had` bytes of head and data have come */
    size_t had;
    struct ovl_tcp_item *into; /* its receive; NULL: not posted yet, or given up */
};

struct state {
    int count, index, epoll, there; /* `there` workers have neither said goodbye nor gone */
    struct peer *peers;
    char *buffer;
    struct ovl_tcp_list ended;
    size_t ctrl_leaving;
    bool given_up; /* data that nobody wants is dropped */
};

/* The last control message of a worker; no other has its kind. */
static const struct ovl_ctrl_msg goodbye = {.kind = OVL_CTRL_KINDS};

static void shut(struct state *s, struct ovl_tcp_conn *c)
{
    struct peer *p = &s->peers[c->peer];
    if (c->fd < 0)
        return;
    close(c->fd);
    c->fd = -1;
    c->done = 0;
    for (struct ovl_tcp_item *i; (i = ovl_tcp_pop(&c->leaving)); free(i))
        s->ctrl_leaving -= !c->is_data;
    if (c->is_data && !p->data_bye) /* half a connection is none */
        shut(s, &p->conn[OVL_TCP_CTRL]);
    if (!c->is_data && !p->bye && !p->lost) {
        p->lost = true;
        s->there--;
    }
}

/* Data is read where a receive waits for it. */
static void listen_for(struct state *s, struct ovl_tcp_conn *c)
{
    const struct peer *p = &s->peers[c->peer];
    bool held = c->is_data && p->had >= sizeof p->head && !p->into && !s->given_up;
    ovl_tcp_listen_for(c, s->epoll, !held);
}

static void flush(struct state *s, struct ovl_tcp_conn *c)
{
    struct ovl_tcp_list gone = {.first = NULL};
    int rc = ovl_tcp_flush(c, &gone);
    for (struct ovl_tcp_item *i; (i = ovl_tcp_pop(&gone));)
        if (i->frag)
            ovl_tcp_push(&s->ended, i);
        else {
            s->ctrl_leaving -= !c->is_data;
            free(i);
        }
    if (rc != 0)
        shut(s, c);
    listen_for(s, c);
}

static void leave(struct state *s, struct ovl_tcp_conn *c, struct ovl_tcp_item *i)
{
    bool idle = !c->leaving.first;
    if (c->fd < 0) { /* closed after goodbyes */
        free(i);
        return;
    }
    s->ctrl_leaving += !c->is_data;
    ovl_tcp_push(&c->leaving, i);
    if (idle)
        flush(s, c);
}

static int refused(bool gone)
{
    errno = gone ? ENOTCONN : ENOMEM;
    return -1;
}

static int queue_ctrl(struct state *s, struct peer *p, const struct ovl_ctrl_msg *msg, const void *payload)
{
    size_t bytes = (sizeof *msg + msg->bytes + 7) / 8 * 8;
    struct ovl_tcp_item *i = p->lost ? NULL : calloc(1, sizeof *i + bytes);
    if (!i)
        return refused(p->lost);
    i->head_bytes = bytes;
    memcpy(i->head, msg, sizeof *msg);
    if (msg->bytes)
        memcpy(i->head + sizeof *msg, payload, msg->bytes);
    leave(s, &p->conn[OVL_TCP_CTRL], i);
    return 0;
}

/* Who has said goodbye needs no credit any more. */
static int send_ctrl(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct state *s = state;
    return s->peers[to].bye ? 0 : queue_ctrl(s, &s->peers[to], msg, payload);
}

static int leave_data(struct state *s, struct peer *p, int tag, const void *data, size_t bytes, void *frag)
{
    struct ovl_tcp_conn *c = &p->conn[OVL_TCP_DATA];
    struct data_head head = {.bytes = bytes, .tag = (uint32_t)tag};
    struct ovl_tcp_item *i = c->fd < 0 ? NULL : calloc(1, sizeof *i + sizeof head);
    if (!i)
        return refused(c->fd < 0);
    i->frag = frag;
    i->data = (char *)(uintptr_t)data;
    i->bytes = bytes;
    i->head_bytes = sizeof head;
    memcpy(i->head, &head, sizeof head);
    leave(s, c, i);
    return 0;
}

static int send_data(void *state, int to, int tag, const void *data, size_t bytes, void *frag)
{
    struct state *s = state;
    return leave_data(s, &s->peers[to], tag, data, bytes, frag);
}

/* Looks for who wants the data whose head has come, and ends what has come whole. False: it has to wait. */
static bool advance_read(struct state *s, struct peer *p)
{
    if (p->had < sizeof p->head)
        return true;
    if (p->head.tag == GOODBYE) {
        p->data_bye = true;
        p->had = 0;
        return true;
    }
    if (!p->into)
        p->into = ovl_tcp_remove_tag(&p->wanted, (int)p->head.tag);
    if (!p->into && !s->given_up)
        return false;
    if (p->into && p->into->bytes != p->head.bytes) { /* not what was agreed on */
        shut(s, &p->conn[OVL_TCP_DATA]);
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

static int receive_data(void *state, int from, int tag, void *data, size_t bytes, void *frag)
{
    struct state *s = state;
    struct peer *p = &s->peers[from];
    struct ovl_tcp_item *i = p->conn[OVL_TCP_DATA].fd < 0 ? NULL : calloc(1, sizeof *i);
    if (!i)
        return refused(p->conn[OVL_TCP_DATA].fd < 0);
    i->frag = frag;
    i->data = data;
    i->bytes = bytes;
    i->tag = tag;
    ovl_tcp_push(&p->wanted, i);
    advance_read(s, p);
    listen_for(s, &p->conn[OVL_TCP_DATA]);
    return 0;
}

/* What nobody wants any more goes into the buffer. */
static void read_data(struct state *s, struct ovl_tcp_conn *c)
{
    struct peer *p = &s->peers[c->peer];
    for (size_t taken = 0; taken < SHARE && advance_read(s, p) && c->fd >= 0;) {
        bool in_head = p->had < sizeof p->head;
        size_t had = in_head ? p->had : p->had - sizeof p->head,
               left = (in_head ? sizeof p->head : p->head.bytes) - had;
        char *to = in_head ? (char *)&p->head + had : p->into ? p->into->data + had : s->buffer;
        ssize_t n = ovl_tcp_read(c, to, in_head || p->into || left < BUFFER ? left : BUFFER);
        if (n < 0)
            shut(s, c);
        if (n <= 0)
            break;
        p->had += (size_t)n;
        taken += (size_t)n;
    }
    advance_read(s, p);
    listen_for(s, c);
    ovl_tcp_wait_for(c, p->into ? sizeof p->head + p->head.bytes - p->had : 1);
}

/* Calls for each whole control message of [0, bytes) in the buffer; the rest is kept. Returns how many, -1 where what
   came is none or there is no memory. */
static int read_messages(struct state *s, struct peer *p, size_t bytes, const struct ovl_transport_events *events,
                         void *to)
{
    size_t at = 0;
    int n = 0;
    struct ovl_ctrl_msg msg;
    for (; bytes - at >= sizeof msg; n++) {
        memcpy(&msg, s->buffer + at, sizeof msg);
        size_t whole = (sizeof msg + msg.bytes + 7) / 8 * 8;
        if (msg.bytes > OVL_EAGER_BYTES || msg.kind > OVL_CTRL_KINDS || p->bye)
            return -1;
        if (bytes - at < whole)
            break;
        if (msg.kind == goodbye.kind) {
            p->bye = true;
            s->there--;
        } else
            events->on_ctrl(to, p->conn[OVL_TCP_CTRL].peer, &msg, s->buffer + at + sizeof msg);
        at += whole;
    }
    p->rest_bytes = bytes - at;
    if (p->rest_bytes && !p->rest && !(p->rest = malloc(CTRL_BYTES + 8)))
        return -1;
    if (p->rest_bytes)
        memcpy(p->rest, s->buffer + at, p->rest_bytes);
    return n;
}

static int read_ctrl(struct state *s, struct ovl_tcp_conn *c, const struct ovl_transport_events *events, void *to)
{
    struct peer *p = &s->peers[c->peer];
    size_t had = p->rest_bytes;
    if (had)
        memcpy(s->buffer, p->rest, had);
    ssize_t n = ovl_tcp_read(c, s->buffer + had, BUFFER - had);
    int messages = n > 0 ? read_messages(s, p, had + (size_t)n, events, to) : (int)n;
    if (messages < 0)
        shut(s, c);
    return messages < 0 ? 0 : messages;
}

static int poll_tcp(void *state, const struct ovl_transport_events *events, void *to)
{
    struct state *s = state;
    struct epoll_event e[EVENTS];
    int n = s->count > 1 ? epoll_wait(s->epoll, e, EVENTS, 0) : 0, moved = 0;
    for (int i = 0; i < n; i++) {
        struct ovl_tcp_conn *c = e[i].data.ptr;
        if (c->fd >= 0 && e[i].events & EPOLLOUT)
            flush(s, c);
        if (c->fd >= 0 && e[i].events & ~(uint32_t)EPOLLOUT) {
            if (c->is_data)
                read_data(s, c);
            else
                moved += read_ctrl(s, c, events, to);
        }
    }
    for (struct ovl_tcp_item *i; (i = ovl_tcp_pop(&s->ended)); free(i), moved++)
        events->on_complete(to, i->frag);
    return moved;
}

/* Of what is under way the kernel tells; what has ended here already is taken at the next poll. */
static void sleep_tcp(void *state)
{
    struct state *s = state;
    struct epoll_event e;
    if (!s->ended.first && s->count > 1)
        epoll_wait(s->epoll, &e, 1, 1);
}

static bool quiet(void *state)
{
    const struct state *s = state;
    return s->ctrl_leaving == 0;
}

static bool left(void *state, int worker)
{
    const struct peer *p = &((struct state *)state)->peers[worker];
    return p->bye && p->data_bye;
}

static void cancel(void *state)
{
    struct state *s = state;
    s->given_up = true;
    for (struct peer *p = s->peers; p < s->peers + s->count; p++) {
        struct ovl_tcp_conn *c = &p->conn[OVL_TCP_DATA];
        if (c->done == 0)
            ovl_tcp_clear(&c->leaving);
        else if (c->leaving.first->frag && ovl_tcp_copy_rest(c) != 0)
            shut(s, c);
        ovl_tcp_clear(&p->wanted);
        free(p->into);
        p->into = NULL;
        advance_read(s, p);
        listen_for(s, c);
    }
    ovl_tcp_clear(&s->ended);
}

int ovl_transport_tcp_open(struct ovl_transport *t, int (*fds)[OVL_TCP_STREAMS], int count, int index,
                           struct ovl_error *err)
{
    struct state *s = calloc(1, sizeof *s);
    struct peer *peers = calloc((size_t)count, sizeof *peers);
    char *buffer = malloc(BUFFER);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!s || !peers || !buffer || epoll < 0) {
        if (epoll >= 0)
            close(epoll);
        free(s);
        free(peers);
        free(buffer);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the worker's messages");
    }
    *s = (struct state){
        .count = count, .index = index, .epoll = epoll, .there = count - 1, .peers = peers, .buffer = buffer};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < OVL_TCP_STREAMS; k++) {
            struct ovl_tcp_conn *c = &peers[i].conn[k];
            *c = (struct ovl_tcp_conn){
                .fd = i == index ? -1 : fds[i][k], .peer = i, .is_data = k == OVL_TCP_DATA, .listens = EPOLLIN};
            if (c->fd >= 0)
                epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &(struct epoll_event){.events = EPOLLIN, .data.ptr = c});
        }
    peers[index].lost = true; /* nobody sends to himself */
    *t = (struct ovl_transport){.state = s,
                                .tags = TAGS,
                                .send_ctrl = send_ctrl,
                                .send = send_data,
                                .receive = receive_data,
                                .poll = poll_tcp,
                                .sleep = sleep_tcp,
                                .quiet = quiet,
                                .left = left,
                                .cancel = cancel};
    return 0;
}

static bool is_leaving(const struct state *s)
{
    bool data = false;
    for (const struct peer *p = s->peers; p < s->peers + s->count; p++)
        data = data || p->conn[OVL_TCP_DATA].leaving.first;
    return data || s->ctrl_leaving > 0;
}

void ovl_transport_tcp_close(struct ovl_transport *t, double seconds)
{
    struct state *s = t->state;
    int64_t end = ovl_clock_ns() + (int64_t)(seconds * 1e9);
    cancel(s);
    for (int i = 0; i < s->count && seconds > 0; i++)
        if (leave_data(s, &s->peers[i], GOODBYE, NULL, 0, NULL) == 0)
            queue_ctrl(s, &s->peers[i], &goodbye, NULL);
    struct epoll_event e;
    while ((s->there > 0 || is_leaving(s)) && ovl_clock_ns() < end)
        if (poll_tcp(s, &ovl_transport_no_events, NULL) == 0)
            epoll_wait(s->epoll, &e, 1, 10);
    for (struct peer *p = s->peers; p < s->peers + s->count; p++) {
        for (int k = 0; k < OVL_TCP_STREAMS; k++)
            shut(s, &p->conn[k]);
        free(p->rest);
    }
    close(s->epoll);
    free(s->buffer);
    free(s->peers);
    free(s);
}
