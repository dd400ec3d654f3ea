/* Ranks on random nodes and machines: what each finds alone is the same at all, and what the words of job/placement.h
 * say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "preload/job/carrier_placement.h"
#include "tests/unit/test.h"

#include <math.h>

enum { MOST = 24 };

static int below(struct ovl_rng *r, int n)
{
    return (int)(ovl_rng_next(r) % (uint64_t)n);
}

/* How many ranks of r's node come before it, by the slow way. */
static int place_of(const struct ovl_rank_location *locations, int r)
{
    int place = 0;
    for (int o = 0; o < r; o++)
        place += locations[o].node == locations[r].node;
    return place;
}

/* Are they of one node, where node_ranks of the locations' nodes count as one? */
static bool together(const struct ovl_rank_location *locations, int a, int b, int node_ranks)
{
    return locations[a].node == locations[b].node &&
           (node_ranks == 0 || place_of(locations, a) / node_ranks == place_of(locations, b) / node_ranks);
}

static void check_nodes(const struct ovl_carrier_placement *s, const struct ovl_rank_location *locations, int ranks,
                        int workers, int node_ranks)
{
    int next_node = 0, next_carrier = 0, served[MOST] = {0};
    for (int r = 0; r < ranks; r++) {
        int size = 0, lowest = r;
        for (int o = ranks; o-- > 0;) {
            bool same = together(locations, r, o, node_ranks);
            ck_assert_int_eq(same, s->peers[o].node == s->peers[r].node);
            size += same;
            lowest = same ? o : lowest;
        }
        int want = size < workers ? size : workers;
        ck_assert_int_eq(s->starts[r], lowest == r ? want : 0);
        if (lowest == r) {
            ck_assert_int_eq(s->peers[r].node, next_node++);
            ck_assert_int_eq(s->peers[r].worker, next_carrier);
            next_carrier += want;
        }
        int first = s->peers[lowest].worker;
        ck_assert(s->peers[r].worker >= first && s->peers[r].worker < first + want);
        served[s->peers[r].worker]++;
    }
    ck_assert_int_eq(s->nodes, next_node);
    ck_assert_int_eq(s->carriers, next_carrier);
    for (int c = 0; c < s->carriers; c++) /* none without a rank, and of a node none has two more than another */
        for (int d = 0; d < s->carriers; d++)
            for (int r = 0, nc = -1, nd = -2; r < ranks; r++) {
                nc = s->peers[r].worker == c ? s->peers[r].node : nc;
                nd = s->peers[r].worker == d ? s->peers[r].node : nd;
                ck_assert_int_gt(served[c], 0);
                ck_assert(nc != nd || (served[c] - served[d] <= 1 && served[d] - served[c] <= 1));
            }
}

static void check_own(const struct ovl_carrier_placement *s, const struct ovl_rank_location *locations, int ranks,
                      int rank)
{
    int here = 0, machine_ranks = 0, machine_carriers = 0, sharing = 0;
    for (int r = 0; r < ranks; r++) {
        bool machine = locations[r].machine == locations[rank].machine, node = s->peers[r].node == s->peers[rank].node;
        machine_ranks += machine;
        machine_carriers += machine ? s->starts[r] : 0;
        sharing += machine && locations[r].quota.group == locations[rank].quota.group ? 1 + s->starts[r] : 0;
        here += node ? s->starts[r] : 0;
        if (node && s->starts[r])
            ck_assert_int_eq(s->first, s->peers[r].worker);
        ck_assert_int_eq(CPU_ISSET(r, &s->node_cpus), node);
        ck_assert_int_eq(CPU_ISSET(r, &s->machine_cpus), machine);
    }
    ck_assert_int_eq(s->node_carriers, here);
    ck_assert_int_eq(s->node, s->peers[rank].node);
    ck_assert_int_eq(s->machine_ranks, machine_ranks);
    ck_assert_int_eq(s->machine_carriers, machine_carriers);
    ck_assert_int_eq(s->over_quota, sharing > locations[rank].quota.cpus);
}

static void find_the_same(int seed)
{
    struct ovl_rng rng = ovl_rng_seeded(7 + (uint64_t)seed);
    struct ovl_rank_location locations[MOST];
    int ranks = 1 + below(&rng, MOST), nodes = 1 + below(&rng, 6), workers = 1 + below(&rng, 4),
        node_ranks = below(&rng, 4);
    for (int r = 0; r < ranks; r++) {
        int node = below(&rng, nodes);
        locations[r] = (struct ovl_rank_location){.node = ovl_rng_mix((uint64_t)node), .machine = (uint64_t)node / 2};
        if (seed % 2)
            locations[r].quota = (struct ovl_cpu_quota){1.5 * (1 + node % 3), (uint64_t)node / 2}; /* of two nodes */
        else
            locations[r].quota.cpus = INFINITY;
    }
    for (int rank = 0; rank < ranks; rank++) {
        struct ovl_carrier_placement s;
        ovl_carrier_placement_make(&s, locations, ranks, rank, workers, node_ranks);
        for (int r = 0; r < ranks; r++) { /* each has a processor of its own */
            cpu_set_t own;
            CPU_ZERO(&own);
            CPU_SET(r, &own);
            if (locations[r].machine == locations[rank].machine)
                ovl_carrier_placement_add_cpus(&s, r, &own);
        }
        if (rank == 0)
            check_nodes(&s, locations, ranks, workers, node_ranks);
        check_own(&s, locations, ranks, rank);
        ovl_carrier_placement_free(&s);
    }
}

TEST(all_find_the_same)
{
    for (int seed = 0; seed < 300; seed++)
        find_the_same(seed);
}

/* Two ranks with a worker fit into a quota of three processors. With less the worker must not spin; on another machine
   the same number of a group is another group, and nodes that share one share its quota. */
LOOP_TEST(a_quota_is_shared, 0, 5)
{
    static const struct {
        double cpus;
        uint64_t node, machine, group;
        bool over;
    } second[] = {
        {3, 1, 1, 7, false}, {2.9, 1, 1, 7, true}, {2, 2, 1, 7, true}, {2, 2, 1, 8, false}, {2, 2, 2, 7, false},
    };
    struct ovl_carrier_placement s;
    struct ovl_rank_location locations[2] = {
        {.node = 1, .machine = 1, .quota = {second[_i].cpus, 7}},
        {.node = second[_i].node, .machine = second[_i].machine, .quota = {second[_i].cpus, second[_i].group}}};
    ovl_carrier_placement_make(&s, locations, 2, 0, 1, 0);
    ck_assert_int_eq(s.over_quota, second[_i].over);
    ovl_carrier_placement_free(&s);
    locations[1].threads = 2;
    ovl_carrier_placement_make(&s, locations, 2, 0, 1, 0);
    ck_assert_int_eq(s.over_quota, second[_i].over || second[_i].cpus == 3);
    ovl_carrier_placement_free(&s);
}
