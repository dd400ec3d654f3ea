/* The two halves of a transfer meet: by the same worker, by a copy on one node, or by letters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

#include <stdlib.h>
#include <string.h>

static bool same_node(const struct ovl_transfer *t)
{
    const struct ovl_worker_team *team = t->task->team;
    return team->node[t->step->peer] == team->node[team->rank];
}

/* Must the sender speak first? It does where the receiver cannot know how the message will come, or would have to
   hold a staging block for a sender that may not have posted. */
static bool sender_speaks(const struct ovl_transfer *t)
{
    return t->step->bytes <= OVL_EAGER_BYTES || t->task->command.flags & OVL_COMMAND_STAGED || same_node(t);
}

static void set_key(struct ovl_transfer *t, bool sends)
{
    const struct ovl_task *task = t->task;
    t->entry.key = (struct ovl_key){
        .team = task->team->id,
        .sequence = task->sequence,
        .source = sends ? task->team->rank : t->step->peer,
        .destination = sends ? t->step->peer : task->team->rank,
        .tag = t->step->tag,
    };
    t->entry.transfer = t;
}

void ovl_transfer_copy(struct ovl_worker *w, struct ovl_transfer *t)
{
    if (w->wired && ovl_transfer_is_carried(t))
        ovl_transfer_carry(w, t);
    else
        ovl_queue_put(&w->copies, t);
}

static void begin_copy(struct ovl_worker *w, struct ovl_transfer *to, struct ovl_transfer *from)
{
    to->sender = from;
    to->source = ovl_task_address(from->task, from->step->from, &to->place);
    to->reach = &from->task->client->reach;
    ovl_transfer_copy(w, to);
}

/* The message itself in a letter, if it is small and there is credit. */
static bool send_eagerly(struct ovl_worker *w, struct ovl_transfer *t)
{
    struct ovl_fellow *f = &w->fellows[t->worker];
    size_t bytes = t->step->bytes;
    if (bytes > OVL_EAGER_BYTES || f->credit < ovl_worker_eager_cost(bytes))
        return false;
    uint64_t place;
    const char *data = bytes ? ovl_task_address(t->task, t->step->from, &place) : w->scratch[0];
    if (!data) {
        if (ovl_task_get(w, t->task, w->scratch[0], t->step->from, bytes) != 0)
            return true;
        data = w->scratch[0];
    }
    f->credit -= ovl_worker_eager_cost(bytes);
    struct ovl_letter letter = {.kind = OVL_LETTER_EAGER, .key = t->entry.key, .bytes = (uint32_t)bytes};
    ovl_worker_post(w, t->worker, &letter, data);
    ovl_transfer_ended(w, t);
    return true;
}

/* READY has come, perhaps for more than before. */
static void ready(struct ovl_worker *w, struct ovl_transfer *t, const struct ovl_letter *letter)
{
    t->granted = letter->place;
    t->chunk = letter->chunk;
    t->tag = letter->host;
    if (t->granted < t->step->bytes)
        ovl_table_put(&w->table[OVL_SENDING], &t->entry);
    ovl_transfer_push(w, t);
}

void ovl_transfer_send(struct ovl_worker *w, struct ovl_transfer *t)
{
    uint64_t place = 0;
    set_key(t, true);
    t->direct = t->step->bytes ? ovl_task_address(t->task, t->step->from, &place) : NULL;
    if (t->worker == w->plan.index) {
        struct ovl_entry *e = ovl_table_take(&w->table[OVL_RECEIVING], &t->entry.key);
        if (e)
            begin_copy(w, e->transfer, t);
        else
            ovl_table_put(&w->table[OVL_RECEIVING], &t->entry);
        return;
    }
    /* What stands in this worker's own memory another one cannot copy. */
    if (same_node(t) && t->step->from.buffer != OVL_TEMPORARY && t->step->bytes) {
        struct ovl_letter offer = {
            .kind = OVL_LETTER_OFFER, .key = t->entry.key, .place = place, .host = t->task->client->segment->host};
        ovl_table_put(&w->table[OVL_SENDING], &t->entry);
        ovl_worker_post(w, t->worker, &offer, NULL);
        return;
    }
    if (send_eagerly(w, t))
        return;
    if (sender_speaks(t)) {
        struct ovl_letter want = {.kind = OVL_LETTER_WANT, .key = t->entry.key};
        ovl_table_put(&w->table[OVL_SENDING], &t->entry);
        ovl_worker_post(w, t->worker, &want, NULL);
        return;
    }
    struct ovl_entry *e = ovl_table_take(&w->table[OVL_SENDING], &t->entry.key);
    if (e) {
        ready(w, t, &e->letter);
        free(e);
    } else
        ovl_table_put(&w->table[OVL_SENDING], &t->entry);
}

static const struct ovl_reach *reach_of(const struct ovl_worker *w, int host)
{
    for (int c = 0; c < w->client_count; c++)
        if (w->clients[c].segment->host == host)
            return &w->clients[c].reach;
    return NULL;
}

/* A letter of the sender and a posted receive have met. */
static void meet(struct ovl_worker *w, struct ovl_transfer *t, const struct ovl_letter *letter, const void *payload)
{
    switch (letter->kind) {
    case OVL_LETTER_EAGER:
        ovl_transfer_deliver(w, t, payload, 0, letter->bytes);
        ovl_worker_consumed(w, t->worker, letter->bytes);
        ovl_transfer_ended(w, t);
        break;
    case OVL_LETTER_OFFER:
        t->reach = reach_of(w, letter->host);
        t->place = letter->place;
        if (!t->reach)
            ovl_worker_fail(w, "was offered the memory of rank %d, which it does not serve", letter->host);
        else {
            t->source = ovl_reach_direct(t->reach, t->place);
            ovl_transfer_copy(w, t);
        }
        break;
    default:
        ovl_transfer_grant(w, t);
    }
}

void ovl_transfer_receive(struct ovl_worker *w, struct ovl_transfer *t)
{
    set_key(t, false);
    struct ovl_entry *e = ovl_table_take(&w->table[OVL_RECEIVING], &t->entry.key);
    if (e && e->transfer)
        begin_copy(w, t, e->transfer);
    else if (e) {
        meet(w, t, &e->letter, e + 1);
        free(e);
    } else if (t->worker == w->plan.index || sender_speaks(t))
        ovl_table_put(&w->table[OVL_RECEIVING], &t->entry);
    else
        ovl_transfer_grant(w, t);
}

static void keep(struct ovl_worker *w, struct ovl_table *table, int from, const struct ovl_letter *letter,
                 const void *payload)
{
    struct ovl_entry *e = malloc(sizeof *e + letter->bytes);
    if (!e) {
        ovl_worker_fail(w, "no memory for early messages");
        return;
    }
    *e = (struct ovl_entry){.key = letter->key, .from = from, .letter = *letter};
    if (letter->bytes)
        memcpy(e + 1, payload, letter->bytes);
    ovl_table_put(table, e);
}

void ovl_worker_letter(void *worker, int from, const struct ovl_letter *letter, const void *payload)
{
    struct ovl_worker *w = worker;
    struct ovl_fellow *f = &w->fellows[from];
    f->credit += letter->credit;
    f->asked = 0;
    bool to_sender = letter->kind == OVL_LETTER_READY || letter->kind == OVL_LETTER_DONE;
    struct ovl_table *table = &w->table[to_sender ? OVL_SENDING : OVL_RECEIVING];
    struct ovl_letter pong = {.kind = OVL_LETTER_PONG};
    struct ovl_entry *e;
    switch (letter->kind) {
    case OVL_LETTER_CREDIT:
    case OVL_LETTER_PONG:
        return;
    case OVL_LETTER_PING:
        ovl_worker_post(w, from, &pong, NULL);
        return;
    }
    e = ovl_table_take(table, &letter->key);
    if (!e)
        keep(w, table, from, letter, payload);
    else if (letter->kind == OVL_LETTER_READY)
        ready(w, e->transfer, letter);
    else if (letter->kind == OVL_LETTER_DONE)
        ovl_transfer_ended(w, e->transfer);
    else
        meet(w, e->transfer, letter, payload);
}
