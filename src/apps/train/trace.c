/* A sample of each scheme with the times of its events, for --timeline and for the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "base/clock.h"

static void play(struct ovl_train *t, int scheme)
{
    t->players[scheme].run.mask = OVL_MASK_TOTAL;
    t->job.app->schemes->play(&t->job, scheme, OVL_MASK_TOTAL);
}

/* Collective: a traced sample; its seconds at the slowest rank. */
static double trace(struct ovl_train *t, int scheme, struct ovl_trace *to)
{
    double took, slowest;
    t->timeline.now = ovl_trace_open(&t->plan.own.events);
    MPI_Barrier(t->job.comm);
    t->timeline.now.start = ovl_clock_ns();
    play(t, scheme);
    took = ovl_clock_since(t->timeline.now.start);
    *to = t->timeline.now;
    t->timeline.now = (struct ovl_trace){.spans = NULL};
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, t->job.comm);
    return slowest;
}

void ovl_train_trace(struct ovl_train *t, int scheme)
{
    struct ovl_train_player *p = &t->players[scheme];
    const struct ovl_events *e = &t->plan.own.events;
    struct ovl_trace traces[OVL_TRACES];
    double seconds[OVL_TRACES];
    if (!t->options.timeline && !t->options.common.json)
        return;
    play(t, scheme); /* warms up */
    for (int i = 0; i < OVL_TRACES; i++)
        seconds[i] = trace(t, scheme, &traces[i]);
    int middle = ovl_trace_middle(seconds);
    if (t->options.timeline)
        ovl_timeline_write(&t->timeline, e, &traces[middle], t->job.schemes.scheme[scheme].name, scheme, t->job.comm);
    p->lanes = ovl_timeline_lanes(e, 0, e->count, &traces[middle], t->job.comm);
    for (int i = 0; i < OVL_TRACES; i++)
        ovl_trace_close(&traces[i]);
}
