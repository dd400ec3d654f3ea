/* A binary heap of events. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/event.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(const struct ovl_sim_event *a, const struct ovl_sim_event *b)
{
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time;
    return a->tie != b->tie ? a->tie < b->tie : a->number < b->number;
}

void ovl_sim_events_add(struct ovl_sim_events *h, struct ovl_sim_event event)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 1024;
        h->event = ovl_grow(h->event, h->room, sizeof *h->event);
    }
    event.number = h->added++;
    size_t at = h->count++;
    for (; at > 0 && before(&event, &h->event[(at - 1) / 2]); at = (at - 1) / 2)
        h->event[at] = h->event[(at - 1) / 2];
    h->event[at] = event;
}

struct ovl_sim_event ovl_sim_events_take(struct ovl_sim_events *h)
{
    struct ovl_sim_event first = h->event[0], last = h->event[--h->count];
    size_t at = 0;
    for (size_t below; (below = 2 * at + 1) < h->count; at = below) {
        if (below + 1 < h->count && before(&h->event[below + 1], &h->event[below]))
            below++;
        if (!before(&h->event[below], &last))
            break;
        h->event[at] = h->event[below];
    }
    h->event[at] = last;
    return first;
}

void ovl_sim_events_free(struct ovl_sim_events *h)
{
    free(h->event);
    *h = (struct ovl_sim_events){.count = 0};
}
