/* A transport made of lists, under one lock for each worker. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/transport.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A control message, or data sent or to be received, or the news of an end. */
struct item {
    struct item *next;
    int from, tag;
    struct ovl_ctrl_msg msg;
    void *data;
    size_t bytes;
    void *frag;
    int sender;
    char payload[];
};

struct list {
    struct item *first, **last;
};

struct fake_box {
    pthread_mutex_t lock;
    struct list ctrl_comm, sent, wanted, ended;
    int index, count;
    struct fake_box *all;
};

static void put(struct list *l, struct item *i)
{
    if (!l->first)
        l->last = &l->first;
    i->next = NULL;
    *l->last = i;
    l->last = &i->next;
}

static struct item *take(struct list *l)
{
    struct item *i = l->first;
    if (i)
        l->first = i->next;
    return i;
}

/* The first item of that origin and tag. */
static struct item *pick(struct list *l, int from, int tag)
{
    for (struct item **at = &l->first; *at; at = &(*at)->next)
        if ((*at)->from == from && (*at)->tag == tag) {
            struct item *found = *at;
            *at = found->next;
            if (!found->next)
                l->last = at;
            return found;
        }
    return NULL;
}

static struct item *item(size_t payload)
{
    return calloc(1, sizeof(struct item) + payload);
}

static int send_letter(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct fake_box *me = state, *box = &me->all[to];
    struct item *i = item(msg->bytes);
    i->from = me->index;
    i->msg = *msg;
    if (msg->bytes)
        memcpy(i->payload, payload, msg->bytes);
    pthread_mutex_lock(&box->lock);
    put(&box->ctrl_comm, i);
    pthread_mutex_unlock(&box->lock);
    return 0;
}

static void end(struct fake_box *box, struct item *i)
{
    pthread_mutex_lock(&box->lock);
    put(&box->ended, i);
    pthread_mutex_unlock(&box->lock);
}

/* Whoever comes second moves the data: nothing is buffered, as with a rendezvous. */
static void meet(struct fake_box *receiver, struct item *sent, struct item *wanted)
{
    if (sent->bytes != wanted->bytes)
        abort();
    memcpy(wanted->data, sent->data, sent->bytes);
    end(&receiver->all[sent->from], sent);
    end(receiver, wanted);
}

static int send_data(void *state, int to, int tag, const void *data, size_t bytes, void *frag)
{
    struct fake_box *me = state, *box = &me->all[to];
    struct item *i = item(0);
    *i = (struct item){.from = me->index, .tag = tag, .data = (void *)(uintptr_t)data, .bytes = bytes, .frag = frag};
    pthread_mutex_lock(&box->lock);
    struct item *wanted = pick(&box->wanted, me->index, tag);
    if (!wanted)
        put(&box->sent, i);
    pthread_mutex_unlock(&box->lock);
    if (wanted)
        meet(box, i, wanted);
    return 0;
}

static int receive_data(void *state, int from, int tag, void *data, size_t bytes, void *frag)
{
    struct fake_box *me = state;
    struct item *i = item(0);
    *i = (struct item){.from = from, .tag = tag, .data = data, .bytes = bytes, .frag = frag};
    pthread_mutex_lock(&me->lock);
    struct item *sent = pick(&me->sent, from, tag);
    if (!sent)
        put(&me->wanted, i);
    pthread_mutex_unlock(&me->lock);
    if (sent)
        meet(me, sent, i);
    return 0;
}

static int poll_box(void *state, const struct ovl_transport_events *events, void *to)
{
    struct fake_box *me = state;
    int n = 0;
    for (int kind = 0; kind < 2; kind++)
        for (;; n++) {
            pthread_mutex_lock(&me->lock);
            struct item *i = take(kind ? &me->ended : &me->ctrl_comm);
            pthread_mutex_unlock(&me->lock);
            if (!i)
                break;
            if (kind)
                events->on_complete(to, i->frag);
            else
                events->on_ctrl(to, i->from, &i->msg, i->payload);
            free(i);
        }
    return n;
}

static void empty(struct list *l)
{
    for (struct item *i; (i = take(l));)
        free(i);
}

static bool quiet(void *state)
{
    (void)state;
    return true;
}

static void cancel(void *state)
{
    struct fake_box *me = state;
    pthread_mutex_lock(&me->lock);
    empty(&me->wanted);
    pthread_mutex_unlock(&me->lock);
    for (struct fake_box *box = me->all; box < me->all + me->count; box++) {
        pthread_mutex_lock(&box->lock);
        for (struct item **at = &box->sent.first; *at;)
            if ((*at)->from == me->index) {
                struct item *gone = *at;
                *at = gone->next;
                free(gone);
            } else
                at = &(*at)->next;
        for (box->sent.last = &box->sent.first; *box->sent.last;)
            box->sent.last = &(*box->sent.last)->next;
        pthread_mutex_unlock(&box->lock);
    }
}

struct fake_box *fake_boxes_make(int count)
{
    struct fake_box *boxes = calloc((size_t)count, sizeof *boxes);
    for (int i = 0; i < count; i++) {
        pthread_mutex_init(&boxes[i].lock, NULL);
        boxes[i].index = i;
        boxes[i].count = count;
        boxes[i].all = boxes;
    }
    return boxes;
}

struct ovl_transport fake_transport(struct fake_box *boxes, int worker)
{
    return (struct ovl_transport){.state = &boxes[worker],
                                  .tags = 1000,
                                  .send_ctrl = send_letter,
                                  .send = send_data,
                                  .receive = receive_data,
                                  .poll = poll_box,
                                  .quiet = quiet,
                                  .cancel = cancel};
}

void fake_boxes_free(struct fake_box *boxes, int count)
{
    for (int i = 0; i < count; i++) {
        empty(&boxes[i].ctrl_comm);
        empty(&boxes[i].sent);
        empty(&boxes[i].wanted);
        empty(&boxes[i].ended);
        pthread_mutex_destroy(&boxes[i].lock);
    }
    free(boxes);
}
