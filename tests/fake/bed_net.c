/* A transport and endpoints of lists, in one thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/bed_net.h"

#include <stdlib.h>
#include <string.h>

static void append(struct bed_list *l, struct bed_item *i)
{
    struct bed_item **at = &l->first;
    while (*at)
        at = &(*at)->next;
    i->next = NULL;
    *at = i;
}

static void take_out(struct bed_list *l, struct bed_item *i)
{
    struct bed_item **at = &l->first;
    while (*at != i)
        at = &(*at)->next;
    *at = i->next;
}

/* Does it arrive now? */
static bool arrives(struct bed_net *net, int kind, int at, int number)
{
    const struct bed_event *e = &net->event;
    if (net->chosen)
        return (int)e->kind == kind && e->at == at && e->number == number;
    return net->all || ovl_rng_next(&net->rng) % 2;
}

static int send_ctrl(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct bed_port *me = state;
    struct bed_item *i = calloc(1, sizeof *i + msg->bytes);
    i->from = me->index;
    i->msg = *msg;
    if (msg->bytes)
        memcpy(i->payload, payload, msg->bytes);
    append(&me->net->port[to].ctrl, i);
    me->net->messages[msg->kind]++;
    me->net->cts_behind_data += msg->kind == OVL_CTRL_CTS && me->has_sent[to];
    me->net->moved++;
    return 0;
}

/* MPI matches in the order posted, per sender and tag. */
static void match(struct bed_port *at)
{
    for (struct bed_item *r = at->receives.first; r; r = r->next) {
        for (int w = 0; w < at->net->workers && !r->match; w++)
            for (struct bed_item *s = at->net->port[w].sends.first; s && !r->match; s = s->next)
                if (w == r->from && s->from == at->index && s->tag == r->tag && !s->match) {
                    r->match = s;
                    s->match = r;
                }
    }
}

static struct bed_item *begin(struct bed_list *l, int peer, int tag, const void *data, size_t bytes, void *frag)
{
    struct bed_item *i = calloc(1, sizeof *i);
    *i = (struct bed_item){.from = peer, .tag = tag, .data = (char *)(uintptr_t)data, .bytes = bytes, .frag = frag};
    append(l, i);
    return i;
}

/* A send's `from` is where it goes to. Unless strict, it is buffered. */
static int send_data(void *state, int to, int tag, const void *data, size_t bytes, void *frag)
{
    struct bed_port *me = state;
    struct bed_item *i = begin(&me->sends, to, tag, data, bytes, frag);
    if (!me->net->strict) {
        i->data = malloc(bytes);
        memcpy(i->data, data, bytes);
    }
    match(&me->net->port[to]);
    me->net->data++;
    me->has_sent[to] = true;
    return 0;
}

static int receive_data(void *state, int from, int tag, void *data, size_t bytes, void *frag)
{
    struct bed_port *me = state;
    begin(&me->receives, from, tag, data, bytes, frag);
    match(me);
    return 0;
}

static void end_send(struct bed_port *at, struct bed_item *s)
{
    take_out(&at->sends, s);
    if (!at->net->strict)
        free(s->data);
    free(s);
}

static void end_receive(struct bed_port *at, struct bed_item *r)
{
    struct bed_item *s = r->match;
    if (s->bytes != r->bytes)
        abort();
    memcpy(r->data, s->data, s->bytes);
    s->polled = true;
    if (!s->frag) /* was told before */
        end_send(&at->net->port[r->from], s);
    take_out(&at->receives, r);
    free(r);
}

static bool send_can_end(const struct bed_net *net, const struct bed_item *s)
{
    return s->frag && (s->polled || !net->strict);
}

enum { BATCH = 512 };

static int poll_ctrl(struct bed_port *me, const struct ovl_transport_events *events, void *to)
{
    int n = 0;
    for (int from = 0; from < me->net->workers; from++)
        for (bool first = true; first || !me->net->chosen; first = false) {
            struct bed_item *i = me->ctrl.first;
            while (i && i->from != from)
                i = i->next;
            if (!i || !arrives(me->net, BED_CTRL, me->index, from))
                break;
            take_out(&me->ctrl, i);
            events->on_ctrl(to, from, &i->msg, i->payload);
            free(i);
            n++;
        }
    return n;
}

/* Which end is settled before anybody hears of it, who may begin something new. */
static int poll_data(struct bed_port *me, const struct ovl_transport_events *events, void *to)
{
    void *heard[BATCH];
    int n = 0, number = 0;
    for (struct bed_item *r = me->receives.first, *next; r && n < BATCH; r = next) {
        next = r->next;
        if (r->match && arrives(me->net, BED_RECEIVE, me->index, number++)) {
            heard[n++] = r->frag;
            end_receive(me, r);
        }
    }
    number = 0;
    for (struct bed_item *s = me->sends.first, *next; s && n < BATCH; s = next) {
        next = s->next;
        if (!send_can_end(me->net, s) || !arrives(me->net, BED_SEND, me->index, number++))
            continue;
        heard[n++] = s->frag;
        s->frag = NULL;
        if (s->polled)
            end_send(me, s);
    }
    for (int i = n - 1; i >= 0; i--) /* some order */
        events->on_complete(to, heard[i]);
    return n;
}

static int poll_port(void *state, const struct ovl_transport_events *events, void *to)
{
    struct bed_port *me = state;
    memset(me->has_sent, 0, sizeof me->has_sent);
    int n = poll_ctrl(me, events, to) + poll_data(me, events, to);
    me->net->moved += n;
    return n;
}

static bool quiet(void *state)
{
    (void)state;
    return true;
}

/* Its worker closes and polls no more; bed_net_close frees what is left. */
static void cancel(void *state)
{
    (void)state;
}

struct ovl_transport bed_transport(struct bed_net *net, int worker, int tags)
{
    return (struct ovl_transport){.state = &net->port[worker],
                                  .tags = tags,
                                  .send_ctrl = send_ctrl,
                                  .send = send_data,
                                  .receive = receive_data,
                                  .poll = poll_port,
                                  .quiet = quiet,
                                  .cancel = cancel};
}

/* Endpoints: both ends have the same copy, so that only RDMA is to be moved. */

static void push(struct ovl_ep *w, const void *what, size_t bytes)
{
    (void)w, (void)what, (void)bytes;
}

static bool begin_rdma(struct ovl_ep *ep, struct ovl_rdma *r)
{
    struct bed_ep *w = (struct bed_ep *)ep;
    r->next = w->first;
    w->first = r;
    w->net->moved++;
    return false;
}

static bool poll_ep(struct ovl_ep *ep)
{
    struct bed_ep *w = (struct bed_ep *)ep;
    struct ovl_rdma *ended = NULL;
    int number = 0, rank = (int)(w - w->net->ep);
    for (struct ovl_rdma **at = &w->first; *at && !w->stuck;) {
        struct ovl_rdma *r = *at;
        if (arrives(w->net, BED_RDMA, rank, number++)) {
            *at = r->next;
            memcpy(r->put ? (char *)(uintptr_t)r->there : r->here, r->put ? r->here : (char *)(uintptr_t)r->there,
                   r->waiting);
            r->next = ended;
            ended = r;
        } else
            at = &r->next;
    }
    bool any = ended;
    for (struct ovl_rdma *r = ended, *next; r; r = next) {
        next = r->next;
        w->net->moved++;
        r->complete(r);
    }
    return any;
}

static const struct ovl_ep_ops ep_ops = {.push = push, .begin = begin_rdma, .poll = poll_ep};

static int map_direct(struct ovl_region *region, const char *name, int socket)
{
    (void)region, (void)name, (void)socket;
    return 0;
}

static int map_remote(struct ovl_region *region, const char *name, int socket)
{
    (void)name, (void)socket;
    region->there = (uintptr_t)region->shared.base;
    region->shared.base = NULL;
    return 0;
}

const struct ovl_mem_path bed_direct_path = {.name = "direct", .map = map_direct};
const struct ovl_mem_path bed_remote_path = {.name = "remote", .staged = true, .remote = true, .map = map_remote};

void bed_net_open(struct bed_net *net, const struct bed_job *job, uint64_t seed)
{
    *net = (struct bed_net){
        .workers = job->workers, .ranks = job->ranks, .strict = job->strict, .rng = ovl_rng_seeded(seed ^ 0x2e7)};
    for (int w = 0; w < net->workers; w++)
        net->port[w] = (struct bed_port){.net = net, .index = w};
    for (int r = 0; r < net->ranks; r++)
        net->ep[r] = (struct bed_ep){.ep = {.kind = &ep_ops}, .net = net, .stuck = r == job->stuck};
}

static void empty(struct bed_list *l, bool data)
{
    for (struct bed_item *i; (i = l->first);) {
        l->first = i->next;
        if (data)
            free(i->data);
        free(i);
    }
}

void bed_net_close(struct bed_net *net)
{
    for (int w = 0; w < net->workers; w++) {
        empty(&net->port[w].ctrl, false);
        empty(&net->port[w].receives, false);
        empty(&net->port[w].sends, !net->strict);
    }
}

static int add(struct bed_event *events, int room, int n, int kind, int at, int count)
{
    for (int i = 0; i < count && n < room; i++, n++)
        events[n] = (struct bed_event){kind, at, i};
    return n;
}

int bed_events(const struct bed_net *net, struct bed_event *events, int room)
{
    int n = 0;
    for (int w = 0; w < net->workers; w++) {
        const struct bed_port *p = &net->port[w];
        int receives = 0, sends = 0;
        bool from[BED_WORKERS] = {false};
        for (const struct bed_item *i = p->ctrl.first; i; i = i->next)
            from[i->from] = true;
        for (int f = 0; f < net->workers && n < room; f++)
            if (from[f])
                events[n++] = (struct bed_event){BED_CTRL, w, f};
        for (const struct bed_item *i = p->receives.first; i; i = i->next)
            receives += i->match != NULL;
        for (const struct bed_item *i = p->sends.first; i; i = i->next)
            sends += send_can_end(net, i);
        n = add(events, room, n, BED_RECEIVE, w, receives);
        n = add(events, room, n, BED_SEND, w, sends);
    }
    for (int r = 0; r < net->ranks; r++) {
        int rdmas = 0;
        for (const struct ovl_rdma *i = net->ep[r].first; i && !net->ep[r].stuck; i = i->next)
            rdmas++;
        n = add(events, room, n, BED_RDMA, r, rdmas);
    }
    return n;
}
