/* Where a run took place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/provenance.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/rng.h"
#include "bench/crowded.h"
#include "bench/library.h"
#include "bench/rank_environment.h"
#include "bench/share.h"
#include "bench/start/clock_domain.h"
#include "machine/adapters.h"
#include "machine/caches.h"
#include "machine/crowd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Collective: what is known of the node, from its lowest rank; `together` are the units that its ranks may run on. */
static int load_topology(struct ovl_provenance *p, MPI_Comm comm, struct ovl_error *err)
{
    MPI_Comm node;
    int node_rank, rc = 0;
    uint64_t together[OVL_TOPOLOGY_MASK_WORDS];
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    p->leader = p->rank;
    if (node_rank == 0)
        rc = ovl_topology_load(&p->topology, err);
    MPI_Bcast(&p->leader, 1, MPI_INT, 0, node);
    MPI_Bcast(&p->topology, sizeof p->topology, MPI_BYTE, 0, node);
    ovl_topology_load_process(&p->topology);
    MPI_Allreduce(p->topology.mask, together, OVL_TOPOLOGY_MASK_WORDS, MPI_UINT64_T, MPI_BOR, node);
    p->bound = ovl_topology_bound(&p->topology, together);
    MPI_Comm_free(&node);
    return rc;
}

/* The workers of this machine, and in `here`, of all in the job, which those are. */
static void find_workers(struct ovl_provenance *p, const struct ovl_job_map *job_map, int *here)
{
    const struct ovl_job_proc *me = &job_map->member[job_map->rank_at[p->rank]];
    p->worker_masks = ovl_alloc((size_t)me->workers_here + 1, sizeof *p->worker_masks);
    for (int w = 0, n = 0; w < job_map->workers; w++) {
        here[w] = job_map->member[job_map->worker_at[w]].machine == me->machine;
        if (here[w])
            memcpy(p->worker_masks[n++], job_map->worker_cpus[w], sizeof *p->worker_masks);
    }
    p->workers_here = me->workers_here;
    p->cores_together = me->cores_here;
}

/* At the first rank of a machine: how many ranks have to share, by the masks of all; and how many ranks and workers
   run at once. */
static void count_sharing(struct ovl_provenance *p, const uint64_t (*masks)[OVL_TOPOLOGY_MASK_WORDS])
{
    size_t n = (size_t)p->ranks_here;
    uint64_t(*cores)[OVL_TOPOLOGY_MASK_WORDS] = ovl_alloc(n, sizeof *cores);
    uint64_t all[OVL_TOPOLOGY_MASK_WORDS] = {0};
    for (size_t r = 0; r < n; r++) {
        ovl_topology_cores(&p->topology, masks[r], cores[r]);
        for (size_t w = 0; w < OVL_TOPOLOGY_MASK_WORDS; w++)
            all[w] |= cores[r][w];
    }
    p->cores_here = ovl_bits_count(all, OVL_TOPOLOGY_MASK_WORDS);
    p->waiting_here = (int)ovl_crowd_waiting(masks, n);
    p->running_here = (int)ovl_crowd_running(masks, n, (const uint64_t(*)[OVL_TOPOLOGY_MASK_WORDS])p->worker_masks,
                                             (size_t)p->workers_here);
    p->sharing_here = (int)ovl_crowd_waiting((const uint64_t(*)[OVL_TOPOLOGY_MASK_WORDS])cores, n);
    free(cores);
}

/* Collective: who is on this machine, which is more than a node where containers are nodes. */
static void load_machine(struct ovl_provenance *p, MPI_Comm comm)
{
    MPI_Comm machine;
    int machine_rank;
    uint64_t together[OVL_TOPOLOGY_MASK_WORDS], (*masks)[OVL_TOPOLOGY_MASK_WORDS] = NULL;
    MPI_Comm_split(comm, ovl_clock_first_with(comm, p->topology.machine), p->rank, &machine);
    MPI_Comm_size(machine, &p->ranks_here);
    MPI_Comm_rank(machine, &machine_rank);
    MPI_Allreduce(p->topology.mask, together, OVL_TOPOLOGY_MASK_WORDS, MPI_UINT64_T, MPI_BOR, machine);
    p->cores_allowed = ovl_bits_count(together, OVL_TOPOLOGY_MASK_WORDS);
    if (machine_rank == 0)
        masks = ovl_alloc((size_t)p->ranks_here, sizeof *masks);
    MPI_Gather(p->topology.mask, OVL_TOPOLOGY_MASK_WORDS, MPI_UINT64_T, masks, OVL_TOPOLOGY_MASK_WORDS, MPI_UINT64_T, 0,
               machine);
    if (machine_rank == 0)
        count_sharing(p, (const uint64_t(*)[OVL_TOPOLOGY_MASK_WORDS])masks);
    free(masks);
    MPI_Comm_free(&machine);
}

/* Workers on machines without ranks: how many of them run at once, where all of a machine may run on the same units. */
static int cores_elsewhere(const struct ovl_job_map *job_map, const int *with_ranks)
{
    double cores = 0;
    for (int w = 0; w < job_map->workers; w++) {
        const struct ovl_job_proc *m = &job_map->member[job_map->worker_at[w]];
        if (!with_ranks[w])
            cores += fmin(1, (double)m->cores_here / m->workers_here);
    }
    return (int)lround(cores);
}

/* Collective: how many units ranks, and with them workers, can have at once. `with_ranks`: which workers are on this
   machine. */
static void count_cores(struct ovl_provenance *p, MPI_Comm comm, const struct ovl_job_map *job_map, int *with_ranks)
{
    bool first = ovl_clock_first_with(comm, p->topology.machine) == p->rank;
    int sums[2] = {first ? p->ranks_here - p->waiting_here : 0, first ? p->running_here : 0};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, comm);
    p->cores_of_ranks = sums[0];
    p->cores_of_all = sums[1];
    if (!with_ranks)
        return;
    MPI_Allreduce(MPI_IN_PLACE, with_ranks, job_map->workers, MPI_INT, MPI_MAX, comm);
    p->cores_of_all += cores_elsewhere(job_map, with_ranks);
}

/* Collective: all ranks learn who is where, and rank 0 the names of nodes. */
static void gather_nodes(struct ovl_provenance *p, MPI_Comm comm)
{
    struct ovl_rank_host mine = {.leader = p->leader}, *all = NULL;
    snprintf(mine.name, sizeof mine.name, "%.*s", OVL_HOST_NAME - 1, p->topology.host);
    if (p->rank == 0)
        all = ovl_alloc((size_t)p->ranks, sizeof *all);
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, comm);
    if (p->rank == 0)
        p->hosts = ovl_rank_hosts_make(all, p->ranks);
    else
        p->hosts.node_of = ovl_alloc((size_t)p->ranks, sizeof *p->hosts.node_of);
    p->nodes = p->hosts.nodes;
    MPI_Bcast(&p->nodes, 1, MPI_INT, 0, comm);
    MPI_Bcast(p->hosts.node_of, p->ranks, MPI_INT, 0, comm);
    free(all);
}

int ovl_provenance_load(struct ovl_provenance *p, MPI_Comm comm, const struct ovl_job_map *job_map,
                        struct ovl_error *err)
{
    memset(p, 0, sizeof *p);
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->ranks);
    int rc = load_topology(p, comm, err);
    /* Clones share boot_id, and neither clock nor cores. */
    p->clock_domain = ovl_clock_domain(comm, p->topology.clock, p->leader, ovl_clock_raw_ns, &p->clones);
    if (p->clock_domain != p->topology.clock)
        p->topology.machine = p->clock_domain;
    int *here = job_map && job_map->workers > 0 ? ovl_alloc((size_t)job_map->workers, sizeof *here) : NULL;
    if (here)
        find_workers(p, job_map, here);
    load_machine(p, comm);
    p->cores_together = here ? p->cores_together : p->cores_allowed;
    int over = p->ranks_here + p->workers_here > p->cores_together || p->waiting_here > 0, any;
    MPI_Allreduce(&over, &any, 1, MPI_INT, MPI_MAX, comm);
    p->oversubscribed = any;
    count_cores(p, comm, job_map, here);
    free(here);
    gather_nodes(p, comm);
    return rc;
}

void ovl_provenance_free(struct ovl_provenance *p)
{
    free(p->worker_masks);
    ovl_rank_hosts_free(&p->hosts);
}

const char *ovl_provenance_node(const struct ovl_provenance *p, int rank)
{
    return rank >= 0 && rank < p->hosts.ranks ? p->hosts.name[p->hosts.node_of[rank]] : "";
}

static json_t *text_or_null(const char *text)
{
    return *text ? json_string(text) : json_null();
}

static json_t *host_json(const struct ovl_provenance *p)
{
    const struct ovl_topology *t = &p->topology;
    char machine[24];
    double load;
    bool loaded = getloadavg(&load, 1) == 1;
    json_t *mpi = ovl_library_json(), *library = json_incref(json_object_get(mpi, "library"));
    json_decref(mpi);
    snprintf(machine, sizeof machine, "%016llx", (unsigned long long)t->machine);
    return json_pack("{s:s, s:s, s:i, s:i, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", t->host, "cpu", t->cpu,
                     "cores", t->units, "physical_cores", t->cores, "numa",
                     t->numa < 0 ? json_null() : json_integer(t->numa), "kernel", t->kernel, "machine", machine,
                     "governor", text_or_null(t->governor), "caches", ovl_caches_json(NULL), "load",
                     loaded ? json_real(load) : json_null(), "adapters", ovl_adapters_json(), "mpi_library", library);
}

/* Collective: every rank's text at rank 0, one after the other, each with its end; NULL elsewhere. */
static char *gather_texts(const char *text, MPI_Comm comm, int rank, int ranks)
{
    int length = (int)strlen(text) + 1, *lengths = NULL, *places = NULL;
    char *all = NULL;
    if (rank == 0) {
        lengths = ovl_alloc((size_t)ranks, sizeof *lengths);
        places = ovl_alloc((size_t)ranks, sizeof *places);
    }
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, comm);
    if (rank == 0) {
        int sum = 0;
        for (int r = 0; r < ranks; sum += lengths[r], r++)
            places[r] = sum;
        all = ovl_check_alloc(malloc((size_t)sum + 1));
    }
    MPI_Gatherv(text, length, MPI_CHAR, all, lengths, places, MPI_CHAR, 0, comm);
    free(places);
    free(lengths);
    return all;
}

static json_t *gather_hosts(const struct ovl_provenance *p, MPI_Comm comm)
{
    json_t *mine = p->leader == p->rank ? host_json(p) : NULL;
    char *text = mine ? json_dumps(mine, JSON_COMPACT) : NULL;
    char *texts = gather_texts(text ? text : "", comm, p->rank, p->ranks);
    json_t *hosts = texts ? ovl_rank_objects_json(texts, p->ranks) : NULL;
    free(texts);
    free(text);
    json_decref(mine);
    return hosts;
}

static json_t *gather_bindings(const struct ovl_provenance *p, MPI_Comm comm)
{
    char *texts = gather_texts(p->topology.binding, comm, p->rank, p->ranks);
    json_t *binding = texts ? ovl_rank_texts_json(texts, p->ranks) : NULL;
    free(texts);
    return binding;
}

/* Collective: names of variables that ranks have otherwise than rank 0; *differ: how many ranks do. */
static json_t *gather_differing(const struct ovl_provenance *p, MPI_Comm comm, const json_t *environment, int *differ)
{
    json_t *first = ovl_share_json(environment, comm), *mine = ovl_rank_environment_differing(environment, first);
    char *text = json_object_size(mine) > 0 ? json_dumps(mine, JSON_COMPACT) : NULL;
    char *texts = gather_texts(text ? text : "", comm, p->rank, p->ranks);
    json_t *names = texts ? ovl_rank_environment_names(texts, p->ranks, differ) : NULL;
    free(texts);
    free(text);
    json_decref(mine);
    json_decref(first);
    return names;
}

/* Not so where mpiexec runs within a job of Slurm. */
static bool by_srun(void)
{
    return getenv("SLURM_STEP_ID") && !getenv("MPI_LOCALRANKID") && !getenv("OMPI_COMM_WORLD_LOCAL_RANK");
}

/* The option of the launcher at hand that binds ranks. */
static const char *binds(void)
{
    return by_srun() ? "srun --cpu-bind=cores" : "mpiexec -bind-to core";
}

/* Processes that do not find each other, as their launcher and the MPI library speak different languages: NULL where
   they do. */
static json_t *apart_warning(void)
{
    static const struct {
        const char *size, *cure;
    } launchers[] = {
        {"SLURM_STEP_NUM_TASKS", "tasks of srun is a job of one rank: give --mpi=pmi2 or --mpi=pmix"},
        {"OMPI_COMM_WORLD_SIZE",
         "processes of Open MPI's mpirun is a job of one rank: take this library's own launcher"},
        {"PMI_SIZE", "processes of mpiexec (PMI) is a job of one rank: take this library's own launcher"},
    };
    int found;
    MPI_Comm_size(MPI_COMM_WORLD, &found);
    for (size_t i = by_srun() ? 0 : 1; found == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = getenv(launchers[i].size);
        if (size && atoi(size) > 1)
            return json_sprintf("each of the %d %s (ovl doctor says which)", atoi(size), launchers[i].cure);
    }
    return NULL;
}

/* By which hwloc shows what a file or a text says. */
static const char *const hwloc_is_told[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH",
                                            NULL};

json_t *ovl_provenance_json(const struct ovl_provenance *p, MPI_Comm comm)
{
    const struct ovl_topology *t = &p->topology;
    int mine[2] = {!p->bound, *t->governor && strcmp(t->governor, "performance") != 0}, loose_slow[2];
    MPI_Reduce(mine, loose_slow, 2, MPI_INT, MPI_SUM, 0, comm);
    json_t *crowd = ovl_crowded_warning(p, comm);
    json_t *hosts = gather_hosts(p, comm), *binding = gather_bindings(p, comm);
    json_t *environment = ovl_topology_environment();
    int differ = 0;
    json_t *differing = gather_differing(p, comm, environment, &differ);
    if (p->rank != 0) {
        json_decref(environment);
        json_decref(crowd);
        return NULL;
    }

    json_t *warnings = json_array();
    if (ovl_library_offloads())
        json_array_append_new(warnings, json_string("ovl offload stands before MPI: its workers do operations of this "
                                                    "program, and no count of cores and workers has them"));
    if (crowd)
        json_array_append_new(warnings, crowd);
    json_t *apart = apart_warning();
    if (apart)
        json_array_append_new(warnings, apart);
    if (p->clones > 0)
        json_array_append_new(
            warnings, json_sprintf("%d rank(s) on a machine with the boot_id of another and a clock of its own: "
                                   "a clone; each such machine counts as one",
                                   p->clones));
    if (differ > 0)
        json_array_append_new(warnings, json_sprintf("%d of %d ranks have other variables than rank 0: %s%s", differ,
                                                     p->ranks, json_string_value(json_array_get(differing, 0)),
                                                     json_array_size(differing) > 1 ? " and more" : ""));
    int machines = ovl_rank_machines(hosts);
    if (machines < p->nodes && !getenv("OVL_CLUSTER"))
        json_array_append_new(warnings, json_sprintf("%d nodes on %d machine%s: what goes between nodes of one machine "
                                                     "crosses no network",
                                                     p->nodes, machines, machines == 1 ? "" : "s"));
    if (loose_slow[0] == p->ranks)
        json_array_append_new(warnings, json_sprintf("ranks are not bound to cores (%s)", binds()));
    else if (loose_slow[0] > 0)
        json_array_append_new(
            warnings, json_sprintf("%d of %d ranks are not bound to cores (%s)", loose_slow[0], p->ranks, binds()));
    for (const char *const *name = hwloc_is_told; *name; name++)
        if (getenv(*name))
            json_array_append_new(warnings,
                                  json_sprintf("%s is set: cores and bindings may be those of another machine", *name));
    if (loose_slow[1] > 0)
        json_array_append_new(warnings, json_string("the frequency governor is not performance"));
    if (t->numa < 0)
        json_array_append_new(warnings, json_string("built without hwloc, and the kernel shows no NUMA nodes: their "
                                                    "number is unknown"));
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ranks", p->ranks, "nodes", p->nodes, "mpi",
                     ovl_library_json(), "hosts", hosts, "rank_hosts", ovl_rank_hosts_json(&p->hosts), "binding",
                     binding, "environment", environment, "environment_differs", differing, "warnings", warnings);
}

void ovl_provenance_run_id(char text[64])
{
    uint64_t random = 0;
    char utc[32];
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = ovl_rng_mix((uint64_t)ovl_clock_ns() ^ (uint64_t)getpid() << 32);
    ovl_clock_utc(utc);
    size_t n = 0;
    for (const char *c = utc; *c; c++)
        if (*c != '-' && *c != ':')
            text[n++] = *c;
    snprintf(text + n, 64 - n, "-%016llx", (unsigned long long)random);
}
