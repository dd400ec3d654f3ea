/* Moving bytes inside a node: buffers of ranks, temporary memory, reductions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

#include <errno.h>
#include <string.h>

char *ovl_task_address(const struct ovl_task *task, struct ovl_spot spot, uint64_t *place)
{
    *place = 0;
    if (spot.buffer == OVL_TEMPORARY)
        return task->temporary + spot.offset;
    *place = (spot.buffer == OVL_SEND_BUFFER ? task->command.send : task->command.recv) + spot.offset;
    return ovl_reach_direct(&task->client->reach, *place);
}

void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_reach *reach, int why)
{
    ovl_worker_fail(w, "cannot reach the memory of rank %d: %s", reach->host,
                    reach->wire && reach->wire->lost ? reach->wire->lost : strerror(why));
}

static int reached(struct ovl_worker *w, const struct ovl_reach *reach, int rc)
{
    if (rc != 0)
        ovl_worker_unreached(w, reach, errno);
    return rc;
}

int ovl_task_get(struct ovl_worker *w, const struct ovl_task *task, void *to, struct ovl_spot from, size_t bytes)
{
    uint64_t place;
    const struct ovl_reach *reach = &task->client->reach;
    const char *address = ovl_task_address(task, from, &place);
    if (!address)
        return reached(w, reach, ovl_reach_get(reach, to, place, bytes));
    memcpy(to, address, bytes);
    return 0;
}

int ovl_task_put(struct ovl_worker *w, const struct ovl_task *task, struct ovl_spot to, const void *from, size_t bytes)
{
    uint64_t place;
    const struct ovl_reach *reach = &task->client->reach;
    char *address = ovl_task_address(task, to, &place);
    if (!address)
        return reached(w, reach, ovl_reach_put(reach, place, from, bytes));
    if (address != from)
        memmove(address, from, bytes);
    return 0;
}

static struct ovl_spot moved(struct ovl_spot spot, size_t offset)
{
    return (struct ovl_spot){spot.buffer, spot.offset + offset};
}

/* At most a chunk: it fits the scratch. */
static void combine(struct ovl_worker *w, struct ovl_transfer *t, const char *data, size_t offset, size_t bytes)
{
    const struct ovl_task *task = t->task;
    uint64_t place;
    struct ovl_spot from_spot = moved(t->step->from, offset), to_spot = moved(t->step->to, offset);
    const char *from = ovl_task_address(task, from_spot, &place);
    char *to = ovl_task_address(task, to_spot, &place), *result = to ? to : w->scratch[2];
    if (!from) {
        if (ovl_task_get(w, task, w->scratch[1], from_spot, bytes) != 0)
            return;
        from = w->scratch[1];
    }
    ovl_combine(task->command.combiner, task->command.number, result, data, from, bytes);
    if (!to)
        ovl_task_put(w, task, to_spot, result, bytes);
}

void ovl_transfer_deliver(struct ovl_worker *w, struct ovl_transfer *t, const char *data, size_t offset, size_t bytes)
{
    if (t->step->kind != OVL_STEP_REDUCE) {
        if (bytes)
            ovl_task_put(w, t->task, moved(t->step->to, offset), data, bytes);
        return;
    }
    for (size_t done = 0; done < bytes; done += OVL_CHUNK) {
        size_t now = bytes - done < OVL_CHUNK ? bytes - done : OVL_CHUNK;
        combine(w, t, data + done, offset + done, now);
    }
}

/* A piece from the source of a copy. Straight to its end where the one side can be addressed. */
static void copy_piece(struct ovl_worker *w, struct ovl_transfer *t, size_t offset, size_t bytes)
{
    const char *data = t->source ? t->source + offset : NULL;
    if (!data) {
        uint64_t place;
        char *to =
            t->step->kind == OVL_STEP_REDUCE ? NULL : ovl_task_address(t->task, moved(t->step->to, offset), &place);
        char *into = to ? to : w->scratch[0];
        if (reached(w, t->reach, ovl_reach_get(t->reach, into, t->place + offset, bytes)) != 0 || to)
            return;
        data = into;
    }
    ovl_transfer_deliver(w, t, data, offset, bytes);
}

void ovl_transfer_copy(struct ovl_worker *w, struct ovl_transfer *t)
{
    if (w->wired && ovl_transfer_is_carried(t))
        ovl_transfer_carry(w, t);
    else
        ovl_queue_put(&w->copies, t);
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
