/* Operations get slots as they are posted and free them at their wait, so that few messages' memory is enough. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/events.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void ovl_events_clear(struct ovl_events *e)
{
    e->count = 0;
    e->ids = e->bulks = 0;
    if (e->routes)
        ovl_moe_routes_close(e->routes);
    free(e->routes);
    e->routes = NULL;
    memset(e->sequences, 0, sizeof e->sequences);
    for (int s = 0; s < OVL_TRAIN_SLOTS; s++)
        e->slots[s] = -1;
}

void ovl_events_open(struct ovl_events *e)
{
    memset(e, 0, sizeof *e);
    ovl_events_clear(e);
}

void ovl_events_close(struct ovl_events *e)
{
    ovl_events_clear(e);
    free(e->list);
    free(e->posted_at);
    memset(e, 0, sizeof *e);
}

static void add(struct ovl_events *e, struct ovl_event event)
{
    if (e->count == e->room) {
        e->room = e->room ? 2 * e->room : 256;
        e->list = ovl_check_alloc(realloc(e->list, e->room * sizeof *e->list));
    }
    e->list[e->count++] = event;
}

void ovl_events_compute(struct ovl_events *e, struct ovl_event event)
{
    event.kind = OVL_EVENT_COMPUTE;
    event.layers = event.layers > 0 ? event.layers : 1;
    add(e, event);
}

void ovl_events_bulk(struct ovl_events *e, struct ovl_event event)
{
    event.bulk = true;
    ovl_events_compute(e, event);
    e->bulks++;
}

/* A slot that is free, which the oldest operation makes where none is. */
static int free_slot(struct ovl_events *e)
{
    int oldest = 0;
    for (int s = 0; s < OVL_TRAIN_SLOTS; s++) {
        if (e->slots[s] < 0)
            return s;
        oldest = e->slots[s] < e->slots[oldest] ? s : oldest;
    }
    ovl_events_wait(e, e->slots[oldest]);
    return oldest;
}

int ovl_events_post(struct ovl_events *e, struct ovl_event event)
{
    event.kind = OVL_EVENT_POST;
    event.slot = free_slot(e);
    event.id = e->ids;
    event.sequence = e->sequences[event.team.axis]++;
    if (e->ids == e->id_room) {
        e->id_room = e->id_room ? 2 * e->id_room : 128;
        e->posted_at = ovl_check_alloc(realloc(e->posted_at, (size_t)e->id_room * sizeof *e->posted_at));
    }
    e->posted_at[e->ids++] = (int)e->count;
    e->slots[event.slot] = event.id;
    add(e, event);
    return event.id;
}

void ovl_events_wait(struct ovl_events *e, int id)
{
    int slot = e->list[e->posted_at[id]].slot;
    if (e->slots[slot] != id)
        return;
    e->slots[slot] = -1;
    add(e, (struct ovl_event){.kind = OVL_EVENT_WAIT, .id = id, .slot = slot});
}

void ovl_events_wait_all(struct ovl_events *e)
{
    for (int id = 0; id < e->ids; id++)
        ovl_events_wait(e, id);
}

void ovl_events_step(struct ovl_events *e)
{
    add(e, (struct ovl_event){.kind = OVL_EVENT_STEP});
}

double ovl_event_bus_bytes(const struct ovl_event *post)
{
    double n = post->team.ranks;
    return post->operation == OVL_ISENDRECV ? post->bytes
                                            : (post->operation == OVL_IALLREDUCE ? 2 : 1) * (n - 1) / n * post->bytes;
}
