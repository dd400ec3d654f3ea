/* An MPI_Ialltoall whose truth is known: f T(m) of it progresses alone from the post, the rest only inside MPI calls.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* link: src/bench/driver/synthetic.c */
/* T(m) = OVL_SYNTHETIC_BASE_US + m bytes x OVL_SYNTHETIC_NS_PER_BYTE; f is OVL_SYNTHETIC_FRACTION. The blocking twin
   takes T(m). A test gives it OVL_SYNTHETIC_SLICE_US of the core (default 1): so who tests without a pause, as a
   progress thread does, hides all but what passes between two tests. With OVL_SYNTHETIC_THEFT = s share s of the core
   is stolen from the post until the wait returns. No data move: run with --no-validation. With OVL_SYNTHETIC_COUPLED=1
   an operation begins when all ranks of the job have posted it, so that it shows how well they start together: for
   ranks of one machine, in operations of all of them. */
#include "bench/driver/synthetic.h"
#include "base/clock.h"
#include "tests/shim/real_clock.h"

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a rank tells of its posts. Nobody is more than one operation ahead of the slowest reader: two times will do. */
struct posts {
    _Alignas(64) _Atomic(uint64_t) count;
    _Atomic(int64_t) when[2];
};

static double base_ns, ns_per_byte;
static struct ovl_synthetic operation;
static struct posts *posts;   /* of every rank */
static int rank, ranks, seen; /* `seen` of them have posted the present operation, the first ones */
static int64_t last;          /* of these */

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

static void fail(const char *what)
{
    fprintf(stderr, "synthetic: %s\n", what);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* Memory without a name: rank 0's, which the others open while it waits for them. */
static void *share_memory(size_t bytes)
{
    char path[64] = "";
    int fd = rank == 0 ? memfd_create("synthetic", MFD_CLOEXEC) : -1;
    if (rank == 0 && (fd < 0 || ftruncate(fd, (off_t)bytes) != 0))
        fail("no memory to couple the ranks by");
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    PMPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    FILE *other = rank == 0 ? NULL : fopen(path, "r+");
    void *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, other ? fileno(other) : fd, 0);
    if (all == MAP_FAILED)
        fail("ranks of several machines cannot be coupled");
    PMPI_Barrier(MPI_COMM_WORLD);
    if (other)
        fclose(other);
    else
        close(fd);
    return all;
}

static int64_t last_post(void)
{
    static int64_t asked; /* first, for the present operation */
    uint64_t mine = posts[rank].count;
    for (; seen < ranks && posts[seen].count >= mine; seen++) {
        int64_t when = posts[seen].when[mine % 2];
        last = when > last ? when : last;
    }
    if (seen == ranks) {
        asked = 0;
        return last;
    }
    int64_t now = ovl_clock_ns();
    asked = asked ? asked : now;
    if (now - asked > INT64_C(20000000000))
        fail("a rank has not posted the operation for 20 s");
    if (now - asked > 1000000) /* there may be more ranks than cores */
        sched_yield();
    return INT64_MAX;
}

static void post(void)
{
    if (!posts)
        return;
    uint64_t next = posts[rank].count + 1;
    seen = 0;
    last = ovl_clock_ns();
    posts[rank].when[next % 2] = last;
    posts[rank].count = next;
}

static void begin(void)
{
    operation.fraction = setting("OVL_SYNTHETIC_FRACTION", 1);
    operation.slice_ns = 1e3 * setting("OVL_SYNTHETIC_SLICE_US", 1);
    base_ns = 1e3 * setting("OVL_SYNTHETIC_BASE_US", 5);
    ns_per_byte = setting("OVL_SYNTHETIC_NS_PER_BYTE", 20);
    ovl_synthetic_steal(setting("OVL_SYNTHETIC_THEFT", 0));
    if (setting("OVL_SYNTHETIC_COUPLED", 0) > 0) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
        posts = share_memory((size_t)ranks * sizeof *posts);
        operation.last_post = last_post;
    }
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    begin();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return rc;
}

static double duration(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return base_ns + ns_per_byte * (double)count * size;
}

int MPI_Ialltoall(const void *send, int count, MPI_Datatype type, void *recv, int recv_count, MPI_Datatype recv_type,
                  MPI_Comm comm, MPI_Request *request)
{
    (void)send, (void)recv, (void)recv_count, (void)recv_type, (void)comm;
    operation.total_ns = duration(count, type);
    *request = MPI_REQUEST_NULL;
    post();
    ovl_synthetic_start(&operation);
    return MPI_SUCCESS;
}

int MPI_Alltoall(const void *send, int count, MPI_Datatype type, void *recv, int recv_count, MPI_Datatype recv_type,
                 MPI_Comm comm)
{
    (void)send, (void)recv, (void)recv_count, (void)recv_type, (void)comm;
    operation.total_ns = duration(count, type);
    post();
    ovl_synthetic_blocking(&operation);
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!operation.active)
        return PMPI_Wait(request, status);
    ovl_synthetic_wait(&operation);
    return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status)
{
    if (!operation.active)
        return PMPI_Test(request, complete, status);
    *complete = ovl_synthetic_test(&operation);
    return MPI_SUCCESS;
}
