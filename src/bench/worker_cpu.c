/* The processor time of workers that run beside ranks: their processes' clocks, which the kernel shows to anybody. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/worker_cpu.h"

#include <math.h>
#include <stdlib.h>

/* Which of the ranks of its machine this one is, and of how many. */
static int place_of(const struct ovl_job_map *job_map, const struct ovl_job_proc *me, int *ranks)
{
    int place = 0;
    *ranks = 0;
    for (int r = 0; r < job_map->ranks; r++) {
        const struct ovl_job_proc *other = &job_map->member[job_map->rank_at[r]];
        if (other->machine != me->machine)
            continue;
        place += r < me->number;
        ++*ranks;
    }
    return place;
}

void ovl_worker_cpu_open(struct ovl_worker_cpu *w, MPI_Comm comm, const struct ovl_job_map *job_map)
{
    int rank, ranks, turn = 0, seen = 0;
    *w = (struct ovl_worker_cpu){.known = false};
    if (job_map->workers == 0)
        return;
    MPI_Comm_rank(comm, &rank);
    const struct ovl_job_proc *me = &job_map->member[job_map->rank_at[rank]];
    int place = place_of(job_map, me, &ranks);
    w->clock = ovl_alloc((size_t)job_map->workers, sizeof *w->clock);
    for (int i = 0; i < job_map->workers; i++) {
        const struct ovl_job_proc *worker = &job_map->member[job_map->worker_at[i]];
        if (worker->machine != me->machine || turn++ % ranks != place)
            continue;
        bool numbered_alike = me->numbers != 0 && worker->numbers == me->numbers;
        if (numbered_alike && clock_getcpuclockid(worker->pid, &w->clock[w->count]) == 0)
            w->count++;
    }
    MPI_Allreduce(&w->count, &seen, 1, MPI_INT, MPI_SUM, comm);
    w->known = seen == job_map->workers;
}

void ovl_worker_cpu_close(struct ovl_worker_cpu *w)
{
    free(w->clock);
    *w = (struct ovl_worker_cpu){.known = false};
}

double ovl_worker_cpu(const struct ovl_worker_cpu *w)
{
    double seconds = w->known ? 0 : NAN;
    for (int i = 0; i < w->count && w->known; i++) {
        struct timespec t;
        seconds += clock_gettime(w->clock[i], &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : NAN;
    }
    return seconds;
}
