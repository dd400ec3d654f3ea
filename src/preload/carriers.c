/* Starts carriers, tells them of each other, and finds the path to the ranks' memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/carriers.h"
#include "machine/machine.h"
#include "offload/worker/tcp_host.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_library *const lib = &ovl_library;

/* Where this rank is. */
struct seat {
    MPI_Comm comm;                /* of the node */
    int rank, ranks, node, first; /* on the node; the node's number; the node's first carrier */
    int machine;                  /* processes on it: ranks, and their carriers */
};

/* All have the error of the lowest rank that has one. */
static int agree(int rc, struct ovl_error *err)
{
    int mine = rc != 0 ? lib->rank : INT_MAX, first;
    P->Allreduce(&mine, &first, 1, (H)MPI_INT, (H)MPI_MIN, (H)lib->world);
    if (first == INT_MAX)
        return 0;
    P->Bcast(err, sizeof *err, (H)MPI_BYTE, first, (H)lib->world);
    return -1;
}

static int count_of(const struct seat *s)
{
    return s->ranks < lib->settings.workers ? s->ranks : lib->settings.workers;
}

/* The carriers' numbers go by nodes, and nodes by their lowest ranks. */
static void find_seat(struct seat *s)
{
    MPI_Comm machine;
    int rank, lowest = lib->rank;
    P->Comm_split_type((H)lib->world, MPI_COMM_TYPE_SHARED, lib->rank, (H)MPI_INFO_NULL, &machine);
    P->Comm_rank((H)machine, &rank);
    P->Comm_size((H)machine, &s->machine);
    P->Comm_split((H)machine, lib->settings.node_ranks ? rank / lib->settings.node_ranks : 0, rank, &s->comm);
    P->Comm_free(&machine);
    P->Comm_rank((H)s->comm, &s->rank);
    P->Comm_size((H)s->comm, &s->ranks);
    P->Bcast(&lowest, 1, (H)MPI_INT, 0, (H)s->comm);
    int mine[2] = {lowest, s->rank == 0 ? count_of(s) : 0};
    int(*all)[2] = ovl_check_alloc(calloc((size_t)lib->ranks, sizeof *all));
    P->Allgather(mine, 2, (H)MPI_INT, all, 2, (H)MPI_INT, (H)lib->world);
    s->node = s->first = 0;
    for (int r = 0; r < lib->ranks; r++) {
        lib->nodes += all[r][1] > 0;
        lib->carriers += all[r][1];
        if (r < lowest) {
            s->node += all[r][1] > 0;
            s->first += all[r][1];
        }
    }
    free(all);
    s->machine += lib->settings.node_ranks ? lib->carriers : count_of(s);
}

/* All ranks whose kernel is the same: nodes that are emulated share their processors. */
static MPI_Comm split_by_machine(void)
{
    MPI_Comm comm;
    struct ovl_machine here;
    ovl_machine_identify(&here);
    P->Comm_split((H)lib->world, (int)((here.id ^ here.id >> 32) & INT_MAX), lib->rank, &comm);
    return comm;
}

/* Processors that ranks leave free; where there are too few of them carriers share those of the node's ranks, and sleep
   when they have nothing to do. Collective. */
static void find_processors(const struct seat *s, cpu_set_t *spare)
{
    cpu_set_t mine, node, ranks, allowed;
    int here[2] = {1, s->rank == 0 ? count_of(s) : 0}, all[2]; /* ranks and carriers */
    MPI_Comm machine = split_by_machine();
    memset(&allowed, 0xff, sizeof allowed);
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    P->Allreduce(&mine, &node, sizeof mine, (H)MPI_BYTE, (H)MPI_BOR, (H)s->comm);
    P->Allreduce(&mine, &ranks, sizeof mine, (H)MPI_BYTE, (H)MPI_BOR, (H)machine);
    P->Allreduce(here, all, 2, (H)MPI_INT, (H)MPI_SUM, (H)machine);
    P->Comm_free(&machine);
    if (sched_setaffinity(0, sizeof allowed, &allowed) == 0) /* what the system lets this process have at most */
        sched_getaffinity(0, sizeof allowed, &allowed);
    else
        allowed = ranks;
    sched_setaffinity(0, sizeof mine, &mine);
    CPU_XOR(spare, &allowed, &ranks);
    CPU_AND(spare, spare, &allowed);
    lib->shared_cores = CPU_COUNT(spare) < all[1] && CPU_COUNT(&allowed) < all[0] + all[1];
    if (CPU_COUNT(spare) < all[1])
        *spare = lib->shared_cores ? node : allowed;
}

/* Beside this library, or where `ovl offload` says. */
static void program(char path[PATH_MAX])
{
    const char *named = getenv("OVL_OFFLOAD_CARRIER");
    Dl_info info;
    if (named && *named) {
        snprintf(path, PATH_MAX, "%s", named);
        return;
    }
    snprintf(path, PATH_MAX, "%s", dladdr(&ovl_library, &info) && info.dli_fname ? info.dli_fname : "");
    char *slash = strrchr(path, '/');
    size_t at = slash ? (size_t)(slash - path) : 0;
    snprintf(path + at, PATH_MAX - at, "%s../bin/ovl_carrier", slash ? "/" : "");
}

static int start(const struct seat *s, struct ovl_carrier *carriers, const cpu_set_t *cpus, struct ovl_error *err)
{
    char host[OVL_TCP_HOST] = "127.0.0.1", path[PATH_MAX];
    const char *interface = getenv("OVL_OFFLOAD_IFACE");
    program(path);
    if (lib->nodes > 1 && lib->settings.node_ranks == 0 && ovl_tcp_host(host, interface ? interface : "", err) != 0)
        return -1;
    for (int c = 0; c < count_of(s); c++)
        if (ovl_carrier_start(&carriers[c], path, host, cpus, lib->settings.timeout, err) != 0)
            return -1;
    return 0;
}

/* What all carriers are told, the same everywhere. */
static int plan(const struct seat *s, const struct ovl_carrier *carriers, int here)
{
    struct ovl_rank_info mine = {.worker = s->first + (int)((int64_t)s->rank * count_of(s) / s->ranks),
                                 .node = s->node};
    struct ovl_carrier_card *own = ovl_check_alloc(calloc((size_t)here + 1, sizeof *own)),
                            *cards = ovl_check_alloc(calloc((size_t)lib->carriers, sizeof *cards));
    struct ovl_rank_info *peers = ovl_check_alloc(calloc((size_t)lib->ranks, sizeof *peers));
    int *bytes = ovl_check_alloc(calloc(2 * (size_t)lib->ranks, sizeof *bytes)), *at = bytes + lib->ranks;
    int many = here * (int)sizeof *cards, shared = lib->shared_cores, any;
    for (int c = 0; c < here; c++)
        own[c] = carriers[c].card;
    P->Allgather(&many, 1, (H)MPI_INT, bytes, 1, (H)MPI_INT, (H)lib->world);
    for (int r = 1; r < lib->ranks; r++)
        at[r] = at[r - 1] + bytes[r - 1];
    P->Allgatherv(own, many, (H)MPI_BYTE, cards, bytes, at, (H)MPI_BYTE, (H)lib->world);
    P->Allgather(&mine, sizeof mine, (H)MPI_BYTE, peers, sizeof mine, (H)MPI_BYTE, (H)lib->world);
    P->Allreduce(&shared, &any, 1, (H)MPI_INT, (H)MPI_MAX, (H)lib->world);
    free(own);
    free(bytes);
    lib->shared_cores = any;
    lib->plan = (struct ovl_carrier_plan){.ranks = lib->ranks,
                                          .carriers = lib->carriers,
                                          .cards = cards,
                                          .peers = peers,
                                          .idle = any ? OVL_IDLE_SLEEP : OVL_IDLE_SPIN,
                                          .high = lib->settings.high,
                                          .slowdown = 1,
                                          .timeout = lib->settings.timeout,
                                          .memory = OVL_WORKER_MEMORY};
    return 0;
}

/* The first path by which all carriers reach all ranks' memory. */
static int find_path(struct ovl_error *err)
{
    static const struct ovl_mem_path *const paths[] = {&ovl_mem_path_cma, &ovl_mem_path_shm};
    static const char *const names[] = {"cma", "bounce"};
    int rc = -1, only = lib->settings.path;
    for (int p = 0; p < 2 && rc != 0; p++)
        if (only == OVL_PATH_AUTO || only == OVL_PATH_CMA + p) {
            rc = agree(ovl_client_probe(&lib->client, paths[p], err), err);
            lib->client.path = paths[p];
            lib->path = names[p];
            lib->bounce = p == 1;
        }
    return rc;
}

/* Whether all carriers got the priority. */
static void look_at_priority(const struct seat *s, int here)
{
    int raised = lib->settings.high && lib->shared_cores, all;
    for (int c = 0; c < here && raised; c++)
        raised = ovl_carrier_raised(&lib->plan.cards[s->first + c]);
    P->Allreduce(&raised, &all, 1, (H)MPI_INT, (H)MPI_MIN, (H)lib->world);
    lib->raised = all;
}

int ovl_carriers_join(struct ovl_error *err)
{
    struct seat s;
    cpu_set_t cpus;
    find_seat(&s);
    find_processors(&s, &cpus);
    int here = s.rank == 0 ? count_of(&s) : 0;
    struct ovl_carrier *carriers = ovl_check_alloc(calloc((size_t)here + 1, sizeof *carriers));
    int rc = agree(here ? start(&s, carriers, &cpus, err) : 0, err);
    bool joined = false;
    if (rc == 0) {
        rc = plan(&s, carriers, here);
        for (int c = 0; c < here && rc == 0; c++)
            rc = ovl_carrier_tell(&carriers[c], &lib->plan, s.first + c, err);
    }
    for (int c = 0; c < here; c++)
        ovl_carrier_let_go(&carriers[c]);
    free(carriers);
    if (lib->plan.cards) {
        if (rc == 0)
            rc = ovl_carrier_attach(&lib->ends, &lib->client, &lib->plan, lib->rank, err);
        joined = rc == 0;
        rc = agree(rc, err);
    }
    if (rc == 0)
        rc = find_path(err);
    if (rc == 0)
        look_at_priority(&s, here);
    if (rc != 0 && joined) {
        struct ovl_error ignored;
        ovl_client_leave(&lib->client, &ignored);
        ovl_carrier_detach(&lib->ends, &lib->client);
    }
    P->Comm_free(&s.comm);
    return rc;
}

int ovl_carriers_leave(struct ovl_error *err)
{
    int rc = ovl_client_leave(&lib->client, err);
    ovl_carrier_detach(&lib->ends, &lib->client);
    free((void *)(uintptr_t)lib->plan.cards);
    free((void *)(uintptr_t)lib->plan.peers);
    return rc;
}
