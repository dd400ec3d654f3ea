/* ranks: 1 2 3 4 6 */
/* ovl_hpl's solver: residuals on many shapes, L U = P A, results that must not pass, and panels that workers carry. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/back.h"
#include "apps/hpl/blas.h"
#include "apps/hpl/lu.h"
#include "apps/hpl/map.h"
#include "base/rng.h"
#include "machine/blas.h"
#include "tests/mpi/mpi_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static MPI_Comm all = MPI_COMM_WORLD; /* that solve */
static struct ovl_offload *offload;   /* NULL: in host mode */

/* More ranks than a small machine has cores: each column costs them a turn of the scheduler, so there are fewer. */
static bool oversubscribed;

struct solved {
    struct ovl_hpl_grid grid;
    struct ovl_hpl_system system;
    struct ovl_hpl_lu lu;
    double residual;
};

/* Each broadcast beside the update, or waited for as soon as it is posted, by its two calls or by one. */
enum how { BESIDE, APART, BLOCKING, HOWS };

static void solve(struct solved *s, const struct ovl_hpl_shape *shape, const char *scheme, enum ovl_hpl_spoil spoil,
                  enum how how)
{
    static const int node[8];
    struct ovl_error err;
    const struct ovl_mode *mode = offload ? ovl_mode_find("dpu", 3, "worker") : ovl_mode_find("host", 4, "mpi");
    EXPECT(ovl_hpl_grid_open(&s->grid, all, shape, offload, &err) == 0);
    EXPECT(ovl_hpl_open(&s->system, shape, &s->grid, ovl_rng_mix((uint64_t)shape->n), &err) == 0);
    const struct ovl_hpl_way way = {ovl_hpl_scheme_find(scheme, strlen(scheme)), mode, shape->depth, how == BLOCKING};
    EXPECT(ovl_hpl_lu_open(&s->lu, &s->system, &way, node, &err) == 0);
    s->system.spoil = spoil;
    ovl_hpl_fill(&s->system);
    ovl_hpl_lu_play(&s->lu, how == APART ? OVL_MASK_APART : OVL_MASK_TOTAL);
    ovl_hpl_share_solution(&s->system);
    s->residual = ovl_hpl_residual(&s->system);
}

static void forget(struct solved *s)
{
    ovl_hpl_lu_close(&s->lu);
    ovl_hpl_close(&s->system);
    ovl_hpl_grid_close(&s->grid);
}

static void expect_passes(const struct solved *s, const struct ovl_hpl_shape *shape, const char *scheme)
{
    if (!(s->residual < OVL_HPL_RESIDUAL_LIMIT) && rank == 0)
        fprintf(stderr, "N %d, NB %d, depth %d, %d x %d, %s: residual %g\n", shape->n, shape->nb, shape->depth,
                shape->rows, shape->columns, scheme, s->residual);
    EXPECT(s->residual < OVL_HPL_RESIDUAL_LIMIT);
}

/* Orders that are no multiple of the block, one block, a single number; more processes than blocks. */
static void residuals(void)
{
    static const int shapes[][2] = {{9, 4}, {5, 8}, {17, 3}, {64, 16}, {61, 8}, {100, 7}, {33, 32}, {5, 1}, {1, 4}};
    static const int mixes[] = {0, 1000, 6}; /* all rows by spread and roll, all by halves, some */
    struct solved s;
    size_t count = ranks > 4 ? 2 : oversubscribed ? 3 : sizeof shapes / sizeof *shapes;
    int turn = 0;
    for (int rows = 1; rows <= ranks; rows++) {
        if (ranks % rows)
            continue;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < (oversubscribed ? 1 : 2); k++) {
                const struct ovl_hpl_scheme *scheme = &ovl_hpl_schemes[turn % 7];
                struct ovl_hpl_shape shape = {shapes[i][0], shapes[i][1], (turn + k) % 5,          rows,
                                              ranks / rows, i % 2,        mixes[(turn + rows) % 3]};
                solve(&s, &shape, scheme->name, OVL_HPL_SPOIL_NONE, (enum how)(turn % HOWS));
                expect_passes(&s, &shape, scheme->name);
                EXPECT(s.system.singular < 0);
                EXPECT(s.lu.times.seconds[OVL_HPL_TOTAL] > 0);
                forget(&s);
                turn += oversubscribed || k == 1;
            }
    }
    mpi_test_end("residuals of many shapes");
}

/* The same data whatever the broadcast, depth and order of messages: the arithmetic is the same. */
static void schemes_agree(void)
{
    struct solved s;
    double first[50];
    int n = ranks > 4 ? 6 : oversubscribed ? 12 : 50;
    for (int i = 0; ovl_hpl_schemes[i].name; i++)
        for (int how = 0; how < (oversubscribed ? 1 : HOWS); how++) {
            struct ovl_hpl_shape shape = {n, oversubscribed ? 2 : 6, (i + how) % 4, 1, ranks, true, 0};
            solve(&s, &shape, ovl_hpl_schemes[i].name, OVL_HPL_SPOIL_NONE, (enum how)how);
            if (i == 0 && how == BESIDE)
                memcpy(first, s.system.x, (size_t)n * sizeof *first);
            for (int k = 0; k < n; k++)
                EXPECT(fabs(first[k] - s.system.x[k]) <= 1e-11 * (1 + fabs(first[k])));
            forget(&s);
        }
    mpi_test_end("broadcasts give the same solution");
}

static long long exchanged;

int MPI_Sendrecv(const void *send, int sends, MPI_Datatype of, int to, int tag, void *receive, int receives,
                 MPI_Datatype into, int from, int other, MPI_Comm comm, MPI_Status *status)
{
    exchanged++;
    return PMPI_Sendrecv(send, sends, of, to, tag, receive, receives, into, from, other, comm, status);
}

/* The same numbers whatever way rows are exchanged, and by halves in fewer messages. */
static void swaps_agree(void)
{
    struct solved s;
    double first[19];
    long long counted[2];
    int n = 19, power = 1, steps = 0;
    for (; 2 * power <= ranks; steps++)
        power *= 2;
    for (int mix = 0; mix < 2; mix++) {
        struct ovl_hpl_shape shape = {n, 4, 1, ranks, 1, false, mix * n};
        exchanged = 0;
        solve(&s, &shape, "ring", OVL_HPL_SPOIL_NONE, BESIDE);
        counted[mix] = exchanged;
        if (mix)
            EXPECT(memcmp(first, s.system.x, sizeof first) == 0);
        memcpy(first, s.system.x, sizeof first);
        forget(&s);
    }
    MPI_Allreduce(MPI_IN_PLACE, counted, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(ranks == 1 || counted[0] > 0);
    EXPECT(counted[1] * ranks * (ranks - 1) == counted[0] * power * steps);
    mpi_test_end("rows by halves: the same solution in fewer messages");
}

/* All of the factors at all ranks, by columns; rows of L in the order in which they were left. */
static double *collect(const struct solved *s)
{
    int n = s->system.shape.n, nb = s->system.shape.nb;
    double *whole = calloc((size_t)(n * n), sizeof *whole);
    for (int c = 0; c < s->system.mine_columns; c++)
        for (int r = 0; r < s->system.mine_rows; r++) {
            int column = ovl_hpl_global(c, nb, s->grid.column_at, s->grid.columns);
            int row = ovl_hpl_global(r, nb, s->grid.row_at, s->grid.rows);
            if (column < n)
                whole[column * n + row] = s->system.a[(size_t)c * (size_t)s->system.ld + (size_t)r];
        }
    MPI_Allreduce(MPI_IN_PLACE, whole, n * n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return whole;
}

static void interchange(double *a, int n, int from, int to, int row, int other)
{
    for (int c = from; c < to; c++) {
        double held = a[c * n + row];
        a[c * n + row] = a[c * n + other];
        a[c * n + other] = held;
    }
}

/* Multiplies L U and compares it with the rows of A in their new order. */
static void factors(void)
{
    static const int shapes[][2] = {{13, 4}, {40, 8}, {37, 5}, {24, 24}, {50, 16}};
    size_t count = oversubscribed ? 1 : sizeof shapes / sizeof *shapes;
    struct solved s;
    for (int rows = 1; rows <= ranks; rows++)
        for (size_t i = 0; i < count && ranks % rows == 0; i++) {
            struct ovl_hpl_shape shape = {shapes[i][0], shapes[i][1], (int)(i + 1) % 4,   rows,
                                          ranks / rows, i % 2,        rows % 2 ? 1000 : 0};
            int n = shape.n, moved = 0;
            solve(&s, &shape, "ring", OVL_HPL_SPOIL_NONE, BESIDE);
            double *lu = collect(&s), *a = malloc((size_t)(n * n) * sizeof *a), worst = 0;
            for (int c = 0; c < n; c++)
                for (int r = 0; r < n; r++)
                    a[c * n + r] = ovl_hpl_filled_entry(&s.system, r, c);
            for (int k = 0; k < n; k++) {
                int pivot = s.system.pivots[k];
                EXPECT(pivot >= k && pivot < n);
                interchange(a, n, 0, n, k, pivot);
                interchange(lu, n, 0, k / shape.nb * shape.nb, k, pivot); /* L of earlier panels stays as it was */
                moved += pivot != k;
            }
            for (int c = 0; c < n; c++)
                for (int r = 0; r < n; r++) {
                    double sum = r <= c ? lu[c * n + r] : 0;
                    for (int k = 0; k < r && k <= c; k++)
                        sum += lu[k * n + r] * lu[c * n + k];
                    worst = fmax(worst, fabs(sum - a[c * n + r]));
                    EXPECT(r <= c || fabs(lu[c * n + r]) <= 1); /* partial pivoting */
                }
            if (worst > 1e-13 * n && rank == 0)
                fprintf(stderr, "N %d, NB %d, %d x %d: L U - P A = %g\n", n, shape.nb, rows, shape.columns, worst);
            EXPECT(worst <= 1e-13 * n);
            EXPECT(moved > n / 2);
            free(lu);
            free(a);
            forget(&s);
        }
    mpi_test_end("L U = P A");
}

static void refusals(void)
{
    struct solved s;
    for (int rows = 1; rows <= ranks; rows++) {
        if (ranks % rows || (oversubscribed && rows != 2 && ranks != 3))
            continue;
        struct ovl_hpl_shape shape = {
            oversubscribed ? 14 : 45, oversubscribed ? 4 : 8, 1, rows, ranks / rows, false, 9};
        solve(&s, &shape, "ring-m", OVL_HPL_SPOIL_SINGULAR, BESIDE);
        int singular = s.system.singular;
        EXPECT(singular == shape.n / 2);
        EXPECT(!(s.residual < OVL_HPL_RESIDUAL_LIMIT));
        forget(&s);
        solve(&s, &shape, "long", OVL_HPL_SPOIL_NAN, BESIDE);
        EXPECT(!(s.residual < OVL_HPL_RESIDUAL_LIMIT));
        forget(&s);
        if (shape.columns > 1) {
            solve(&s, &shape, "ibcast", OVL_HPL_SPOIL_PANEL, BESIDE);
            EXPECT(!(s.residual < OVL_HPL_RESIDUAL_LIMIT));
            EXPECT(s.residual > 1e3);
            forget(&s);
        }
    }
    mpi_test_end("singular, NaN and damaged panels do not pass");
}

/* Every broadcast of a solution, seen by the workers that did it; and one that is spoilt, seen by the residual. */
static void carried(const struct ovl_hpl_shape *shape, enum ovl_hpl_spoil spoil, enum how how)
{
    struct solved s;
    struct ovl_error err;
    ovl_offload_proof_begin(offload);
    solve(&s, shape, "ibcast", spoil, how);
    EXPECT(ovl_offload_proof_end(offload, &err) == 0);
    if (spoil == OVL_HPL_SPOIL_NONE)
        expect_passes(&s, shape, "by workers");
    else
        EXPECT(s.residual > 1e3);
    int at;
    MPI_Comm_rank(all, &at);
    EXPECT(at > 0 || offload->worker_ops == (shape->columns > 1 ? s.system.panels * shape->rows * shape->columns : 0));
    forget(&s);
}

/* A job of its own with a worker on each node of `nodes_of` processes (0: on the one node); its ranks as all grids. */
static void workers_job(const char *name, int nodes_of, const struct ovl_mem_path *path)
{
    static const int shapes[][2] = {{21, 4}, {3, 8}, {16, 8}}; /* a last panel that is narrow, one panel, even ones */
    struct ovl_error err = {.code = OVL_OK};
    struct ovl_offload o = {.program = "hpl test", .awake = true};
    struct ovl_engine_options options = ovl_engine_options_default;
    options.pretend_nodes = nodes_of;
    options.path = 0;
    while (ovl_mem_paths[options.path] != path)
        options.path++;
    if (ovl_engine_bootstrap(&o.engine, false, &options, false, &err) != 0 || ovl_engine_connect(&o.engine, &err) != 0)
        ovl_engine_abort(o.program, &err);
    if (o.engine.connected) {
        offload = &o;
        all = o.engine.comm;
        for (int rows = 1; rows <= o.engine.job_map.ranks; rows++)
            for (size_t i = 0; i < sizeof shapes / sizeof *shapes && o.engine.job_map.ranks % rows == 0; i++) {
                struct ovl_hpl_shape shape = {
                    shapes[i][0], shapes[i][1], (int)(i + 1) % 3, rows, o.engine.job_map.ranks / rows, i % 2, 9};
                carried(&shape, OVL_HPL_SPOIL_NONE, i == 2 ? APART : BESIDE);
                if (i == 0 && shape.columns > 1)
                    carried(&shape, OVL_HPL_SPOIL_PANEL, BESIDE);
            }
        offload = NULL;
        all = MPI_COMM_WORLD;
    }
    if (ovl_engine_release(&o.engine, &err) != 0)
        ovl_engine_abort(o.program, &err);
    ovl_engine_agree_exit_code(&o.engine, 0);
    mpi_test_end(name);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ovl_blas_threads(1);
    oversubscribed = ranks > 2;
    residuals();
    schemes_agree();
    swaps_agree();
    factors();
    refusals();
    if (ranks == 3 || ranks == 6) {
        workers_job("panels by workers, shm", ranks == 6 ? 3 : 0, &ovl_mem_path_shm);
        workers_job("panels by workers, cma", ranks == 6 ? 3 : 0, &ovl_mem_path_cma);
    }
    return mpi_test_finish();
}
