/* Ranks and workers of one machine: sockets between them, and memory handed over. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/agree_mpi.h"
#include "offload/boot/connect_mpi.h"
#include "offload/mem/local.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_engine *here; /* there is one at a time in a process */

struct ovl_engine *ovl_engine_current(void)
{
    return here;
}

bool ovl_engine_serves(const struct ovl_job_map *r, int worker, int rank)
{
    return r->worker_node[worker] == r->member[r->rank_at[rank]].node;
}

/* How many there are at the other ends: of a worker the ranks of the job, of a rank the workers. */
static int most_others(const struct ovl_engine *e)
{
    return e->worker ? e->job_map.ranks : e->job_map.workers;
}

static bool joined(const struct ovl_engine *e, int other)
{
    int me = e->job_map.member[e->world_rank].number;
    return e->worker ? ovl_engine_serves(&e->job_map, me, other) : ovl_engine_serves(&e->job_map, other, me);
}

/* What a user can do about it. */
static const char *cure_of(int why)
{
    return why == EMFILE || why == ENFILE || why == ETOOMANYREFS ? "; allow more open files (raise ulimit -n)"
           : why == ENOMEM                                       ? "; allow more memory (ulimit)"
                                                                 : "";
}

/* Of those who have connected, hears who they are: all ranks have said it before they let the others know. */
static void keep_ranks(struct ovl_engine *e, int *come, int count)
{
    for (int i = 0; i < count; i++) {
        int32_t who = ovl_local_caller(come[i]);
        if (who >= 0 && who < e->job_map.ranks && joined(e, who) && !e->sockets[who])
            e->sockets[who] = come[i];
        else
            ovl_local_close(&come[i]);
    }
}

/* Takes those in who connect until all ranks have tried to. From then on all that come wait already, and these are not
   more than the listener lets wait: other users' processes may go on calling. */
static int accept_ranks(struct ovl_engine *e, int listener, MPI_Request *all, struct ovl_error *err)
{
    enum { LOOK_MS = 1 };
    int ranks = e->job_map.ranks, count = 0, tried = 0, rc = 0;
    int *come = calloc((size_t)ranks, sizeof *come);
    if (!come)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of ranks");
    for (int wait = ranks + 1; rc == 0 && count < ranks && wait > 0; wait -= tried) {
        int fd = ovl_local_accept(listener);
        if (fd)
            come[count++] = fd;
        else if (errno == EAGAIN && tried)
            break;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, LOOK_MS);
        else if (errno != EPERM && errno != ECONNABORTED && errno != EINTR)
            rc = ovl_error_set(err, OVL_ENVIRONMENT, "a worker cannot take its ranks in: %s%s", strerror(errno),
                               cure_of(errno));
        if (!tried)
            MPI_Test(all, &tried, MPI_STATUS_IGNORE);
    }
    for (; !tried; MPI_Test(all, &tried, MPI_STATUS_IGNORE))
        poll(NULL, 0, LOOK_MS);
    keep_ranks(e, come, count);
    free(come);
    return rc;
}

static void connect_to_workers(struct ovl_engine *e, char (*names)[OVL_LOCAL_NAME])
{
    const struct ovl_job_map *r = &e->job_map;
    const struct ovl_job_proc *me = &r->member[e->world_rank];
    for (int w = 0; w < r->workers && !me->remote; w++)
        if (joined(e, w))
            e->sockets[w] = ovl_local_connect(names[r->worker_at[w]], me->number, e->options.timeout);
}

/* One boot_id and one name do not make one machine: nodes may be namespaces, or clones of one image. */
static void find_remote(struct ovl_engine *e)
{
    struct ovl_job_map *r = &e->job_map;
    int mine = r->member[e->world_rank].remote;
    int *all = ovl_check_alloc(malloc((size_t)r->processes * sizeof *all));
    for (int w = 0; w < r->workers && !e->worker; w++)
        mine = mine || (joined(e, w) && !e->sockets[w]);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int rank = 0; rank < r->ranks; rank++)
        if (all[r->rank_at[rank]]) {
            struct ovl_job_proc *m = &r->member[r->rank_at[rank]];
            m->remote = r->remote = r->member[r->worker_at[m->worker_number]].remote = true;
        }
    free(all);
}

int ovl_engine_join(struct ovl_engine *e, struct ovl_error *err)
{
    const struct ovl_job_map *r = &e->job_map;
    int listener = 0, rc = 0;
    if (r->workers == 0)
        return 0;
    ovl_local_raise_file_limit();
    char(*names)[OVL_LOCAL_NAME] = ovl_check_alloc(calloc((size_t)r->processes, sizeof *names));
    char mine[OVL_LOCAL_NAME] = "";
    e->sockets = ovl_check_alloc(calloc((size_t)most_others(e), sizeof *e->sockets));
    here = e;
    if (e->worker && !(listener = ovl_local_listen(mine, r->ranks, err)))
        rc = -1;
    MPI_Allgather(mine, sizeof mine, MPI_CHAR, names, sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
    if (!e->worker)
        connect_to_workers(e, names);
    MPI_Request all;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    if (e->worker && rc == 0)
        rc = accept_ranks(e, listener, &all, err);
    else
        MPI_Wait(&all, MPI_STATUS_IGNORE);
    ovl_local_close(&listener);
    free(names);
    if (ovl_agree(MPI_COMM_WORLD, rc, err) != 0)
        return -1;
    find_remote(e);
    return 0;
}

void ovl_engine_close_sockets(struct ovl_engine *e)
{
    for (int o = 0; o < most_others(e) && e->sockets; o++)
        ovl_local_close(&e->sockets[o]);
    free(e->sockets);
    e->sockets = NULL;
    here = NULL;
}

/* Of a worker: all ranks with which it shares a machine have ended, and there were some. Safe in a signal handler. */
bool ovl_engine_peers_ended(const struct ovl_engine *e)
{
    bool gone = false;
    for (int o = 0; o < most_others(e) && e->sockets; o++) {
        if (e->sockets[o] && !ovl_local_closed(e->sockets[o]))
            return false;
        gone = gone || e->sockets[o];
    }
    return gone;
}

void ovl_engine_signal_others(int signal)
{
    for (int o = 0; here && o < most_others(here) && here->sockets; o++) {
        pid_t pid = here->sockets[o] && !ovl_local_closed(here->sockets[o]) ? ovl_local_pid(here->sockets[o]) : 0;
        if (pid > 0)
            kill(pid, signal);
    }
}

int ovl_engine_exchange_memory(struct ovl_engine *e, struct ovl_error *err)
{
    int rc = 0, why, others = most_others(e);
    for (int o = 0; o < others && rc == 0; o++)
        if (e->sockets[o] && (why = ovl_local_send_file(e->sockets[o], 0, e->mine.file)) != 0)
            rc = ovl_error_set(err, OVL_ENVIRONMENT, "cannot hand memory over to a %s: %s%s",
                               e->worker ? "rank" : "worker", strerror(why), cure_of(why));
    if (ovl_agree(MPI_COMM_WORLD, rc, err) != 0)
        return -1;
    ovl_shared_close_file(&e->mine);
    e->others = calloc((size_t)others, sizeof *e->others);
    if (!e->others)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of %s", e->worker ? "ranks" : "workers");
    for (int o = 0; o < others && rc == 0; o++)
        if (e->sockets[o] && (why = ovl_shared_map(&e->others[e->other_count++], e->sockets[o], 0)) != 0)
            rc = ovl_error_set(err, OVL_ENVIRONMENT, "cannot map memory of a %s: %s%s", e->worker ? "rank" : "worker",
                               strerror(why), cure_of(why));
    return ovl_agree(MPI_COMM_WORLD, rc, err);
}
