/* Copies from one rank of this worker to another where wires lead to both: a chunk is read and then written, several
 * chunks at a time, and the loop waits for none of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

bool ovl_transfer_is_carried(const struct ovl_transfer *t)
{
    uint64_t place;
    return t->reach && t->reach->wire && !t->source && t->step->bytes > 0 && t->step->kind != OVL_STEP_REDUCE &&
           !ovl_task_address(t->task, t->step->to, &place);
}

void ovl_transfer_carry(struct ovl_worker *w, struct ovl_transfer *t)
{
    t->begun = 0;
    ovl_queue_put(&w->to_carry, t);
}

static void read_chunk(struct ovl_carrier *c, struct ovl_transfer *t)
{
    size_t left = t->step->bytes - t->begun;
    c->transfer = t;
    c->offset = t->begun;
    c->bytes = left < OVL_CHUNK ? left : OVL_CHUNK;
    t->begun += c->bytes;
    ovl_reach_begin(t->reach, c->block, t->place + c->offset, c->bytes, false, &c->errand);
}

static void write_chunk(struct ovl_carrier *c)
{
    const struct ovl_transfer *t = c->transfer;
    struct ovl_spot to = {t->step->to.buffer, t->step->to.offset + c->offset};
    uint64_t place;
    ovl_task_address(t->task, to, &place);
    ovl_reach_begin(&t->task->client->reach, c->block, place, c->bytes, true, &c->errand);
}

static void go_on(struct ovl_worker *w, struct ovl_carrier *c)
{
    struct ovl_transfer *t = c->transfer;
    if (c->errand.why) {
        ovl_worker_unreached(w, c->errand.put ? &t->task->client->reach : t->reach, c->errand.why);
    } else if (!c->errand.put) {
        write_chunk(c);
    } else {
        c->transfer = NULL;
        t->ended += c->bytes;
        if (t->ended == t->step->bytes)
            ovl_transfer_copied(w, t);
    }
}

int ovl_worker_carry(struct ovl_worker *w)
{
    int n = 0;
    w->carrying = 0;
    for (struct ovl_carrier *c = w->carriers; c < w->carriers + OVL_CARRIERS && !w->failed; c++) {
        struct ovl_transfer *t;
        if (c->transfer && ovl_errand_ended(&c->errand)) {
            go_on(w, c);
            n++;
        }
        if (!c->transfer && (t = ovl_queue_take(&w->to_carry))) {
            read_chunk(c, t);
            if (t->begun < t->step->bytes)
                ovl_queue_put(&w->to_carry, t);
            n++;
        }
        w->carrying += c->transfer != NULL;
    }
    return n;
}
