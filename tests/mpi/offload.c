/* ranks: 2 4 */
/* The engine in an MPI job: roles, every operation in both paths on one node and on several that are pretended, odd
 * communicators, rest, counters. With words, on the path verbs where there are adapters (tests/verbs):
 *
 *   offload verbs|brief WORKERS RANKS-DEVICE WORKERS-DEVICE [DPU-MAP]
 *       the last WORKERS of each node work; 0: those that were started as `offload worker`
 *   offload all WORKERS PROCESSES-A-NODE PATH
 *       every operation, every algorithm, every byte, at any number of ranks; 0: nodes as they are. 64 ranks and 4
 *       workers: mpiexec -n 68 offload all 1 17 shm
 *   offload beside PROCESSES-A-NODE PATH
 *       the same with programs ovl_worker beside the ranks, of another build
 *   offload fault-key|fault-pair RANKS-DEVICE WORKERS-DEVICE
 *       rank 0 takes back its memory's registration, or destroys its queue pair, and then posts
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/engine_mpi.h"
#include "offload/transport/transport_mpi.h"
#include "tests/fake/deal.h"
#include "tests/fake/small_numbers.h"
#include "tests/mpi/mpi_test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ovl_engine engine;
static int processes;

static void fail(const struct ovl_error *err)
{
    ovl_engine_abort("offload test", err);
}

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
        if ((call) != 0)                                                                                               \
            fail(&err);                                                                                                \
    while (0)

/* Once through, the data checked. */
static void operate(const struct ovl_team *team, const struct deal *d)
{
    struct ovl_error err;
    struct ovl_request request;
    struct ovl_client_ctx *h = &engine.client;
    int *lists = malloc(4 * (size_t)d->ranks * sizeof *lists);
    void *send, *recv;
    long first;
    MUST(ovl_engine_alloc(&engine, &send, 4 * deal_length(d, team->rank, false), &err));
    MUST(ovl_engine_alloc(&engine, &recv, 4 * deal_length(d, team->rank, true), &err));
    deal_counts(d, team->rank, lists);
    deal_fill(d, team->rank, lists, send, recv);
    struct ovl_coll_args call = deal_args(d, team->rank, lists);
    call.team = team;
    call.send = send;
    call.recv = recv;
    MUST(ovl_client_check(&call, &err));
    MUST(ovl_client_post(h, &call, &request, &err));
    MUST(ovl_client_wait(h, &request, &err));
    size_t wrong = deal_wrong(d, team->rank, lists, recv, &first);
    EXPECT(wrong == 0);
    if (wrong)
        fprintf(stderr, "operation %d, %zu numbers, in place %d, rank %d: %zu wrong from %ld on\n", d->operation,
                d->count, d->in_place, team->rank, wrong, first);
    MUST(ovl_client_free(h, send, &err));
    MUST(ovl_client_free(h, recv, &err));
    free(lists);
}

/* As the table chooses, and by `each` algorithm. */
static void every_operation_of(const struct ovl_team *team, size_t count, bool each)
{
    int root = (int)(count % (size_t)team->ranks);
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++)
            operate(team, &(struct deal){(enum ovl_operation)o, team->ranks, root, count, in_place, NULL});
        for (const struct ovl_algorithm *a = ovl_algorithms; a->name && each; a++)
            if (ovl_algorithm_works(a, team->ranks))
                operate(team, &(struct deal){a->operation, team->ranks, root, count, in_place, a});
    }
}

static void every_operation(MPI_Comm comm, const size_t *counts, bool each)
{
    struct ovl_error err;
    struct ovl_team team;
    MUST(ovl_engine_attach(&engine, &team, comm, &err));
    for (; *counts != SIZE_MAX; counts++)
        every_operation_of(&team, *counts, each);
    MUST(ovl_engine_detach(&engine, &team, comm, &err));
}

/* An allreduce of numbers of two bytes and of one, each looked at. */
static void small_sums(void)
{
    enum { N = 30001 };
    struct ovl_error err;
    struct ovl_team team;
    struct ovl_request request;
    MUST(ovl_engine_attach(&engine, &team, engine.comm, &err));
    for (size_t k = 0; k < SMALL_FORMATS; k++) {
        const struct small_format *f = &small_formats[k];
        size_t bytes = N * ovl_dtype_bytes(f->dtype), wrong = 0;
        struct ovl_coll_args call = {
            .operation = OVL_IALLREDUCE, .team = &team, .bytes = bytes, .payload = bytes, .dtype = f->dtype};
        void *send, *recv;
        MUST(ovl_engine_alloc(&engine, &send, bytes, &err));
        MUST(ovl_engine_alloc(&engine, &recv, bytes, &err));
        for (size_t i = 0; i < N; i++)
            small_put(f, send, i, small_nearest(f, small_whole(f, team.rank, team.ranks, i)));
        call.send = send;
        call.recv = recv;
        MUST(ovl_client_check(&call, &err));
        MUST(ovl_client_post(&engine.client, &call, &request, &err));
        MUST(ovl_client_wait(&engine.client, &request, &err));
        for (size_t i = 0; i < N; i++)
            wrong += small_get(f, recv, i) != small_nearest(f, small_whole_sum(f, team.ranks, i));
        EXPECT(wrong == 0);
        MUST(ovl_client_free(&engine.client, send, &err));
        MUST(ovl_client_free(&engine.client, recv, &err));
    }
    MUST(ovl_engine_detach(&engine, &team, engine.comm, &err));
}

/* The ranks in reverse, and every second one of them: both teams at once. */
static void odd_communicators(void)
{
    static const size_t counts[] = {2000, SIZE_MAX};
    MPI_Comm reverse, half;
    int rank;
    MPI_Comm_rank(engine.comm, &rank);
    MPI_Comm_split(engine.comm, 0, -rank, &reverse);
    MPI_Comm_split(engine.comm, rank % 2, rank, &half);
    every_operation(reverse, counts, false);
    every_operation(half, counts, false);
    MPI_Comm_free(&reverse);
    MPI_Comm_free(&half);
}

static void rest_and_proof(void)
{
    struct ovl_error err;
    struct ovl_team team;
    struct ovl_client_ctx *h = &engine.client;
    struct ovl_request request;
    uint64_t operations, bytes;
    MUST(ovl_engine_attach(&engine, &team, engine.comm, &err));
    struct ovl_coll_args call = {.operation = OVL_IBARRIER, .team = &team, .payload = 0};
    ovl_client_proof_begin(h);
    for (int i = 0; i < 20; i++) {
        MUST(ovl_client_park(h, &err));
        MPI_Barrier(engine.comm);
        MUST(ovl_client_unpark(h, &err));
        MUST(ovl_client_post(h, &call, &request, &err));
        MUST(ovl_client_wait(h, &request, &err));
    }
    EXPECT(ovl_client_proof_end(h, &operations, &bytes, &err) == 0);
    EXPECT(operations == 20 && bytes == 0);
    h->bytes++;
    EXPECT(ovl_client_proof_end(h, &operations, &bytes, &err) == -1); /* it can fail */
    MUST(ovl_engine_detach(&engine, &team, engine.comm, &err));
}

static void ranks_part(void)
{
    static const size_t small[] = {0, 1000, SIZE_MAX}, large[] = {100000, SIZE_MAX};
    every_operation(engine.comm, small, true);
    every_operation(engine.comm, large, false);
    small_sums();
    odd_communicators();
    rest_and_proof();
}

static void brief_part(void)
{
    static const size_t counts[] = {20000, SIZE_MAX};
    every_operation(engine.comm, counts, false);
}

static void all_part(void)
{
    static const size_t counts[] = {0, 1, 30, 1001, 20000, SIZE_MAX};
    every_operation(engine.comm, counts, true);
}

/* As all, with what a message in fragments, and what one beside others under way, comes to; emulated workers take long.
 */
static void beside_part(void)
{
    static const size_t small[] = {0, 1, 1001, SIZE_MAX}, large[] = {20000, 300000, SIZE_MAX};
    every_operation(engine.comm, small, true);
    every_operation(engine.comm, large, false);
    odd_communicators();
    rest_and_proof();
}

/* Slower, so less of it; but more than the staging blocks hold, twice the same buffers, and registered anew. */
static void wired_part(void)
{
    static const size_t counts[] = {0, 20000, SIZE_MAX};
    struct ovl_error err;
    struct ovl_team team;
    every_operation(engine.comm, counts, false);
    odd_communicators();
    rest_and_proof();
    MUST(ovl_engine_attach(&engine, &team, engine.comm, &err));
    struct deal much = {OVL_IALLTOALL, team.ranks, 0, 600000 / (size_t)team.ranks, false, NULL};
    operate(&team, &much);
    engine.client.cold = true;
    struct deal cold = {OVL_IALLGATHER, team.ranks, 0, 20000, false, NULL};
    operate(&team, &cold);
    MUST(ovl_engine_detach(&engine, &team, engine.comm, &err));
}

/* Ends by an error, or the test has failed. */
static void fault(bool of_key)
{
    struct ovl_error err;
    struct ovl_team team;
    struct ovl_request request;
    struct ovl_client_ctx *h = &engine.client;
    void *memory;
    MUST(ovl_engine_attach(&engine, &team, engine.comm, &err));
    MUST(ovl_engine_alloc(&engine, &memory, 100000, &err));
    struct ovl_coll_args call = {
        .operation = OVL_IALLGATHER, .team = &team, .send = memory, .recv = (char *)memory + 10000, .bytes = 10000};
    if (h->rank == 0 && of_key)
        h->regions[0].path->dereg(&h->regions[0]);
    if (h->rank == 0 && !of_key) {
        ovl_verbs_ep_close(engine.eps[0]);
        sleep(60); /* the worker ends the job long before */
    } else {
        MUST(ovl_client_post(h, &call, &request, &err));
        MUST(ovl_client_wait(h, &request, &err));
    }
    EXPECT(false);
}

static int path_index(const struct ovl_mem_path *path)
{
    int p = 0;
    while (ovl_mem_paths[p] != path)
        p++;
    return p;
}

static void run(const char *name, bool worker_program, const struct ovl_engine_options *options, void (*part)(void))
{
    struct ovl_error err = {.code = OVL_OK, .text = ""};
    if (ovl_engine_bootstrap(&engine, worker_program, options, false, &err) != 0)
        fail(&err);
    if (engine.options.workers > 0)
        EXPECT(engine.job_map.workers == engine.options.workers * engine.job_map.nodes);
    EXPECT(engine.first == (engine.world_rank == 0));
    MUST(ovl_engine_connect(&engine, &err));
    EXPECT(engine.connected == !engine.worker);
    if (engine.connected)
        part();
    MUST(ovl_engine_release(&engine, &err));
    EXPECT(ovl_engine_agree_exit_code(&engine, engine.world_rank == 0 ? 7 : 0) == 7);
    mpi_test_end(name);
}

static int path_named(const char *name)
{
    int p = 0;
    while (ovl_mem_paths[p] && strcmp(ovl_mem_paths[p]->name, name) != 0)
        p++;
    return ovl_mem_paths[p] ? p : OVL_AUTO;
}

/* ovl_worker knows nothing of tests: the ranks count alone, and all leave as a driver does. */
static int beside_job(int nodes_of, const char *path)
{
    struct ovl_engine_options options = ovl_engine_options_default;
    struct ovl_error err = {.code = OVL_OK, .text = ""};
    options.workers = 0;
    options.pretend_nodes = nodes_of;
    options.path = path_named(path);
    if (ovl_engine_bootstrap(&engine, false, &options, false, &err) != 0 || ovl_engine_connect(&engine, &err) != 0)
        fail(&err);
    EXPECT(engine.connected && engine.job_map.workers > 0);
    beside_part();
    int wrong = mpi_test_wrong;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, engine.comm);
    if (engine.first)
        printf("%s every operation: ranks %d, workers %d, nodes %d\n", wrong ? "not ok" : "ok", engine.job_map.ranks,
               engine.job_map.workers, engine.job_map.nodes);
    MUST(ovl_engine_release(&engine, &err));
    return ovl_engine_finalize(ovl_engine_agree_exit_code(&engine, wrong ? 1 : 0));
}

static void job(const char *name, int workers, int nodes_of, const struct ovl_mem_path *path, double slowdown)
{
    struct ovl_engine_options options = ovl_engine_options_default;
    options.workers = workers;
    options.pretend_nodes = nodes_of;
    options.slowdown = slowdown;
    options.path = path_index(path);
    run(name, false, &options, ranks_part);
}

static int all_job(char **argv)
{
    struct ovl_engine_options options = ovl_engine_options_default;
    options.workers = atoi(argv[2]);
    options.pretend_nodes = atoi(argv[3]);
    options.path = path_named(argv[4]);
    run("every operation by every algorithm", false, &options, all_part);
    return mpi_test_finish();
}

static void verbs_job(int argc, char **argv)
{
    struct ovl_engine_options options = ovl_engine_options_default;
    options.workers = atoi(argv[2]);
    options.path = path_index(&ovl_mem_path_verbs);
    snprintf(options.device[0], sizeof options.device[0], "%s", argv[3]);
    snprintf(options.device[1], sizeof options.device[1], "%s", argv[4]);
    options.dpu_map = argc > 5 ? argv[5] : NULL;
    run("verbs", false, &options, strcmp(argv[1], "brief") == 0 ? brief_part : wired_part);
}

static void fault_key(void)
{
    fault(true);
}

static void fault_pair(void)
{
    fault(false);
}

static void fault_job(char **argv)
{
    struct ovl_engine_options options = ovl_engine_options_default;
    options.path = path_index(&ovl_mem_path_verbs);
    snprintf(options.device[0], sizeof options.device[0], "%s", argv[2]);
    snprintf(options.device[1], sizeof options.device[1], "%s", argv[3]);
    run("fault", false, &options, strcmp(argv[1], "fault-key") == 0 ? fault_key : fault_pair);
}

/* What a library says of the largest tag: `most` at MPI_COMM_WORLD, nothing elsewhere, nothing at all where most is 0.
   The real answer where it is negative. */
static int most_tag = -1;

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    if (key != MPI_TAG_UB || most_tag < 0)
        return PMPI_Comm_get_attr(comm, key, value, found);
    *found = comm == MPI_COMM_WORLD && most_tag > 0;
    if (*found)
        *(int **)value = &most_tag;
    return MPI_SUCCESS;
}

static void tags(void)
{
    static const int said[] = {40000, 0, 1 << 30}, wanted[] = {40000, 32767, 1 << 20};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct ovl_transport t;
        struct ovl_error err;
        most_tag = said[i];
        MUST(ovl_transport_mpi_open(&t, MPI_COMM_WORLD, &err));
        EXPECT(t.tags == wanted[i]);
        ovl_transport_mpi_close(&t);
    }
    most_tag = -1;
    mpi_test_end("no tag above what the library allows");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (argc == 5 && strcmp(argv[1], "all") == 0)
        return all_job(argv);
    if (argc == 4 && strcmp(argv[1], "beside") == 0)
        return beside_job(atoi(argv[2]), argv[3]);
    if (argc > 4) {
        verbs_job(argc, argv);
        return ovl_engine_finalize(mpi_test_failed ? 1 : 0);
    }
    if (argc == 4) {
        fault_job(argv);
        return mpi_test_finish();
    }
    if (argc == 2 && strcmp(argv[1], "worker") == 0) {
        run("verbs", true, &ovl_engine_options_default, wired_part);
        return ovl_engine_finalize(mpi_test_failed ? 1 : 0);
    }
    tags();
    job("one node, shm", 1, 0, &ovl_mem_path_shm, 1);
    job("one node, cma", 1, 0, &ovl_mem_path_cma, 1);
    if (processes == 4) {
        job("two nodes, shm", 1, 2, &ovl_mem_path_shm, 1);
        job("two nodes, cma, slowed down", 1, 2, &ovl_mem_path_cma, 1.5);
        job("one node, two workers", 2, 0, &ovl_mem_path_shm, 1);
    }
    return mpi_test_finish();
}
