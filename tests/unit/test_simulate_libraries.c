/* Which algorithms libraries choose, and what these come to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/library.h"
#include "tests/unit/simulated.h"

/* One operation behind another, as Open MPI's allreduce of short vectors: a tree up and one down, 2 log P (a + n b);
   and a broadcast of the root to each, whose last message waits for those before it. */
LOOP_TEST(one_behind_another, 1, 7)
{
    int ranks = 1 << _i;
    struct ovl_sim_job job = job_of(OVL_IALLREDUCE, "ring", 40000, ranks, 1);
    const struct ovl_mpi_library *l = ovl_library_find("openmpi");
    ck_assert_ptr_nonnull(ovl_library_choose(l, 1, &job.operation));
    NEAR(run_of(&job).seconds, 2 * _i * (a + 40000 * G));
    job = job_of(OVL_IBCAST, "binomial", 1000000, 4, 1);
    ck_assert_ptr_nonnull(ovl_library_choose(l, 1, &job.operation));
    NEAR(run_of(&job).seconds, a + 3 * 1e6 * G);
}

/* Over the link of a node of 8 ranks, of 64: of a halving that begins with the nearest, n / 16 + n / 32 + n / 64 of
   each rank and as much back; of Open MPI's tree of broadcasts, in which the parent of p lacks its highest bit, n to
   each of the 56 ranks elsewhere: 8 from each of the nodes 0 to 6 but for node 0, which sends 8 to nodes 1, 2 and 4. */
TEST(ranks_in_the_order_of_a_library)
{
    double n = 64000000;
    struct ovl_sim_job job = job_of(OVL_IALLREDUCE, "ring", (size_t)n, 64, 8);
    ck_assert_ptr_nonnull(ovl_library_choose(ovl_libraries, 8, &job.operation));
    double t = run_of(&job).seconds, link = 2 * 8 * (n / 16 + n / 32 + n / 64) * G;
    ck_assert_double_ge(t, link);
    ck_assert_double_le(t, link * 1.001 + 24 * a);
    job.fold = OVL_SIM_FOLD_ALWAYS;
    ck_assert_double_le(fabs(run_of(&job).seconds / t - 1), 0.02);
    job = job_of(OVL_IBCAST, "binomial", (size_t)n, 64, 8);
    ck_assert_ptr_nonnull(ovl_library_choose(ovl_library_find("openmpi"), 8, &job.operation));
    t = run_of(&job).seconds;
    ck_assert_double_ge(t, 24 * n * G);
    ck_assert_double_le(t, 40 * n * G + 24 * a);
}

/* The rows of libraries name algorithms that there are, and each operation has one for any size. */
TEST(rules_of_libraries)
{
    static const struct {
        enum ovl_operation operation;
        size_t bytes;
        int ranks, per_node;
        const char *name, *library;
        bool own_op;
    } cases[] = {
        {OVL_IALLREDUCE, 65536, 3, 1, "binomial", "openmpi", false},
        {OVL_IALLREDUCE, 65532, 4, 1, "binomial", "openmpi", false},
        {OVL_IALLREDUCE, 65536, 4, 1, "redscat_allgather", "openmpi", false},
        {OVL_IALLREDUCE, 65536, 100000, 1, "ring", "openmpi", false},
        {OVL_IREDUCE, 16, 4, 1, "redscat_gather", "openmpi", false},
        {OVL_IREDUCE, 12, 4, 1, "binomial", "openmpi", false},
        {OVL_IREDUCE, 65532, 2, 1, "binomial", "openmpi", false},
        {OVL_IREDUCE, 65536, 2, 1, "chain", "openmpi", false},
        {OVL_IREDUCE, 1048576, 3, 1, "redscat_gather", "openmpi", false},
        {OVL_IBCAST, 1048576, 4, 1, "linear", "openmpi", false},
        {OVL_IBCAST, 1048576, 5, 4, "binomial", "openmpi", false},
        {OVL_IALLTOALL, 1, 64, 1, "linear", "openmpi", false},
        {OVL_IALLGATHER, 1048576, 64, 1, "linear", "openmpi", false},
        {OVL_IALLTOALL, 2048, 8, 1, "bruck", "mpich", false},
        {OVL_IALLTOALL, 2048, 7, 1, "pairwise", "mpich", false},
        {OVL_IALLTOALL, 2049, 8, 1, "pairwise", "mpich", false},
        {OVL_IALLTOALL, 32769, 8, 1, "one_by_one", "mpich", false},
        {OVL_IBCAST, 12287, 64, 1, "binomial", "mpich", false},
        {OVL_IBCAST, 12288, 64, 1, "scatter_allgather", "mpich", false},
        {OVL_IBCAST, 12288, 63, 1, "scatter_ring", "mpich", false},
        {OVL_IBCAST, 12288, 64, 16, "binomial", "mpich", false},
        {OVL_IBCAST, 524288, 64, 1, "scatter_ring", "mpich", false},
        {OVL_IALLREDUCE, 2048, 64, 1, "recursive_doubling", "mpich", false},
        {OVL_IALLREDUCE, 2052, 64, 1, "rabenseifner", "mpich", false},
        {OVL_IALLREDUCE, 2052, 1024, 1, "recursive_doubling", "mpich", false},
        {OVL_IALLREDUCE, 1048576, 64, 1, "recursive_doubling", "mpich", true},
        {OVL_IREDUCE, 1048576, 64, 1, "rabenseifner", "mpich", false},
        {OVL_IREDUCE, 1048576, 64, 1, "binomial", "mpich", true},
        {OVL_IALLREDUCE, 1048576, 64, 1, "redscat_allgather", "openmpi", true},
        {OVL_IALLGATHER, 4096, 64, 1, "recursive_doubling", "mpich", false},
        {OVL_IALLGATHER, 8192, 64, 1, "ring", "mpich", false},
        {OVL_IALLGATHER, 1000, 63, 1, "bruck", "mpich", false},
        {OVL_IALLGATHER, 2000, 63, 1, "ring", "mpich", false},
    };
    for (const struct ovl_mpi_library *l = ovl_libraries; l->name; l++)
        for (int i = OVL_IALLTOALL; i <= OVL_ISENDRECV; i++)
            for (int ranks = 1; ranks <= 33; ranks += 4)
                for (size_t bytes = 4; bytes <= 1 << 20; bytes *= 64) {
                    struct ovl_coll_shape s = ovl_sim_shape((enum ovl_operation)i, bytes, 4, ranks, 0);
                    struct ovl_sim_job job = {.operation = {.shape = s, .stride = 1},
                                              .per_node = 2,
                                              .rates = {.latency = L, .byte = G, .eager = 16384}};
                    ck_assert_msg(ovl_library_choose(l, 2, &job.operation) != NULL, "%s", ovl_operations[i].name);
                    ck_assert(job.operation.shape.algorithm != NULL);
                    run_of(&job);
                    ovl_sim_shape_free(&s);
                }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ovl_coll_shape s = ovl_sim_shape(cases[i].operation, cases[i].bytes, 4, cases[i].ranks, 0);
        const struct ovl_mpi_library *l = ovl_library_find(cases[i].library);
        const struct ovl_library_rule *r = ovl_library_rule_of(l, &s, cases[i].per_node, cases[i].own_op);
        ck_assert_str_eq(l == ovl_libraries ? r->name : r->in_its, cases[i].name);
        ovl_sim_shape_free(&s);
    }
}
