/* A sample of each scheme with the times of its events, for the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "base/clock.h"

/* Collective: a traced sample; its seconds at the slowest rank. */
static double trace(struct ovl_serve *s, int scheme, struct ovl_trace *to)
{
    double took, slowest;
    s->tracing = ovl_trace_open(&s->plan.own.events.events);
    s->players[scheme].run.mask = OVL_MASK_TOTAL;
    MPI_Barrier(s->job.comm);
    s->tracing.start = ovl_clock_ns();
    s->job.app->schemes->play(&s->job, scheme, OVL_MASK_TOTAL);
    took = ovl_clock_since(s->tracing.start);
    *to = s->tracing;
    s->tracing = (struct ovl_trace){.spans = NULL};
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
    return slowest;
}

/* Collective: all of the trace where a record has room for it, else an iteration. */
static void choose(const struct ovl_serve *s, size_t *first, size_t *end)
{
    const struct ovl_serve_events *e = &s->plan.own.events;
    int fits = e->events.count <= OVL_SPANS_OF_LANE, middle = s->iterations / 2;
    MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, s->job.comm);
    for (*first = 0; *first < e->events.count && !fits && e->notes[*first].iteration < middle;)
        ++*first;
    for (*end = *first; *end < e->events.count && (fits || e->notes[*end].iteration == middle);)
        ++*end;
}

void ovl_serve_trace(struct ovl_serve *s, int scheme)
{
    struct ovl_trace traces[OVL_TRACES];
    double seconds[OVL_TRACES];
    size_t first, end;
    if (!s->options.common.json)
        return;
    for (int i = 0; i < OVL_TRACES; i++)
        seconds[i] = trace(s, scheme, &traces[i]);
    choose(s, &first, &end);
    s->players[scheme].lanes =
        ovl_timeline_lanes(&s->plan.own.events.events, first, end, &traces[ovl_trace_middle(seconds)], s->job.comm);
    for (int i = 0; i < OVL_TRACES; i++)
        ovl_trace_close(&traces[i]);
}
