/* Intervals go into an array of fixed size, so that keeping them allocates nothing during an epoch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/intervals.h"
#include "base/clock.h"

enum { MOST = sizeof(((struct ovl_intervals *)0)->list) / sizeof(struct ovl_interval) };

void ovl_intervals_start(struct ovl_intervals *s)
{
    s->start = s->since = ovl_clock_ns();
    s->count = 0;
    s->over = false;
}

void ovl_intervals_add(struct ovl_intervals *s, enum ovl_span_kind kind, bool beside, int64_t begin, int64_t end)
{
    s->over |= s->count == MOST;
    if (s->over || end <= begin)
        return;
    s->list[s->count++] = (struct ovl_interval){kind, beside, begin, end};
}

void ovl_intervals_pause(struct ovl_intervals *s)
{
    ovl_intervals_add(s, OVL_SPAN_STEPS, false, s->since, ovl_clock_ns());
}

void ovl_intervals_resume(struct ovl_intervals *s)
{
    s->since = ovl_clock_ns();
}

json_t *ovl_intervals_lanes(const struct ovl_intervals *s, const char *rank, const char *who)
{
    if (s->over || s->count == 0)
        return NULL;
    json_t *lanes = json_array(), *own = ovl_lane(rank), *beside = NULL;
    json_array_append_new(lanes, own);
    for (size_t i = 0; i < s->count; i++) {
        const struct ovl_interval *one = &s->list[i];
        if (one->beside && !beside) {
            beside = ovl_lane(who);
            json_array_append_new(lanes, beside);
        }
        ovl_lane_add(one->beside ? beside : own, one->kind, 1e-9 * (double)(one->begin - s->start),
                     1e-9 * (double)(one->end - s->start));
    }
    return lanes;
}
