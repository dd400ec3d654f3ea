/* What --plan says of many ranks, against all ranks' steps, and by hand; and the lists that calls take. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"
#include "apps/train/strategy/node_links.h"
#include "apps/train/strategy/parts.h"
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double busiest(struct ovl_train_plan *p, int per_node, int *node)
{
    struct ovl_node_links links;
    ovl_node_links_open(&links, p, per_node);
    for (int which = 0; which < links.stages; which++) {
        ck_assert_int_eq(ovl_train_plan_rank(p, ovl_node_links_rank(&links, which), &train_err), 0);
        ovl_node_links_add(&links, which);
    }
    struct ovl_busiest b = ovl_node_links_busiest(&links);
    ck_assert_int_eq(b.nodes, (p->ask.ranks + per_node - 1) / per_node);
    ck_assert_int_eq(b.looked_at, b.nodes);
    ovl_node_links_close(&links);
    ovl_train_plan_close(p);
    *node = b.node;
    return b.in;
}

/* Node by node, all steps of all ranks. */
static double busiest_of_steps(struct ovl_train_plan *p, int per_node, int node)
{
    int place[64];
    double in[64] = {0}, most = 0;
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    for (int r = 0; r < p->ask.ranks; r++)
        place[r] = r / per_node;
    p->node = place;
    ck_assert_int_eq(ovl_train_plan_open(p, 0, &train_err), 0);
    for (int r = 0; r < p->ask.ranks; r++)
        for (size_t g = 0; g < p->plan.groups[OVL_LANE_CHAIN]; g++)
            for (int n = p->plan.group(p->plan.of, r, OVL_LANE_CHAIN, g, steps); n > 0; n--)
                in[place[r]] += steps[n - 1].in;
    for (int n = 0; n <= place[p->ask.ranks - 1]; n++)
        most = fmax(most, in[n]);
    ck_assert_double_ge(in[node], most * (1 - 1e-12));
    ovl_train_plan_close(p);
    p->node = NULL;
    return most;
}

static const struct {
    const struct ovl_strategy *row;
    int ranks, tensor, stages, chunks;
} asked[] = {
    {&ovl_strategy_ddp, 24, 1, 0, 1}, {&ovl_strategy_zero2, 25, 1, 0, 1}, {&ovl_strategy_fsdp, 13, 1, 0, 1},
    {&ovl_strategy_tp, 12, 1, 0, 1},  {&ovl_strategy_moe, 11, 1, 0, 1},   {&ovl_strategy_moe, 24, 1, 0, 1},
    {&ovl_strategy_pp, 13, 1, 0, 1},  {&ovl_strategy_pp, 4, 1, 0, 3},     {&ovl_strategy_3d, 48, 2, 3, 1},
    {&ovl_strategy_3d, 30, 3, 5, 2},  {&ovl_strategy_3d, 24, 4, 2, 3},    {&ovl_strategy_3d, 7, 1, 1, 1},
};

LOOP_TEST(the_busiest_link_is_that_of_all_ranks_steps, 0, sizeof asked / sizeof *asked)
{
    static const int per_node[] = {1, 2, 3, 5, 8, 64};
    train_load("gpt2");
    for (size_t i = 0; i < sizeof per_node / sizeof *per_node; i++) {
        struct ovl_train_plan p = {.ask = train_ask(asked[_i].ranks), .strategy = asked[_i].row, .scale_bytes = 1000};
        int node;
        p.ask.tensor = asked[_i].tensor;
        p.ask.stages = asked[_i].stages;
        p.ask.interleave = asked[_i].chunks;
        p.ask.microbatches = 2 * asked[_i].ranks;
        if (asked[_i].row->bubble)
            p.ask.microbatches = 2 * ovl_grid_stages(&p.ask);
        double in = busiest(&p, per_node[i], &node);
        double steps = busiest_of_steps(&p, per_node[i], node);
        ck_assert_msg(fabs(in - steps) <= 1e-9 * steps, "%s, %d a node: %g, not %g", asked[_i].row->name, per_node[i],
                      in, steps);
    }
}

/* Of ZeRO's stage 3 on a node of eight ranks and one of one: all parts are gathered twice, and each part of the sums
   goes to its owner. What comes in at one of two nodes goes out at the other. */
TEST(the_links_of_unequal_nodes)
{
    static const int place[] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    struct ovl_train_plan p = {.strategy = &ovl_strategy_zero3, .scale_bytes = 1, .node = place};
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    double in[2] = {0}, out[2] = {0};
    train_load("edsr_x2");
    p.ask = train_ask(9);
    double all = 4 * p.ask.model->numbers;
    ck_assert_int_eq(ovl_train_plan_open(&p, 0, &train_err), 0);
    for (int r = 0; r < 9; r++)
        for (size_t g = 0; g < p.plan.groups[OVL_LANE_CHAIN]; g++)
            for (int n = p.plan.group(p.plan.of, r, OVL_LANE_CHAIN, g, steps); n > 0; n--) {
                in[place[r]] += steps[n - 1].in;
                out[place[r]] += steps[n - 1].out;
            }
    ck_assert_double_eq_tol(in[0], 10 * all / 9, 1e-6 * all);
    ck_assert_double_eq_tol(in[1], 17 * all / 9, 1e-6 * all);
    ck_assert_double_eq_tol(out[0], in[1], 1e-6 * all);
    ck_assert_double_eq_tol(out[1], in[0], 1e-6 * all);
    ovl_train_plan_close(&p);
}

/* GPT-2, 1F1B of 4 stages, two on a node, 8 microbatches: one message of 1024 x 768 numbers each way for each of them,
   and the words' 50257 x 768 gradients, which go each way once. */
TEST(the_link_between_two_stages)
{
    struct ovl_train_plan p = {.strategy = &ovl_strategy_pp, .scale_bytes = 1};
    int node;
    train_load("gpt2");
    p.ask = train_ask(4);
    ck_assert_double_eq(busiest(&p, 2, &node), 8 * 4 * 1024 * 768 + 4.0 * 50257 * 768);
    ck_assert_int_eq(node, 0);
    ck_assert_double_eq(busiest(&p, 4, &node), 0);
}

/* The nodes of a team are those that its members count. */
TEST(nodes_of_teams)
{
    int wrong = 0;
    for (int per_node = 1; per_node <= 7; per_node++)
        for (int stride = 1; stride <= 9; stride++)
            for (int first = 0; first <= 9; first++)
                for (int ranks = 1; ranks <= 9; ranks++) {
                    int nodes = 0, here, last = -1, counted[100] = {0};
                    for (int i = 0; i < ranks; i++) {
                        int node = (first + i * stride) / per_node;
                        nodes += node != last;
                        counted[node]++;
                        last = node;
                    }
                    for (int r = 0; r < 90; r++) {
                        wrong += ovl_nodes_of_team(first, ranks, stride, per_node, r, &here) != nodes;
                        wrong += here != counted[r / per_node];
                    }
                }
    ck_assert_int_eq(wrong, 0);
}

/* A pipeline of too many turns is refused before it takes gigabytes. */
TEST(schedules_beyond_memory_are_refused)
{
    struct ovl_model long_one = {.name = "long", .types = ovl_number_types_all(&ovl_numbers[OVL_F32]), .units = 20000};
    struct ovl_events e;
    struct ovl_train_ask ask = train_ask(10000);
    ask.model = &long_one;
    ask.microbatches = 10000;
    ovl_events_open(&e);
    ck_assert_int_eq(ovl_strategy_pp.build(&ask, 0, &e, &train_err), -1);
    ck_assert_int_eq(train_err.code, OVL_USAGE);
    ck_assert_msg(strstr(train_err.text, "--microbatches 10000: the schedule of 10000 stages") != NULL, "%s",
                  train_err.text);
    ovl_events_close(&e);
}

static double lists_of(const struct ovl_strategy *row, int ranks)
{
    struct ovl_train_plan p = {.ask = train_ask(ranks), .strategy = row, .scale_bytes = 1};
    ck_assert_int_eq(ovl_train_plan_rank(&p, 0, &train_err), 0);
    double bytes = ovl_train_lists_bytes(&p);
    ovl_train_plan_close(&p);
    return bytes;
}

/* Counts and places of a team's members, for sums that are scattered and for gathers of unlike parts; once for all of
   one size: 12 blocks of GPT-2, its embedding, and its head. Of tokens those of what is sent, too, there and back in
   both passes over 12 blocks. */
TEST(lists_are_of_teams_and_of_calls_that_take_them)
{
    train_load("gpt2");
    ck_assert_double_eq(lists_of(&ovl_strategy_ddp, 100000), 0);
    ck_assert_double_eq(lists_of(&ovl_strategy_moe, 100000), 4 * 12 * 4 * 4 * 8.0); /* 8 members */
    ck_assert_double_eq(lists_of(&ovl_strategy_fsdp, 100000), 3 * 2 * 4 * 100000.0);
    ck_assert_double_eq(lists_of(&ovl_strategy_fsdp, 2), 3 * 2 * 4 * 2.0);
    for (int ranks = 1; ranks <= 9; ranks++)
        for (int numbers = 0; numbers <= 20; numbers++) {
            size_t at = 0;
            for (int r = 0; r < ranks; r++) {
                struct ovl_train_part part = ovl_train_part((size_t)numbers, ranks, r);
                ck_assert_uint_eq(part.first, at);
                ck_assert(part.count - (size_t)(numbers / ranks) <= 1);
                at += part.count;
            }
            ck_assert_uint_eq(at, (size_t)numbers);
        }
}

/* Gradients of replicas are allreduced, and microbatches are pairs: a grid of ranks has no lists at all. */
TEST(grids_of_ranks_have_no_lists)
{
    struct ovl_train_plan p = {.ask = train_ask(99996), .strategy = &ovl_strategy_3d, .scale_bytes = 1};
    train_load("gpt2");
    p.ask.tensor = 12;
    p.ask.stages = 13;
    p.ask.microbatches = 1000;
    ck_assert_int_eq(ovl_train_plan_rank(&p, 0, &train_err), 0);
    ck_assert_double_eq(ovl_train_lists_bytes(&p), 0);
    ovl_train_plan_close(&p);
}

AROUND(NULL, train_unload)
