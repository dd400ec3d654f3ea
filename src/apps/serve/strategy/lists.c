/* Lists of events with their notes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/strategy.h"

#include <math.h>
#include <stdlib.h>

void ovl_serve_events_open(struct ovl_serve_events *e, size_t requests, bool totals_alone)
{
    *e = (struct ovl_serve_events){.totals_alone = totals_alone};
    ovl_events_open(&e->events);
    e->lives = ovl_alloc(requests + 1, sizeof *e->lives);
    for (size_t r = 0; r < requests; r++)
        e->lives[r] = (struct ovl_serve_life){.begins = -1, .first = -1, .last = -1, .arrival = -1};
}

void ovl_serve_events_close(struct ovl_serve_events *e)
{
    ovl_events_close(&e->events);
    free(e->notes);
    free(e->place);
    free(e->works);
    free(e->works_at);
    free(e->lives);
    *e = (struct ovl_serve_events){.iterations = 0};
}

/* To all events since the last call. */
static void note_all(struct ovl_serve_events *e, size_t from, struct ovl_serve_note note)
{
    if (e->events.count > e->note_room) {
        e->note_room = 2 * e->events.count + 64;
        e->notes = ovl_grow(e->notes, e->note_room, sizeof *e->notes);
    }
    for (size_t i = from; i < e->events.count; i++)
        e->notes[i] = note;
}

void ovl_serve_compute(struct ovl_serve_events *e, struct ovl_event event, struct ovl_serve_note note)
{
    size_t from = e->events.count;
    e->totals.steps++;
    e->totals.macs += event.macs;
    if (e->totals_alone)
        return;
    event.work = OVL_EVENT_FORWARD;
    ovl_events_compute(&e->events, event);
    note_all(e, from, note);
}

int ovl_serve_post(struct ovl_serve_events *e, struct ovl_event event, struct ovl_serve_note note, int place)
{
    size_t from = e->events.count;
    e->totals.steps += 2; /* and its wait */
    e->totals.posts++;
    e->totals.bytes += event.bytes;
    double comes = event.route ? event.token_bytes * ovl_moe_sends(event.route, !event.returns) : 0;
    e->totals.largest = fmax(e->totals.largest, fmax(event.bytes, comes));
    if (event.route && !event.returns) {
        e->totals.routed++;
        e->totals.imbalance += ovl_moe_imbalance(event.route);
    }
    e->totals.routes += event.route ? ovl_moe_route_bytes(event.route) / 2 : 0; /* there, and back */
    e->places = place >= e->places ? place + 1 : e->places;
    if (e->totals_alone)
        return e->events.ids++;
    int id = ovl_events_post(&e->events, event);
    note_all(e, from, note);
    if (id >= e->place_room) {
        e->place_room = 2 * id + 64;
        e->place = ovl_grow(e->place, (size_t)e->place_room, sizeof *e->place);
    }
    e->place[id] = place;
    return id;
}

void ovl_serve_wait(struct ovl_serve_events *e, int id, struct ovl_serve_note note)
{
    size_t from = e->events.count;
    if (e->totals_alone)
        return;
    ovl_events_wait(&e->events, id);
    note_all(e, from, note);
}

void ovl_serve_end(struct ovl_serve_events *e)
{
    if (!e->totals_alone)
        ovl_events_step(&e->events);
}

void ovl_serve_live(struct ovl_serve_events *e, const struct ovl_batcher_work *w, size_t request)
{
    struct ovl_serve_life *life = &e->lives[request];
    if (w->begins)
        life->begins = e->iterations;
    if (w->writes && life->first < 0)
        life->first = e->iterations;
    else if (w->writes)
        life->last = e->iterations;
}

void ovl_serve_keep_works(const struct ovl_serve_ask *ask, struct ovl_serve_events *e, const struct ovl_iteration *it,
                          const size_t *which)
{
    if (!ask->works || e->totals_alone)
        return;
    if (e->works_count + it->count >= e->works_room) {
        e->works_room = 2 * (e->works_count + it->count) + 16;
        e->works = ovl_grow(e->works, e->works_room, sizeof *e->works);
    }
    e->works_at = ovl_grow_one(e->works_at, (size_t)e->iterations, sizeof *e->works_at);
    e->works_at[e->iterations] = e->works_count;
    for (size_t i = 0; i < it->count; i++) {
        struct ovl_batcher_work *to = &e->works[e->works_count++];
        *to = it->work[i];
        to->request = which ? which[to->request] : to->request;
    }
}

double ovl_serve_sent_bytes(const struct ovl_serve_ask *ask, double kept)
{
    return ask->packed_bytes > 0 ? kept * ask->packed_bytes / ask->kv_bytes : kept;
}

int64_t ovl_serve_tokens(const struct ovl_serve_ask *ask, double token_bytes)
{
    const double most = (double)OVL_TRACE_REQUESTS_MOST * 2 * OVL_TRACE_TOKENS_MOST;
    return (int64_t)(ask->kv_memory > 0 ? fmin(most, floor(ask->kv_memory / token_bytes)) : most);
}
