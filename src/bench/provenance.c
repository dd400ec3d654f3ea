/* Where a run took place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/provenance.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/rng.h"
#include "bench/clock_domain.h"
#include "machine/adapters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int ovl_provenance_load(struct ovl_provenance *p, MPI_Comm comm, const struct ovl_job_map *job_map,
                        struct ovl_error *err)
{
    memset(p, 0, sizeof *p);
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->ranks);
    int rc = ovl_topology_load(&p->topology, err);

    /* Clones share boot_id, and neither clock nor cores. */
    p->clock_domain = ovl_clock_domain(comm, p->topology.clock, ovl_clock_raw_ns, &p->clones);
    if (p->clock_domain != p->topology.clock)
        p->topology.machine = p->clock_domain;

    MPI_Comm machine, node;
    uint64_t together[OVL_TOPOLOGY_MASK_WORDS];
    MPI_Comm_split(comm, ovl_clock_first_with(comm, p->topology.machine), p->rank, &machine);
    MPI_Comm_size(machine, &p->ranks_here);
    MPI_Allreduce(p->topology.mask, together, OVL_TOPOLOGY_MASK_WORDS, MPI_UINT64_T, MPI_BOR, machine);
    p->cores_allowed = ovl_bits_count(together, OVL_TOPOLOGY_MASK_WORDS);
    MPI_Comm_free(&machine);

    p->cores_together = p->cores_allowed;
    if (job_map && job_map->workers > 0) {
        const struct ovl_job_proc *me = &job_map->member[job_map->rank_at[p->rank]];
        p->workers_here = me->workers_here;
        p->cores_together = me->cores_here;
    }
    int over = p->ranks_here + p->workers_here > p->cores_together, any, node_rank, leader;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_free(&node);
    leader = node_rank == 0;
    MPI_Allreduce(&leader, &p->nodes, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(&over, &any, 1, MPI_INT, MPI_MAX, comm);
    p->oversubscribed = any;
    return rc;
}

static json_t *text_or_null(const char *text)
{
    return *text ? json_string(text) : json_null();
}

static json_t *host_json(const struct ovl_provenance *p)
{
    const struct ovl_topology *t = &p->topology;
    char machine[24];
    snprintf(machine, sizeof machine, "%016llx", (unsigned long long)t->machine);
    return json_pack("{s:s, s:s, s:i, s:i, s:s, s:s, s:o, s:o}", "name", t->host, "cpu", t->cpu, "cores", t->cores,
                     "numa", t->numa, "kernel", t->kernel, "machine", machine, "governor", text_or_null(t->governor),
                     "adapters", ovl_adapters_json());
}

/* Every rank's text at rank 0, as an array of strings; texts may be empty. */
static json_t *gather_texts(const char *text, MPI_Comm comm, int rank, int ranks)
{
    int length = (int)strlen(text) + 1, *lengths = NULL, *places = NULL;
    char *all = NULL;
    if (rank == 0) {
        lengths = ovl_check_alloc(malloc((size_t)ranks * sizeof *lengths));
        places = ovl_check_alloc(malloc((size_t)ranks * sizeof *places));
    }
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, comm);
    if (rank == 0) {
        int sum = 0;
        for (int r = 0; r < ranks; sum += lengths[r], r++)
            places[r] = sum;
        all = ovl_check_alloc(malloc((size_t)sum + 1));
    }
    MPI_Gatherv(text, length, MPI_CHAR, all, lengths, places, MPI_CHAR, 0, comm);
    json_t *array = NULL;
    if (rank == 0) {
        array = json_array();
        for (int r = 0; r < ranks; r++)
            json_array_append_new(array, json_string(all + places[r]));
    }
    free(all);
    free(places);
    free(lengths);
    return array;
}

static json_t *gather_hosts(const struct ovl_provenance *p, MPI_Comm comm)
{
    MPI_Comm node;
    int node_rank;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_free(&node);
    json_t *mine = node_rank == 0 ? host_json(p) : NULL;
    char *text = mine ? json_dumps(mine, JSON_COMPACT) : NULL;
    json_t *texts = gather_texts(text ? text : "", comm, p->rank, p->ranks), *hosts = texts ? json_array() : NULL;
    for (size_t i = 0; i < json_array_size(texts); i++) {
        json_t *host = json_loads(json_string_value(json_array_get(texts, i)), 0, NULL);
        if (host)
            json_array_append_new(hosts, host);
    }
    json_decref(texts);
    json_decref(mine);
    free(text);
    return hosts;
}

static json_t *mpi_json(void)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    char library[MPI_MAX_LIBRARY_VERSION_STRING], standard[16];
    int length, major, minor, level;
    MPI_Get_library_version(library, &length);
    MPI_Get_version(&major, &minor);
    MPI_Query_thread(&level);
    snprintf(standard, sizeof standard, "%d.%d", major, minor);
    const char *name = level == MPI_THREAD_SINGLE       ? levels[0]
                       : level == MPI_THREAD_FUNNELED   ? levels[1]
                       : level == MPI_THREAD_SERIALIZED ? levels[2]
                                                        : levels[3];
    /* MPICH tells its configure line too: the first line holds name and version. */
    char *first = library;
    first[strcspn(first, "\n")] = '\0';
    for (char *c = first; *c; c++)
        if (*c == '\t')
            *c = ' ';
    return json_pack("{s:s, s:s, s:s}", "library", first, "standard", standard, "thread_level", name);
}

json_t *ovl_provenance_json(const struct ovl_provenance *p, MPI_Comm comm)
{
    const struct ovl_topology *t = &p->topology;
    int loose = t->cores > 1 && !t->bound, any_loose, slow = *t->governor && strcmp(t->governor, "performance") != 0,
        any_slow;
    struct {
        int ranks, rank;
    } worst = {p->ranks_here + p->workers_here - p->cores_together, p->rank}, found;
    int crowd[3] = {p->ranks_here, p->cores_together, p->workers_here};
    MPI_Allreduce(&loose, &any_loose, 1, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(&slow, &any_slow, 1, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(&worst, &found, 1, MPI_2INT, MPI_MAXLOC, comm);
    MPI_Bcast(crowd, 3, MPI_INT, found.rank, comm);
    json_t *hosts = gather_hosts(p, comm), *binding = gather_texts(t->binding, comm, p->rank, p->ranks);
    if (p->rank != 0)
        return NULL;

    json_t *warnings = json_array();
    if (p->oversubscribed && crowd[2] > 0)
        json_array_append_new(warnings, json_sprintf("oversubscribed: %d ranks and %d workers on %d cores; times hold "
                                                     "the waiting for a core",
                                                     crowd[0], crowd[2], crowd[1]));
    else if (p->oversubscribed)
        json_array_append_new(warnings,
                              json_sprintf("oversubscribed: %d ranks on %d cores; times hold the waiting for a core",
                                           crowd[0], crowd[1]));
    if (p->clones > 0)
        json_array_append_new(
            warnings, json_sprintf("%d rank(s) on a machine with the boot_id of another and a clock of its own: "
                                   "a clone; each such machine counts as one",
                                   p->clones));
    if (any_loose)
        json_array_append_new(warnings, json_string("ranks are not bound to cores (mpiexec -bind-to core)"));
    if (any_slow)
        json_array_append_new(warnings, json_string("the frequency governor is not performance"));
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "ranks", p->ranks, "nodes", p->nodes, "mpi", mpi_json(),
                     "hosts", hosts, "binding", binding, "environment", ovl_topology_environment(), "warnings",
                     warnings);
}

const char *ovl_provenance_node(const struct ovl_provenance *p, int rank)
{
    return rank == p->rank ? p->topology.host : "";
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
