/* Control messages and data of workers by TCP: two connections a pair, so that data holds no control message up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/transport_tcp.h"
#include "base/clock.h"
#include "offload/transport/epoll_wait.h"
#include "offload/transport/tcp_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { CTRL_BYTES = sizeof(struct ovl_ctrl_msg) + OVL_EAGER_BYTES };

/* The last control message of a worker; no other has its kind. */
static const struct ovl_ctrl_msg goodbye = {.kind = OVL_CTRL_KINDS};

static void flush(struct ovl_tcp_state *s, struct ovl_tcp_conn *c)
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
        ovl_tcp_shut(s, c);
    ovl_tcp_data_listen(s, c);
}

static void leave(struct ovl_tcp_state *s, struct ovl_tcp_conn *c, struct ovl_tcp_item *i)
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

static int queue_ctrl(struct ovl_tcp_state *s, struct ovl_tcp_peer *p, const struct ovl_ctrl_msg *msg,
                      const void *payload)
{
    size_t bytes = (sizeof *msg + msg->bytes + 7) / 8 * 8;
    struct ovl_tcp_item *i = p->lost ? NULL : calloc(1, sizeof *i + bytes);
    if (!i)
        return ovl_tcp_refused(p->lost);
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
    struct ovl_tcp_state *s = state;
    return s->peers[to].bye ? 0 : queue_ctrl(s, &s->peers[to], msg, payload);
}

static int leave_data(struct ovl_tcp_state *s, struct ovl_tcp_peer *p, int tag, const void *data, size_t bytes,
                      void *frag)
{
    struct ovl_tcp_conn *c = &p->conn[OVL_TCP_DATA];
    struct ovl_tcp_data_head head = {.bytes = bytes, .tag = (uint32_t)tag};
    struct ovl_tcp_item *i = c->fd < 0 ? NULL : calloc(1, sizeof *i + sizeof head);
    if (!i)
        return ovl_tcp_refused(c->fd < 0);
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
    struct ovl_tcp_state *s = state;
    return leave_data(s, &s->peers[to], tag, data, bytes, frag);
}

/* Calls for each whole control message of [0, bytes) in the buffer; the rest is kept. Returns how many, -1 where what
   came is none or there is no memory. */
static int read_messages(struct ovl_tcp_state *s, struct ovl_tcp_peer *p, size_t bytes,
                         const struct ovl_transport_events *events, void *to)
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
            ovl_tcp_data_listen(s, &p->conn[OVL_TCP_DATA]); /* its last word may be short */
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

static int read_ctrl(struct ovl_tcp_state *s, struct ovl_tcp_conn *c, const struct ovl_transport_events *events,
                     void *to)
{
    struct ovl_tcp_peer *p = &s->peers[c->peer];
    size_t had = p->rest_bytes;
    if (had)
        memcpy(s->buffer, p->rest, had);
    ssize_t n = ovl_tcp_read(c, &(struct iovec){s->buffer + had, OVL_TCP_BUFFER - had}, 1);
    int messages = n > 0 ? read_messages(s, p, had + (size_t)n, events, to) : (int)n;
    if (messages < 0)
        ovl_tcp_shut(s, c);
    return messages < 0 ? 0 : messages;
}

/* What the last sleep ended with, else what there is now. */
static int next_events(struct ovl_tcp_state *s)
{
    int n = s->events;
    s->events = 0;
    if (n == 0 && !s->skips && s->count > 1)
        return epoll_wait(s->epoll, s->event, OVL_TCP_EVENTS, 0);
    s->skips = n > 0;
    return n;
}

static int poll_tcp(void *state, const struct ovl_transport_events *events, void *to)
{
    struct ovl_tcp_state *s = state;
    int n = next_events(s), moved = 0;
    for (int i = 0; i < n; i++) {
        struct ovl_tcp_conn *c = s->event[i].data.ptr;
        uint32_t what = s->event[i].events;
        if (!c) /* the bell */
            continue;
        if (c->fd >= 0 && what & EPOLLOUT)
            flush(s, c);
        if (c->fd >= 0 && what & ~(uint32_t)EPOLLOUT) {
            if (c->is_data)
                ovl_tcp_data_read(s, c);
            else
                moved += read_ctrl(s, c, events, to);
        }
    }
    for (struct ovl_tcp_item *i; (i = ovl_tcp_pop(&s->ended)); free(i), moved++)
        events->on_complete(to, i->frag);
    ovl_tcp_data_take_any(s);
    return moved;
}

/* Of what is under way the kernel tells; what has ended here already is taken at the next poll. */
static void sleep_tcp(void *state, int64_t ns)
{
    struct ovl_tcp_state *s = state;
    s->skips = false;
    if (s->ended.first || s->events > 0)
        return;
    int n = ovl_epoll_wait(s->epoll, s->event, OVL_TCP_EVENTS, ns);
    s->events = n > 0 ? n : 0;
}

static int listen_tcp(void *state, int bell)
{
    const struct ovl_tcp_state *s = state;
    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, bell, &(struct epoll_event){.events = EPOLLIN | EPOLLET});
}

static bool quiet(void *state)
{
    const struct ovl_tcp_state *s = state;
    return s->ctrl_leaving == 0;
}

static bool left(void *state, int worker)
{
    const struct ovl_tcp_peer *p = &((struct ovl_tcp_state *)state)->peers[worker];
    return p->bye && p->data_bye;
}

static void cancel(void *state)
{
    struct ovl_tcp_state *s = state;
    s->given_up = true;
    for (struct ovl_tcp_peer *p = s->peers; p < s->peers + s->count; p++) {
        struct ovl_tcp_conn *c = &p->conn[OVL_TCP_DATA];
        if (c->done == 0)
            ovl_tcp_clear(&c->leaving);
        else if (c->leaving.first->frag && ovl_tcp_copy_rest(c) != 0)
            ovl_tcp_shut(s, c);
        ovl_tcp_clear(&p->wanted);
        free(p->into);
        p->into = NULL;
        ovl_tcp_data_advance(s, p);
        ovl_tcp_data_listen(s, c);
    }
    ovl_tcp_clear(&s->ended);
}

int ovl_transport_tcp_open(struct ovl_transport *t, int (*fds)[OVL_TCP_STREAMS], int count, int index,
                           struct ovl_error *err)
{
    struct ovl_tcp_state *s = calloc(1, sizeof *s);
    struct ovl_tcp_peer *peers = calloc((size_t)count, sizeof *peers);
    char *buffer = malloc(OVL_TCP_BUFFER);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!s || !peers || !buffer || epoll < 0) {
        if (epoll >= 0)
            close(epoll);
        free(s);
        free(peers);
        free(buffer);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the worker's messages");
    }
    *s = (struct ovl_tcp_state){
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
                                .tags = OVL_TCP_TAGS,
                                .send_ctrl = send_ctrl,
                                .send = send_data,
                                .receive = ovl_tcp_data_receive,
                                .poll = poll_tcp,
                                .sleep = sleep_tcp,
                                .listen = listen_tcp,
                                .quiet = quiet,
                                .left = left,
                                .cancel = cancel};
    return 0;
}

static bool is_leaving(const struct ovl_tcp_state *s)
{
    bool data = false;
    for (const struct ovl_tcp_peer *p = s->peers; p < s->peers + s->count; p++)
        data = data || p->conn[OVL_TCP_DATA].leaving.first;
    return data || s->ctrl_leaving > 0;
}

void ovl_transport_tcp_close(struct ovl_transport *t, double seconds)
{
    struct ovl_tcp_state *s = t->state;
    int64_t end = ovl_clock_ns() + (int64_t)(seconds * 1e9);
    cancel(s);
    for (int i = 0; i < s->count && seconds > 0; i++)
        if (leave_data(s, &s->peers[i], OVL_TCP_GOODBYE, NULL, 0, NULL) == 0)
            queue_ctrl(s, &s->peers[i], &goodbye, NULL);
    struct epoll_event e;
    while ((s->there > 0 || is_leaving(s)) && ovl_clock_ns() < end)
        if (poll_tcp(s, &ovl_transport_no_events, NULL) == 0)
            epoll_wait(s->epoll, &e, 1, 10);
    for (struct ovl_tcp_peer *p = s->peers; p < s->peers + s->count; p++) {
        for (int k = 0; k < OVL_TCP_STREAMS; k++)
            ovl_tcp_shut(s, &p->conn[k]);
        free(p->rest);
    }
    close(s->epoll);
    free(s->buffer);
    free(s->peers);
    free(s);
}
