/* What of ovl_fft3d needs neither MPI nor FFTW: the decomposition, the order of exchanges, and copying rows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/pencil.h"
#include "apps/fft3d/transform_plan.h"
#include "kernels/pack.h"
#include "plan/bound.h"
#include "plan/check.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(ranges_cover)
{
    for (size_t n = 0; n < 20; n++)
        for (int parts = 1; parts < 9; parts++) {
            size_t next = 0;
            for (int i = 0; i < parts; i++) {
                struct ovl_range r = ovl_range_part(n, parts, i);
                ck_assert_uint_eq(r.first, next);
                ck_assert(r.count == n / (size_t)parts || r.count == n / (size_t)parts + 1);
                ck_assert(i == 0 || r.count <= ovl_range_part(n, parts, i - 1).count);
                next += r.count;
            }
            ck_assert_uint_eq(next, n);
        }
}

static const struct {
    const char *text;
    size_t n[3];
} grids[] = {
    {"128x96x64", {128, 96, 64}},
    {"7", {7, 7, 7}},
    {"1x1x1048576", {1, 1, 1048576}},
    {"", {0}},
    {"8x8", {0}},
    {"8x8x", {0}},
    {"x8x8", {0}},
    {"8x0x8", {0}},
    {"-8", {0}},
    {"+8", {0}},
    {" 8", {0}},
    {"8 ", {0}},
    {"8x8x8x8", {0}},
    {"8X8X8", {0}},
    {"1048577", {0}},
    {"99999999999999999999", {0}},
};

TEST(grid_texts)
{
    struct ovl_grid grid;
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        int rc = ovl_grid_parse(grids[g].text, strlen(grids[g].text), &grid, &err);
        ck_assert_msg(rc == (grids[g].n[0] ? 0 : -1), "%s", grids[g].text);
        if (rc == 0)
            ck_assert_mem_eq(grid.n, grids[g].n, sizeof grid.n);
    }
    ck_assert_int_eq(ovl_grid_parse("8x9x10,11", 6, &grid, &err), 0); /* a part of a list */
    ck_assert_uint_eq(grid.n[2], 10);
    ck_assert_int_eq(ovl_grid_parse("8,9", 3, &grid, &err), -1);
}

static struct ovl_pencil make(const struct ovl_grid *grid, bool real, int p1, int p2, int rank)
{
    struct ovl_pencil p;
    ck_assert_int_eq(ovl_pencil_make(&p, grid, real, &(struct ovl_space){{p1, p2}, false}, rank, &err), 0);
    return p;
}

/* Each layout holds the grid once, over all ranks. */
TEST(pencils_cover_the_grid)
{
    const struct ovl_grid grid = {{13, 11, 7}};
    for (int p1 = 1; p1 <= 4; p1++)
        for (int p2 = 1; p2 <= 4; p2++) {
            size_t x = 0, y = 0, z = 0;
            for (int rank = 0; rank < p1 * p2; rank++) {
                struct ovl_pencil p = make(&grid, true, p1, p2, rank);
                ck_assert_int_eq(p.place[0] + p1 * p.place[1], rank);
                x += ovl_pencil_x_numbers(&p);
                y += p.z.count * p.x.count * 11;
                z += p.y2.count * p.x.count * 7;
                ck_assert_uint_ge(p.row, p.x.count);
                ck_assert_uint_eq(ovl_pencil_y_numbers(&p), p.z.count * 11 * p.row);
                ck_assert_uint_eq(ovl_pencil_z_numbers(&p), p.y2.count * 7 * p.row);
            }
            ck_assert_uint_eq(x, 13 * 11 * 7);
            ck_assert_uint_eq(y, 7 * 11 * 7);
            ck_assert_uint_eq(z, 7 * 11 * 7);
        }
}

/* What one rank sends another is what that one expects, in blocks that follow each other and fill the message. */
TEST(blocks_meet)
{
    const struct ovl_grid grid = {{13, 11, 7}};
    const int p1 = 3, p2 = 2, chunks = 4;
    for (int rank = 0; rank < p1 * p2; rank++)
        for (int t = 0; t < OVL_TRANSPOSES; t++)
            for (int k = 0; k < chunks; k++)
                for (int near = 0; near < 2; near++) {
                    enum ovl_transpose turn = (enum ovl_transpose)t;
                    struct ovl_pencil p = make(&grid, true, p1, p2, rank);
                    size_t slab = ovl_pencil_slab(&p, turn, chunks, k).count, next = 0;
                    for (int peer = 0; peer < p.space.members[t]; peer++) {
                        int other = t == OVL_ROW ? peer + p1 * p.place[1] : p.place[0] + p1 * peer;
                        struct ovl_pencil q = make(&grid, true, p1, p2, other);
                        struct ovl_range mine = ovl_pencil_block(&p, turn, near, slab, peer);
                        ck_assert_uint_eq(ovl_pencil_slab(&q, turn, chunks, k).count, slab);
                        ck_assert_uint_eq(mine.count, ovl_pencil_block(&q, turn, !near, slab, p.place[t]).count);
                        ck_assert_uint_eq(mine.first, next);
                        next += mine.count;
                    }
                    ck_assert_uint_eq(next, ovl_pencil_message(&p, turn, near, slab));
                    ck_assert(!ovl_pencil_even(&p, turn));
                }
}

/* Slabs follow each other and are all of x or z; those of columns begin at multiples of 8, and have 8 at least. */
TEST(slabs_fill)
{
    for (size_t n = 2; n < 140; n++) {
        const struct ovl_grid grid = {{n, n, n}};
        struct ovl_pencil p = make(&grid, true, 1, 2, 1);
        for (int t = 0; t < OVL_TRANSPOSES; t++)
            for (int chunks = 1; chunks <= 9; chunks++) {
                size_t all = t == OVL_ROW ? p.z.count : p.x.count, next = 0;
                for (int k = 0; k < chunks; k++) {
                    struct ovl_range slab = ovl_pencil_slab(&p, (enum ovl_transpose)t, chunks, k);
                    ck_assert_uint_eq(slab.first, next);
                    if (t == OVL_COLUMN && slab.count > 0)
                        ck_assert(slab.first % 8 == 0 && (slab.count >= 8 || slab.count == all));
                    if (t == OVL_COLUMN && all >= 8 * (size_t)chunks)
                        ck_assert_uint_ge(slab.count, 8);
                    ck_assert(k > 0 || slab.count > 0);
                    next += slab.count;
                }
                ck_assert_uint_eq(next, all);
            }
    }
}

/* At n = 125 on 2 x 2 ranks with 4 slabs the first rank does not have the longest one. */
TEST(the_largest_message_is_that_of_any_rank)
{
    for (size_t n = 119; n < 129; n++)
        for (int t = 0; t < OVL_TRANSPOSES; t++)
            for (int chunks = 1; chunks <= 9; chunks++) {
                const struct ovl_grid grid = {{n, n + 1, n + 2}};
                size_t most = 0;
                for (int rank = 0; rank < 6; rank++)
                    for (int side = 0; side < 2; side++)
                        for (int k = 0; k < chunks; k++) {
                            struct ovl_pencil p = make(&grid, true, 2, 3, rank);
                            size_t slab = ovl_pencil_slab(&p, (enum ovl_transpose)t, chunks, k).count,
                                   one = ovl_pencil_message(&p, (enum ovl_transpose)t, side, slab);
                            most = one > most ? one : most;
                        }
                struct ovl_pencil first = make(&grid, true, 2, 3, 0);
                ck_assert_uint_eq(ovl_pencil_message_most(&first, (enum ovl_transpose)t, chunks), most);
            }
}

TEST(even_and_refused)
{
    const struct ovl_grid grid = {{16, 12, 6}};
    struct ovl_pencil p = make(&grid, false, 4, 3, 5);
    ck_assert(ovl_pencil_even(&p, OVL_ROW) && ovl_pencil_even(&p, OVL_COLUMN));
    p = make(&grid, true, 4, 3, 5); /* 9 numbers along x */
    ck_assert(!ovl_pencil_even(&p, OVL_ROW) && ovl_pencil_even(&p, OVL_COLUMN));
    make(&grid, true, 9, 6, 0);
    ck_assert_int_eq(ovl_pencil_make(&p, &grid, true, &(struct ovl_space){{10, 1}, false}, 0, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "P1 may be 9 at most and P2 6"));
    ck_assert_int_eq(ovl_pencil_make(&p, &grid, true, &(struct ovl_space){{1, 7}, false}, 0, &err), -1);
    ck_assert_int_eq(ovl_pencil_make(&p, &grid, false, &(struct ovl_space){{13, 1}, false}, 0, &err), -1);
}

/* What the steps of a pass have done. */
enum { VARIABLES = 4, MOST = 16 };
struct watch {
    bool busy[MOST];
    int in_flight, most_in_flight, produced[VARIABLES][2], consumed[VARIABLES][2];
};

static void watch_step(struct watch *w, const struct ovl_transform_plan *f, const struct ovl_app_step *t)
{
    bool back;
    struct ovl_slab_exchange s = ovl_transform_plan_exchange(f, t->index, &back);
    bool carried = f->passes[back].carried[s.turn];
    if (t->what == OVL_TRANSFORM_PRODUCE_ALL)
        for (int k = 0; k < f->chunks; w->busy[t->slot + k++] = true)
            w->produced[s.variable][s.turn]++;
    else if (t->what == OVL_TRANSFORM_CONSUME_ALL)
        for (int k = 0; k < f->chunks; w->busy[t->slot + k++] = false)
            w->consumed[s.variable][s.turn]++;
    else if (t->kind == OVL_APP_COMPUTE && t->what == OVL_TRANSFORM_PRODUCE) {
        ck_assert_int_eq(s.chunk, w->produced[s.variable][s.turn]++);
        if (s.turn == 1 && !f->fused)
            ck_assert_int_eq(w->consumed[s.variable][0], f->chunks); /* all of the first transpose is there */
        ck_assert(!carried || !w->busy[t->slot]);
        w->busy[t->slot] = w->busy[t->slot] || carried;
    } else if (t->kind == OVL_APP_COMPUTE) {
        ck_assert_int_eq(s.chunk, w->consumed[s.variable][s.turn]++);
        ck_assert(!carried || w->busy[t->slot]);
        w->busy[t->slot] = w->busy[t->slot] && !carried;
    }
    w->in_flight += (t->kind == OVL_APP_POST) - (t->kind == OVL_APP_WAIT);
    w->most_in_flight = w->in_flight > w->most_in_flight ? w->in_flight : w->most_in_flight;
}

/* Slabs on 2 x 2, 1 x 2, 2 x 1 ranks and alone. */
static void flow_of(int carried, int variables, int chunks, int window, const int *node, struct ovl_transform_plan *f)
{
    const struct ovl_grid grid = {{16, 12, 10}};
    const int parts[] = {1 + (carried & 1), 1 + (carried >> 1)};
    struct ovl_pencil p = make(&grid, true, parts[0], parts[1], 0);
    ck_assert_int_eq(ovl_transform_plan_make(f, &p, variables, chunks, window, node, &err), 0);
}

TEST(flows_keep_their_order)
{
    for (int carried = 0; carried < 4; carried++)
        for (int variables = 1; variables <= VARIABLES; variables++)
            for (int chunks = 1; chunks <= 5; chunks++)
                for (int window = 0; window <= 6; window++) {
                    struct ovl_transform_plan f;
                    struct watch w = {.in_flight = 0};
                    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
                    flow_of(carried, variables, chunks, window, NULL, &f);
                    ck_assert_int_eq(f.passes[0].count, 2 * variables * chunks);
                    ck_assert_int_eq(f.fused, carried == 2 && chunks > 1 && window > 0);
                    for (size_t g = 0; g < f.pass[0].groups[OVL_LANE_CHAIN]; g++)
                        for (int i = 0, n = f.pass[0].group(f.pass[0].of, 0, OVL_LANE_CHAIN, g, steps); i < n; i++)
                            watch_step(&w, &f, &steps[i]);
                    ck_assert_int_eq(w.in_flight, 0);
                    int exchanges = f.passes[0].exchanges, wanted = f.fused ? 2 * chunks : window;
                    ck_assert_int_eq(exchanges, variables * chunks * ((carried & 1) + (carried >> 1)));
                    ck_assert_int_le(w.most_in_flight, wanted);
                    if (exchanges >= 2 * wanted && variables > 1 && chunks > 1 && (f.fused || window <= chunks))
                        ck_assert_int_eq(w.most_in_flight, wanted);
                    for (int v = 0; v < variables; v++)
                        for (int t = 0; t < 2; t++)
                            ck_assert((f.fused && t == 0) ||
                                      (w.produced[v][t] == chunks && w.consumed[v][t] == chunks));
                    ovl_transform_plan_free(&f);
                }
}

/* Of all ranks, both passes and each of them. */
TEST(flows_are_plans)
{
    for (int carried = 0; carried < 4; carried++)
        for (int variables = 1; variables <= VARIABLES; variables++)
            for (int chunks = 1; chunks <= 9; chunks += 4)
                for (int window = 0; window <= 6; window++) {
                    struct ovl_transform_plan f;
                    struct ovl_app_steps s;
                    bool apart;
                    flow_of(carried, variables, chunks, window, NULL, &f);
                    const struct ovl_app_plan *plans[] = {&f.pair, &f.pass[0], &f.pass[1]};
                    for (int i = 0; i < 3; i++) {
                        ck_assert_int_eq(ovl_app_steps_make(&s, plans[i], 1000000, &err), 0);
                        ck_assert_msg(ovl_app_check(&s, &apart, &err) == 0, "%s", err.text);
                        ck_assert(apart);
                        ovl_app_steps_free(&s);
                    }
                    ovl_transform_plan_free(&f);
                }
}

/* Whole variables, rows not carried: forwards and backwards, two are on their way while the third is made ready. */
TEST(windows_stay_full)
{
    struct ovl_transform_plan f;
    flow_of(2, 3, 1, 2, NULL, &f);
    for (int back = 0; back < 2; back++) {
        struct ovl_app_step steps[OVL_APP_GROUP_MOST];
        int in_flight = 0, meanwhile = 0;
        for (size_t g = 0; g < f.pass[back].groups[OVL_LANE_CHAIN]; g++)
            for (int i = 0, n = f.pass[back].group(f.pass[back].of, 0, OVL_LANE_CHAIN, g, steps); i < n; i++) {
                bool other;
                in_flight += (steps[i].kind == OVL_APP_POST) - (steps[i].kind == OVL_APP_WAIT);
                if (steps[i].what == OVL_TRANSFORM_PRODUCE && steps[i].mark >= 0 &&
                    ovl_transform_plan_exchange(&f, steps[i].index, &other).variable == 2)
                    meanwhile = in_flight;
            }
        ck_assert_int_eq(in_flight, 0);
        ck_assert_int_eq(meanwhile, 2);
    }
    ovl_transform_plan_free(&f);
}

/* On two nodes of two ranks: columns cross the link with all that they send to the other node, rows do not. */
TEST(flows_know_their_bytes)
{
    const int node[] = {0, 0, 1, 1};
    struct ovl_transform_plan f;
    struct ovl_app_steps s;
    flow_of(3, 1, 3, 2, node, &f);
    ck_assert_int_eq(ovl_app_steps_make(&s, &f.pair, 1000, &err), 0);
    /* There: 9 numbers along x, 6 of 12 along y, 5 of 10 along z, of which the two ranks of a node send all; and back.
     */
    ck_assert_double_eq(ovl_app_link_bytes(&s, node, 0), 2 * 16.0 * 9 * 6 * 5);
    ck_assert_double_eq(ovl_app_link_bytes(&s, node, 1), 2 * 16.0 * 9 * 6 * 5);
    ovl_app_steps_free(&s);
    ovl_transform_plan_free(&f);
}

TEST(rows_are_odd_cache_lines)
{
    for (size_t n = 1; n < 100; n++) {
        size_t pitch = ovl_pencil_pitch(n);
        ck_assert(pitch >= n && pitch < n + 8 && pitch % 8 == 4);
    }
}

TEST(rows_are_copied)
{
    enum { ROWS = 5, COUNT = 7, FROM = 9, TO = 11 };
    for (int scale = 1; scale <= 2; scale++) {
        double complex from[ROWS * FROM], to[ROWS * TO];
        for (size_t i = 0; i < ROWS * FROM; i++)
            from[i] = (double)i + 0.5 * I * (double)i;
        for (size_t i = 0; i < ROWS * TO; i++)
            to[i] = -1;
        ovl_pack_rows(from, FROM, to, TO, ROWS, COUNT, scale);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t i = 0; i < TO; i++)
                ck_assert(to[r * TO + i] == (i < COUNT ? scale * from[r * FROM + i] : -1));
    }
}

/* The spectrum of the data of seed 1 and variable 0, by its definition, along one axis after the other. */
static double complex *spectrum_of(const struct ovl_pencil *p)
{
    const size_t *n = p->grid.n;
    size_t all = n[0] * n[1] * n[2], steps[3] = {1, n[0], n[0] * n[1]};
    double *u = calloc(2 * all, sizeof *u);
    double complex *at = calloc(all, sizeof *at), *to = calloc(all, sizeof *to),
                   *w = calloc(ovl_pencil_z_numbers(p), sizeof *w);
    ovl_check_fill(p, u, 1, 0);
    for (size_t i = 0; i < all; i++)
        at[i] = p->real ? u[i] : u[2 * i] + I * u[2 * i + 1];
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < all; i++) {
            size_t k = i / steps[axis] % n[axis], first = i - k * steps[axis];
            to[i] = 0;
            for (size_t x = 0; x < n[axis]; x++)
                to[i] +=
                    at[first + x * steps[axis]] * cexp(-2 * M_PI * I * (double)(k * x % n[axis]) / (double)n[axis]);
        }
        memcpy(at, to, all * sizeof *at);
    }
    for (size_t y = 0; y < n[1]; y++)
        for (size_t z = 0; z < n[2]; z++)
            memcpy(w + (y * n[2] + z) * p->row, at + (z * n[1] + y) * n[0], p->x.count * sizeof *w);
    free(u);
    free(at);
    free(to);
    return w;
}

TEST(sums_tell_any_wrong_number)
{
    static const struct ovl_grid of[] = {{{6, 5, 4}}, {{1, 7, 3}}, {{2, 1, 9}}, {{900, 1, 2}}};
    for (size_t g = 0; g < 2 * sizeof of / sizeof *of; g++) {
        struct ovl_pencil p = make(&of[g / 2], g % 2, 1, 1, 0);
        double complex *w = spectrum_of(&p);
        struct ovl_check_sums sums;
        ovl_check_sums(&p, w, false, 1, 0, &sums);
        ck_assert_double_le(ovl_check_sums_differ(&sums), 1e-13);
        for (size_t i = 0; i < ovl_pencil_z_numbers(&p); i++) {
            double complex right = w[i];
            if (i % p.row >= p.x.count)
                continue;
            w[i] += i % 2 ? 1e-3 : 1e-3 * I;
            ovl_check_sums(&p, w, false, 1, 0, &sums);
            ck_assert_double_ge(ovl_check_sums_differ(&sums), 1e-9);
            w[i] = right;
        }
        free(w);
    }
}

/* A check between samples must not take longer than what is measured. */
TEST(a_long_axis_is_checked_at_once)
{
    const struct ovl_grid grid = {{1, 1, 1 << 20}};
    struct ovl_pencil p = make(&grid, false, 1, 1, 0);
    double complex *w = calloc(ovl_pencil_z_numbers(&p), sizeof *w);
    struct ovl_check_sums sums;
    ovl_check_sums(&p, w, false, 1, 0, &sums); /* of n^2 steps it would be hours */
    ck_assert_double_eq(sums.square, 0);
    free(w);
}
