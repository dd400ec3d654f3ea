/* A random MPI program: collectives of all kinds on communicators that come and go, completed in all ways beside
 * messages of its own, every byte checked. It knows nothing of workers: with the library, without it, and with
 * OVL_OFFLOAD=off it does the same. At the end it prints how many operations of each kind it issued that could be
 * offloaded.
 *
 *   random SEED [OPERATIONS [WORDS...]]    words: long (messages up to 120 KB), many (more outstanding than slots),
 * alloc (MPI_Alloc_mem), threads (MPI_THREAD_MULTIPLE), fork, late; seeds=N: N programs in turn, of seeds from SEED on
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/preload/flight.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTSTANDING = 300, COMMS = 6, WINDOW = 24 };

static struct flight flights[OUTSTANDING];
static MPI_Comm comms[COMMS];
static long issued[KINDS];
static int world_rank, active, window = WINDOW, most = 200;
static bool use_alloc, forks, late;
static MPI_Status *volatile no_statuses = MPI_STATUSES_IGNORE; /* else gcc sees an array of none */
static struct ovl_rng shared, own;                             /* the first gives the same at all ranks */

static const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_BXOR};

/* Arguments that are not significant here are such as nobody may look at. */
static void post(struct flight *f, MPI_Comm comm, int tag)
{
    bool in_place = flight_in_place(f), root = f->rank == f->root;
    int n = f->ranks, c = f->count, none = -1;
    const int *sn = f->lists, *sd = f->lists + n, *rn = f->lists + 2 * n, *rd = f->lists + 3 * n;
    bool scatters = f->kind == SCATTER || f->kind == SCATTERV, gathers = f->kind == GATHER || f->kind == GATHERV;
    const void *s = in_place && !scatters ? MPI_IN_PLACE : flight_at(f->send, &f->send_form);
    void *r = in_place && scatters ? MPI_IN_PLACE : flight_at(f->recv, &f->recv_form);
    MPI_Datatype st = f->send_form.type, rt = f->recv_form.type;
    int sc = c, rc = c;
    if ((in_place && !scatters) || (scatters && !root)) {
        s = scatters ? NULL : s;
        sc = none;
        st = MPI_DATATYPE_NULL;
        sn = sd = NULL;
    }
    if ((in_place && scatters) || (gathers && !root)) {
        r = gathers ? NULL : r;
        rc = none;
        rt = MPI_DATATYPE_NULL;
        rn = rd = NULL;
    }
    MPI_Request *q = f->request;
    switch (f->kind) {
    case ALLTOALL:
        MPI_Ialltoall(s, sc, st, r, rc, rt, comm, q);
        break;
    case ALLTOALLV:
        MPI_Ialltoallv(s, sn, sd, st, r, rn, rd, rt, comm, q);
        break;
    case BCAST:
        MPI_Ibcast(r, c, rt, f->root, comm, q);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(s, r, c, MPI_INT, ops[f->op], comm, q);
        break;
    case REDUCE:
        MPI_Ireduce(s, root ? r : NULL, c, MPI_INT, ops[f->op], f->root, comm, q);
        break;
    case ALLGATHER:
        MPI_Iallgather(s, sc, st, r, c, rt, comm, q);
        break;
    case ALLGATHERV:
        MPI_Iallgatherv(s, in_place ? none : (int)f->send_ints, st, r, rn, rd, rt, comm, q);
        break;
    case REDUCE_SCATTER:
        MPI_Ireduce_scatter(s, r, rn, MPI_INT, ops[f->op], comm, q);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(s, r, c, MPI_INT, ops[f->op], comm, q);
        break;
    case GATHER:
        MPI_Igather(s, sc, st, r, rc, rt, f->root, comm, q);
        break;
    case GATHERV:
        MPI_Igatherv(s, in_place ? none : (int)f->send_ints, st, r, rn, rd, rt, f->root, comm, q);
        break;
    case SCATTER:
        MPI_Iscatter(s, sc, st, r, rc, rt, f->root, comm, q);
        break;
    case SCATTERV:
        MPI_Iscatterv(s, sn, sd, st, r, in_place ? none : (int)f->recv_ints, rt, f->root, comm, q);
        break;
    case BARRIER:
        MPI_Ibarrier(comm, q);
        break;
    default: /* to as many ranks ahead as this one's comes from behind */
        MPI_Isend(s, c, st, (2 * f->rank - f->root + f->ranks) % f->ranks, tag, comm, q);
        MPI_Irecv(r, c, rt, f->root, tag, comm, q + 1);
    }
    f->left = f->kind == MESSAGE ? 2 : 1;
    active++;
    if (f->kind != MESSAGE && f->ranks > 1 &&
        !(f->op == 3 &&
          (f->kind == ALLREDUCE || f->kind == REDUCE || f->kind == REDUCE_SCATTER || f->kind == REDUCE_SCATTER_BLOCK)))
        issued[f->kind]++;
    flight_posted(f);
}

static struct flight *free_flight(void)
{
    for (int i = 0; i < OUTSTANDING; i++)
        if (flights[i].left == 0)
            return &flights[i];
    abort();
}

/* Draws an operation: the same numbers are drawn by those that have no part in it. */
static struct flight *draw(MPI_Comm comm)
{
    struct flight drawn = {.kind = (enum kind)below(&shared, KINDS)}, *f = NULL;
    int root = below(&shared, 1 << 20);
    drawn.count = below(&shared, 4) ? below(&shared, 20) : below(&shared, most);
    drawn.op = below(&shared, 4);
    drawn.gap = below(&shared, 3);
    drawn.in_place = below(&shared, 4) == 0;
    drawn.seed = ovl_rng_next(&shared);
    if (comm == MPI_COMM_NULL)
        return NULL;
    f = free_flight();
    *f = drawn;
    f->request[0] = f->request[1] = MPI_REQUEST_NULL;
    MPI_Comm_rank(comm, &f->rank);
    MPI_Comm_size(comm, &f->ranks);
    f->root = f->kind == MESSAGE ? (f->rank + root) % f->ranks : root % f->ranks;
    f->alloc = use_alloc && below(&own, 2);
    flight_open(f, &own);
    return f;
}

static void ended(MPI_Request **at, int n)
{
    for (int i = 0; i < OUTSTANDING; i++) {
        struct flight *f = &flights[i];
        for (int r = 0; r < 2 && f->left; r++)
            for (int k = 0; k < n; k++)
                if (at[k] == &f->request[r] && --f->left == 0) {
                    flight_close(f);
                    active--;
                }
    }
}

/* A random choice of what is under way, in random order, with null requests between. */
static int choose(MPI_Request *copy, MPI_Request **at)
{
    int n = 0, keep = below(&own, 3);
    for (int i = 0; i < OUTSTANDING; i++)
        for (int r = 0; r < 2 && flights[i].left; r++)
            if (flights[i].request[r] != MPI_REQUEST_NULL && (keep || below(&own, 3) == 0))
                at[n++] = &flights[i].request[r];
    for (int i = n - 1; i > 0; i--) {
        int j = below(&own, i + 1);
        MPI_Request *other = at[i];
        at[i] = at[j];
        at[j] = other;
    }
    if (n > 0 && below(&own, 2))
        at[n++] = NULL;
    for (int i = 0; i < n; i++)
        copy[i] = at[i] ? *at[i] : MPI_REQUEST_NULL;
    return n;
}

/* Completes one or more of them, by any of MPI's calls. */
static void complete(void)
{
    static MPI_Request copy[2 * OUTSTANDING], *at[2 * OUTSTANDING], *done[2 * OUTSTANDING];
    static MPI_Status statuses[2 * OUTSTANDING];
    static int indices[2 * OUTSTANDING];
    int n = choose(copy, at), flag = 0, count = 0, index;
    MPI_Status *many = below(&own, 2) ? statuses : no_statuses, *one = below(&own, 2) ? statuses : MPI_STATUS_IGNORE;
    if (n == 0 || copy[0] == MPI_REQUEST_NULL)
        return;
    switch (below(&own, 9)) {
    case 0:
        MPI_Wait(&copy[0], one);
        done[count++] = at[0];
        break;
    case 1:
        for (int i = 0; i < 50 && !flag; i++)
            MPI_Test(&copy[0], &flag, one);
        if (flag)
            done[count++] = at[0];
        break;
    case 2:
        MPI_Waitall(n, copy, many);
        for (int i = 0; i < n; i++)
            done[count++] = at[i];
        break;
    case 3:
        for (int i = 0; i < 50 && !flag; i++)
            MPI_Testall(n, copy, &flag, many);
        for (int i = 0; i < n && flag; i++)
            done[count++] = at[i];
        break;
    case 4:
        MPI_Waitany(n, copy, &index, one);
        done[count++] = at[index];
        break;
    case 5:
        MPI_Testany(n, copy, &index, &flag, one);
        if (flag && index != MPI_UNDEFINED)
            done[count++] = at[index];
        break;
    case 6:
        MPI_Waitsome(n, copy, &count, indices, many);
        for (int i = 0; i < count; i++)
            done[i] = at[indices[i]];
        break;
    case 7:
        MPI_Testsome(n, copy, &count, indices, many);
        for (int i = 0; i < count; i++)
            done[i] = at[indices[i]];
        break;
    default:
        while (!flag)
            MPI_Request_get_status(copy[0], &flag, one);
        MPI_Test(&copy[0], &flag, one);
        if (!flag) {
            fprintf(stderr, "random: MPI_Request_get_status said what MPI_Test denies\n");
            MPI_Abort(MPI_COMM_WORLD, 4);
        }
        done[count++] = at[0];
    }
    for (int i = 0; i < n; i++)
        if (at[i])
            *at[i] = copy[i];
    for (int i = 0; i < count; i++)
        if (done[i] && *done[i] != MPI_REQUEST_NULL) {
            fprintf(stderr, "random: a request that has ended is not null\n");
            MPI_Abort(MPI_COMM_WORLD, 4);
        }
    ended(done, count);
}

static void make_comm(void)
{
    int from = below(&shared, COMMS), to = 1 + below(&shared, COMMS - 1), how = below(&shared, 6),
        colors = 1 + below(&shared, 3), reverse = below(&shared, 2), tag = below(&shared, 3), rank, size;
    MPI_Comm made = MPI_COMM_NULL;
    if (comms[from] != MPI_COMM_NULL) {
        MPI_Request q;
        MPI_Group group, some;
        MPI_Comm_rank(comms[from], &rank);
        MPI_Comm_size(comms[from], &size);
        int dims[2] = {0, 0}, periods[2] = {1, 0}, range[1][3] = {{0, size - 1, colors}};
        switch (how) {
        case 0:
            MPI_Comm_dup(comms[from], &made);
            break;
        case 1:
            MPI_Comm_idup(comms[from], &made, &q);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Comm_split(comms[from], rank % colors == 2 ? MPI_UNDEFINED : rank % colors, reverse ? -rank : rank,
                           &made);
            break;
        case 3:
        case 4:
            MPI_Comm_group(comms[from], &group);
            MPI_Group_range_incl(group, 1, range, &some);
            if (how == 3)
                MPI_Comm_create(comms[from], some, &made);
            else if (rank % colors == 0)
                MPI_Comm_create_group(comms[from], some, tag, &made);
            MPI_Group_free(&group);
            MPI_Group_free(&some);
            break;
        default:
            MPI_Dims_create(size, 2, dims);
            MPI_Cart_create(comms[from], 2, dims, periods, reverse, &made);
        }
    }
    if (comms[to] != MPI_COMM_NULL) /* with operations under way, perhaps */
        MPI_Comm_free(&comms[to]);
    comms[to] = made;
}

/* Calls that the library does not see, while operations of the others depend on those that wait here. */
static void block(int tag)
{
    int n, to, from, out = world_rank, in = -1, shift = below(&shared, 8);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    to = (world_rank + shift) % n;
    from = (world_rank + n - shift % n) % n;
    MPI_Sendrecv(&out, 1, MPI_INT, to, 31000 + tag % 100, &in, 1, MPI_INT, from, 31000 + tag % 100, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (in != from)
        MPI_Abort(MPI_COMM_WORLD, 4);
}

static void have_child(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void act(int i)
{
    int what = below(&shared, 30);
    if (late && below(&own, 50) == 0)
        usleep((unsigned)below(&own, 20000));
    if (what == 0)
        make_comm();
    else if (what == 1)
        block(i);
    else if (what == 2 && forks)
        have_child();
    else if (what < 8) { /* two at once, on two communicators, in any order */
        int a = below(&shared, COMMS), b = (a + 1 + below(&shared, COMMS - 1)) % COMMS, turn = below(&own, 2);
        struct flight *f[2];
        f[0] = draw(comms[a]);
        if (f[0])
            f[0]->left = 1;
        f[1] = draw(comms[b]);
        for (int k = 0; k < 2; k++)
            if (f[k ^ turn])
                post(f[k ^ turn], comms[k ^ turn ? b : a], 2 * i + (k ^ turn));
    } else if (what == 8) { /* freed while it is under way */
        MPI_Comm gone;
        MPI_Comm_dup(MPI_COMM_WORLD, &gone);
        post(draw(gone), gone, 2 * i);
        MPI_Comm_free(&gone);
    } else {
        int a = below(&shared, COMMS);
        struct flight *f = draw(comms[a]);
        if (f)
            post(f, comms[a], 2 * i);
    }
    if (below(&own, 3) == 0)
        complete();
    while (active > window - 2)
        complete();
}

static MPI_Comm thread_comm = MPI_COMM_NULL;
static int thread_operations;

static void *second_thread(void *unused)
{
    int rank, n;
    (void)unused;
    MPI_Comm_rank(thread_comm, &rank);
    MPI_Comm_size(thread_comm, &n);
    for (int i = 0; i < thread_operations; i++) {
        MPI_Request q[2];
        int x = rank + i, sum = -1, first = rank == i % n ? i : -1, flag = 0;
        MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, thread_comm, &q[0]);
        MPI_Ibcast(&first, 1, MPI_INT, i % n, thread_comm, &q[1]);
        if (i % 2)
            MPI_Waitall(2, q, no_statuses);
        while (i % 2 == 0 && !flag)
            MPI_Testall(2, q, &flag, no_statuses);
        if (sum != n * (n - 1) / 2 + n * i || first != i) {
            fprintf(stderr, "random: the second thread got %d and %d\n", sum, first);
            MPI_Abort(MPI_COMM_WORLD, 4);
        }
    }
    return NULL;
}

static void begin_thread(pthread_t *thread, int operations, int provided)
{
    if (provided < MPI_THREAD_MULTIPLE)
        return;
    thread_operations = operations / 4;
    MPI_Comm_dup(MPI_COMM_WORLD, &thread_comm);
    pthread_create(thread, NULL, second_thread, NULL);
}

static void end_thread(pthread_t thread)
{
    int n;
    if (thread_comm == MPI_COMM_NULL)
        return;
    pthread_join(thread, NULL);
    MPI_Comm_size(thread_comm, &n);
    MPI_Comm_free(&thread_comm);
    issued[ALLREDUCE] += n > 1 ? thread_operations : 0;
    issued[BCAST] += n > 1 ? thread_operations : 0;
}

/* One program, from nothing but MPI_COMM_WORLD to nothing again. */
static void play(uint64_t seed, int operations, int provided)
{
    pthread_t thread = pthread_self();
    flight_run_seed = seed;
    shared = ovl_rng_seeded(seed);
    own = ovl_rng_seeded(seed * 1000 + 17 + (uint64_t)world_rank);
    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < COMMS; i++)
        comms[i] = MPI_COMM_NULL;
    begin_thread(&thread, operations, provided);
    for (int i = 0; i < operations; i++)
        act(i);
    while (active > 0)
        complete();
    end_thread(thread);
    for (int i = 1; i < COMMS; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv)
{
    int provided = MPI_THREAD_SINGLE, operations = argc > 2 ? atoi(argv[2]) : 200;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, seeds = 1;
    long all[KINDS];
    for (int i = 3; i < argc; i++) {
        use_alloc |= strcmp(argv[i], "alloc") == 0;
        forks |= strcmp(argv[i], "fork") == 0;
        late |= strcmp(argv[i], "late") == 0;
        if (strcmp(argv[i], "long") == 0)
            most = 30000;
        if (strcmp(argv[i], "many") == 0)
            window = OUTSTANDING;
        if (strcmp(argv[i], "threads") == 0)
            provided = MPI_THREAD_MULTIPLE;
        if (strncmp(argv[i], "seeds=", 6) == 0)
            seeds = strtoull(argv[i] + 6, NULL, 10);
    }
    MPI_Init_thread(&argc, &argv, provided, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    for (uint64_t s = 0; s < seeds; s++)
        play(seed + s, operations, provided);
    MPI_Reduce(issued, all, KINDS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    for (int k = 0; k < KINDS && world_rank == 0; k++)
        if (all[k])
            printf("%s %ld\n", kind_names[k], all[k]);
    return 0;
}
