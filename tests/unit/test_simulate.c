/* Times of schedules as the literature has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/simulated.h"

/* LogGP: o + L + n G + o, in either direction. A pair has nothing else, or nothing at all. */
TEST(one_message)
{
    struct ovl_sim_job job = job_of(OVL_ISENDRECV, "direct", 1000000, 2, 1);
    ck_assert_double_eq(run_of(&job).seconds, 0);
    for (int from = 0; from < 2; from++) {
        job.operation.shape.from = from;
        job.operation.shape.to = 1 - from;
        NEAR(run_of(&job).seconds, a + 1e6 * G);
        ck_assert_double_eq(run_of(&job).messages, 1);
    }
    NEAR(seconds(OVL_IBCAST, "binomial", 1000000, 2), a + 1e6 * G);
}

/* log P (a + n b). */
LOOP_TEST(trees, 1, 9)
{
    int ranks = 1 << _i;
    NEAR(seconds(OVL_IBCAST, "binomial", 1000000, ranks), _i * (a + 1e6 * G));
    NEAR(seconds(OVL_IREDUCE, "binomial", 1000000, ranks), _i * (a + 1e6 * G));
    NEAR(seconds(OVL_IALLREDUCE, "recursive_doubling", 1000000, ranks), _i * (a + 1e6 * G));
}

/* log P a + (P - 1) n b with n bytes a rank, by doubling and by Bruck alike. Where a size is no power of two Bruck's
   parts go in two messages where they go round the end. */
LOOP_TEST(gathering_by_doubling, 1, 9)
{
    int ranks = 1 << _i;
    double n = 1000;
    NEAR(seconds(OVL_IALLGATHER, "recursive_doubling", 1000, ranks), _i * a + (ranks - 1) * n * G);
    double bruck = seconds(OVL_IALLGATHER, "bruck", 1000, ranks), least = _i * a + (ranks - 1) * n * G;
    ck_assert_double_ge(bruck, least * (1 - 1e-9));
    ck_assert_double_le(bruck, least + _i * 2 * O);
}

/* Rings: (P - 1) (a + n b), and twice that with n / P for an allreduce. */
LOOP_TEST(rings, 2, 40)
{
    int ranks = _i;
    NEAR(seconds(OVL_IALLGATHER, "ring", 100000, ranks), (ranks - 1) * (a + 1e5 * G));
    size_t all = (size_t)ranks * 40000;
    NEAR(seconds(OVL_IALLREDUCE, "ring", all, ranks), 2 * (ranks - 1) * (a + 4e4 * G));
}

/* 2 log P a + 2 (P - 1) / P n b. */
LOOP_TEST(rabenseifner, 1, 9)
{
    int ranks = 1 << _i;
    double n = 40000.0 * ranks;
    NEAR(seconds(OVL_IALLREDUCE, "rabenseifner", (size_t)n, ranks),
         2 * _i * a + 2 * (double)(ranks - 1) / ranks * n * G);
}

/* log P a + (P - 1) / P n b for the halving. */
LOOP_TEST(reduce_scatter_by_halving, 1, 9)
{
    int ranks = 1 << _i;
    double n = 40000.0 * ranks;
    NEAR(seconds(OVL_IREDUCE_SCATTER_BLOCK, "recursive_halving", (size_t)n, ranks),
         _i * a + (double)(ranks - 1) / ranks * n * G);
}

/* The broadcast of long messages: (log P + P - 1) a + 2 (P - 1) / P n b. Parts are of whole cache lines here. */
LOOP_TEST(scatter_and_ring, 1, 8)
{
    int ranks = 1 << _i;
    double n = 64000.0 * ranks;
    NEAR(seconds(OVL_IBCAST, "scatter_ring", (size_t)n, ranks),
         (_i + ranks - 1) * a + 2 * (double)(ranks - 1) / ranks * n * G);
}

/* All-to-all one by one: (P - 1) (a + n b). By a window of peers the link has all bytes behind each other; in a window
   the last one's message is what is waited for. Bruck: log P (a + P / 2 n b). */
LOOP_TEST(all_to_all, 1, 7)
{
    int ranks = 1 << _i;
    NEAR(seconds(OVL_IALLTOALL, "one_by_one", 100000, ranks), (ranks - 1) * (a + 1e5 * G));
    NEAR(seconds(OVL_IALLTOALL, "bruck", 1000, ranks), _i * (a + ranks / 2 * 1e3 * G));
    double t = seconds(OVL_IALLTOALL, "pairwise", 100000, ranks), bytes = (ranks - 1) * 1e5 * G;
    int windows = (ranks - 1 + 31) / 32;
    ck_assert_double_ge(t, bytes + a - 1e-12);
    ck_assert_double_le(t, bytes + windows * (a + 64 * O));
}

/* log P rounds of a. */
LOOP_TEST(barriers, 2, 70)
{
    NEAR(seconds(OVL_IBARRIER, "dissemination", 0, _i), log2_of(_i) * a);
}

/* Every algorithm comes to an end on uneven nodes, in each way. */
TEST(every_algorithm_ends)
{
    for (const struct ovl_algorithm *w = ovl_algorithms; w->name; w++)
        for (int ranks = 1; ranks <= 17; ranks += ranks < 5 ? 1 : 4) {
            if (!ovl_algorithm_works(w, ranks) || w->operation == OVL_ISENDRECV)
                continue;
            for (int per_node = 1; per_node <= 4; per_node += 3) {
                struct ovl_sim_job job = job_of(w->operation, w->name, 100000, ranks, per_node);
                job.rates.eager = 16384;
                run_of(&job);
                job.work = 1e-3;
                job.tests = 2;
                ck_assert_double_ge(run_of(&job).seconds, job.work);
                job.workers = 2;
                ck_assert_double_ge(run_of(&job).seconds, job.work);
                ovl_sim_shape_free(&job.operation.shape);
            }
        }
}
