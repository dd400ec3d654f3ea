/* Ranks and workers find each other's memory; workers work; ranks choose a path. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/connect_mpi.h"
#include "offload/boot/agree_mpi.h"
#include "offload/transport/tcp_host.h"
#include "offload/transport/transport_mpi.h"
#include "offload/transport/transport_tcp.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A rank's memory holds a command queue for each worker of its node, in the order of their numbers, and the areas of
   its own worker's. */
static int make_own(struct ovl_engine *e, struct ovl_error *err)
{
    const struct ovl_job_map *r = &e->job_map;
    int me = r->member[e->world_rank].number, conns = 0, own = 0;
    if (e->worker) {
        if (ovl_shared_create(&e->mine, ovl_status_bytes(), err) != 0)
            return -1;
        struct ovl_worker_status *status = e->mine.base;
        ovl_status_init(status);
        return 0;
    }
    for (int w = 0; w < r->workers; w++) {
        if (w == r->member[e->world_rank].worker_number)
            own = conns;
        conns += ovl_engine_serves(r, w, me);
    }
    if (ovl_shared_create(&e->mine, ovl_cmdq_set_bytes(conns, r->ranks), err) != 0)
        return -1;
    ovl_cmdq_set_init(e->mine.base, conns, own, me, r->ranks);
    return 0;
}

/* Collective over all: everybody makes what is his, and maps what others of the node made. */
static int share(struct ovl_engine *e, struct ovl_error *err)
{
    if (ovl_agree(MPI_COMM_WORLD, make_own(e, err), err) != 0)
        return -1;
    return ovl_engine_exchange_memory(e, err);
}

static void unshare_all(struct ovl_engine *e)
{
    ovl_engine_disconnect_eps(e);
    for (int o = 0; o < e->other_count; o++)
        ovl_shared_close(&e->others[o]);
    free(e->others);
    e->others = NULL;
    e->other_count = 0;
    ovl_shared_close(&e->mine);
}

/* By endpoints a worker reaches the memory of its own ranks only: they are what lies on one node with each other. */
int ovl_engine_node(const struct ovl_engine *e, int rank)
{
    const struct ovl_job_proc *m = &e->job_map.member[e->job_map.rank_at[rank]];
    return e->remote ? m->worker_number : m->node;
}

static struct ovl_rank_info *peers_of(const struct ovl_engine *e)
{
    const struct ovl_job_map *r = &e->job_map;
    struct ovl_rank_info *peers = malloc((size_t)r->ranks * sizeof *peers);
    for (int i = 0; i < r->ranks && peers; i++)
        peers[i] =
            (struct ovl_rank_info){.worker = r->member[r->rank_at[i]].worker_number, .node = ovl_engine_node(e, i)};
    return peers;
}

/* Which command queue of rank `rank` is for worker `me`? */
static struct ovl_cmdq *queue_of(const struct ovl_engine *e, const struct ovl_shared *of_rank, int me, int rank)
{
    int i = 0;
    for (int w = 0; w < me; w++)
        i += ovl_engine_serves(&e->job_map, w, rank);
    return ovl_cmdq_of_set(of_rank->base, i);
}

static int serve_ranks(const struct ovl_engine *e, struct ovl_worker *w)
{
    const struct ovl_job_map *r = &e->job_map;
    int me = r->member[e->world_rank].number, k = 0;
    for (int i = 0; i < e->ep_count; i++)
        if (ovl_worker_serve(w, e->eps[i]->channel, e->eps[i], e->sockets[e->eps[i]->channel->rank], true) != 0)
            return -1;
    for (int rank = 0; rank < r->ranks && !e->remote; rank++)
        if (ovl_engine_serves(r, me, rank)) {
            struct ovl_cmdq *s = queue_of(e, &e->others[k++], me, rank);
            if (ovl_worker_serve(w, s, NULL, e->sockets[rank], r->member[r->rank_at[rank]].worker_number == me) != 0)
                return -1;
        }
    return 0;
}

/* The path asked for; with `auto` the first that goes with how ranks and workers are joined. */
static int first_path(const struct ovl_engine *e)
{
    int p = 0;
    while (e->options.path == OVL_AUTO && ovl_mem_paths[p]->remote != e->remote)
        p++;
    return e->options.path == OVL_AUTO ? p : e->options.path;
}

static struct ovl_worker_status remote_status; /* of this worker, which all its ranks have copies of */

/* Who shall speak has time to do so, as long as there is one. */
static _Noreturn void report_failure(const struct ovl_engine *e, const struct ovl_worker *w,
                                     const struct ovl_worker_status *b, struct ovl_error *err)
{
    enum { LOOK_MS = 100, OTHERS_MS = 1500, LAUNCHER_MS = 200 };
    enum ovl_reporter reporter = ovl_worker_reporter(w);
    int ms = reporter == OVL_RANKS_REPORT    ? (int)(1000 * e->options.timeout) + 1000
             : reporter == OVL_OTHERS_REPORT ? OTHERS_MS
                                             : LAUNCHER_MS;
    bool over = false;
    for (; ms > 0 && !over; ms -= LOOK_MS) {
        poll(NULL, 0, LOOK_MS);
        over = reporter == OVL_RANKS_REPORT ? ovl_engine_peers_ended(e)
                                            : reporter == OVL_OTHERS_REPORT && ovl_engine_cancelled();
    }
    if (reporter == OVL_OTHERS_REPORT)
        *err = (struct ovl_error){.code = OVL_ENVIRONMENT};
    else if (atomic_load(&b->fault) == OVL_FAULT_LOST)
        ovl_error_set(err, OVL_ENVIRONMENT, "%s", b->text);
    else
        ovl_error_set(err, OVL_ENVIRONMENT, "%s gave up: %s",
                      e->job_map.worker_name[e->job_map.member[e->world_rank].number], b->text);
    ovl_engine_abort("ovl_worker", err);
}

static struct ovl_tcp_address tcp_address; /* where this worker listens, and the socket */
static int tcp_listener = -1;

/* Collective over all: workers that shall reach each other by TCP listen. */
static int listen_by_tcp(const struct ovl_engine *e, struct ovl_error *err)
{
    const struct ovl_job_map *r = &e->job_map;
    char host[OVL_TCP_HOST];
    struct ovl_tcp_hosts mine = {.place = 0}, *all = ovl_check_alloc(calloc((size_t)r->processes, sizeof *all));
    int rc = e->worker ? ovl_tcp_hosts(&mine, r->member[e->world_rank].machine, e->options.interface, err) : 0;
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    if (e->worker && rc == 0) {
        ovl_tcp_host_of(host, &mine, all, (size_t)r->processes);
        tcp_listener = ovl_tcp_listen(host, &tcp_address, err);
        rc = tcp_listener < 0 ? -1 : 0;
    }
    free(all);
    return ovl_agree(MPI_COMM_WORLD, rc, err);
}

/* Collective over the workers. */
static int join_by_tcp(const struct ovl_engine *e, struct ovl_transport *t, struct ovl_error *err)
{
    const int workers = e->job_map.workers, me = e->job_map.member[e->world_rank].number;
    struct ovl_tcp_address *tcp_addresses = ovl_check_alloc(calloc((size_t)workers, sizeof *tcp_addresses));
    int(*fds)[OVL_TCP_STREAMS] = ovl_check_alloc(calloc((size_t)workers, sizeof *fds));
    MPI_Allgather(&tcp_address, sizeof tcp_address, MPI_BYTE, tcp_addresses, sizeof tcp_address, MPI_BYTE, e->comm);
    int rc = ovl_tcp_join(tcp_listener, tcp_addresses, workers, me, e->options.timeout, fds, err);
    close(tcp_listener);
    if (rc == 0)
        rc = ovl_transport_tcp_open(t, fds, workers, me, err);
    free(fds);
    free(tcp_addresses);
    return rc;
}

/* Collective over the workers. What one cannot do ends the job. */
static void open_transport(const struct ovl_engine *e, struct ovl_transport *t, struct ovl_error *err)
{
    if ((e->options.tcp ? join_by_tcp(e, t, err) : ovl_transport_mpi_open(t, e->comm, err)) != 0)
        ovl_engine_abort("ovl_worker", err);
}

static void close_transport(const struct ovl_engine *e, struct ovl_transport *t)
{
    enum { GOODBYE_S = 5 };
    if (e->options.tcp)
        ovl_transport_tcp_close(t, GOODBYE_S);
    else
        ovl_transport_mpi_close(t);
}

/* A worker's life. When it gives up, the ranks read on the status page why, and end the job; if they do not or
   cannot, it ends here. */
static int work(struct ovl_engine *e, struct ovl_error *err)
{
    struct ovl_transport transport;
    struct ovl_rank_info *peers = peers_of(e);
    ovl_engine_ignore_signals();
    ovl_worker_tune_process(e->idle);
    int number = e->job_map.member[e->world_rank].number, node = e->job_map.worker_node[number];
    if (!peers) {
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of ranks");
        ovl_engine_abort("ovl_worker", err);
    }
    open_transport(e, &transport, err);
    struct ovl_worker_config config = {
        .index = number,
        .workers = e->job_map.workers,
        .transport = &transport,
        .path = ovl_mem_paths[first_path(e)],
        .peers = peers,
        .ranks = e->job_map.ranks,
        .status = e->remote ? &remote_status : e->mine.base,
        .idle = e->idle,
        .slowdown = e->options.slowdown,
        .timeout = e->options.timeout,
        .tuning = ovl_tuning_default,
        .node = node < 0 ? "" : e->job_map.node_name[node],
        .limits = ovl_worker_limits_of(e->options.memory),
    };
    struct ovl_worker *w = ovl_worker_open(&config, err);
    bool served = w && serve_ranks(e, w) == 0;
    if (w && !served)
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of ranks");
    if (!served)
        ovl_engine_abort("ovl_worker", err);
    ovl_engine_set_in_loop(true);
    if (ovl_worker_run(w) != 0)
        report_failure(e, w, config.status, err);
    ovl_engine_set_in_loop(false);
    ovl_worker_close(w);
    close_transport(e, &transport);
    free(peers);
    return 0;
}

static const char *worker_name(int worker)
{
    return ovl_engine_current()->job_map.worker_name[worker];
}

static int make_client(struct ovl_engine *e, struct ovl_error *err)
{
    const struct ovl_job_map *r = &e->job_map;
    const struct ovl_job_proc *me = &r->member[e->world_rank];
    e->client = (struct ovl_client_ctx){
        .rank = me->number,
        .conns = calloc((size_t)r->workers, sizeof *e->client.conns),
        .oversubscribed = me->oversubscribed,
        .copies_own = me->oversubscribed && e->options.slowdown <= 1,
        .timeout = e->options.timeout,
        .worker_name = worker_name,
        .cold = e->options.cold,
        .registrations = e->options.registrations,
    };
    if (!e->client.conns)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of workers");
    if (e->remote)
        e->client.conns[e->client.conn_count++] = (struct ovl_worker_conn){.cmdq = e->eps[0]->channel,
                                                                           .status = e->eps[0]->status,
                                                                           .ep = e->eps[0],
                                                                           .socket = e->sockets[me->worker_number],
                                                                           .name = r->worker_name[me->worker_number]};
    for (int w = 0; w < r->workers; w++) {
        if (e->remote || !ovl_engine_serves(r, w, me->number))
            continue;
        int i = e->client.conn_count++;
        if (w == me->worker_number)
            e->client.own = i;
        e->client.conns[i] = (struct ovl_worker_conn){
            .cmdq = ovl_cmdq_of_set(e->mine.base, i),
            .status = e->others[i].base,
            .socket = e->sockets[w],
            .name = r->worker_name[w],
        };
    }
    return 0;
}

/* Collective over the ranks: the path asked for, or from `first` on the first that reaches everybody's memory. */
static int choose_path(struct ovl_engine *e, int first, struct ovl_error *err)
{
    int rc = -1;
    for (int p = first; ovl_mem_paths[p] && rc != 0; p++) {
        if (ovl_mem_paths[p]->remote != e->remote)
            continue;
        rc = ovl_mem_paths[p]->absent ? ovl_error_set(err, OVL_ENVIRONMENT, "--path %s: %s", ovl_mem_paths[p]->name,
                                                      ovl_mem_paths[p]->absent)
                                      : ovl_agree(e->comm, ovl_client_probe(&e->client, ovl_mem_paths[p], err), err);
        if (rc == 0)
            e->client.path = ovl_mem_paths[p];
        if (e->options.path != OVL_AUTO)
            break;
    }
    return rc;
}

int ovl_engine_connect(struct ovl_engine *e, struct ovl_error *err)
{
    if (e->job_map.workers == 0)
        return 0;
    if ((e->options.cold || e->options.registrations) && !e->remote)
        return ovl_error_set(err, OVL_USAGE, "--%s measures registration, which only --path verbs has",
                             e->options.cold ? "cold" : "registrations");
    int rc = e->options.tcp ? listen_by_tcp(e, err) : 0;
    if (rc == 0)
        rc = e->remote ? ovl_engine_connect_eps(e, err) : share(e, err);
    if (rc == 0 && e->worker)
        rc = work(e, err);
    else if (rc == 0) {
        rc = ovl_agree(e->comm, make_client(e, err), err);
        e->connected = rc == 0;
        if (rc == 0)
            rc = choose_path(e, first_path(e), err);
    }
    if (rc != 0 && !e->connected)
        unshare_all(e);
    return rc;
}

const char *ovl_engine_placement(const struct ovl_engine *e)
{
    const struct ovl_job_map *r = &e->job_map;
    bool arm = true;
    if (r->emulated_ranks)
        return "emulated-processor";
    for (int w = 0; w < r->workers; w++) {
        const struct ovl_job_proc *m = &r->member[r->worker_at[w]];
        if (m->emulated)
            return "emulated-processor";
        arm = arm && strcmp(m->architecture, "aarch64") == 0;
    }
    return arm && e->bluefield > 0 ? "bluefield" : r->remote ? "other-machine" : "host-core";
}

int ovl_engine_release(struct ovl_engine *e, struct ovl_error *err)
{
    if (e->worker)
        unshare_all(e);
    if (!e->connected)
        return 0;
    MPI_Barrier(e->comm);
    int rc = ovl_client_leave(&e->client, err);
    e->connected = false;
    free(e->client.conns);
    e->client.conns = NULL;
    e->client.conn_count = 0;
    unshare_all(e);
    return rc;
}

int ovl_engine_attach(struct ovl_engine *e, struct ovl_team *team, MPI_Comm comm, struct ovl_error *err)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *members = malloc((size_t)ranks * sizeof *members);
    uint64_t id = (uint64_t)e->client.rank << 32 | e->client.teams;
    if (ovl_agree(comm, members ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a team"), err) != 0) {
        free(members);
        return -1;
    }
    MPI_Allgather(&e->client.rank, 1, MPI_INT, members, 1, MPI_INT, comm);
    MPI_Bcast(&id, 1, MPI_UINT64_T, 0, comm);
    int rc = ovl_client_attach(&e->client, team, id, rank, ranks, members, err);
    free(members);
    return ovl_agree(comm, rc, err);
}

int ovl_engine_detach(struct ovl_engine *e, struct ovl_team *team, MPI_Comm comm, struct ovl_error *err)
{
    MPI_Barrier(comm);
    return ovl_agree(comm, ovl_client_detach(&e->client, team, err), err);
}

int ovl_engine_alloc(struct ovl_engine *e, void **memory, size_t bytes, struct ovl_error *err)
{
    for (;;) {
        int next = 1;
        struct ovl_error ignored;
        *memory = ovl_client_alloc(&e->client, bytes, err);
        if (ovl_agree(e->comm, *memory ? 0 : -1, err) == 0)
            return 0;
        if (ovl_client_free(&e->client, *memory, &ignored) != 0)
            *err = ignored;
        *memory = NULL;
        while (ovl_mem_paths[next - 1] != e->client.path)
            next++;
        if (e->options.path != OVL_AUTO || e->remote || !ovl_mem_paths[next] || choose_path(e, next, &ignored) != 0)
            return -1;
    }
}
