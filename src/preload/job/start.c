/* What fails at some rank is known to all before anything is offloaded, so that all stay on the host's library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/start.h"
#include "base/clock.h"
#include "preload/job/carriers.h"
#include "preload/job/rank_handshake.h"
#include "preload/job/report.h"
#include "preload/library/poll.h"
#include "preload/library/unserved.h"
#include "preload/op/memory.h"
#include "preload/op/request.h"
#include "preload/op/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct ovl_library *const lib = &ovl_library;

/* A child of the program has no part in its MPI, and must not hold what tells the carrier that this rank lives. */
static void leave_child(void)
{
    lib->on = false;
    lib->waiting = 0;
    lib->outstanding = 0;
    for (int i = 0; i < lib->conns.count; i++)
        if (lib->conns.sockets[i] > 0)
            close(lib->conns.sockets[i]);
    lib->conns.count = 0;
}

/* Nothing is offloaded, and all ranks know why; one says it. With `require` that one ends the job, and the others wait
   for that; who is still there then, as the one that says it came late, says it, too. */
static void stay_on_host(bool says, const struct ovl_error *err)
{
    enum { OTHERS_END_S = 3 };
    if (says)
        ovl_library_refuse(OVL_NOTHING_OFFLOADED, err, lib->ranks);
    if (lib->settings.mode != OVL_MODE_REQUIRE)
        return;
    if (says)
        ovl_library_end_job();
    sleep(OTHERS_END_S);
    ovl_library_die(err);
}

static bool is_off(const char *mode)
{
    return mode && strcmp(mode, "off") == 0;
}

/* Programs of another MPI are not spoken to in its words: only what the environment says is known of them. */
static void refuse_mpi(void)
{
    const char *mode = getenv("OVL_OFFLOAD");
    struct ovl_error err;
    ovl_error_set(&err, OVL_ENVIRONMENT,
                  "the program runs on %s, and only MPICH and its relatives from version 4.0 on, of device ch4, are "
                  "served: build it with mpicc.mpich",
                  ovl_pmpi_family == OVL_MPI_OPEN  ? "Open MPI"
                  : ovl_pmpi_family == OVL_MPI_ABI ? "the common ABI of MPI-5"
                  : ovl_pmpi_family == OVL_MPI_CH3 ? "an MPICH of device ch3, which has no partitioned communication"
                                                   : "an MPI without MPI_Pack_c or extended generalized requests");
    if (ovl_launcher_rank(0) == 0)
        ovl_library_refuse(OVL_NOTHING_OFFLOADED, &err, ovl_launcher_ranks());
    if (mode && strcmp(mode, "require") == 0)
        _exit(OVL_ENVIRONMENT);
}

/* `ovl offload --require` looks whether any node has. */
static void notify_served(void)
{
    const struct ovl_rank_info *peers = lib->job.peers;
    int first = 0;
    while (peers[first].node != peers[lib->rank].node)
        first++;
    if (first == lib->rank)
        ovl_library_notify_tool(true);
}

void ovl_library_start(void)
{
    struct ovl_error err;
    int64_t begin = ovl_clock_ns();
    lib->began = true;
    if (is_off(getenv("OVL_OFFLOAD")))
        return;
    if (ovl_pmpi_family != OVL_MPI_MPICH) {
        refuse_mpi();
        return;
    }
    P->Comm_rank((H)MPI_COMM_WORLD, &lib->rank);
    P->Comm_size((H)MPI_COMM_WORLD, &lib->ranks);
    int rc = ovl_rank_handshake(&lib->settings, &err);
    if (rc == 0 && lib->settings.mode == OVL_MODE_OFF)
        return;
    if (rc == 0 && lib->ranks < 2)
        rc = ovl_error_set(&err, OVL_ENVIRONMENT, "the program has one rank, which nobody waits for");
    if (rc == 0) {
        MPI_Request q;
        P->Comm_idup((H)MPI_COMM_WORLD, &lib->world, &q);
        ovl_poll_wait(&q);
        rc = ovl_carriers_join(&err);
    }
    if (rc != 0) {
        stay_on_host(rc > 0 ? rc == 1 : lib->rank == 0, &err);
        return;
    }
    pthread_atfork(NULL, NULL, leave_child);
    ovl_pending_begin();
    ovl_comm_team_begin();
    ovl_memory_begin();
    ovl_client_proof_begin(&lib->client);
    lib->started_ns = (uint64_t)ovl_clock_ns();
    lib->start_ns = lib->started_ns - (uint64_t)begin;
    lib->on = true;
    notify_served();
}

/* Over TCP MPICH 4.0.2 may never come back from MPI_Finalize where a rank closes its connections while another has long
   closed its own and looks at them no more; programs without the library see that too, also on one node where UCX_TLS
   leaves it TCP alone. So all come there together, as near as barriers of MPI's own bring them, when the carriers have
   given the cores back: of 1 MiB between two ranks one barrier left 4 of 40 there, three left 1 of 140. */
static void leave_together(void)
{
    enum { CARRIERS_END_NS = 5000000, TIMES = 3 };
    MPI_Request q;
    P->Ibarrier((H)lib->world, &q);
    ovl_poll_wait(&q);
    P->Comm_free(&lib->world);
    const char *by = getenv("UCX_TLS");
    if (lib->nodes < 2 && !(by && strstr(by, "tcp")))
        return;
    for (int i = 0; i < TIMES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = CARRIERS_END_NS}, NULL);
        P->Barrier((H)MPI_COMM_WORLD);
    }
}

void ovl_library_end(void)
{
    struct ovl_error err;
    uint64_t done = 0, bytes;
    if (!lib->on) {
        ovl_rank_handshake_end();
        return;
    }
    uint64_t unfinished = ovl_pending_finish();
    lib->on = false;
    pthread_mutex_lock(&lib->lock);
    bool proven = ovl_client_proof_end(&lib->client, &done, &bytes, &err) == 0;
    uint64_t posted = lib->client.operations;
    pthread_mutex_unlock(&lib->lock);
    ovl_library_report(done, posted, unfinished, proven);
    ovl_comm_team_end();
    pthread_mutex_lock(&lib->lock);
    ovl_memory_end();
    int rc = unfinished ? 0 : ovl_carriers_leave(&err);
    pthread_mutex_unlock(&lib->lock);
    if (rc != 0)
        ovl_library_die(&err);
    leave_together();
}

bool ovl_offload_serves(void)
{
    return lib->on;
}
