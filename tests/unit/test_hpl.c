/* ovl_hpl without MPI: index maps, the generator, the permutation of a panel's interchanges, and broadcast routes,
   the plan of a solution, and HPL.dat. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/bcast_scheme.h"
#include "apps/hpl/dat.h"
#include "apps/hpl/generate.h"
#include "apps/hpl/map.h"
#include "apps/hpl/permutation.h"
#include "apps/hpl/solve_plan.h"
#include "base/rng.h"
#include "plan/bound.h"
#include "plan/check.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

TEST(maps_are_inverse_and_count_right)
{
    for (int procs = 1; procs <= 5; procs++)
        for (int nb = 1; nb <= 7; nb++) {
            int seen[5] = {0};
            for (int g = 0; g < 100; g++) {
                int owner = ovl_hpl_owner(g, nb, procs), local = ovl_hpl_local(g, nb, procs);
                ck_assert(owner >= 0 && owner < procs);
                ck_assert_int_eq(ovl_hpl_global(local, nb, owner, procs), g);
                for (int p = 0; p < procs; p++)
                    ck_assert_int_eq(ovl_hpl_below(g, nb, p, procs), seen[p]);
                ck_assert_int_eq(local, seen[owner]); /* the owner's indexes are dense and in order */
                seen[owner]++;
            }
        }
}

TEST(blocks_are_dealt_in_turn)
{
    /* 0 0 0 1 1 1 0 0 0 1: written down by hand */
    static const int owners[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1};
    for (int g = 0; g < 10; g++)
        ck_assert_int_eq(ovl_hpl_owner(g, 3, 2), owners[g]);
    ck_assert_int_eq(ovl_hpl_below(10, 3, 0, 2), 6);
    ck_assert_int_eq(ovl_hpl_below(10, 3, 1, 2), 4);
    ck_assert_int_eq(ovl_hpl_below(10, 3, 3, 7), 1); /* more processes than blocks */
    ck_assert_int_eq(ovl_hpl_below(10, 3, 4, 7), 0);
}

TEST(generator_jumps_to_any_place)
{
    /* The sequence one step at a time: splitmix64 adds a constant to its state and mixes. */
    uint64_t key = 12345, state = key;
    double sum = 0, squares = 0, least = 1, most = -1;
    for (uint64_t at = 0; at < 100000; at++, state += 0x9e3779b97f4a7c15) {
        double stepped = (double)(ovl_rng_mix(state) >> 11) * 0x1p-53 - 0.5, x = ovl_hpl_random(key, at);
        ck_assert(x == stepped);
        sum += x;
        squares += x * x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    ck_assert(least >= -0.5 && most < 0.5 && least < -0.499 && most > 0.499);
    ck_assert(fabs(sum / 1e5) < 0.005);                /* five sigmas */
    ck_assert(fabs(squares / 1e5 - 1.0 / 12) < 0.002); /* of a uniform distribution */
    ck_assert(ovl_hpl_entry(7, 10, 3, 2) == ovl_hpl_random(7, 23));
    ck_assert(ovl_hpl_entry(7, 10, 3, 2) != ovl_hpl_entry(8, 10, 3, 2));
}

TEST(signs_of_a_fill_are_those_of_rows_times_those_of_columns)
{
    enum { N = 32 };
    for (uint64_t fill = 1; fill < 40; fill++) {
        int others = 0; /* than in the fill before */
        for (int r = 0; r < N; r++)
            for (int c = 0; c <= N; c++) {
                bool of_row = ovl_hpl_turned(fill, r, 0), of_column = ovl_hpl_turned(fill, 0, c);
                ck_assert(ovl_hpl_turned(fill, r, c) == (of_row != of_column));
                others += ovl_hpl_turned(fill, r, c) != ovl_hpl_turned(fill - 1, r, c);
            }
        ck_assert_int_ge(others, N * N / 2);
    }
}

/* Plays interchanges on numbers one by one, and by the lists of all process rows together. */
static void check_swaps(struct ovl_rng *rng, int n, int first, int count, int nb, int procs)
{
    struct ovl_hpl_permutation s;
    int *straight = malloc((size_t)n * sizeof *straight), *dealt = malloc((size_t)n * sizeof *dealt);
    int *top = malloc((size_t)count * sizeof *top), *pivots = malloc((size_t)count * sizeof *pivots);
    int *moved = malloc((size_t)count * sizeof *moved);
    ck_assert_int_eq(ovl_hpl_permutation_make(&s, count, procs), 0);
    for (int i = 0; i < n; i++)
        straight[i] = dealt[i] = i;
    for (int i = 0; i < count; i++) {
        pivots[i] = first + i + (int)ovl_rng_below(rng, (uint32_t)(n - first - i));
        int held = straight[first + i];
        straight[first + i] = straight[pivots[i]];
        straight[pivots[i]] = held;
    }
    ovl_hpl_permutation_set(&s, first, count, pivots, nb, procs);

    int root = ovl_hpl_owner(first, nb, procs);
    ck_assert_int_eq(s.top_from[0], 0);
    ck_assert_int_eq(s.top_from[procs], count);
    ck_assert_int_eq(s.moves_from[procs], s.moves);
    for (int p = 0; p < procs; p++) { /* all sources are read before anything is written */
        for (int i = s.top_from[p]; i < s.top_from[p + 1]; i++)
            top[s.top[i]] = dealt[ovl_hpl_global(s.source[i], nb, p, procs)];
        for (int m = s.moves_from[p]; m < s.moves_from[p + 1]; m++)
            moved[m] = dealt[ovl_hpl_global(s.from[m], nb, root, procs)];
    }
    for (int p = 0; p < procs; p++)
        for (int m = s.moves_from[p]; m < s.moves_from[p + 1]; m++)
            dealt[ovl_hpl_global(s.into[m], nb, p, procs)] = moved[m];
    memcpy(dealt + first, top, (size_t)count * sizeof *top);
    ck_assert_mem_eq(dealt, straight, (size_t)n * sizeof *dealt);
    free(straight);
    free(dealt);
    free(top);
    free(pivots);
    free(moved);
    ovl_hpl_permutation_free(&s);
}

TEST(swaps_do_what_interchanges_do)
{
    struct ovl_rng rng = ovl_rng_seeded(1);
    for (int round = 0; round < 40; round++)
        for (int procs = 1; procs <= 4; procs++)
            for (int nb = 1; nb <= 9; nb += 2) {
                int n = nb * 6, block = (int)ovl_rng_below(&rng, 6);
                check_swaps(&rng, n, block * nb, nb, nb, procs);
                if (nb > 1) /* a last panel that is narrower */
                    check_swaps(&rng, n + 1, n, 1, nb, procs);
            }
}

/* Each process gets each part once, from who sends it, and never before that one can have it. */
static void check_routes(const struct ovl_hpl_scheme *scheme, int size)
{
    int parts = scheme->parts(size);
    bool *has = calloc((size_t)(size * parts), sizeof *has);
    int events = 0;
    for (int part = 0; part < parts; part++)
        has[part] = true;                      /* the root */
    for (int round = 0; round < size; round++) /* no chain is longer */
        for (int p = 0; p < size; p++)
            for (int part = 0; part < parts; part++)
                for (int k = 0; k < OVL_ROUTE_NEXT && has[p * parts + part]; k++) {
                    int to = scheme->route(p, size, part).to[k];
                    ck_assert(to >= -1 && to < size && to != p && to != 0);
                    if (to < 0)
                        continue;
                    ck_assert_int_eq(scheme->route(to, size, part).from, p);
                    events += !has[to * parts + part];
                    has[to * parts + part] = true;
                }
    ck_assert_msg(events == (size - 1) * parts, "%s, %d processes: %d of %d parts arrive", scheme->name, size, events,
                  (size - 1) * parts);
    for (int part = 0; part < parts; part++)
        ck_assert_int_eq(scheme->route(0, size, part).from, -1);
    free(has);
}

TEST(routes_reach_everyone_once)
{
    int routed = 0;
    for (const struct ovl_hpl_scheme *s = ovl_hpl_schemes; s->name; s++) {
        ck_assert_ptr_eq(ovl_hpl_scheme_find(s->name, strlen(s->name)), s);
        ck_assert(!s->parts == !s->route);
        for (int size = 1; size <= 17 && s->parts; size++)
            check_routes(s, size);
        routed += s->parts != NULL;
    }
    ck_assert_int_eq(routed, 6);
    ck_assert_ptr_null(ovl_hpl_scheme_find("rin", 3));
    /* what tells the schemes apart: process 1 of the modified ring passes nothing on */
    ck_assert_int_eq(ovl_hpl_scheme_find("ring", 4)->route(1, 4, 0).to[0], 2);
    ck_assert_int_eq(ovl_hpl_scheme_find("ring-m", 6)->route(1, 4, 0).to[0], -1);
    ck_assert_int_eq(ovl_hpl_scheme_find("2ring", 5)->route(0, 8, 0).to[1], 5);
    ck_assert_int_eq(ovl_hpl_scheme_find("2ring", 5)->route(4, 8, 0).to[0], -1);
    for (int size = 3; size <= 9; size++)
        for (int i = 1; i < 6; i += 2) { /* what HPL calls modified: process 1 has it first, and passes nothing on */
            const struct ovl_hpl_scheme *s = &ovl_hpl_schemes[i];
            for (int part = 0; part < s->parts(size); part++) {
                ck_assert_int_eq(s->route(0, size, part).to[0], 1);
                ck_assert_int_eq(s->route(1, size, part).to[0], -1);
            }
        }
    ck_assert_int_eq(ovl_hpl_scheme_find("long-m", 6)->parts(4), 3);
    ck_assert_int_eq(ovl_hpl_scheme_find("long", 4)->parts(4), 4);
}

enum { MOST_RANKS = 12, MOST_PANELS = 40 };

/* What has been done to the panels' columns, and to the right-hand side, at one rank. */
struct progress {
    int applied[MOST_PANELS + 1]; /* panels, in their order */
    bool factored[MOST_PANELS], here[MOST_PANELS], taken[MOST_PANELS], solved;
    int in_memory[OVL_HPL_DEPTH_MOST + 1]; /* the panel whose data each has */
};

static void apply(const struct ovl_hpl_shape *s, struct progress *p, int column_at, const struct ovl_app_step *t)
{
    int panels = ovl_hpl_panels(s), rest = t->what == OVL_HPL_DO_REST;
    int to = rest ? panels : t->slot;
    ck_assert(p->taken[t->index]);
    ck_assert_int_eq(p->in_memory[ovl_hpl_buffer(s, t->index)], t->index);
    for (int i = t->slot + rest; i <= to; i++) {
        int column = i < panels ? i * s->nb : s->n;
        if (column / s->nb % s->columns != column_at)
            continue;
        ck_assert(i == panels || !p->factored[i]);
        ck_assert_int_eq(p->applied[i]++, t->index);
    }
}

static void do_step(const struct ovl_hpl_solve_plan *f, struct progress *p, int rank, const struct ovl_app_step *t)
{
    const struct ovl_hpl_shape *s = &f->shape;
    int place[OVL_SPACE_LINES], panels = ovl_hpl_panels(s), k = t->index, *held = &p->in_memory[ovl_hpl_buffer(s, k)];
    ovl_space_place(&f->space, rank, place);
    bool owner = k % s->columns == place[OVL_SPACE_ROW];
    switch (t->kind) {
    case OVL_APP_POST:
        ck_assert(owner == (rank == t->root) && (!owner || p->factored[k]));
        ck_assert_int_eq(t->ranks, s->columns);
        *held = k;
        return;
    case OVL_APP_WAIT:
        p->here[k] = true;
        return;
    case OVL_APP_SYNC: /* of the blocking twin, or a meeting of the process column */
        ck_assert(t->what != OVL_HPL_DO_SYNC || (s->rows > 1 && t->ranks == s->rows && t->needs == OVL_NEEDS_ALL));
        return;
    default:
        ck_assert_int_ge(t->units, 1);
    }
    switch ((enum ovl_hpl_what)t->what) {
    case OVL_HPL_DO_FACTOR:
        ck_assert(owner && p->applied[k] == k);
        p->factored[k] = true;
        *held = k;
        break;
    case OVL_HPL_DO_TAKE:
        ck_assert(owner ? p->factored[k] : p->here[k]);
        p->taken[k] = true;
        break;
    case OVL_HPL_DO_SOLVE:
        for (int i = 0; i < panels; i++)
            ck_assert(p->taken[i] && (i % s->columns != place[OVL_SPACE_ROW] || p->factored[i]));
        if (s->n / s->nb % s->columns == place[OVL_SPACE_ROW])
            ck_assert_int_eq(p->applied[panels], panels);
        p->solved = true;
        break;
    default:
        apply(s, p, place[OVL_SPACE_ROW], t);
    }
}

/* A plan that can be played, alone and with its blocking twin, in which each panel is applied to each column in its
   turn, and no memory is taken while it is needed. */
static void check_flow(const struct ovl_hpl_solve_plan *f)
{
    struct ovl_app_plan plan = ovl_hpl_solve_plan_make(f), twin = ovl_app_blocking(&plan);
    struct ovl_app_steps steps, blocking;
    struct ovl_app_ops ops;
    bool apart = false;
    ck_assert_int_eq(ovl_app_steps_make(&steps, &plan, 100000, &err), 0);
    ck_assert_msg(ovl_app_check(&steps, &apart, &err) == 0, "N %d NB %d depth %d, %d x %d: %s", f->shape.n, f->shape.nb,
                  f->shape.depth, f->shape.rows, f->shape.columns, err.text);
    ck_assert(apart);
    ck_assert_int_eq(ovl_app_steps_make(&blocking, &twin, 100000, &err), 0);
    ck_assert_msg(ovl_app_check(&blocking, &apart, &err) == 0, "%s", err.text);
    ck_assert_int_eq(ovl_app_ops_match(&ops, &steps, &err), 0);
    struct ovl_app_at *order = malloc((steps.count + 1) * sizeof *order);
    struct progress *all = calloc((size_t)plan.ranks, sizeof *all);
    ck_assert_int_eq(ovl_app_play(&steps, &ops, OVL_MASK_TOTAL, order, &err), 0);
    for (size_t i = 0; i < steps.count; i++) {
        const struct ovl_app_list *list = ovl_app_list(&steps, order[i].rank, order[i].lane);
        do_step(f, &all[order[i].rank], order[i].rank, &list->steps[order[i].index]);
    }
    for (int r = 0; r < plan.ranks; r++)
        ck_assert(all[r].solved);
    free(all);
    free(order);
    ovl_app_ops_free(&ops);
    ovl_app_steps_free(&blocking);
    ovl_app_steps_free(&steps);
}

TEST(a_solution_is_a_plan)
{
    static const int orders[][2] = {{1, 4}, {8, 8}, {9, 4}, {37, 5}, {60, 8}, {40, 2}};
    int node[MOST_RANKS];
    for (int rows = 1; rows <= 3; rows++)
        for (int columns = 1; columns <= 4; columns++)
            for (int depth = 0; depth <= 5; depth++)
                for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
                    struct ovl_hpl_solve_plan f = {
                        .shape = {orders[i][0], orders[i][1], depth, rows, columns, i % 2, 0},
                        .space = {{[OVL_SPACE_ROW] = columns, [OVL_SPACE_COLUMN] = rows}, i % 2},
                        .node = node};
                    for (int r = 0; r < rows * columns; r++)
                        node[r] = r % 2;
                    check_flow(&f);
                }
}

/* Two ranks on two nodes: a panel crosses once, and the longest path through all steps is the shorter the further the
   chain may be ahead of the bulk. */
TEST(look_ahead_shortens_the_path)
{
    static const int node[2] = {0, 1};
    const struct ovl_app_machine m = {.nodes = 2, .node = node, .rate = 1e6, .carry = NAN, .cores = 2};
    double before = INFINITY;
    for (int depth = 0; depth <= 3; depth++) {
        struct ovl_hpl_solve_plan f = {
            .shape = {800, 20, depth, 1, 2, false, 0}, .space = {{2, 1}, false}, .node = node};
        struct ovl_app_plan plan = ovl_hpl_solve_plan_make(&f);
        struct ovl_app_steps steps;
        struct ovl_app_ops ops;
        struct ovl_app_bounds bounds;
        double bytes = 0, in = 0;
        ck_assert_int_eq(ovl_app_steps_make(&steps, &plan, 100000, &err), 0);
        ck_assert_int_eq(ovl_app_ops_match(&ops, &steps, &err), 0);
        double *least = calloc(steps.count, sizeof *least);
        for (int i = 0; i < 2 * OVL_LANES; i++)
            for (size_t k = 0; k < steps.lists[i].count; k++) {
                const struct ovl_app_step *t = &steps.lists[i].steps[k];
                bool updates =
                    t->kind == OVL_APP_COMPUTE && (t->what == OVL_HPL_DO_UPDATE || t->what == OVL_HPL_DO_REST);
                struct ovl_hpl_columns c = {0, 0};
                if (updates)
                    c = ovl_hpl_solve_plan_columns(&f.shape, i / OVL_LANES, t);
                least[steps.lists[i].first + k] = 0.005 * (c.to - c.from);
                in += t->in;
            }
        for (int k = 0; k < 40; k++)
            bytes += sizeof(double) * (double)ovl_hpl_panel_doubles(20, 800 - 20 * (k + 1));
        ck_assert_double_eq_tol(in, bytes, 1e-6);
        ck_assert_int_eq(ovl_app_bounds_of(&steps, &ops, &m, least, &bounds, &err), 0);
        ck_assert(bounds.bound >= bounds.path && bounds.path < before);
        before = bounds.path;
        free(least);
        ovl_app_ops_free(&ops);
        ovl_app_steps_free(&steps);
    }
}

/* As HPL 2.3 is delivered, but for its numbers; %s: lines 5 to 31. */
static const char dat_head[] =
    "HPLinpack benchmark input file\nInnovative Computing Laboratory, University of Tennessee\n"
    "HPL.out      output file name (if any)\n6            device out (6=stdout,7=stderr,file)\n";
static const char dat_sizes[] =
    "4            # of problems sizes (N)\n29 30 34 30  Ns\n2            # of NBs\n16 8  NBs\n"
    "1            PMAP process mapping (0=Row-,1=Column-major)\n2  # of process grids (P x Q)\n"
    "2 1          Ps\n2 4          Qs\n16.0         threshold\n";
static const char dat_ways[] =
    "1            # of panel fact\n2            PFACTs (0=left, 1=Crout, 2=Right)\n1  #\n4  NBMINs\n"
    "1            # of panels in recursion\n2            NDIVs\n1   # of recursive panel fact.\n"
    "2            RFACTs\n3            # of broadcast\n0 5 0        BCASTs\n1     # of lookahead\n"
    "1            DEPTHs (>=0)\n";
static const char dat_tail[] =
    "2            SWAP (0=bin-exch,1=long,2=mix)\n64           swapping threshold\n"
    "0            L1 in (0=transposed,1=no-transposed) form\n1            U  in form\n"
    "1            Equilibration (0=no,1=yes)\n8            memory alignment in double (> 0)\n";

/* What it stands for, with blanks. */
static const char *dat_words(struct ovl_hpl_dat *d)
{
    static char all[400];
    all[0] = '\0';
    for (size_t i = 0; i < d->words; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", d->word[i]);
    return all;
}

static int read_dat(struct ovl_hpl_dat *d, const char *sizes, const char *ways, const char *tail)
{
    char *text = ovl_text("%s%s%s%s", dat_head, sizes, ways, tail);
    int rc = ovl_hpl_dat_read(text, "HPL.dat", d, &err);
    free(text);
    return rc;
}

TEST(hpl_dat_stands_for_options)
{
    struct ovl_hpl_dat d;
    ck_assert_int_eq(read_dat(&d, dat_sizes, dat_ways, dat_tail), 0);
    ck_assert_str_eq(dat_words(&d), "--order 29,30,34 --nb 16 --procs 2x2 --pmap col --bcast ring,long-m --depth 1 "
                                    "--swap mix --swap-threshold 64");
    ck_assert_str_eq(d.unused,
                     "NBs behind the first, grids behind the first, PFACTs (it is 0), NBMINs (it is 8), L1 (it is 1), "
                     "Equilibration (it is 0), memory alignment");
    ovl_hpl_dat_free(&d);
    /* Binary exchange always, and never. */
    ck_assert_int_eq(read_dat(&d, dat_sizes, dat_ways, "0 SWAP\n7 t\n1\n1\n0\n8\n"), 0);
    ck_assert_ptr_nonnull(strstr(dat_words(&d), "--swap mix --swap-threshold 100000001"));
    ovl_hpl_dat_free(&d);
    ck_assert_int_eq(read_dat(&d, dat_sizes, dat_ways, "1 SWAP\r\n7\r\n1\r\n1\r\n0\r\n8"), 0);
    ck_assert_ptr_nonnull(strstr(dat_words(&d), "--swap long"));
    ck_assert_ptr_null(strstr(dat_words(&d), "--swap-threshold"));
    ovl_hpl_dat_free(&d);
}

TEST(a_damaged_hpl_dat_is_refused_by_its_line)
{
    struct ovl_hpl_dat d;
    ck_assert_int_eq(read_dat(&d, dat_sizes, dat_ways, "2 SWAP\n"), -1);
    ck_assert_str_eq(err.text, "HPL.dat ends at line 26; a HPL.dat has 31 lines");
    ck_assert_int_eq(read_dat(&d, "4 #\n29 30 x 4 Ns\n1\n8\n0\n1\n1\n1\n16\n", dat_ways, dat_tail), -1);
    ck_assert_str_eq(err.text, "HPL.dat:6: Ns: x is no number that goes here; give 1 to 100000000");
    ck_assert_int_eq(read_dat(&d, "21 #\n29\n1\n8\n0\n1\n1\n1\n16\n", dat_ways, dat_tail), -1);
    ck_assert_str_eq(err.text, "HPL.dat:5: how many: 21 is no number that goes here; give 1 to 20");
    ck_assert_int_eq(read_dat(&d, "1 #\n29\n2\n8\n0\n1\n1\n1\n16\n", dat_ways, dat_tail), -1);
    ck_assert_str_eq(err.text, "HPL.dat:8: NBs:  is no number that goes here; give 1 or more");
    /* With SWAP 0 the threshold is an order more than the largest. */
    ck_assert_int_eq(read_dat(&d, "1 #\n2147483647\n1\n8\n0\n1\n1\n1\n16\n", dat_ways, dat_tail), -1);
    ck_assert_str_eq(err.text, "HPL.dat:6: Ns: 2147483647 is no number that goes here; give 1 to 100000000");
    ck_assert_int_eq(ovl_hpl_dat_read("", "HPL.dat", &d, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ovl_hpl_dat_free(&d);
}
