/* Copies inside a node, a chunk at a turn: from memory of one rank to that of another, or within one rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

#include <errno.h>

/* A piece from the source of a copy. Straight to its end where the one side can be addressed. */
static void copy_piece(struct ovl_worker *w, struct ovl_transfer *t, size_t offset, size_t bytes)
{
    const char *data = t->source ? t->source + offset : NULL;
    struct ovl_spot to_spot = {t->step->to.buffer, t->step->to.offset + offset};
    if (!data) {
        uint64_t place;
        char *to = t->step->kind == OVL_STEP_REDUCE ? NULL : ovl_task_address(t->task, to_spot, &place);
        char *into = to ? to : w->scratch[0];
        if (ovl_reach_get(t->reach, into, t->place + offset, bytes) != 0) {
            ovl_worker_unreached(w, t->reach, errno);
            return;
        }
        if (to)
            return;
        data = into;
    }
    ovl_transfer_deliver(w, t, data, offset, bytes);
}

void ovl_transfer_copied(struct ovl_worker *w, struct ovl_transfer *t)
{
    if (t->sender)
        ovl_transfer_ended(w, t->sender);
    else if (t->step->kind != OVL_STEP_COPY) {
        struct ovl_letter done = {.kind = OVL_LETTER_DONE, .key = t->entry.key};
        ovl_worker_post(w, t->worker, &done, NULL);
    }
    ovl_transfer_ended(w, t);
}

int ovl_worker_copy(struct ovl_worker *w)
{
    struct ovl_transfer *t = ovl_queue_take(&w->copies);
    if (!t)
        return 0;
    size_t left = t->step->bytes - t->ended, now = left < OVL_CHUNK ? left : OVL_CHUNK;
    if (now)
        copy_piece(w, t, t->ended, now);
    t->ended += now;
    if (t->ended < t->step->bytes)
        ovl_queue_put(&w->copies, t);
    else
        ovl_transfer_copied(w, t);
    return 1;
}
