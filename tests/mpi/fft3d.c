/* ranks: 1 2 3 4 5 6 */
/* The transform against FFTW's own of the whole grid, for every decomposition, order of exchanges and kind. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/scheme.h"
#include "tests/mpi/mpi_test.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 3, SEED = 5 };

static int rank, ranks;

/* What FFTW is asked to do, counted on its way there. */
static double calls, operations;

static void *counted(const char *name, const fftw_plan plan)
{
    double adds, products, both;
    fftw_flops(plan, &adds, &products, &both);
    operations += adds + products + 2 * both;
    calls++;
    return dlsym(RTLD_NEXT, name);
}

void fftw_execute_dft(const fftw_plan plan, fftw_complex *in, fftw_complex *out)
{
    void (*real)(const fftw_plan, fftw_complex *, fftw_complex *);
    *(void **)&real = counted(__func__, plan);
    real(plan, in, out);
}

void fftw_execute_dft_r2c(const fftw_plan plan, double *in, fftw_complex *out)
{
    void (*real)(const fftw_plan, double *, fftw_complex *);
    *(void **)&real = counted(__func__, plan);
    real(plan, in, out);
}

void fftw_execute_dft_c2r(const fftw_plan plan, fftw_complex *in, double *out)
{
    void (*real)(const fftw_plan, fftw_complex *, double *);
    *(void **)&real = counted(__func__, plan);
    real(plan, in, out);
}

/* The whole spectrum of a variable: w[z][y][x]. */
static double complex *whole_spectrum(const struct ovl_grid *grid, bool real, int variable)
{
    const struct ovl_space one = {{1, 1}, false};
    const int *n = (const int[]){(int)grid->n[2], (int)grid->n[1], (int)grid->n[0]};
    struct ovl_pencil all;
    struct ovl_error err;
    EXPECT(ovl_pencil_make(&all, grid, real, &one, 0, &err) == 0);
    size_t points = grid->n[0] * grid->n[1] * grid->n[2], numbers = all.half * grid->n[1] * grid->n[2];
    double *u = fftw_malloc(2 * points * sizeof *u);
    double complex *out = fftw_malloc(numbers * sizeof *out);
    fftw_plan plan = real ? fftw_plan_dft_r2c(3, n, u, out, FFTW_ESTIMATE)
                          : fftw_plan_dft(3, n, (double complex *)u, out, FFTW_FORWARD, FFTW_ESTIMATE);
    ovl_check_fill(&all, u, SEED, variable);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    fftw_free(u);
    return out;
}

/* The largest difference of this rank's part, relative to a number of the size that is expected. */
static double difference(const struct ovl_pencil *p, const double complex *w, const double complex *whole)
{
    double most = 0, size = sqrt((double)(p->grid.n[0] * p->grid.n[1] * p->grid.n[2]));
    for (size_t y = 0; y < p->y2.count; y++)
        for (size_t z = 0; z < p->grid.n[2]; z++, w += p->row)
            for (size_t x = 0; x < p->x.count; x++) {
                size_t there = (z * p->grid.n[1] + p->y2.first + y) * p->half + p->x.first + x;
                double d = cabs(w[x] - whole[there]) / size;
                most = d <= most ? most : isnan(d) ? INFINITY : d;
            }
    return most;
}

/* Blocking, and a window narrower and wider than there are slabs, with slabs that are empty; test calls. */
static const struct way {
    const char *mode;
    int chunks, window;
    size_t polls;
} ways[] = {{NULL, 1, 0, 0}, {"host", 9, 5, 1}, {"host", 2, 2, 3}, {"host", 1, 1, 0}, {"host", 3, 1, 0}};

struct set {
    struct ovl_pencil pencil;
    struct ovl_transform transform;
    struct ovl_messages messages;
    struct ovl_scheme scheme;
};

static void open_set(struct set *s, const struct ovl_grid *grid, bool real, const struct ovl_space *space,
                     const struct way *way)
{
    const char *mode = way->mode;
    int chunks = way->chunks, window = way->window;
    struct ovl_error err;
    EXPECT(ovl_pencil_make(&s->pencil, grid, real, space, rank, &err) == 0);
    EXPECT(ovl_transform_make(&s->transform, &s->pencil, VARIABLES, FFTW_ESTIMATE, &err) == 0);
    int slots = ovl_transform_plan_slots(&s->pencil, chunks, window);
    size_t largest[OVL_APP_SLOTS_MOST];
    for (int i = 0; i < slots; i++)
        largest[i] = ovl_messages_largest(&s->pencil, chunks);
    s->messages = (struct ovl_messages){.pencil = &s->pencil};
    EXPECT(ovl_messages_open(&s->messages, MPI_COMM_WORLD, (const bool[]){true, true}, slots, largest, &err) == 0);
    s->scheme = (struct ovl_scheme){.transform = &s->transform,
                                    .messages = &s->messages,
                                    .mode = mode ? ovl_mode_find(mode, strlen(mode), "mpi") : NULL};
    EXPECT(ovl_scheme_make(&s->scheme, chunks, window, NULL, &err) == 0);
    for (int v = 0; v < VARIABLES; v++)
        ovl_check_fill(&s->pencil, s->transform.u[v], SEED, v);
}

static void close_set(struct set *s)
{
    ovl_scheme_free(&s->scheme);
    ovl_messages_close(&s->messages);
    ovl_transform_free(&s->transform);
}

/* What the way there and back has left of the spectrum, by the sums over it. */
static double sums_differ(const struct set *s, int v)
{
    struct ovl_check_sums sums;
    ovl_check_sums(&s->pencil, s->transform.w[v], s->pencil.space.members[OVL_COLUMN] == 1, SEED, v, &sums);
    MPI_Allreduce(MPI_IN_PLACE, &sums, OVL_CHECK_SUMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return ovl_check_sums_differ(&sums);
}

/* Forwards against the whole, and back; then a spectrum that is known. */
static void check(const struct ovl_grid *grid, bool real, const struct ovl_space *space, const struct way *way,
                  double complex *const whole[VARIABLES])
{
    struct set s;
    double limit = ovl_check_limit(grid, 1);
    open_set(&s, grid, real, space, way);
    s.scheme.poll_lines = way->polls;
    ovl_scheme_pass(&s.scheme, false, OVL_MASK_TOTAL);
    for (int v = 0; v < VARIABLES; v++)
        EXPECT(difference(&s.pencil, s.transform.w[v], whole[v]) < limit);
    ovl_scheme_pass(&s.scheme, true, OVL_MASK_TOTAL);
    for (int v = 0; v < VARIABLES; v++)
        EXPECT(ovl_check_filled(&s.pencil, s.transform.u[v], SEED, v) < limit);
    for (int v = 0; v < VARIABLES; v++)
        EXPECT(sums_differ(&s, v) < limit);

    for (int v = 0; v < VARIABLES; v++)
        ovl_check_known(&s.pencil, s.transform.u[v], v);
    ovl_scheme_pass(&s.scheme, false, OVL_MASK_TOTAL);
    for (int v = 0; v < VARIABLES; v++)
        EXPECT(ovl_check_spectrum(&s.pencil, s.transform.w[v], v) < limit);
    close_set(&s);
}

/* More ranks than cores take turns at each exchange, which is slow: they do the less. */
static void every_decomposition(void)
{
    static const struct ovl_grid grids[] = {{{35, 7, 11}}, {{12, 8, 6}}, {{30, 17, 9}}, {{20, 32, 40}}};
    size_t some_grids = ranks > 2 ? 2 : 4, some_ways = ranks > 2 ? 2 : 5;
    for (size_t g = 0; g < some_grids; g++)
        for (int real = 0; real < 2; real++) {
            double complex *whole[VARIABLES];
            for (int v = 0; v < VARIABLES; v++)
                whole[v] = whole_spectrum(&grids[g], real, v);
            for (int p1 = 1; p1 <= ranks; p1++)
                for (size_t w = 0; w < some_ways && ranks % p1 == 0; w++) {
                    const struct ovl_space space = {{p1, ranks / p1}, (g + w) % 2};
                    check(&grids[g], real, &space, &ways[w], whole);
                }
            for (int v = 0; v < VARIABLES; v++)
                fftw_free(whole[v]);
        }
    mpi_test_end("every decomposition gives FFTW's spectrum, and the grid back");
}

/* Slabs ask FFTW for what one slab asks for, in no more calls, and move as many bytes: W is that of blocking's, as far
   as its work can be counted. */
static void slabs_cost_no_work(void)
{
    const struct ovl_grid grid = {{130, 12, 10}}; /* 66 columns: 16 slabs are more than there can be */
    for (int p1 = 1; p1 <= ranks && p1 <= 2; p1++) {
        double one_calls = 0, one_operations = 0;
        const struct ovl_space space = {{p1, ranks / p1}, false};
        for (int chunks = 1; chunks <= 16 && ranks % p1 == 0; chunks *= 4) {
            struct set s;
            const struct way way = {.mode = chunks > 1 ? "host" : NULL, .chunks = chunks, .window = chunks > 1 ? 2 : 0};
            open_set(&s, &grid, true, &space, &way);
            calls = operations = 0;
            ovl_scheme_pair(&s.scheme, OVL_MASK_WORK);
            one_calls = chunks == 1 ? calls : one_calls;
            one_operations = chunks == 1 ? operations : one_operations;
            EXPECT(operations > 0 && operations <= 1.001 * one_operations);
            EXPECT(calls <= 1.05 * one_calls);
            close_set(&s);
        }
    }
    mpi_test_end("slabs cost no work");
}

/* What a pair took is told apart, and a half of the work is only that half. */
static void parts_of_a_pair(void)
{
    const struct ovl_grid grid = {{12, 8, 6}};
    const struct ovl_space space = {{1, ranks}, false};
    struct set s;
    open_set(&s, &grid, true, &space, &ways[2]);
    s.scheme.poll_lines = 1;
    const int64_t *ns = s.scheme.run.ns;
    ovl_scheme_pair(&s.scheme, OVL_MASK_TOTAL);
    EXPECT(ns[OVL_PHASE_COMPUTE] > 0 &&
           (ranks == 1) == (ns[OVL_PHASE_POST] + ns[OVL_PHASE_TEST] + ns[OVL_PHASE_WAIT] == 0));
    ovl_scheme_pair(&s.scheme, OVL_MASK_WORK);
    EXPECT(ns[OVL_PHASE_COMPUTE] > 0 && ns[OVL_PHASE_POST] + ns[OVL_PHASE_TEST] + ns[OVL_PHASE_WAIT] == 0);
    close_set(&s);
    mpi_test_end("the parts of a pair");
}

/* One wrong number in one message is seen. */
static void wrong_message(void)
{
    const struct ovl_grid grid = {{12, 8, 6}};
    struct ovl_space space = {.by_columns = true};
    struct ovl_error err;
    struct set s;
    EXPECT(ovl_space_sides(NULL, ranks, space.members, &err) == 0);
    open_set(&s, &grid, true, &space, &ways[2]);
    ovl_scheme_pass(&s.scheme, false, OVL_MASK_TOTAL);
    if (rank == ranks - 1)
        s.transform.w[1][0] += 1e-6;
    ovl_scheme_pass(&s.scheme, true, OVL_MASK_TOTAL);
    double most = 0, all;
    for (int v = 0; v < VARIABLES; v++)
        most = fmax(most, ovl_check_filled(&s.pencil, s.transform.u[v], SEED, v));
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    EXPECT(all > ovl_check_limit(&grid, 1));
    EXPECT(sums_differ(&s, 0) < ovl_check_limit(&grid, 1) && sums_differ(&s, 1) > ovl_check_limit(&grid, 1));
    close_set(&s);
    mpi_test_end("a wrong number is seen");
}

/* Two ranks have each other's blocks: where both hold zeros that would not be seen, and there are none. */
static void wrong_place(void)
{
    const struct ovl_grid grid = {{12, 8, 6}};
    const struct ovl_space space = {{1, ranks}, false};
    struct set s;
    open_set(&s, &grid, true, &space, &ways[2]);
    double limit = ovl_check_limit(&grid, 1);
    for (int v = 0; v < VARIABLES; v++)
        ovl_check_known(&s.pencil, s.transform.u[v], v);
    ovl_scheme_pass(&s.scheme, false, OVL_MASK_TOTAL);
    for (int v = 0; v < VARIABLES; v++) {
        double complex *w = s.transform.w[v], first = w[1];
        w[1] = w[2];
        EXPECT(!(ovl_check_spectrum(&s.pencil, w, v) < limit));
        w[1] = first;
        EXPECT(ovl_check_spectrum(&s.pencil, w, v) < limit);
    }
    close_set(&s);
    mpi_test_end("a number in the wrong place is seen at every rank");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    every_decomposition();
    slabs_cost_no_work();
    parts_of_a_pair();
    wrong_message();
    wrong_place();
    return mpi_test_finish();
}
