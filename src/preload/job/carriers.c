/* Starts carriers, sends them the job, and finds the path to the ranks' memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/carriers.h"
#include "base/path.h"
#include "base/rng.h"
#include "machine/machine.h"
#include "offload/transport/tcp_host.h"
#include "preload/job/carrier_placement.h"
#include "preload/library/poll.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct ovl_library *const lib = &ovl_library;

/* The same at all ranks: of each number the least that one has. */
static void least_of_all(int *mine, int *least, int count)
{
    MPI_Request q;
    P->Iallreduce(mine, least, count, (H)MPI_INT, (H)MPI_MIN, (H)lib->world, &q);
    ovl_poll_wait(&q);
}

/* All get the error of rank `from`. */
static int bcast_error(int from, struct ovl_error *err)
{
    MPI_Request q;
    P->Ibcast(err, sizeof *err, (H)MPI_BYTE, from, (H)lib->world, &q);
    ovl_poll_wait(&q);
    return -1;
}

/* Who has the same number reaches the sockets, processes and memory of the others. */
static uint64_t node_number(const struct ovl_machine *here)
{
    static const char *const spaces[] = {"/proc/self/ns/net", "/proc/self/ns/pid", "/proc/self/ns/ipc"};
    uint64_t h = here->id;
    struct stat of;
    for (const char *c = here->host; *c; c++)
        h = ovl_rng_mix(h ^ (unsigned char)*c);
    for (int i = 0; i < 3; i++)
        h = ovl_rng_mix(h ^ (stat(spaces[i], &of) == 0 ? (uint64_t)of.st_ino : 0));
    return h;
}

/* Of the ranks of this machine those that start carriers learn the processors of all: a set is 128 bytes, and all sets
   of a large job are more than each of its ranks should hold. */
static void find_processors_of_ranks(struct ovl_carrier_placement *s, const struct ovl_rank_location *all)
{
    enum { CPUS = 1 }; /* a tag */
    const int here = s->machine_ranks;
    cpu_set_t mine, *theirs = ovl_check_alloc(calloc((size_t)here, sizeof *theirs));
    MPI_Request *q = ovl_check_alloc(calloc(2 * (size_t)here, sizeof *q));
    int sent = 0;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    for (int r = 0, n = 0; r < lib->ranks; r++) {
        if (all[r].machine != all[lib->rank].machine)
            continue;
        if (s->starts[r])
            P->Isend(&mine, sizeof mine, (H)MPI_BYTE, r, CPUS, (H)lib->world, &q[here + sent++]);
        if (s->starts[lib->rank])
            P->Irecv(&theirs[n], sizeof *theirs, (H)MPI_BYTE, r, CPUS, (H)lib->world, &q[n]);
        n++;
    }
    for (int r = 0, n = 0; r < lib->ranks && s->starts[lib->rank]; r++)
        if (all[r].machine == all[lib->rank].machine) {
            ovl_poll_wait(&q[n]);
            ovl_carrier_placement_add_cpus(s, r, &theirs[n++]);
        }
    for (int i = 0; i < sent; i++)
        ovl_poll_wait(&q[here + i]);
    free(q);
    free(theirs);
}

/* That compute at this rank, as OpenMP was told; else one. */
static int threads_of_rank(void)
{
    const char *told = getenv("OMP_NUM_THREADS");
    int threads = told ? atoi(told) : 1;
    return threads > 1 && threads < CPU_SETSIZE ? threads : 1;
}

static void find_placement(struct ovl_carrier_placement *s)
{
    struct ovl_machine here;
    struct ovl_rank_location mine, *all = ovl_check_alloc(calloc((size_t)lib->ranks, sizeof *all));
    MPI_Request q;
    ovl_machine_identify(&here);
    mine = (struct ovl_rank_location){
        .node = node_number(&here), .machine = here.id, .quota = ovl_cpu_quota(""), .threads = threads_of_rank()};
    P->Iallgather(&mine, sizeof mine, (H)MPI_BYTE, all, sizeof mine, (H)MPI_BYTE, (H)lib->world, &q);
    ovl_poll_wait(&q);
    ovl_carrier_placement_make(s, all, lib->ranks, lib->rank, lib->settings.workers, lib->settings.node_ranks);
    find_processors_of_ranks(s, all);
    free(all);
    lib->nodes = s->nodes;
    lib->carriers = s->carriers;
}

/* Processors that the machine's ranks leave free; where there are too few of them carriers share those of the node's
   ranks. True: they sleep when they have nothing to do, since they share processors, or a quota of processor time that
   is too small for them to look all the time. */
static bool find_processors(const struct ovl_carrier_placement *s, cpu_set_t *spare)
{
    cpu_set_t mine, allowed;
    memset(&allowed, 0xff, sizeof allowed);
    CPU_ZERO(&mine);
    bool known = sched_getaffinity(0, sizeof mine, &mine) == 0; /* else there are more than a set holds */
    if (known &&
        sched_setaffinity(0, sizeof allowed, &allowed) == 0) /* what the system lets this process have at most */
        sched_getaffinity(0, sizeof allowed, &allowed);
    else
        allowed = s->machine_cpus;
    if (known)
        sched_setaffinity(0, sizeof mine, &mine);
    CPU_XOR(spare, &allowed, &s->machine_cpus);
    CPU_AND(spare, spare, &allowed);
    bool few = CPU_COUNT(spare) < s->machine_carriers,
         shared = few && CPU_COUNT(&allowed) < s->machine_threads + s->machine_carriers;
    if (few)
        *spare = shared ? s->node_cpus : allowed;
    return shared || s->over_quota;
}

/* Beside this library, or where `ovl offload` says. */
static struct ovl_path carrier_path(void)
{
    Dl_info info;
    const char *named = getenv("OVL_OFFLOAD_CARRIER"),
               *own = dladdr(&ovl_library, &info) && info.dli_fname ? info.dli_fname : "", *slash = strrchr(own, '/');
    return named && *named ? ovl_path("%s", named)
                           : ovl_path("%.*s../bin/ovl_carrier", slash ? (int)(slash + 1 - own) : 0, own);
}

/* What a rank says of a carrier that it has started. */
struct offer {
    int32_t failed, shared;
    struct ovl_carrier_address address;
};

/* Collective: at which address the carriers of this node listen. Each node's stand at the place of its first carrier.
 */
static int find_host(const struct ovl_carrier_placement *s, char host[OVL_TCP_HOST], struct ovl_error *err)
{
    MPI_Request q;
    const char *interface = getenv("OVL_OFFLOAD_IFACE");
    struct ovl_machine here;
    int rc = 0;
    strcpy(host, "127.0.0.1");
    if (lib->nodes == 1 || lib->settings.node_ranks != 0)
        return 0;
    struct ovl_tcp_hosts *some = ovl_check_alloc(calloc((size_t)s->carriers, sizeof *some)),
                         *all = ovl_check_alloc(calloc((size_t)s->carriers, sizeof *all));
    ovl_machine_identify(&here);
    if (s->starts[lib->rank])
        rc = ovl_tcp_hosts(&some[s->first], here.id, interface ? interface : "", err);
    P->Iallreduce(some, all, s->carriers * (int)sizeof *all, (H)MPI_BYTE, (H)MPI_BOR, (H)lib->world, &q);
    ovl_poll_wait(&q);
    if (s->starts[lib->rank])
        ovl_tcp_host_of(host, &all[s->first], all, (size_t)s->carriers);
    free(some);
    free(all);
    return rc;
}

static int start(const struct ovl_carrier_placement *s, const char *host, struct ovl_carrier *carriers,
                 struct offer *offers, struct ovl_error *err)
{
    const struct ovl_path path = carrier_path();
    cpu_set_t cpus;
    bool shared = find_processors(s, &cpus);
    for (int c = 0; c < s->node_carriers; c++) {
        if (ovl_carrier_start(&carriers[c], path.text, host, &cpus, lib->settings.timeout, err) != 0)
            return -1;
        offers[c] = (struct offer){.shared = shared, .address = carriers[c].address};
    }
    return 0;
}

/* All get all offers: each place is filled by one rank alone, so that they can be added up. -1 where carriers could not
   be started, with the first reason. */
static int exchange(const struct ovl_carrier_placement *s, struct offer *offers, struct ovl_error *err)
{
    MPI_Request q;
    struct offer *all = ovl_check_alloc(calloc((size_t)s->carriers, sizeof *all));
    P->Iallreduce(offers, all, s->carriers * (int)sizeof *all, (H)MPI_BYTE, (H)MPI_BOR, (H)lib->world, &q);
    ovl_poll_wait(&q);
    memcpy(offers, all, (size_t)s->carriers * sizeof *all);
    free(all);
    for (int r = 0, c = 0; r < lib->ranks; c += s->starts[r++])
        if (s->starts[r] && offers[c].failed)
            return bcast_error(r, err);
    return 0;
}

/* The job that all carriers get. */
static void make_job(struct ovl_carrier_placement *s, const struct offer *offers)
{
    struct ovl_carrier_address *addresses = ovl_check_alloc(calloc((size_t)s->carriers, sizeof *addresses));
    bool shared = false;
    for (int c = 0; c < s->carriers; c++) {
        addresses[c] = offers[c].address;
        shared |= offers[c].shared != 0;
    }
    lib->shared_cores = shared;
    lib->job = (struct ovl_carrier_job){.ranks = lib->ranks,
                                        .carriers = lib->carriers,
                                        .addresses = addresses,
                                        .peers = s->peers,
                                        .idle = shared ? OVL_IDLE_SLEEP : OVL_IDLE_SPIN,
                                        .high = lib->settings.high,
                                        .slowdown = 1,
                                        .timeout = lib->settings.timeout,
                                        .memory = OVL_WORKER_MEMORY};
    s->peers = NULL; /* the job owns them now */
}

static int start_all(struct ovl_carrier_placement *s, struct ovl_error *err)
{
    int here = s->starts[lib->rank];
    struct ovl_carrier *carriers = ovl_check_alloc(calloc((size_t)here + 1, sizeof *carriers));
    struct offer *offers = ovl_check_alloc(calloc((size_t)s->carriers, sizeof *offers));
    char host[OVL_TCP_HOST];
    int found = find_host(s, host, err);
    if (here && (found != 0 || start(s, host, carriers, offers + s->first, err) != 0))
        offers[s->first].failed = 1;
    int rc = exchange(s, offers, err);
    if (rc == 0)
        make_job(s, offers);
    for (int c = 0; c < here; c++) {
        if (rc == 0)
            rc = ovl_carrier_send_job(&carriers[c], &lib->job, s->first + c, err);
        ovl_carrier_release(&carriers[c]);
    }
    free(offers);
    free(carriers);
    return rc;
}

/* Whether all carriers of this node got the priority. */
static bool raised(const struct ovl_carrier_placement *s)
{
    bool all = lib->settings.high && lib->shared_cores;
    for (int c = 0; c < s->node_carriers && all; c++)
        all = ovl_carrier_raised(&lib->job.addresses[s->first + c]);
    return all;
}

/* The first path by which all carriers reach all ranks' memory; beside that the ranks agree on the rest. */
static int find_path(const struct ovl_carrier_placement *s, int rc, struct ovl_error *err)
{
    static const struct ovl_mem_path *const paths[] = {&ovl_mem_path_cma, &ovl_mem_path_shm};
    static const char *const names[] = {"cma", "bounce"};
    int p = lib->settings.path == OVL_PATH_BOUNCE, not_here = rc != 0;
    enum { JOINED, REACHED, RAISED, WORDS };
    for (int all[WORDS];; p++) {
        if (rc == 0)
            rc = ovl_client_probe(&lib->client, paths[p], err);
        int mine[WORDS] = {not_here ? lib->rank : INT_MAX, rc != 0 ? lib->rank : INT_MAX, raised(s)};
        least_of_all(mine, all, WORDS);
        if (all[JOINED] != INT_MAX)
            return bcast_error(all[JOINED], err);
        lib->raised = all[RAISED];
        lib->client.path = paths[p];
        lib->path = names[p];
        lib->bounce = p == 1;
        if (all[REACHED] == INT_MAX)
            return 0;
        if (p == 1 || lib->settings.path == OVL_PATH_CMA)
            return bcast_error(all[REACHED], err);
        rc = 0;
    }
}

int ovl_carriers_join(struct ovl_error *err)
{
    struct ovl_carrier_placement s;
    find_placement(&s);
    int rc = start_all(&s, err);
    if (lib->job.addresses) { /* at all ranks, or at none */
        if (rc == 0)
            rc = ovl_carrier_attach(&lib->conns, &lib->client, &lib->job, lib->rank, err);
        bool joined = rc == 0;
        rc = find_path(&s, rc, err);
        struct ovl_error ignored;
        if (rc != 0 && joined) {
            ovl_client_leave(&lib->client, &ignored);
            ovl_carrier_detach(&lib->conns, &lib->client);
        }
    }
    ovl_carrier_placement_free(&s);
    return rc;
}

int ovl_carriers_leave(struct ovl_error *err)
{
    int rc = ovl_client_leave(&lib->client, err);
    ovl_carrier_detach(&lib->conns, &lib->client);
    free((void *)(uintptr_t)lib->job.addresses);
    free((void *)(uintptr_t)lib->job.peers);
    return rc;
}
