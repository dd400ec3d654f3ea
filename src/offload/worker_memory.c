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
