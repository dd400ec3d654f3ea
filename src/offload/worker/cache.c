/* Schedules that are kept, since programs repeat themselves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "offload/worker/state.h"

#include <stdlib.h>

static void unlink_schedule(struct ovl_worker *w, struct ovl_cached_schedule *p)
{
    if (p->newer)
        p->newer->older = p->older;
    else
        w->newest = p->older;
    if (p->older)
        p->older->newer = p->newer;
    else
        w->oldest = p->newer;
}

static void link_newest(struct ovl_worker *w, struct ovl_cached_schedule *p)
{
    p->newer = NULL;
    p->older = w->newest;
    if (w->newest)
        w->newest->newer = p;
    else
        w->oldest = p;
    w->newest = p;
}

static struct ovl_cached_schedule **bucket_of(struct ovl_worker *w, const struct ovl_worker_team *team, uint64_t key)
{
    return &w->schedules[ovl_rng_mix(key ^ (uintptr_t)team) % OVL_SCHEDULE_BUCKETS];
}

static void drop(struct ovl_worker *w, struct ovl_cached_schedule *p)
{
    struct ovl_cached_schedule **at = bucket_of(w, p->team, p->key);
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    unlink_schedule(w, p);
    if (p->ops == 0)
        w->kept_bytes -= p->kept_bytes;
    ovl_schedule_free(p->schedule);
    free(p);
}

/* At least LEAST, so that a bounded number is kept. */
static size_t bytes_of(const struct ovl_schedule *s)
{
    enum { LEAST = 4096 };
    size_t bytes = sizeof(struct ovl_cached_schedule) + sizeof *s + s->steps * sizeof *s->step +
                   (size_t)s->rounds * sizeof *s->in_round;
    return bytes < LEAST ? LEAST : bytes;
}

struct ovl_cached_schedule *ovl_cache_acquire(struct ovl_worker *w, struct ovl_worker_team *team,
                                              const struct ovl_coll_shape *s)
{
    uint64_t key = ovl_schedule_key(s);
    struct ovl_cached_schedule **bucket = bucket_of(w, team, key), *p = *bucket;
    while (p && (p->team != team || p->key != key))
        p = p->next;
    if (p) {
        if (p->ops++ == 0)
            w->kept_bytes -= p->kept_bytes;
        unlink_schedule(w, p);
        link_newest(w, p);
        return p;
    }
    struct ovl_schedule *schedule = ovl_schedule_make(s);
    if (!schedule || !(p = malloc(sizeof *p))) {
        ovl_schedule_free(schedule);
        return NULL;
    }
    *p = (struct ovl_cached_schedule){
        .next = *bucket, .team = team, .schedule = schedule, .kept_bytes = bytes_of(schedule), .ops = 1, .key = key};
    *bucket = p;
    link_newest(w, p);
    return p;
}

void ovl_cache_release(struct ovl_worker *w, struct ovl_cached_schedule *cached)
{
    if (--cached->ops > 0)
        return;
    w->kept_bytes += cached->kept_bytes;
    for (struct ovl_cached_schedule *p = w->oldest, *newer; p && w->kept_bytes > OVL_KEPT_BYTES; p = newer) {
        newer = p->newer;
        if (p->ops == 0)
            drop(w, p);
    }
}

void ovl_cache_drop(struct ovl_worker *w, const struct ovl_worker_team *team)
{
    for (struct ovl_cached_schedule *p = w->newest, *older; p; p = older) {
        older = p->older;
        if (!team || p->team == team)
            drop(w, p);
    }
}
