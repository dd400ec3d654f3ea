/* ranks: 1 2 3 5 */
/* The bench room under MPI: reduction of a block, agreement on errors, provenance, and validation that finds wrong
 * data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "bench/disturb.h"
#include "bench/exchange/exchange.h"
#include "bench/exchange/offload.h"
#include "bench/nodes.h"
#include "bench/provenance.h"
#include "bench/stage.h"
#include "offload/boot/agree_mpi.h"
#include "tests/mpi/mpi_test.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void reduce(void)
{
    struct ovl_stage stage;
    double largest[3] = {rank, -rank, NAN}, sum[3] = {1, rank, NAN};
    ovl_stage_open(&stage, MPI_COMM_WORLD);
    ovl_stage_ops.reduce(&stage, largest, sum, 3);
    if (rank == 0) {
        EXPECT(largest[0] == ranks - 1);
        EXPECT(largest[1] == 0);
        EXPECT(isnan(largest[2])); /* clocks that have nothing in common */
        EXPECT(sum[0] == ranks);
        EXPECT(sum[1] == ranks * (ranks - 1) / 2);
    }
    int value = rank == 0 ? 42 : 0;
    ovl_stage_ops.share(&stage, &value, sizeof value);
    EXPECT(value == 42);
    ovl_stage_close(&stage);
    mpi_test_end("reduce and share");
}

static void agreement(void)
{
    struct ovl_error err = {.code = OVL_OK};
    EXPECT(ovl_agree(MPI_COMM_WORLD, 0, &err) == 0);
    for (int culprit = 0; culprit < ranks; culprit++) {
        int rc = rank >= culprit ? ovl_error_set(&err, OVL_ENVIRONMENT, "rank %d", rank) : 0;
        char wanted[32];
        snprintf(wanted, sizeof wanted, "rank %d", culprit);
        EXPECT(ovl_agree(MPI_COMM_WORLD, rc, &err) == -1);
        EXPECT(err.code == OVL_ENVIRONMENT);
        EXPECT(strcmp(err.text, wanted) == 0);
    }
    mpi_test_end("agreement on errors");
}

static int by_number(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void provenance(void)
{
    struct ovl_provenance p;
    struct ovl_error err;
    EXPECT(ovl_provenance_load(&p, MPI_COMM_WORLD, NULL, &err) == 0);
    EXPECT(p.ranks == ranks && p.rank == rank && p.nodes == 1 && p.ranks_here == ranks);
    EXPECT(p.cores_allowed >= 1 && p.oversubscribed == (ranks > p.cores_allowed));
    json_t *json = ovl_provenance_json(&p, MPI_COMM_WORLD);
    EXPECT((json != NULL) == (rank == 0));
    if (json) {
        EXPECT(json_array_size(json_object_get(json, "hosts")) == 1);
        EXPECT((int)json_array_size(json_object_get(json, "binding")) == ranks);
        EXPECT((int)json_array_size(json_object_get(json, "rank_hosts")) == ranks);
        const char *name =
            json_string_value(json_object_get(json_array_get(json_object_get(json, "hosts"), 0), "name"));
        for (int r = 0; r < ranks; r++) {
            EXPECT(json_integer_value(json_array_get(json_object_get(json, "rank_hosts"), (size_t)r)) == 0);
            EXPECT(strcmp(ovl_provenance_node(&p, r), name) == 0);
        }
        EXPECT(*json_string_value(json_object_get(json_object_get(json, "mpi"), "library")));
        json_decref(json);
    }
    EXPECT(rank == 0 || !*ovl_provenance_node(&p, 0));
    EXPECT(!*ovl_provenance_node(&p, -1) && !*ovl_provenance_node(&p, ranks));
    struct ovl_disturb d;
    ovl_disturb_open(&d, MPI_COMM_WORLD, &p, NULL);
    json = ovl_disturb_json(&d);
    EXPECT((json != NULL) == (rank == 0));
    EXPECT(!json || json_number_value(json_object_get(json, "spare_cores")) <= p.cores_allowed - ranks);
    json_decref(json);
    ovl_disturb_begin(&d);
    for (int64_t begin = ovl_clock_ns(); ovl_clock_since(begin) < 0.01;)
        ;
    struct ovl_disturbance most = ovl_disturb_end(&d);
    if (rank == 0) {
        EXPECT(!(most.waited < 0) && !(most.waited > 1) && !(most.switches < 0) && most.busy_threads >= 0);
        EXPECT(most.spare_cores <= p.cores_allowed - ranks);
    }
    EXPECT(!d.ours ||
           (d.our_count >= (size_t)ranks && bsearch(&(int){getpid()}, d.ours, d.our_count, sizeof(int), by_number)));
    ovl_disturb_close(&d);
    ovl_provenance_free(&p);
    char a[64], b[64];
    ovl_provenance_run_id(a);
    ovl_provenance_run_id(b);
    EXPECT(strlen(a) == 33 && strcmp(a, b) != 0);
    mpi_test_end("provenance");
}

/* An all-to-all that forgets one rank's part, or sends it twice. */
static void right(struct ovl_exchange *x)
{
    MPI_Alltoall(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static void shape(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size * (size_t)x->ranks;
}

static void forgets(struct ovl_exchange *x)
{
    char *kept = (char *)x->recv + x->size * (size_t)(x->ranks - 1), copy[64];
    memcpy(copy, kept, x->size);
    right(x);
    memcpy(kept, copy, x->size);
}

static void sends_twice(struct ovl_exchange *x)
{
    right(x);
    if (x->ranks > 1)
        memcpy((char *)x->recv + x->size, x->recv, x->size);
}

static int segments(const struct ovl_exchange *x)
{
    return x->ranks;
}

static struct ovl_segment segment(const struct ovl_exchange *x, int k)
{
    return (struct ovl_segment){(size_t)k * x->size, x->size, k, (size_t)x->rank * x->size};
}

static const struct ovl_exchange_way twin;

static int validates(void (*blocking)(struct ovl_exchange *), size_t size, char text[512])
{
    const struct ovl_collective row = {.name = "ialltoall",
                                       .shape = shape,
                                       .post = right,
                                       .blocking = blocking,
                                       .segments = segments,
                                       .segment = segment};
    const struct ovl_exchange_plan plan = {
        .collective = &row, .comm = MPI_COMM_WORLD, .type = OVL_EXCHANGE_BYTES, .size = size};
    struct ovl_exchange x;
    struct ovl_error err = {.text = ""};
    EXPECT(ovl_exchange_open(&x, &plan, &err) == 0);
    EXPECT(ovl_exchange_memory(&plan) == 2 * size * (size_t)ranks);
    int rc = ovl_exchange_validate(&x, &twin, 99, &err);
    strcpy(text, err.text);
    ovl_exchange_close(&x);
    return rc;
}

static void validation(void)
{
    char text[512];
    for (size_t size = 1; size <= 64; size *= 4) {
        EXPECT(validates(right, size, text) == 0);
        EXPECT(validates(forgets, size, text) == -1);
        EXPECT(strstr(text, "wrong data") != NULL);
        EXPECT(validates(sends_twice, 16, text) == (ranks > 1 ? -1 : 0));
        if (ranks > 1)
            EXPECT(strstr(text, "of rank 1)") != NULL);
    }
    mpi_test_end("validation finds what did not arrive");
}

/* What the last run left is looked at without another. */
static void look(void)
{
    const struct ovl_collective row = {
        .name = "ialltoall", .shape = shape, .blocking = right, .segments = segments, .segment = segment};
    const struct ovl_exchange_plan plan = {
        .collective = &row, .comm = MPI_COMM_WORLD, .type = OVL_EXCHANGE_BYTES, .size = 16};
    struct ovl_exchange x;
    struct ovl_error err = {.text = ""};
    EXPECT(ovl_exchange_open(&x, &plan, &err) == 0);
    EXPECT(ovl_exchange_validate(&x, &twin, 7, &err) == 0);
    right(&x);
    EXPECT(ovl_exchange_look(&x, &err) == 0);
    ((char *)x.recv)[x.recv_bytes - 1] ^= 1;
    EXPECT(ovl_exchange_look(&x, &err) == -1);
    EXPECT(err.code == OVL_WRONG_DATA && strstr(err.text, "(byte "));
    right(&x);
    EXPECT(ovl_exchange_look(&x, &err) == 0);
    ovl_exchange_close(&x);
    mpi_test_end("what the last run left");
}

/* A barrier that one rank ends without the others, who wait for it. */
static int hasty;
static MPI_Request left_behind = MPI_REQUEST_NULL;

static void hasty_barrier(struct ovl_exchange *x)
{
    MPI_Request request;
    MPI_Wait(&left_behind, MPI_STATUS_IGNORE);
    MPI_Ibarrier(x->comm, &request);
    if (x->rank == hasty)
        left_behind = request;
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void shape_nothing(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = 0;
}

/* Whatever the key, and so the seed, is. */
static void barriers(void)
{
    const struct ovl_collective row = {
        .name = "ibarrier", .synchronises = true, .shape = shape_nothing, .blocking = hasty_barrier};
    const struct ovl_exchange_plan plan = {.collective = &row, .comm = MPI_COMM_WORLD, .type = OVL_EXCHANGE_BYTES};
    struct ovl_exchange x;
    struct ovl_error err = {.text = ""};
    EXPECT(ovl_exchange_open(&x, &plan, &err) == 0);
    for (hasty = -1; hasty < ranks; hasty++)
        for (uint64_t key = 0; key < 3; key++) {
            int right = ovl_exchange_validate(&x, &twin, key, &err) == 0, all;
            MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
            EXPECT(all == (hasty < 0 || ranks == 1));
            MPI_Wait(&left_behind, MPI_STATUS_IGNORE);
        }
    ovl_exchange_close(&x);
    mpi_test_end("a barrier that any one rank ends too soon");
}

/* `size` bytes for each rank; nothing is allocated. */
static void shape_parts(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size * (size_t)x->ranks;
}

static void counts(void)
{
    static const size_t gib = (size_t)1 << 30, most = INT_MAX;
    const struct {
        enum ovl_exchange_type type;
        size_t size;
        int ranks; /* that it fits; with more displacements do not, and with 0 the count does not */
    } rows[] = {
        {OVL_EXCHANGE_BYTES, most, 1},     {OVL_EXCHANGE_BYTES, most + 1, 0},
        {OVL_EXCHANGE_INT8, most + 1, 0},  {OVL_EXCHANGE_BYTES, gib, 1},
        {OVL_EXCHANGE_FLOAT, gib, 7},      {OVL_EXCHANGE_FLOAT, 2 * gib, 3},
        {OVL_EXCHANGE_FLOAT, 4 * most, 1}, {OVL_EXCHANGE_FLOAT, 4 * (most + 1), 0},
    };
    const struct ovl_collective row = {.displaced = true, .shape = shape_parts};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ovl_exchange_plan plan = {
            .collective = &row, .comm = MPI_COMM_WORLD, .type = rows[i].type, .size = rows[i].size};
        struct ovl_error err = {.text = ""};
        bool fits = ranks <= rows[i].ranks;
        EXPECT((ovl_exchange_check(&plan, &err) == 0) == fits);
        EXPECT(fits || (err.code == OVL_USAGE && strstr(err.text, rows[i].ranks ? "displacements" : "an MPI count")));
    }
    mpi_test_end("counts and displacements that MPI can hold");
}

/* On nodes that are made up: rank 0 alone, then two by two. */
static void busiest_node(void)
{
    int made_up[8] = {0};
    EXPECT(isnan(ovl_nodes_busiest(MPI_COMM_WORLD, made_up, &(double){1}, 1)));
    for (int r = 0; r < ranks; r++)
        made_up[r] = r == 0 ? 0 : (r - 1) / 2 * 2 + 1;
    double incoming[2] = {1 + rank, rank == 0 ? 100 : 0};
    double most = ovl_nodes_busiest(MPI_COMM_WORLD, made_up, incoming, 1), wanted = ranks == 2 ? 2 : ranks == 3 ? 5 : 9;
    EXPECT(ranks == 1 ? isnan(most) : most == wanted);
    most = ovl_nodes_busiest(MPI_COMM_WORLD, made_up, incoming, 2); /* one step after the other, each by its busiest */
    EXPECT(ranks == 1 ? isnan(most) : most == wanted + 100);
    mpi_test_end("bytes into the busiest node");
}

/* What a dpu cell says of where its workers ran. */
static void placement(void)
{
    static const struct {
        bool far, by_host, emulated;
        unsigned bluefield;
        const char *wanted;
    } rows[] = {
        {false, false, false, 0, "host-core"}, {true, false, false, 0, "other-machine"},
        {true, false, false, 3, "bluefield"},  {true, true, false, 3, "host"},
        {true, false, true, 3, OVL_EMULATED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ovl_offload o = {.engine = {.bluefield = rows[i].bluefield,
                                           .job_map = {.remote = rows[i].far, .emulated_ranks = rows[i].emulated}}};
        struct ovl_cell cell;
        o.engine.client.path = &ovl_mem_path_shm;
        ovl_cell_clear(&cell);
        ovl_offload_fill(&o, rows[i].by_host, &cell);
        EXPECT(strcmp(cell.placement, rows[i].wanted) == 0);
    }
    mpi_test_end("placement of a cell's workers");
}

/* Workers of one machine and kind are one entry, also where others stand between them. */
static void processors(void)
{
    struct ovl_job_proc p[] = {{.node = 0, .architecture = "aarch64"},
                               {.node = 1, .architecture = "aarch64"},
                               {.node = 0, .architecture = "aarch64"},
                               {.node = 1, .architecture = "x86_64"},
                               {.node = 1, .architecture = "aarch64"}};
    int at[] = {0, 1, 2, 3, 4};
    char names[2][64] = {"a", "b"};
    struct ovl_job_map map = {.workers = 5, .member = p, .worker_at = at, .node_name = names};
    json_t *all = ovl_offload_processors_json(&map);
    json_t *wanted =
        json_pack("[{s:s,s:s,s:b,s:[i,i]},{s:s,s:s,s:b,s:[i,i]},{s:s,s:s,s:b,s:[i]}]", "host", "a", "architecture",
                  "aarch64", "emulated", 0, "workers", 0, 2, "host", "b", "architecture", "aarch64", "emulated", 0,
                  "workers", 1, 4, "host", "b", "architecture", "x86_64", "emulated", 0, "workers", 3);
    EXPECT(wanted && json_equal(all, wanted));
    json_decref(all);
    json_decref(wanted);
    mpi_test_end("which workers are on which machine");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    reduce();
    agreement();
    provenance();
    validation();
    look();
    barriers();
    counts();
    busiest_node();
    placement();
    processors();
    return mpi_test_finish();
}
