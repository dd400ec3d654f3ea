/* The rules of MPICH, whose numbers are the defaults of MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE and its like. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/library.h"

enum { K = 1 << 10 };

const struct ovl_library_rule ovl_library_mpich[] = {
    {OVL_IALLTOALL, .below = 256 + 1, .least = 8, .name = "bruck", .in_its = "brucks"},
    {OVL_IALLTOALL, .below = 32 * K + 1, .name = "pairwise", .in_its = "permuted_sendrecv"},
    {OVL_IALLTOALL, .name = "one_by_one", .in_its = "pairwise"},
    {OVL_IALLTOALLV, .name = "pairwise", .in_its = "blocked"},
    {OVL_IBCAST, .below = 12 * K, .name = "binomial", .in_its = "binomial"},
    {OVL_IBCAST, .below_number = 8, .name = "binomial", .in_its = "binomial"},
    {OVL_IBCAST, .below = 512 * K, .power_of_two = true, .name = "scatter_allgather",
     .in_its = "scatter_recursive_doubling_allgather"},
    {OVL_IBCAST, .name = "scatter_ring", .in_its = "scatter_ring_allgather"},
    {OVL_IALLREDUCE, .below = 2 * K + 1, .name = "recursive_doubling", .in_its = "recursive_doubling"},
    {OVL_IALLREDUCE, .scarce = true, .name = "recursive_doubling", .in_its = "recursive_doubling"},
    {OVL_IALLREDUCE, .name = "rabenseifner", .in_its = "reduce_scatter_allgather"},
    {OVL_IREDUCE, .below = 2 * K + 1, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .scarce = true, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .name = "rabenseifner", .in_its = "reduce_scatter_gather"},
    {OVL_IALLGATHER, .below = 512 * K, .power_of_two = true, .name = "recursive_doubling",
     .in_its = "recursive_doubling"},
    {OVL_IALLGATHER, .below = 80 * K, .name = "bruck", .in_its = "brucks"},
    {OVL_IALLGATHER, .name = "ring", .in_its = "ring"},
    {OVL_IALLGATHERV, .below = 512 * K, .power_of_two = true, .name = "bruck", .in_its = "recursive_doubling"},
    {OVL_IALLGATHERV, .below = 80 * K, .name = "bruck", .in_its = "brucks"},
    {OVL_IALLGATHERV, .name = "ring", .in_its = "ring"},
    {OVL_IREDUCE_SCATTER, .below = 512 * K, .name = "recursive_halving", .in_its = "recursive_halving"},
    {OVL_IREDUCE_SCATTER, .name = "pairwise", .in_its = "pairwise"},
    {OVL_IREDUCE_SCATTER_BLOCK, .below = 512 * K, .name = "recursive_halving", .in_its = "recursive_halving"},
    {OVL_IREDUCE_SCATTER_BLOCK, .name = "pairwise", .in_its = "pairwise"},
    {OVL_IGATHER, .name = "binomial", .in_its = "binomial"},
    {OVL_IGATHERV, .name = "linear", .in_its = "linear"},
    {OVL_ISCATTER, .name = "binomial", .in_its = "binomial"},
    {OVL_ISCATTERV, .name = "linear", .in_its = "linear"},
    {OVL_IBARRIER, .name = "dissemination", .in_its = "recursive_doubling"},
    {.name = NULL},
};

/* Those whom an algorithm is between: the leaders of nodes, where the library makes a part of it within nodes. */
static int between(const struct ovl_coll_shape *s, int per_node)
{
    bool leads = s->operation == OVL_IBCAST || s->operation == OVL_IALLREDUCE || s->operation == OVL_IREDUCE;
    return leads ? (s->ranks + per_node - 1) / per_node : s->ranks;
}

static size_t power_within(int n)
{
    size_t power = 1;
    while (2 * power <= (size_t)n)
        power *= 2;
    return power;
}

const struct ovl_library_rule *ovl_library_rule_of(const struct ovl_coll_shape *s, int per_node)
{
    int n = between(s, per_node);
    size_t bytes = ovl_algorithm_measure(s);
    for (const struct ovl_library_rule *r = ovl_library_mpich; r->name; r++)
        if (r->operation == s->operation && (!r->below || bytes < r->below) && n >= r->least &&
            (!r->below_number || n < r->below_number) && (!r->power_of_two || (n & (n - 1)) == 0) &&
            (!r->scarce || bytes / s->element < power_within(n)))
            return r;
    return NULL;
}
