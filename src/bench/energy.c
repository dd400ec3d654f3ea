/* What an operation takes of energy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/energy.h"
#include "base/clock.h"
#include "bench/sample.h"
#include "bench/start/clock_domain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ovl_rank_energy_open(struct ovl_rank_energy *e, MPI_Comm comm, const struct ovl_provenance *p, const char *root)
{
    int told[OVL_ENERGY_KINDS];
    bool first = ovl_clock_first_with(comm, p->topology.machine) == p->rank;
    *e = (struct ovl_rank_energy){.comm = comm};
    if (first)
        ovl_energy_find(&e->counters, root);
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        told[k] = !first || e->counters.source[k];
    MPI_Allreduce(MPI_IN_PLACE, told, OVL_ENERGY_KINDS, MPI_INT, MPI_MIN, comm);
    for (int k = 0; k < OVL_ENERGY_KINDS; k++) {
        if (p->rank == 0 && told[k]) /* the first of its machine */
            snprintf(e->source[k], sizeof e->source[k], "%s", e->counters.source[k]);
        MPI_Bcast(e->source[k], sizeof e->source[k], MPI_CHAR, 0, comm);
    }
}

/* Collective. Returns how many, until the deciding rank's time is over or it is told to end. */
static double repeat(const struct ovl_loop *l, int mode, uint64_t units, double seconds)
{
    int64_t begin = l->ops->now(l->stage);
    double count = 0;
    for (int go_on = 1; go_on; count++) {
        ovl_sample_take(l, OVL_TOTAL, mode, units);
        go_on = 1e-9 * (double)(l->ops->now(l->stage) - begin) < seconds && !l->ops->interrupted(l->stage);
        l->ops->share(l->stage, &go_on, sizeof go_on);
    }
    return count;
}

void ovl_rank_energy_measure(const struct ovl_rank_energy *e, const struct ovl_loop *loop, int mode, uint64_t units,
                             double seconds, struct ovl_cell_energy *taken)
{
    double from[OVL_ENERGY_MOST], to[OVL_ENERGY_MOST], joules[OVL_ENERGY_KINDS];
    bool any = false;
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        any = any || *e->source[k];
    if (!any)
        return;
    ovl_sample_take(loop, OVL_TOTAL, mode, units); /* who works in this mode is awake, and ranks are together */
    int64_t begin = ovl_clock_ns();
    ovl_energy_read(&e->counters, from);
    double count = repeat(loop, mode, units, seconds);
    ovl_energy_read(&e->counters, to);
    double took = ovl_clock_since(begin);
    ovl_energy_between(&e->counters, from, to, joules);
    for (int k = 0; k < OVL_ENERGY_KINDS; k++) {
        double mine = e->counters.count > 0 && *e->source[k] ? joules[k] : 0, all = 0;
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, e->comm);
        taken->joules[k] = *e->source[k] ? all / count : NAN;
    }
    taken->repeats = count;
    taken->seconds = took / count;
}

json_t *ovl_rank_energy_json(const struct ovl_rank_energy *e)
{
    json_t *all = json_object();
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        json_object_set_new(all, ovl_energy_words[k], *e->source[k] ? json_string(e->source[k]) : json_null());
    return all;
}
