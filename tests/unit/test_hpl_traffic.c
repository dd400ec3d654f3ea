/* What --plan of ovl_hpl says of links, against every message of every panel, and by hand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/solve_plan.h"
#include "apps/hpl/traffic.h"
#include "tests/unit/test.h"

#include <math.h>

enum { RANKS = 64 };

static struct ovl_hpl_solve_plan plan_of(int n, int nb, int rows, int columns, bool by_columns)
{
    return (struct ovl_hpl_solve_plan){
        .shape = {.n = n, .nb = nb, .depth = 1, .rows = rows, .columns = columns, .by_columns = by_columns},
        .space = {{[OVL_SPACE_ROW] = columns, [OVL_SPACE_COLUMN] = rows}, by_columns}};
}

/* Message by message: who sends which part of which panel to a rank. */
static double in_by_route(const struct ovl_hpl_solve_plan *f, const struct ovl_hpl_scheme *s, int per_node, int rank)
{
    int place[OVL_SPACE_LINES], q = f->shape.columns, parts = s->parts(q);
    double in = 0;
    ovl_space_place(&f->space, rank, place);
    for (int k = 0; k < ovl_hpl_panels(&f->shape); k++) {
        int root = k % q, me = (place[OVL_SPACE_ROW] - root + q) % q;
        for (int part = 0; part < parts && me > 0; part++) {
            int from = s->route(me, q, part).from;
            if (from < 0)
                continue;
            int sender = ovl_space_member(&f->space, rank, OVL_SPACE_ROW, (from + root) % q);
            if (sender / per_node != rank / per_node)
                in += ovl_hpl_solve_plan_bytes(&f->shape, place[OVL_SPACE_COLUMN], k) / parts;
        }
    }
    return in;
}

/* By the steps of the plan. */
static double in_at_least(const struct ovl_hpl_solve_plan *f, int per_node, int rank)
{
    int node[RANKS];
    struct ovl_hpl_solve_plan placed = *f;
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    double in = 0;
    for (int r = 0; r < RANKS; r++)
        node[r] = r / per_node;
    placed.node = node;
    struct ovl_app_plan plan = ovl_hpl_solve_plan_make(&placed);
    for (size_t g = 0; g < plan.groups[OVL_LANE_CHAIN]; g++)
        for (int i = plan.group(plan.of, rank, OVL_LANE_CHAIN, g, steps); i-- > 0;)
            in += steps[i].kind == OVL_APP_POST ? steps[i].in : 0;
    return in;
}

static void check(const struct ovl_hpl_solve_plan *f, int per_node)
{
    struct ovl_hpl_traffic t;
    struct ovl_busiest b;
    ck_assert(ovl_hpl_traffic_open(&t, &f->shape, &f->space, per_node));
    for (const struct ovl_hpl_scheme *s = ovl_hpl_schemes; s->name; s++) {
        double in[RANKS] = {0}, most = 0;
        int ranks = f->shape.rows * f->shape.columns;
        for (int r = 0; r < ranks; r++)
            in[r / per_node] += s->parts ? in_by_route(f, s, per_node, r) : in_at_least(f, per_node, r);
        for (int n = 0; n < RANKS; n++)
            most = fmax(most, in[n]);
        ck_assert(ovl_hpl_traffic_busiest(&t, s, &b));
        ck_assert_int_eq(b.looked_at, b.nodes);
        ck_assert_msg(fabs(b.in - most) <= 1e-9 * most && fabs(in[b.node] - most) <= 1e-9 * most,
                      "%s, N %d, NB %d, %d x %d, %d a node: %g of node %d, not %g", s->name, f->shape.n, f->shape.nb,
                      f->shape.rows, f->shape.columns, per_node, b.in, b.node, most);
    }
    ovl_hpl_traffic_close(&t);
}

LOOP_TEST(the_busiest_link_is_that_of_all_messages, 0, 2)
{
    static const struct {
        int n, nb, rows, columns;
    } grids[] = {{100, 7, 1, 2}, {100, 7, 1, 9}, {123, 4, 3, 4}, {64, 8, 2, 7}, {200, 3, 4, 8}, {50, 9, 5, 3}};
    static const int per_node[] = {1, 2, 3, 5, 8, 64};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (size_t i = 0; i < sizeof per_node / sizeof *per_node; i++) {
            struct ovl_hpl_solve_plan f = plan_of(grids[g].n, grids[g].nb, grids[g].rows, grids[g].columns, _i > 0);
            check(&f, per_node[i]);
        }
}

/* N 4, NB 2, 1 x 2: panel 0 of 2 columns goes from column 0 to 1, panel 1 the other way. A panel has a head of 8
   numbers, 8 for pivots, a triangle of 2 x 2, and 2 numbers for each row below. */
TEST(two_panels_by_hand)
{
    struct ovl_hpl_solve_plan f = plan_of(4, 2, 1, 2, false);
    struct ovl_hpl_traffic t;
    struct ovl_busiest b;
    ck_assert(ovl_hpl_traffic_open(&t, &f.shape, &f.space, 1));
    ck_assert_double_eq(ovl_hpl_traffic_all(&t), 8 * ((8 + 8 + 4 + 2 * 2) + (8 + 8 + 4)));
    ck_assert(ovl_hpl_traffic_busiest(&t, ovl_hpl_scheme_find("ring", 4), &b));
    ck_assert_int_eq(b.node, 1);
    ck_assert_double_eq(b.in, 8 * (8 + 8 + 4 + 2 * 2));
    ovl_hpl_traffic_close(&t);
}

/* N 3000, NB 192, 8 x 2: of the first panel, which has its diagonal block in row 0, the rows of process row 1 and
   others are 2 blocks below it and that of row 0 one; a process has the head, the pivots, the triangle and its rows. */
TEST(the_largest_panel_is_of_a_row_below)
{
    struct ovl_hpl_solve_plan f = plan_of(3000, 192, 8, 2, false);
    struct ovl_hpl_traffic t;
    double first = ovl_hpl_solve_plan_bytes(&f.shape, 0, 0);
    ck_assert_double_eq(first, 8.0 * (8 + 192 + 192 * 192 + 192 * 192));
    ck_assert_double_eq(ovl_hpl_solve_plan_largest(&f.shape), 8.0 * (8 + 192 + 192 * 192 + 2 * 192 * 192));
    ck_assert(ovl_hpl_traffic_open(&t, &f.shape, &f.space, 1));
    double most = 0, of[8] = {0};
    for (int row = 0; row < 8; row++) {
        for (int panel = 0; panel < ovl_hpl_panels(&f.shape); panel++)
            of[row] += ovl_hpl_solve_plan_bytes(&f.shape, row, panel);
        most = of[row] > most ? of[row] : most;
    }
    ck_assert(of[0] < most); /* nor is row 0 the one with most of all panels */
    ck_assert_double_eq(ovl_hpl_traffic_all(&t), most);
    ovl_hpl_traffic_close(&t);
}

/* What would take too long is told, and not begun. */
TEST(too_much_is_told)
{
    struct ovl_hpl_solve_plan f = plan_of(100000000, 1, 250, 400, false);
    struct ovl_hpl_traffic t;
    struct ovl_busiest b;
    ck_assert(!ovl_hpl_traffic_open(&t, &f.shape, &f.space, 128));
    ovl_hpl_traffic_close(&t);
    f = plan_of(1000000, 192, 1, 100000, false);
    ck_assert(ovl_hpl_traffic_open(&t, &f.shape, &f.space, 128));
    ck_assert(!ovl_hpl_traffic_busiest(&t, ovl_hpl_scheme_find("long", 4), &b));
    ck_assert(ovl_hpl_traffic_busiest(&t, ovl_hpl_scheme_find("ring", 4), &b));
    ck_assert_int_eq(b.looked_at, 782);
    ovl_hpl_traffic_close(&t);
}
