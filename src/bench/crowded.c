/* The warning that ranks and workers have fewer cores than they are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/crowded.h"

#include <stdio.h>

/* One machine's crowd: that of the machine where it is worst, for the warnings. */
struct crowd {
    int ranks, workers, units; /* processing units that all of them may run on */
    int waiting, sharing, cores;
};

/* Collective: the crowd of the machine with the largest `how_bad`. */
static struct crowd worst_crowd(const struct ovl_provenance *p, MPI_Comm comm, int how_bad)
{
    struct {
        int value, rank;
    } mine = {how_bad, p->rank}, worst;
    struct crowd c = {p->ranks_here,   p->workers_here, p->cores_together,
                      p->waiting_here, p->sharing_here, p->cores_here};
    MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, comm);
    MPI_Bcast(&c, sizeof c / sizeof(int), MPI_INT, worst.rank, comm);
    return c;
}

static json_t *crowd_warning(struct crowd c)
{
    char workers[40] = "";
    if (c.workers > 0)
        snprintf(workers, sizeof workers, " and %d workers", c.workers);
    if (c.ranks + c.workers > c.units && c.workers == 0 && c.cores < c.units)
        return json_sprintf("oversubscribed: %d ranks on %d hardware threads of %d cores; times hold the waiting for a "
                            "core",
                            c.ranks, c.units, c.cores);
    if (c.ranks + c.workers > c.units)
        return json_sprintf("oversubscribed: %d ranks%s on %d cores; times hold the waiting for a core", c.ranks,
                            workers, c.units);
    if (c.waiting > 0)
        return json_sprintf("oversubscribed: %d of %d ranks have no core of their own, being bound to the same ones; "
                            "times hold the waiting for a core",
                            c.waiting, c.ranks);
    if (c.sharing > 0)
        return json_sprintf("%d ranks on %d cores: the hardware threads of a core slow each other down", c.ranks,
                            c.cores);
    return NULL;
}

json_t *ovl_crowded_warning(const struct ovl_provenance *p, MPI_Comm comm)
{
    int surplus = p->ranks_here + p->workers_here - p->cores_together, waiting = p->waiting_here;
    struct crowd worst = worst_crowd(p, comm, surplus > waiting ? surplus : waiting);
    struct crowd paired = worst_crowd(p, comm, p->sharing_here);
    return crowd_warning(p->oversubscribed ? worst : paired);
}
