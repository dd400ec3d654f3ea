/* One node for all, and rings in fewer rounds, against all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/simulated.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

static const struct {
    enum ovl_operation operation;
    const char *algorithm;
    size_t bytes;
} foldable[] = {
    {OVL_IALLTOALL, "pairwise", 100000},       {OVL_IALLTOALL, "pairwise", 64},
    {OVL_IALLTOALL, "one_by_one", 100000},     {OVL_IALLTOALLV, "pairwise", 10000},
    {OVL_IALLGATHER, "ring", 10000},           {OVL_IALLGATHERV, "ring", 10000},
    {OVL_IALLREDUCE, "ring", 10000004},        {OVL_IREDUCE_SCATTER_BLOCK, "pairwise", 1000000},
    {OVL_IALLGATHER, "hierarchical", 10000},   {OVL_IALLREDUCE, "recursive_doubling", 10000},
    {OVL_IALLREDUCE, "rabenseifner", 1000000},
};
/* From there on numbers of nodes are turned bit by bit, for powers of two. */
enum { FOLDABLE = sizeof foldable / sizeof *foldable, TURNED_FROM = 9 };

static void fold_like_all(struct ovl_sim_job *job)
{
    job->fold = OVL_SIM_FOLD_NEVER;
    job->ring_rounds = INT_MAX;
    struct ovl_sim_result all = run_of(job);
    job->fold = OVL_SIM_FOLD_ALWAYS;
    job->ring_rounds = 0;
    struct ovl_sim_result one = run_of(job);
    ck_assert(one.folded && !all.folded);
    ck_assert_msg(fabs(one.seconds / all.seconds - 1) <= 0.02, "%s, %d ranks, %d a node, %d workers: %.6g, not %.6g",
                  job->operation.shape.algorithm->name, job->operation.shape.ranks, job->per_node, job->workers,
                  one.seconds, all.seconds);
    ck_assert_double_eq(one.messages, all.messages);
}

/* One node for all is within 2 % of all of them, at 2 to 256 ranks: alone, with work and calls, and by workers, also of
   messages that ask. */
LOOP_TEST(one_node_stands_for_all, 0, FOLDABLE * 4)
{
    int i = _i / 4, per_node = 1 << _i % 4;
    for (int ranks = 2 * per_node; ranks <= rounds(48, 256);
         ranks = ranks < rounds(12, 24) ? ranks + per_node : 2 * ranks) {
        if (i >= TURNED_FROM && (ranks & (ranks - 1)) != 0)
            continue;
        struct ovl_sim_job job =
            job_of(foldable[i].operation, foldable[i].algorithm, foldable[i].bytes, ranks, per_node);
        for (int eager = 0; eager < 2; eager++) {
            job.rates.eager = eager ? SIZE_MAX : 16384;
            job.rates.carry = job.rates.copy = eager ? 0 : 1e-11;
            job.work = job.tests = 0;
            job.workers = 0;
            fold_like_all(&job);
            job.workers = per_node > 1 ? per_node / 2 : 1;
            fold_like_all(&job);
            job.workers = 0;
            job.work = 1e-4;
            job.tests = 3;
            fold_like_all(&job);
        }
        ovl_sim_shape_free(&job.operation.shape);
    }
}

/* The same against times that are worked out here, without events: a ring, node after node. Round k of a rank begins
   when its part of round k - 1 is here, and it has sent its own: o for each message that it sends or takes. Only the
   last rank of a node sends over its link, to the first of the next one, a message a round. */
static double ring_by_hand(int ranks, int per_node, double bytes)
{
    double ended[64] = {0}, link[64] = {0}, last = 0;
    for (int round = 0; round < ranks - 1; round++) {
        double next[64];
        for (int r = 0; r < ranks; r++) {
            int left = (r + ranks - 1) % ranks;
            double here = ended[left] + O;
            if (left / per_node != r / per_node) { /* both links are as long busy, one after the other */
                link[left] = fmax(link[left], here) + bytes * G;
                here = link[left] + L;
            }
            next[r] = fmax(ended[r] + O, here) + O;
        }
        memcpy(ended, next, sizeof ended);
    }
    for (int r = 0; r < ranks; r++)
        last = fmax(last, ended[r]);
    return last;
}

/* Alone, one node for all and all of them have to be what is worked out by hand. */
LOOP_TEST(one_node_stands_for_what_is_worked_out_by_hand, 1, 7)
{
    for (int nodes = 2; nodes * _i <= 40; nodes++) {
        int ranks = nodes * _i;
        struct ovl_sim_job job = job_of(OVL_IALLGATHER, "ring", 100000, ranks, _i);
        for (job.fold = OVL_SIM_FOLD_NEVER; job.fold <= OVL_SIM_FOLD_ALWAYS; job.fold++)
            NEAR(run_of(&job).seconds, ring_by_hand(ranks, _i, 1e5));
        /* Doubling, halving and one by one have formulas: log P (a + n b), 2 log P a + 2 (P - 1) / P n b, and (P - 1)
           (a + n b), of nodes of one rank. */
        if (_i > 1)
            continue;
        job = job_of(OVL_IALLTOALL, "one_by_one", 100000, ranks, 1);
        job.fold = OVL_SIM_FOLD_ALWAYS;
        NEAR(run_of(&job).seconds, (ranks - 1) * (a + 1e5 * G));
        if ((ranks & (ranks - 1)) != 0)
            continue;
        job = job_of(OVL_IALLREDUCE, "recursive_doubling", 1024000, ranks, 1);
        job.fold = OVL_SIM_FOLD_ALWAYS;
        NEAR(run_of(&job).seconds, log2_of(ranks) * (a + 1024e3 * G));
        job = job_of(OVL_IALLREDUCE, "rabenseifner", (size_t)ranks * 40000, ranks, 1);
        job.fold = OVL_SIM_FOLD_ALWAYS;
        NEAR(run_of(&job).seconds, 2 * log2_of(ranks) * a + 2 * (ranks - 1) * 4e4 * G);
    }
}

/* Ranks that begin apart: each computes for a while before it posts. */
struct apart {
    const struct ovl_sim_job *job;
    double late[256];
};

static int begin_apart(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct apart *p = of;
    (void)rank, (void)group;
    if (lane == OVL_LANE_BULK)
        return 0;
    steps[0] = (struct ovl_app_step){.kind = OVL_APP_COMPUTE, .units = 1};
    steps[1] = (struct ovl_app_step){.kind = OVL_APP_POST, .ranks = p->job->operation.shape.ranks};
    steps[2] = (struct ovl_app_step){.kind = OVL_APP_WAIT};
    return 3;
}

static double late(const void *of, int rank, const struct ovl_app_step *step)
{
    (void)step;
    return ((const struct apart *)of)->late[rank];
}

static struct ovl_sim_operation same_operation(const void *of, int rank, const struct ovl_app_step *step)
{
    (void)rank, (void)step;
    return ((const struct apart *)of)->job->operation;
}

static double seconds_apart(const struct apart *p, int ring_rounds, enum ovl_sim_mover mover)
{
    struct ovl_sim_result result;
    struct ovl_app_plan plan = {.ranks = p->job->operation.shape.ranks,
                                .slots = 1,
                                .groups = {[OVL_LANE_CHAIN] = 1},
                                .of = p,
                                .group = begin_apart};
    struct ovl_sim_program program = {
        .plan = &plan, .mask = OVL_MASK_TOTAL, .of = p, .seconds = late, .operation = same_operation};
    struct ovl_sim_machine machine = {
        .per_node = p->job->per_node, .rates = p->job->rates, .mover = mover, .workers = 1, .ring_rounds = ring_rounds};
    ck_assert_msg(ovl_sim_play(&program, &machine, &result, &err) == 0, "%s", err.text);
    return result.seconds;
}

/* Rings in fewer rounds are within 2 % of all of them at 2 to 256 ranks: where all ranks begin at once, where one is
   late, and where each begins at another time; with one rank a node and with four, also of messages that ask. What is
   lost is a part of a round, as is seen with half as many of them. Without LONG at the two largest numbers of ranks,
   which have more rounds than are played. */
static const struct {
    enum ovl_operation operation;
    const char *algorithm;
    size_t bytes;
} rings_of[] = {{OVL_IBCAST, "scatter_ring", 16000000},
                {OVL_IBCAST, "scatter_ring", 600000},
                {OVL_IALLREDUCE, "ring", 16000000},
                {OVL_IALLGATHER, "ring", 100000},
                {OVL_IREDUCE_SCATTER_BLOCK, "ring", 16000000}};

LOOP_TEST(long_rings_in_fewer_rounds, 0, 5)
{
    for (int per_node = 1; per_node <= 4; per_node *= 4)
        for (int ranks = rounds(171, 2 * per_node); ranks <= 256;
             ranks = ranks < 256 && ranks * 3 / 2 > 256 ? 256 : ranks * 3 / 2) {
            struct ovl_sim_job job =
                job_of(rings_of[_i].operation, rings_of[_i].algorithm, rings_of[_i].bytes, ranks, per_node);
            for (int how = rounds(per_node > 1, 0); how < 6; how += rounds(2, 1)) {
                struct apart p = {.job = &job};
                for (int r = 0; r < ranks; r++)
                    p.late[r] = how % 3 == 1 ? 3e-3 * (r == ranks / 3) : how % 3 == 2 ? 1e-6 * (r * 7919 % 1000) : 0;
                job.rates.eager = how < 3 ? SIZE_MAX : 1000;
                for (int mover = OVL_SIM_BY_CALLS; mover <= OVL_SIM_BY_WORKERS; mover += 2) {
                    double all = seconds_apart(&p, INT_MAX, (enum ovl_sim_mover)mover);
                    for (int half = 0; half < 2; half++) {
                        double few = seconds_apart(&p, OVL_SIM_RING_ROUNDS >> half, (enum ovl_sim_mover)mover);
                        ck_assert_msg(fabs(few / all - 1) <= 0.02 * (1 + half),
                                      "%s, %d ranks, %d a node, %d, mover %d: %.6g, not %.6g", rings_of[_i].algorithm,
                                      ranks, per_node, how, mover, few, all);
                    }
                }
            }
            ovl_sim_shape_free(&job.operation.shape);
        }
}

/* What is not alike at all nodes is not folded, and refused where it would have to be. */
TEST(trees_are_not_folded)
{
    struct ovl_sim_result result;
    struct ovl_sim_job job = job_of(OVL_IBCAST, "binomial", 1000, 64, 2);
    job.fold = OVL_SIM_FOLD_ALWAYS;
    ck_assert_int_eq(ovl_sim_run(&job, &result, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    job = job_of(OVL_IALLREDUCE, "recursive_doubling", 1000, 48, 2); /* some have no partner */
    job.fold = OVL_SIM_FOLD_ALWAYS;
    ck_assert_int_eq(ovl_sim_run(&job, &result, &err), -1);
    job = job_of(OVL_IALLTOALL, "pairwise", 1000, 21, 2); /* the last node has one rank */
    job.fold = OVL_SIM_FOLD_ALWAYS;
    ck_assert_int_eq(ovl_sim_run(&job, &result, &err), -1);
    job.fold = OVL_SIM_FOLD_LARGE;
    ck_assert(!run_of(&job).folded);
}
