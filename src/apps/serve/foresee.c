/* How long a run will be, as soon as that can be said. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>

static double now(void)
{
    return 1e-9 * (double)ovl_clock_ns();
}

/* Says at once, by the first operation or by the first sample of communication, that the run will be long; in place of
   the frame, which says so later, and of longer ones. */
void ovl_serve_foresee(struct ovl_serve *s, double comm)
{
    enum { BESIDE = 2 }; /* blocks' worth of samples: a warm-up, and those in which all is looked at */
    const double patience = 20;
    size_t most = s->job.options->blocks[1], blocks = most < OVL_STOP_BLOCKS_AT_LEAST ? most : OVL_STOP_BLOCKS_AT_LEAST;
    double sample = fmax(comm, s->us > 0 ? 1e-6 * s->us : s->options.ratio * comm);
    double least = 2 * s->job.schemes.count * sample * (double)(blocks + BESIDE);
    if (!s->job.stage.program || !(least > patience))
        return;
    fprintf(
        stderr,
        "%s: a sample takes about %.2g s, and the run %.0f s or more; fewer requests, shorter ones%s have it sooner\n",
        s->job.stage.program, sample, least, sample > comm ? " or less work" : " or a larger --scale-bytes");
    s->job.stage.program = NULL;
}

/* Seconds of this rank's operation, by itself: the shortest of a few. */
static double alone(struct ovl_exchange *x)
{
    enum { TRIES = 5 };
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        double start = now();
        x->collective->blocking(x);
        least = fmin(least, now() - start);
    }
    return least;
}

/* The first operation that this rank has with another one, or NULL. */
static struct ovl_exchange *first_with(const struct ovl_serve *s, int rank)
{
    for (int id = 0; id < s->message_count; id++) {
        const struct ovl_events *e = &s->plan.own.events.events;
        const struct ovl_train_team *team = &e->list[e->posted_at[id]].team;
        if (ovl_train_member(team, 0) == rank || ovl_train_member(team, team->ranks - 1) == rank)
            return &s->messages[id];
    }
    return NULL;
}

/* Collective: what all operations of a trace will take about, by the first one of rank 0; of pairs, which go over their
   links at the same time, those of one rank, and at least. */
double ovl_serve_guess(struct ovl_serve *s)
{
    double mine = 0, most, told[2] = {0, 1}; /* seconds of the first one, and its bytes */
    int other = -1;
    for (int id = 0; id < s->message_count; id++)
        mine += (double)s->messages[id].size;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
    if (s->job.rank == 0 && s->message_count > 0) {
        const struct ovl_event *post = &s->plan.own.events.events.list[s->plan.own.events.events.posted_at[0]];
        other = ovl_train_member(&post->team, post->team.first == 0);
    }
    MPI_Bcast(&other, 1, MPI_INT, 0, s->job.comm);
    bool takes_part = !s->choice.row->pairs || s->job.rank == 0 || s->job.rank == other;
    struct ovl_exchange *x = other < 0 || !takes_part ? NULL
                             : s->choice.row->pairs   ? first_with(s, s->job.rank == 0 ? other : 0)
                                                      : &s->messages[0];
    if (x) {
        told[0] = alone(x);
        told[1] = fmax(1, (double)x->size);
    }
    MPI_Bcast(told, 2, MPI_DOUBLE, 0, s->job.comm);
    return told[0] * most / told[1];
}
