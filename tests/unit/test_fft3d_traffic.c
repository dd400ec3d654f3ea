/* What --plan of ovl_fft3d says of links and exchanges, against all ranks' steps, and by hand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/traffic.h"
#include "apps/fft3d/transform_plan.h"
#include "tests/unit/test.h"

#include <math.h>

enum { RANKS = 64 };

static const struct {
    struct ovl_grid grid;
    int p1, p2, variables, chunks, window;
    bool real, by_columns;
} grids[] = {
    {{{16, 12, 10}}, 2, 3, 2, 1, 0, true, false}, {{{16, 12, 10}}, 3, 2, 1, 2, 2, false, true},
    {{{40, 17, 19}}, 4, 3, 2, 3, 1, true, true},  {{{24, 9, 9}}, 1, 7, 3, 2, 2, true, false},
    {{{24, 20, 16}}, 8, 4, 1, 2, 2, true, false}, {{{24, 20, 16}}, 5, 1, 2, 1, 2, false, false},
};

/* Bytes that come in at each node, and exchanges of a rank. */
static void add_up(int grid, const struct ovl_pencil *p, int per_node, double *in, int *exchanges)
{
    int node[RANKS];
    struct ovl_transform_plan f;
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    for (int r = 0; r < RANKS; r++)
        node[r] = r / per_node;
    ck_assert_int_eq(
        ovl_transform_plan_make(&f, p, grids[grid].variables, grids[grid].chunks, grids[grid].window, node, &err), 0);
    for (int r = 0; r < f.pair.ranks; r++)
        for (size_t g = 0; g < f.pair.groups[OVL_LANE_CHAIN]; g++)
            for (int i = f.pair.group(f.pair.of, r, OVL_LANE_CHAIN, g, steps); i-- > 0;) {
                bool posts = steps[i].kind == OVL_APP_POST || steps[i].kind == OVL_APP_SYNC;
                *exchanges += posts && r == 0;
                in[node[r]] += posts ? steps[i].in : 0;
            }
    ovl_transform_plan_free(&f);
}

LOOP_TEST(the_busiest_link_is_that_of_all_ranks_steps, 0, sizeof grids / sizeof *grids)
{
    static const int per_node[] = {1, 2, 3, 5, 8, 64};
    struct ovl_space space = {{[OVL_SPACE_ROW] = grids[_i].p1, [OVL_SPACE_COLUMN] = grids[_i].p2},
                              grids[_i].by_columns};
    struct ovl_pencil p;
    ck_assert_int_eq(ovl_pencil_make(&p, &grids[_i].grid, grids[_i].real, &space, 0, &err), 0);
    for (size_t i = 0; i < sizeof per_node / sizeof *per_node; i++) {
        double in[RANKS] = {0}, most = 0;
        int exchanges = 0, transposes = (grids[_i].p1 > 1) + (grids[_i].p2 > 1);
        add_up(_i, &p, per_node[i], in, &exchanges);
        for (int n = 0; n < RANKS; n++)
            most = fmax(most, in[n]);
        struct ovl_busiest b = ovl_pencil_busiest(&p, grids[_i].variables, per_node[i]);
        ck_assert_int_eq(b.looked_at, b.nodes);
        ck_assert_msg(b.in == most && in[b.node] == most, "%d a node: %g of node %d, not %g", per_node[i], b.in, b.node,
                      most);
        ck_assert_int_eq(exchanges, 2 * grids[_i].variables * grids[_i].chunks * transposes);
    }
}

/* 8 x 8 x 8 complex numbers on 1 x 2 ranks: each sends half of its 256 numbers of 16 bytes to the other, both ways. */
TEST(two_ranks_by_hand)
{
    struct ovl_grid grid = {{8, 8, 8}};
    struct ovl_space space = {{[OVL_SPACE_ROW] = 1, [OVL_SPACE_COLUMN] = 2}, false};
    struct ovl_pencil p;
    ck_assert_int_eq(ovl_pencil_make(&p, &grid, false, &space, 0, &err), 0);
    ck_assert_double_eq(ovl_pencil_busiest(&p, 3, 1).in, 3 * 2 * 128 * 16);
    ck_assert_double_eq(ovl_pencil_busiest(&p, 3, 2).in, 0);
}
