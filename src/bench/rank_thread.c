/* The progress thread of a rank in mode thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/rank_thread.h"
#include "base/clock.h"
#include "bench/exchange/mode.h"
#include "bench/start/clock_domain.h"
#include "bench/thread/thread_place.h"
#include "machine/crowd.h"
#include "offload/boot/agree_mpi.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const idle_words[] = {
    [OVL_PROGRESS_SPIN] = "spin", [OVL_PROGRESS_YIELD] = "yield", [OVL_PROGRESS_SLEEP] = "sleep"};

/* Collective: is there some machine whose ranks, workers and threads, where they may run, find no processor each?
 *cores: how many ranks and threads find, on all machines. */
static bool is_shared(const struct ovl_provenance *p, const uint64_t *mask, MPI_Comm machine, MPI_Comm comm, int *cores)
{
    enum { WORDS = OVL_TOPOLOGY_MASK_WORDS };
    size_t n = 2 * (size_t)p->ranks_here, workers = (size_t)p->workers_here;
    uint64_t(*masks)[WORDS] = ovl_alloc(n, sizeof *masks);
    MPI_Allgather(p->topology.mask, WORDS, MPI_UINT64_T, masks, WORDS, MPI_UINT64_T, machine);
    MPI_Allgather(mask, WORDS, MPI_UINT64_T, masks + n / 2, WORDS, MPI_UINT64_T, machine);
    const uint64_t(*of_ranks)[WORDS] = (const uint64_t(*)[WORDS])masks,
          (*of_workers)[WORDS] = (const uint64_t(*)[WORDS])p->worker_masks;
    int number, shared = ovl_crowd_running(of_ranks, n, of_workers, workers) < n + workers;
    MPI_Comm_rank(machine, &number);
    *cores = number == 0 ? (int)(n - ovl_crowd_waiting(of_ranks, n)) : 0;
    free(masks);
    MPI_Allreduce(MPI_IN_PLACE, cores, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MAX, comm);
    return shared;
}

/* Collective over the machine's ranks: begins this rank's. */
static int begin(struct ovl_rank_thread *t, MPI_Comm machine, MPI_Comm comm, const struct ovl_provenance *p,
                 const struct ovl_offload_options *o, struct ovl_error *err)
{
    uint64_t mask[OVL_THREAD_PLACE_WORDS] = {0};
    int number;
    MPI_Comm_rank(machine, &number);
    int rc = ovl_thread_place(o->thread_cpu, p->topology.mask, p->topology.units, number, mask, err);
    if (ovl_agree(comm, rc, err) != 0)
        return -1;
    ovl_thread_place_text(mask, t->processors, sizeof t->processors);
    t->shared = is_shared(p, mask, machine, comm, &t->cores);
    t->idle = t->shared ? OVL_PROGRESS_SLEEP : OVL_PROGRESS_SPIN; /* auto */
    for (int i = OVL_PROGRESS_SPIN; i <= OVL_PROGRESS_SLEEP; i++)
        if (strcmp(o->thread_idle, idle_words[i]) == 0)
            t->idle = (enum ovl_progress_idle)i;
    t->progress = ovl_progress_begin(t->idle, t->shared, strcmp(o->thread_cpu, "rank") == 0 ? NULL : mask, err);
    return ovl_agree(comm, t->progress ? 0 : -1, err);
}

static bool test(void *of)
{
    int complete;
    MPI_Test(of, &complete, MPI_STATUS_IGNORE);
    return complete;
}

/* Collective: an operation that is waited for at once, in that way; seconds. */
static double wait_once(const struct ovl_rank_thread *t, bool for_flag, MPI_Comm comm, const double *in, double *out,
                        int n)
{
    MPI_Request request;
    MPI_Barrier(comm);
    int64_t begin = ovl_clock_ns();
    MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm, &request);
    int ticket = ovl_progress_hand(t->progress, test, &request);
    if (for_flag)
        ovl_progress_wait(t->progress, ticket);
    else if (!ovl_progress_take_back(t->progress, ticket))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    double seconds = ovl_clock_since(begin);
    ovl_progress_rest(t->progress);
    return seconds;
}

/* Collective: both ways in turns; the same choice at all ranks. */
static void choose_wait(struct ovl_rank_thread *t, MPI_Comm comm)
{
    enum { TRIES = 15, THROWN_AWAY = 3, DOUBLES = 8192 };
    double seconds[2][TRIES], *data = ovl_alloc(2 * DOUBLES, sizeof *data), took[2];
    for (int i = -THROWN_AWAY; i < TRIES; i++)
        for (int w = 0; w < 2; w++) {
            double s = wait_once(t, w == 0, comm, data, data + DOUBLES, DOUBLES);
            if (i >= 0)
                seconds[w][i] = s;
        }
    for (int w = 0; w < 2; w++)
        took[w] = ovl_stats_median(seconds[w], TRIES);
    MPI_Allreduce(MPI_IN_PLACE, took, 2, MPI_DOUBLE, MPI_MAX, comm);
    t->flag_seconds = took[0];
    t->back_seconds = took[1];
    t->for_flag = took[0] <= took[1];
    free(data);
}

int ovl_rank_thread_begin(struct ovl_rank_thread *t, MPI_Comm comm, const struct ovl_provenance *p,
                          const struct ovl_offload_options *options, struct ovl_error *err)
{
    MPI_Comm machine;
    *t = (struct ovl_rank_thread){.progress = NULL};
    if (!ovl_thread_wanted(options))
        return 0;
    MPI_Comm_split(comm, ovl_clock_first_with(comm, p->topology.machine), p->rank, &machine);
    int rc = begin(t, machine, comm, p, options, err);
    MPI_Comm_free(&machine);
    if (rc != 0)
        return -1;
    choose_wait(t, comm);
    ovl_mode_use_thread(t->progress, t->for_flag);
    return 0;
}

void ovl_rank_thread_end(struct ovl_rank_thread *t)
{
    ovl_progress_end(t->progress);
    t->progress = NULL;
}

json_t *ovl_rank_thread_json(const struct ovl_rank_thread *t, MPI_Comm comm)
{
    enum { ROOM = sizeof t->processors };
    int rank, ranks;
    char *all = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (!t->progress)
        return NULL;
    if (rank == 0)
        all = ovl_alloc((size_t)ranks, ROOM);
    MPI_Gather(t->processors, ROOM, MPI_CHAR, all, ROOM, MPI_CHAR, 0, comm);
    if (rank != 0)
        return NULL;
    json_t *processors = json_array();
    for (int r = 0; r < ranks; r++)
        json_array_append_new(processors, json_string(all + (size_t)r * ROOM));
    free(all);
    return json_pack("{s:s, s:s, s:b, s:o, s:f, s:f}", "idle", idle_words[t->idle], "wait",
                     t->for_flag ? "flag" : "back", "cores_shared", t->shared, "processors", processors, "flag_seconds",
                     t->flag_seconds, "back_seconds", t->back_seconds);
}
