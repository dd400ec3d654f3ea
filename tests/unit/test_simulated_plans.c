/* Plans of several operations in time, against sums that are made here by hand: a = 2 o + L is what a message costs
 * without its bytes, b what a byte takes on a link. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/algorithm.h"
#include "plan/check.h"
#include "simulate/operation.h"
#include "simulate/simulate.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double L = 2e-6, O = 3e-7, B = 4e-11, A = 2.6e-6;

#define NEAR(is, should)                                                                                               \
    ck_assert_msg(fabs((is) - (should)) <= 1e-9 * (should), "%s: %.9g, not %.9g", #is, (double)(is), (double)(should))

/* Steps of all ranks, or of rank 0 and of others. */
struct script {
    struct ovl_app_step lane[2][OVL_LANES][32];
    int count[2][OVL_LANES];
    bool differ;
    enum ovl_operation operation;
    const char *algorithm;
    size_t bytes;
    int ranks, root;
    double seconds[8]; /* of a COMPUTE, by `what` */
};

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct script *s = of;
    int which = s->differ && rank > 0;
    (void)group;
    memcpy(steps, s->lane[which][lane], sizeof s->lane[which][lane]);
    return s->count[which][lane];
}

static double seconds_of(const void *of, int rank, const struct ovl_app_step *step)
{
    (void)rank;
    return ((const struct script *)of)->seconds[step->what];
}

static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct script *s = of;
    struct ovl_sim_operation o = {.shape = ovl_sim_shape(s->operation, s->bytes, 4, s->ranks, s->root), .stride = 1};
    (void)rank, (void)step;
    o.shape.algorithm = ovl_algorithm_find(s->operation, s->algorithm);
    return o;
}

static struct ovl_app_step *add(struct script *s, int which, enum ovl_app_lane lane, enum ovl_app_kind kind, int number)
{
    struct ovl_app_step *t = &s->lane[which][lane][s->count[which][lane]++];
    *t = (struct ovl_app_step){.kind = kind,
                               .units = 1,
                               .mark = -1,
                               .ranks = s->ranks,
                               .needs = s->operation == OVL_IBCAST ? OVL_NEEDS_ROOT : OVL_NEEDS_ALL};
    if (kind == OVL_APP_COMPUTE)
        t->what = number;
    else
        t->slot = number;
    return t;
}

static struct ovl_app_plan plan_of(const struct script *s)
{
    return (struct ovl_app_plan){
        .ranks = s->ranks, .slots = 8, .work_alone = true, .groups = {1, 1}, .of = s, .group = group_of};
}

struct how {
    enum ovl_sim_mover mover;
    bool shared, polls, blocking;
    enum ovl_app_mask mask;
    enum ovl_sim_fold fold;
    int per_node;
    size_t eager;
};

static struct ovl_sim_result played(const struct script *s, struct how how)
{
    struct ovl_sim_result result;
    struct ovl_app_plan plan = plan_of(s), twin = ovl_app_blocking(&plan);
    struct ovl_app_steps steps;
    bool apart;
    ck_assert_msg(ovl_app_steps_make(&steps, &plan, 10000, &err) == 0 && ovl_app_check(&steps, &apart, &err) == 0, "%s",
                  err.text);
    ovl_app_steps_free(&steps);
    struct ovl_sim_program program = {.plan = how.blocking ? &twin : &plan,
                                      .mask = how.mask,
                                      .polls = how.polls,
                                      .alike = !s->differ,
                                      .of = s,
                                      .seconds = seconds_of,
                                      .operation = operation_of};
    struct ovl_sim_machine machine = {.per_node = how.per_node > 0 ? how.per_node : 1,
                                      .rates = {L, B, 0, O, 0, 0, how.eager > 0 ? how.eager : SIZE_MAX},
                                      .mover = how.mover,
                                      .workers = 1,
                                      .shared = how.shared,
                                      .fold = how.fold};
    ck_assert_msg(ovl_sim_play(&program, &machine, &result, &err) == 0, "%s", err.text);
    return result;
}

/* A backward pass: K layers of c seconds, behind each the allreduce of its gradients, which are waited for at the end.
 */
static struct script buckets(int ranks, int layers, double c, size_t bytes)
{
    struct script s = {
        .operation = OVL_IALLREDUCE, .algorithm = "recursive_doubling", .bytes = bytes, .ranks = ranks, .seconds = {c}};
    for (int i = 0; i < layers; i++) {
        add(&s, 0, OVL_LANE_CHAIN, OVL_APP_COMPUTE, 0);
        add(&s, 0, OVL_LANE_CHAIN, OVL_APP_POST, i);
    }
    for (int i = 0; i < layers; i++)
        add(&s, 0, OVL_LANE_CHAIN, OVL_APP_WAIT, i);
    return s;
}

/* Layers that are longer than their operation, which takes n (a + m b) at 2^n ranks. Blocking: one after the other.
   By threads or workers of their own: the last one alone is seen. */
LOOP_TEST(buckets_behind_long_layers, 1, 6)
{
    double c = 1e-3, one = _i * (A + 1e5 * B);
    struct script s = buckets(1 << _i, 4, c, 100000);
    NEAR(played(&s, (struct how){.blocking = true}).seconds, 4 * (c + one));
    NEAR(played(&s, (struct how){.blocking = true, .mask = OVL_MASK_COMM}).seconds, 4 * one);
    NEAR(played(&s, (struct how){.blocking = true, .mask = OVL_MASK_WORK}).seconds, 4 * c);
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_THREADS}).seconds, 4 * c + one);
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_WORKERS}).seconds, 4 * c + one);
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_WORKERS}).work, 4 * c);
    /* On the rank's core each message takes 2 o from the layers behind the first. */
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_WORKERS, .shared = true}).seconds, 4 * c + 3 * _i * 2 * O + one);
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_THREADS, .shared = true}).seconds, 4 * c + 3 * _i * 2 * O + one);
}

/* Two sums of the same ranks at once: each one's rounds are behind the bytes of the other one's, so that links are
   never idle, and a is there once. By doubling log P rounds of m b each, by a ring 2 (P - 1) of m b / P. */
LOOP_TEST(two_sums_at_once, 1, 7)
{
    int ranks = 1 << _i;
    struct script s = buckets(ranks, 2, 0, (size_t)ranks * 1000000);
    for (int mover = OVL_SIM_BY_CALLS; mover <= OVL_SIM_BY_WORKERS; mover++) {
        struct how how = {.mover = (enum ovl_sim_mover)mover};
        s.algorithm = "recursive_doubling";
        NEAR(played(&s, how).seconds, A + 2 * _i * ranks * 1e6 * B);
        s.algorithm = "ring";
        NEAR(played(&s, how).seconds, A + 2 * 2 * (ranks - 1) * 1e6 * B);
    }
}

/* Two ranks that call nothing between posts: at the first wait the messages of all but the last are here, and are taken
   while that one travels. */
TEST(buckets_of_the_host_wait_for_the_end)
{
    struct script s = buckets(2, 4, 1e-3, 100000);
    NEAR(played(&s, (struct how){.polls = false}).seconds, 4e-3 + 4 * O + L + 1e5 * B + O);
    /* Those that ask first have been asked; their answers, and their data, come one behind the other. */
    double asking = played(&s, (struct how){.eager = 1000}).seconds;
    ck_assert_double_ge(asking, 4e-3 + 2 * L + 4 * 1e5 * B);
    /* With tests in the layers they are answered, and go, a layer later. */
    for (int i = 0; i < s.count[0][OVL_LANE_CHAIN]; i++)
        if (s.lane[0][OVL_LANE_CHAIN][i].kind == OVL_APP_COMPUTE)
            s.lane[0][OVL_LANE_CHAIN][i].units = 10;
    double tested = played(&s, (struct how){.eager = 1000, .polls = true}).seconds;
    /* The last one's asking, answer and data are behind the layers; each message costs o at six places. */
    ck_assert_double_ge(tested, 4e-3 + 2 * (O + L) + A + 1e5 * B);
    ck_assert_double_le(tested, 4e-3 + 2 * (O + L) + A + 1e5 * B + 4 * 6 * O);
    ck_assert_double_lt(tested, asking);
}

/* Short layers: the link is what takes time. K messages of m bytes leave one behind the other. */
TEST(buckets_fill_the_link)
{
    struct script s = buckets(2, 8, 1e-6, 10000000);
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_WORKERS}).seconds, 1e-6 + A + 8 * 1e7 * B);
}

/* One node stands for all, of several operations, too. */
LOOP_TEST(buckets_of_one_node_stand_for_all, 0, 3)
{
    static const char *const names[] = {"recursive_doubling", "rabenseifner", "ring"};
    for (int per_node = 1; per_node <= 4; per_node *= 2) {
        struct script s = buckets(32, 4, 1e-4, 1000000);
        s.algorithm = names[_i];
        for (int mover = OVL_SIM_BY_CALLS; mover <= OVL_SIM_BY_WORKERS; mover++) {
            struct how how = {.mover = (enum ovl_sim_mover)mover, .per_node = per_node, .fold = OVL_SIM_FOLD_NEVER};
            struct ovl_sim_result all = played(&s, how);
            how.fold = OVL_SIM_FOLD_ALWAYS;
            struct ovl_sim_result one = played(&s, how);
            ck_assert(one.folded && !all.folded);
            ck_assert_msg(fabs(one.seconds / all.seconds - 1) <= 0.02, "%s, %d a node, mover %d: %g, not %g", names[_i],
                          per_node, mover, one.seconds, all.seconds);
            ck_assert_double_eq(one.messages, all.messages);
        }
    }
}

/* A transform in slabs: S times c seconds and an exchange one by one, which takes (P - 1) (a + m b); with two in flight
   the next slab is made meanwhile. */
LOOP_TEST(slabs_of_a_transform, 2, 9)
{
    double c = 1e-3, one = (_i - 1) * (A + 1e4 * B);
    struct script s = {
        .operation = OVL_IALLTOALL, .algorithm = "one_by_one", .bytes = 10000, .ranks = _i, .seconds = {c}};
    for (int i = 0; i < 4; i++) {
        add(&s, 0, OVL_LANE_CHAIN, OVL_APP_COMPUTE, 0);
        if (i > 0)
            add(&s, 0, OVL_LANE_CHAIN, OVL_APP_WAIT, (i - 1) % 2);
        add(&s, 0, OVL_LANE_CHAIN, OVL_APP_POST, i % 2);
    }
    add(&s, 0, OVL_LANE_CHAIN, OVL_APP_WAIT, 1);
    NEAR(played(&s, (struct how){.blocking = true}).seconds, 4 * (c + one));
    NEAR(played(&s, (struct how){.mover = OVL_SIM_BY_WORKERS}).seconds, 4 * c + one);
    /* The host sends the first message of each at its post, and does the rest when it waits. */
    NEAR(played(&s, (struct how){.polls = false}).seconds, 4 * c + 3 * (O + O + (_i - 2) * (A + 1e4 * B)) + one);
}

/* A panel: rank 0 factors it and sends it; rank 1 has other work of ten pieces meanwhile, then its own columns. */
static struct script panel(double factor, double other, double columns)
{
    struct script s = {.operation = OVL_IBCAST,
                       .algorithm = "binomial",
                       .bytes = 1000000,
                       .ranks = 2,
                       .differ = true,
                       .seconds = {factor, other, columns}};
    add(&s, 0, OVL_LANE_CHAIN, OVL_APP_COMPUTE, 0);
    for (int rank = 0; rank < 2; rank++) {
        add(&s, rank, OVL_LANE_CHAIN, OVL_APP_POST, 0);
        add(&s, rank, OVL_LANE_CHAIN, OVL_APP_WAIT, 0);
    }
    add(&s, 1, OVL_LANE_CHAIN, OVL_APP_COMPUTE, 2);
    add(&s, 1, OVL_LANE_BULK, OVL_APP_COMPUTE, 1)->units = 10;
    return s;
}

TEST(a_panel_and_other_work)
{
    double factor = 1e-3, comes = factor + A + 1e6 * B;
    struct how how = {.mover = OVL_SIM_BY_WORKERS};
    /* Nothing else: it is waited for. Less work than that: the same. More: nobody waits. */
    struct script s = panel(factor, 0, 5e-4);
    NEAR(played(&s, how).seconds, comes + 5e-4);
    s = panel(factor, 8e-4, 5e-4);
    NEAR(played(&s, how).seconds, comes + 5e-4);
    s = panel(factor, 3e-3, 5e-4);
    NEAR(played(&s, how).seconds, 3e-3 + 5e-4);
    /* The host looks between pieces of 0.3 ms. The panel is here at 1.0426 ms but for o, and taken at 1.2 ms. */
    how.mover = OVL_SIM_BY_CALLS;
    NEAR(played(&s, how).seconds, 3e-3 + 5e-4 + O);
    /* Blocking: rank 1 has its panel before it looks at anything else. */
    how.blocking = true;
    NEAR(played(&s, how).seconds, comes + 5e-4 + 3e-3);
}

/* Rows of a grid have operations of their own, at the same time: two rows of two ranks that share nodes' links. */
static struct ovl_sim_operation row_of(const void *of, int rank, const struct ovl_app_step *step)
{
    struct ovl_sim_operation o = operation_of(of, rank, step);
    o.shape.ranks = 2;
    o.first = rank % 2;
    o.stride = 2;
    return o;
}

static int row_group(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    int n = group_of(of, rank, lane, group, steps);
    for (int i = 0; i < n; i++) {
        steps[i].team = rank % 2;
        steps[i].ranks = 2;
    }
    return n;
}

TEST(teams_share_links)
{
    struct script s = buckets(4, 1, 1e-3, 1000000);
    struct ovl_app_plan plan = plan_of(&s);
    struct ovl_sim_result result;
    plan.group = row_group;
    s.ranks = 2;
    struct ovl_sim_program program = {
        .plan = &plan, .mask = OVL_MASK_TOTAL, .of = &s, .seconds = seconds_of, .operation = row_of};
    struct ovl_sim_machine machine = {.per_node = 2, .rates = {L, B, 0, O, 0, 0, SIZE_MAX}, .workers = 1};
    ck_assert_int_eq(ovl_sim_play(&program, &machine, &result, &err), 0);
    NEAR(result.seconds, 1e-3 + A + 2 * 1e6 * B); /* members are on two nodes, and two messages go through each link */
    machine.per_node = 1;
    ck_assert_int_eq(ovl_sim_play(&program, &machine, &result, &err), 0);
    NEAR(result.seconds, 1e-3 + A + 1e6 * B);
    ck_assert_double_eq(result.messages, 4);
}
