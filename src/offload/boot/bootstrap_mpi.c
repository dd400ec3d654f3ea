/* All that processes say of themselves goes round in one allgather; from it each makes the same job map. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/abi_check.h"
#include "machine/machine.h"
#include "offload/boot/connect_mpi.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct ovl_engine_options ovl_engine_options_default = {
    .workers = 1,
    .idle = OVL_AUTO,
    .path = OVL_AUTO,
    .slowdown = 1,
    .timeout = 30,
    .memory = OVL_WORKER_MEMORY,
};

static bool tuned;

/* A number that a launcher sets, under the first name that is there; -1: none. */
static int launcher_says(const char *const *names)
{
    for (; *names; names++) {
        const char *number = getenv(*names);
        if (number)
            return atoi(number);
    }
    return -1;
}

void ovl_engine_prepare(int workers)
{
    static const char *const ranks[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                                        NULL};
    static const char *const sizes[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE",
                                        NULL};
    int rank = launcher_says(ranks), size = launcher_says(sizes);
    if (workers >= 0 && (rank < 0 || size < 0 || rank < size - workers))
        return;
    if (!getenv("UCX_RNDV_THRESH"))
        tuned = setenv("UCX_RNDV_THRESH", "inf", 0) == 0;
}

/* What can be known of the machine without much ado. */
static void describe(struct ovl_proc_info *h, MPI_Comm node, int pretend)
{
    struct ovl_machine m;
    int world, lowest;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Allreduce(&world, &lowest, 1, MPI_INT, MPI_MIN, node);
    h->pid = getpid();
    h->node = pretend > 0 ? world / pretend : lowest;
    ovl_machine_identify(&m);
    h->machine = m.id;
    struct stat numbers; /* of its processes, which containers have of their own */
    h->numbers = stat("/proc/self/ns/pid", &numbers) == 0 ? numbers.st_ino : 0;
    snprintf(h->node_name, sizeof h->node_name, "%.63s", m.host);
    if (pretend > 0)
        snprintf(h->node_name, sizeof h->node_name, "%.40s-%d", m.host, world / pretend);
    h->quota = ovl_cpu_quota("");
    snprintf(h->architecture, sizeof h->architecture, "%s", m.architecture);
    h->emulated = m.emulated;
    memcpy(h->cpus, m.mask, sizeof h->cpus < sizeof m.mask ? sizeof h->cpus : sizeof m.mask);
}

/* The answer to the question who leaves: 0 when nobody does. */
static int settle_roles(struct ovl_engine *e, const struct ovl_proc_info *all, int processes, struct ovl_error *err)
{
    int code = 0, leave = 0;
    e->leader = -1;
    for (int p = processes; p-- > 0;) {
        code = all[p].code > code ? all[p].code : code;
        leave = leave || all[p].leave;
        if (!all[p].worker_program)
            e->leader = p;
    }
    bool alone = e->leader < 0;
    for (int p = processes; p-- > 0;)
        if (code > 0 ? all[p].code == code : alone)
            e->leader = p;
    e->first = e->world_rank == e->leader;
    if (alone && code == 0 && !leave)
        return ovl_error_set(err, OVL_USAGE,
                             "there are only workers here: start them beside a driver, as in `mpiexec -n 4 "
                             "ovl_ialltoall --mode host,dpu : -n 1 ovl_worker`");
    if (code == 0 && !leave)
        return 0;
    if (all[e->world_rank].code != code)
        err->text[0] = '\0';
    err->code = (enum ovl_exit)code;
    return -1;
}

static int check_tuning(struct ovl_engine *e, const struct ovl_proc_info *all, struct ovl_error *err)
{
    for (int p = 0; p < e->job_map.processes; p++)
        if (all[p].tuned && !e->job_map.member[p].worker)
            return ovl_error_set(
                err, OVL_USAGE,
                "process %d was prepared as a worker and is to measure; name ovl_worker last (driver : "
                "ovl_worker), or give --workers 0",
                p);
    if (e->job_map.workers > 0) {
        const struct ovl_proc_info *w = &all[e->job_map.worker_at[0]];
        snprintf(e->rendezvous, sizeof e->rendezvous, "%s", w->rendezvous);
        e->tuned = w->tuned;
    }
    return 0;
}

/* Before anything else is said, which another version may say in other words. */
static int check_abi(int processes, struct ovl_error *err)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], node[64] = "?";
    int length;
    struct ovl_abi_info mine, *all = ovl_check_alloc(malloc((size_t)processes * sizeof *all));
    MPI_Get_library_version(library, &length);
    if (gethostname(node, sizeof node - 1) != 0)
        node[0] = '\0';
    ovl_abi_info_make(&mine, OVL_ABI_VERSION, OVL_VERSION, library, node);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    int rc = ovl_abi_info_check(all, processes, err);
    free(all);
    return rc;
}

/* The leader reads the dpu-map, if there is one, and all get it. */
static int share_map(struct ovl_engine *e, struct ovl_dpu_map *dpus, struct ovl_error *err)
{
    *dpus = (struct ovl_dpu_map){.count = 0};
    int rc = 0;
    if (e->first && e->options.dpu_map)
        rc = ovl_dpu_map_read(dpus, e->options.dpu_map, err);
    int head[2] = {rc, dpus->count};
    MPI_Bcast(head, 2, MPI_INT, e->leader, MPI_COMM_WORLD);
    if (head[0] != 0) {
        MPI_Bcast(err, sizeof *err, MPI_BYTE, e->leader, MPI_COMM_WORLD);
        return -1;
    }
    dpus->count = head[1];
    if (!e->first && dpus->count > 0)
        dpus->row = ovl_check_alloc(malloc((size_t)dpus->count * sizeof *dpus->row));
    MPI_Bcast(dpus->row, dpus->count * (int)sizeof *dpus->row, MPI_BYTE, e->leader, MPI_COMM_WORLD);
    return 0;
}

/* Endpoints are taken where they are asked for, and where nothing else leads to a rank's memory. */
static int choose_remote(struct ovl_engine *e, struct ovl_error *err)
{
    const struct ovl_job_map *r = &e->job_map;
    e->remote = r->remote;
    if (r->workers == 0 || e->options.path == OVL_AUTO)
        return 0;
    const struct ovl_mem_path *path = ovl_mem_paths[e->options.path];
    e->remote = path->remote;
    for (int rank = 0; rank < r->ranks && !e->remote; rank++) {
        const struct ovl_job_proc *m = &r->member[r->rank_at[rank]];
        if (m->remote)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "node %s is served by %s, another machine, whose memory --path %s does not reach; "
                                 "use --path verbs, or start workers on the node itself",
                                 r->node_name[m->node], r->worker_name[m->worker_number], path->name);
    }
    return 0;
}

static void raise_workers(struct ovl_engine *e)
{
    if (!e->options.high_priority || e->job_map.workers == 0)
        return;
    int raised = !e->worker || (e->idle == OVL_IDLE_SLEEP && ovl_worker_raise_process());
    MPI_Allreduce(MPI_IN_PLACE, &raised, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    e->raised = raised;
}

int ovl_engine_bootstrap(struct ovl_engine *e, bool worker_program, const struct ovl_engine_options *options,
                         bool leave, struct ovl_error *err)
{
    int processes;
    MPI_Comm node;
    *e = (struct ovl_engine){.options = *options, .comm = MPI_COMM_NULL};
    ovl_engine_leave_on_abort();
    MPI_Comm_rank(MPI_COMM_WORLD, &e->world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (check_abi(processes, err) != 0) {
        e->first = e->world_rank == 0;
        return -1;
    }
    const char *rendezvous = getenv("UCX_RNDV_THRESH");
    struct ovl_proc_info mine = {.worker_program = worker_program,
                                 .code = (int32_t)err->code,
                                 .leave = leave,
                                 .workers = worker_program ? 0 : options->workers,
                                 .tuned = tuned},
                         *all = ovl_check_alloc(malloc((size_t)processes * sizeof *all));
    snprintf(mine.rendezvous, sizeof mine.rendezvous, "%s", rendezvous ? rendezvous : "");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    describe(&mine, node, options->pretend_nodes);
    MPI_Comm_free(&node);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    int rc = settle_roles(e, all, processes, err);
    if (rc == 0) {
        struct ovl_dpu_map dpus;
        MPI_Bcast(&e->options, sizeof e->options, MPI_BYTE, e->leader, MPI_COMM_WORLD);
        e->options.dpu_map = options->dpu_map;
        rc = share_map(e, &dpus, err);
        if (rc == 0)
            rc = ovl_job_map_make(&e->job_map, all, processes, e->options.map, dpus.count ? &dpus : NULL, err);
        free(dpus.row);
    }
    if (rc == 0)
        rc = check_tuning(e, all, err);
    if (rc == 0) {
        e->worker = e->job_map.member[e->world_rank].worker;
        rc = ovl_engine_join(e, err);
    }
    if (rc == 0)
        rc = choose_remote(e, err);
    if (rc == 0) {
        const struct ovl_job_proc *me = &e->job_map.member[e->world_rank];
        e->idle = e->options.idle != OVL_AUTO ? (enum ovl_idle)e->options.idle
                  : me->oversubscribed        ? OVL_IDLE_SLEEP
                                              : OVL_IDLE_SPIN;
        raise_workers(e);
        MPI_Comm_split(MPI_COMM_WORLD, e->worker, e->world_rank, &e->comm);
    }
    free(all);
    return rc;
}

int ovl_engine_agree_exit_code(struct ovl_engine *e, int code)
{
    MPI_Request request;
    MPI_Ibcast(&code, 1, MPI_INT, e->leader, MPI_COMM_WORLD, &request);
    ovl_engine_await(e, &request);
    ovl_engine_close_sockets(e);
    if (e->comm != MPI_COMM_NULL)
        MPI_Comm_free(&e->comm);
    ovl_job_map_free(&e->job_map);
    return code;
}
