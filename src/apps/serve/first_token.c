/* What a request's first token takes at least, whoever carries its messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"

#include <math.h>
#include <stdlib.h>

/* Bytes that come in over the link of this rank's node for the sake of an operation. */
static double comes_in(const struct ovl_serve *s, int id)
{
    return s->plan.own.steps[s->plan.own.events.events.posted_at[id]].in;
}

/* Keys and values of pairs are another iteration's, but for those that come back. */
double *ovl_serve_summed_bytes(const struct ovl_serve *s)
{
    const struct ovl_serve_events *e = &s->plan.own.events;
    double *list = ovl_alloc((size_t)s->iterations + 1, sizeof *list);
    for (int id = 0; id < e->events.ids && !s->choice.row->pairs; id++)
        list[e->notes[e->events.posted_at[id]].iteration] += comes_in(s, id);
    return list;
}

struct ovl_serve_link ovl_serve_link_of(struct ovl_serve *s)
{
    const struct ovl_app_machine *m = &s->job.schemes.machine; /* whose rates rank 0 knows */
    double told[3];
    if (s->job.rank == 0) {
        told[0] = s->job.schemes.crowded ? NAN : 1 / m->rate;
        told[1] = m->burst;
        told[2] = isnan(m->carry) ? 0 : m->carry / m->cores;
    }
    MPI_Bcast(told, 3, MPI_DOUBLE, 0, s->job.comm);
    return (struct ovl_serve_link){told[0], told[1], told[2]};
}

static double seconds_of(const struct ovl_serve_link *link, double bytes)
{
    return fmax(link->byte * fmax(0, bytes - link->burst), link->carry * bytes);
}

/* Iterations from one to another one: their work and their sums, which may hide each other. */
static double takes(const struct ovl_serve *s, const struct ovl_serve_player *p, int from, int to,
                    const struct ovl_serve_link *link)
{
    double work = 0, bytes = 0;
    for (int i = from; i <= to; i++) {
        work += s->alone[p->plan][i];
        bytes += s->summed[i];
    }
    return fmax(work, seconds_of(link, bytes));
}

double ovl_serve_first_least(const struct ovl_serve *s, const struct ovl_serve_player *p, size_t request,
                             const struct ovl_serve_link *link)
{
    const struct ovl_serve_life *life = &s->plan.own.events.lives[request];
    double bytes = 0;
    if (life->begins < 0 || life->first < 0)
        return -INFINITY;
    if (life->fetches == 0)
        return takes(s, p, life->begins, life->first, link);
    for (int i = 0; i < life->fetches; i++)
        bytes += comes_in(s, life->fetch + i);
    return fmax(seconds_of(link, bytes), takes(s, p, life->begins, life->waits - 1, link)) +
           takes(s, p, life->waits, life->first, link);
}
