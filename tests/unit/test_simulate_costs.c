/* What a message costs links and cores, and who has time to go on with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/simulated.h"

#include <stdint.h>

/* A link with a burst: what it lets through at once does not take its time, and a second message finds none left. */
TEST(bursts)
{
    struct ovl_sim_job job = job_of(OVL_IBCAST, "binomial", 1000000, 2, 1);
    job.rates.burst = 3e5 * G;
    NEAR(run_of(&job).seconds, a + 7e5 * G);
    job.rates.burst = 1;
    NEAR(run_of(&job).seconds, a);
    job = job_of(OVL_IALLTOALL, "one_by_one", 1000000, 3, 1);
    job.rates.burst = 3e5 * G; /* two messages behind each other: o and the way back are idle, too */
    double t = run_of(&job).seconds;
    ck_assert_double_ge(t, 2 * a + 2 * 1e6 * G - 3e5 * G - 2 * a);
    ck_assert_double_le(t, 2 * a + 2 * 1e6 * G - 3e5 * G);
    ovl_sim_shape_free(&job.operation.shape);
}

/* What a core carries goes on while the link is busy with it, and is waited for where the link is quicker. */
TEST(carried_bytes)
{
    struct ovl_sim_job job = job_of(OVL_IBCAST, "binomial", 1000000, 2, 1);
    job.rates.carry = G / 2;
    NEAR(run_of(&job).seconds, a + 1e6 * G);
    job.rates.carry = 3 * G;
    NEAR(run_of(&job).seconds, a + 3e6 * G);
    /* A rank that computes finds it when it waits, and carries it then. */
    job.work = 1e-3;
    NEAR(run_of(&job).seconds, 1e-3 + 3e6 * G + O);
    /* On its core a worker takes that from the work. */
    job.workers = 1;
    job.shared = true;
    NEAR(run_of(&job).seconds, 1e-3 + 3e6 * G + O);
}

/* A message that asks first: RTS, CTS and data, each with its overheads. */
TEST(rendezvous)
{
    struct ovl_sim_job job = job_of(OVL_IBCAST, "binomial", 1000000, 2, 1);
    job.rates.eager = 999999;
    NEAR(run_of(&job).seconds, 2 * (O + L) + a + 1e6 * G);
}

/* In a node there is no link; one core copies. */
TEST(within_a_node)
{
    struct ovl_sim_job job = job_of(OVL_IBCAST, "binomial", 1000000, 2, 2);
    job.rates.copy = 1e-10;
    NEAR(run_of(&job).seconds, 2 * O + 1e6 * 1e-10);
    job.per_node = 1; /* and between nodes one at each end, at the same time */
    job.rates.carry = 1e-10;
    NEAR(run_of(&job).seconds, a + 1e6 * 1e-10);
}

/* A rank's own block never sees the link: it costs what memory does, whatever a byte between nodes costs. So does a sum
   of what has come. */
TEST(memory_is_not_the_link)
{
    struct ovl_sim_job job = job_of(OVL_IALLTOALL, "one_by_one", 1000000, 2, 1);
    /* What comes is carried while it comes, also when the core has looked at the end of its own message meanwhile. */
    job.rates.carry = G / 2;
    job.rates.eager = 1000;
    NEAR(run_of(&job).seconds, 2 * (O + L) + a + 1e6 * G);
    job.rates.carry = 3 * G;
    job.rates.eager = SIZE_MAX;
    double carried = run_of(&job).seconds;
    ck_assert_double_ge(carried, 2 * 3e6 * G); /* out and in by one core */
    ck_assert_double_le(carried, 2 * 3e6 * G + a);
    job.rates.copy = G / 2;
    NEAR(run_of(&job).seconds, carried + 1e6 * G / 2);
    ovl_sim_shape_free(&job.operation.shape);
    job = job_of(OVL_IREDUCE, "binomial", 1000000, 2, 1);
    double alone = run_of(&job).seconds;
    job.rates.carry = 3 * G;
    carried = run_of(&job).seconds;
    NEAR(carried, alone + 2e6 * G);
    job.rates.copy = G / 2;
    double combined = run_of(&job).seconds; /* of what comes a part is combined meanwhile */
    ck_assert_double_ge(combined, carried + 1e6 * G / 2 - a);
    ck_assert_double_le(combined, carried + 1e6 * G / 2);
}

/* Eight ranks of a node send 7 x 8 x 8 messages to the other seven: the node's link has one after the other, and so has
   the one that they come in by. */
TEST(ranks_of_a_node_share_its_link)
{
    struct ovl_sim_job job = job_of(OVL_IALLTOALL, "pairwise", 100000, 64, 8);
    double t = run_of(&job).seconds, bytes = 8 * 56 * 1e5 * G;
    ck_assert_double_ge(t, bytes);
    ck_assert_double_le(t, bytes * 1.02 + 63 * 2 * O + 2 * L);
    ovl_sim_shape_free(&job.operation.shape);
}

/* A rank that computes and never calls does its rounds when it waits: one of them at the post. With a worker they go on
   meanwhile. */
TEST(rounds_need_calls)
{
    struct ovl_sim_job job = job_of(OVL_IALLREDUCE, "recursive_doubling", 1000, 64, 1);
    double alone = run_of(&job).seconds, one = a + 1000 * G;
    NEAR(alone, 6 * one);
    job.work = 10 * alone;
    double host = run_of(&job).seconds;
    /* The first message of the partner is here: it is taken, and five rounds follow. */
    NEAR(host, O + job.work + O + 5 * one);
    job.workers = 1;
    NEAR(run_of(&job).seconds, job.work);
    job.workers = 0;
    job.tests = 5; /* a round at each call, the last one in the wait */
    double tested = run_of(&job).seconds;
    ck_assert_double_ge(tested, job.work);
    ck_assert_double_le(tested, job.work + 2 * 6 * O + 1e-12);
}

/* A large message that asks is answered at a call, and its data leave at the sender's next one. */
TEST(large_messages_need_calls)
{
    struct ovl_sim_job job = job_of(OVL_IBCAST, "binomial", 1000000, 2, 1);
    job.rates.eager = 1000;
    job.work = 1e-3;
    NEAR(run_of(&job).seconds, job.work + (O + L) + a + 1e6 * G); /* RTS is here; CTS and data are not */
    job.workers = 1;
    NEAR(run_of(&job).seconds, job.work);
}

/* A worker does one thing at a time: eight ranks on it take longer than eight that have one each. */
TEST(workers_are_shared)
{
    struct ovl_sim_job job = job_of(OVL_IALLTOALL, "pairwise", 8, 64, 8);
    job.workers = 8;
    double each = run_of(&job).seconds;
    job.workers = 1;
    double shared = run_of(&job).seconds;
    ck_assert_double_ge(shared, 8 * 2 * 56 * O);
    ck_assert_double_le(each, shared / 4);
    ovl_sim_shape_free(&job.operation.shape);
}
