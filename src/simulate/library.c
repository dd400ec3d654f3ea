/* Which library chooses what, as data. Numbers are the defaults of variables by which users may change them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/library.h"

#include <string.h>

enum { K = 1 << 10 };

static const struct ovl_library_rule mpich[] = {
    {OVL_IALLTOALL, .below = 2 * K + 1, .least = 8, .name = "bruck", .in_its = "brucks"},
    {OVL_IALLTOALL, .below = 32 * K + 1, .name = "pairwise", .in_its = "permuted_sendrecv"},
    {OVL_IALLTOALL, .name = "one_by_one", .in_its = "pairwise"},
    {OVL_IALLTOALLV, .name = "pairwise", .in_its = "blocked"},
    {OVL_IBCAST, .below = 12 * K, .name = "binomial", .in_its = "binomial"},
    {OVL_IBCAST, .below_number = 8, .name = "binomial", .in_its = "binomial"},
    {OVL_IBCAST, .below = 512 * K, .power_of_two = true, .name = "scatter_allgather",
     .in_its = "scatter_recursive_doubling_allgather"},
    {OVL_IBCAST, .name = "scatter_ring", .in_its = "scatter_ring_allgather"},
    {OVL_IALLREDUCE, .flat = true, .below = 2 * K + 1, .name = "recursive_doubling", .in_its = "recursive_doubling"},
    {OVL_IALLREDUCE, .flat = true, .scarce = true, .name = "recursive_doubling", .in_its = "recursive_doubling"},
    {OVL_IALLREDUCE, .flat = true, .own_op = true, .name = "recursive_doubling", .in_its = "recursive_doubling"},
    {OVL_IALLREDUCE, .reversed = true, .name = "rabenseifner", .in_its = "reduce_scatter_allgather"},
    {OVL_IREDUCE, .below = 2 * K + 1, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .scarce = true, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .own_op = true, .name = "binomial", .in_its = "binomial"},
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
    {OVL_ISENDRECV, .flat = true, .name = "direct", .in_its = "send"},
    {.name = NULL},
};

static const struct ovl_library_rule openmpi[] = {
    {OVL_IALLTOALL, .flat = true, .name = "pairwise", .in_its = "linear"},
    {OVL_IALLTOALLV, .flat = true, .name = "pairwise", .in_its = "linear"},
    {OVL_IBCAST, .flat = true, .below_number = 5, .name = "linear", .in_its = "linear", .by = OVL_ISCATTER},
    {OVL_IBCAST, .flat = true, .reversed = true, .name = "binomial", .in_its = "binomial"},
    {OVL_IALLREDUCE, .flat = true, .below_number = 4, .name = "binomial", .in_its = "binomial", .by = OVL_IREDUCE,
     .then = OVL_IBCAST},
    {OVL_IALLREDUCE, .flat = true, .below = 64 * K, .name = "binomial", .in_its = "binomial", .by = OVL_IREDUCE,
     .then = OVL_IBCAST},
    {OVL_IALLREDUCE, .plenty = true, .reversed = true, .name = "rabenseifner", .in_its = "redscat_allgather"},
    {OVL_IALLREDUCE, .flat = true, .name = "ring", .in_its = "ring"},
    {OVL_IREDUCE, .least = 3, .plenty = true, .reversed = true, .name = "rabenseifner", .in_its = "redscat_gather"},
    {OVL_IREDUCE, .flat = true, .below = 64 * K, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .flat = true, .least = 5, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .flat = true, .name = "binomial",
     .in_its = "chain"}, /* of two ranks; its pieces of 8 KiB go as one message */
    {OVL_IALLGATHER, .flat = true, .name = "pairwise", .in_its = "linear", .by = OVL_IALLTOALL},
    {OVL_IALLGATHERV, .flat = true, .name = "pairwise", .in_its = "linear", .by = OVL_IALLTOALLV},
    {OVL_IREDUCE_SCATTER, .flat = true, .name = "binomial", .in_its = "binomial, linear", .by = OVL_IREDUCE,
     .then = OVL_ISCATTER, .then_name = "linear"},
    {OVL_IREDUCE_SCATTER_BLOCK, .flat = true, .name = "binomial", .in_its = "binomial, linear", .by = OVL_IREDUCE,
     .then = OVL_ISCATTER, .then_name = "linear"},
    {OVL_IGATHER, .flat = true, .name = "linear", .in_its = "linear"},
    {OVL_IGATHERV, .flat = true, .name = "linear", .in_its = "linear"},
    {OVL_ISCATTER, .flat = true, .name = "linear", .in_its = "linear"},
    {OVL_ISCATTERV, .flat = true, .name = "linear", .in_its = "linear"},
    {OVL_IBARRIER, .flat = true, .name = "dissemination", .in_its = "dissemination"},
    {OVL_ISENDRECV, .flat = true, .name = "direct", .in_its = "send"},
    {.name = NULL},
};

const struct ovl_mpi_library ovl_libraries[] = {
    {"mpich", "MPICH", mpich},
    {"openmpi", "Open MPI", openmpi},
    {.name = NULL},
};

const struct ovl_mpi_library *ovl_library_find(const char *name)
{
    const struct ovl_mpi_library *l = ovl_libraries;
    while (l->name && strcmp(l->name, name) != 0)
        l++;
    return l->name ? l : NULL;
}

/* Those whom an algorithm is between: the leaders of nodes, where the library makes a part of it within nodes. */
static int between(const struct ovl_library_rule *r, const struct ovl_coll_shape *s, int per_node)
{
    bool leads = s->operation == OVL_IBCAST || s->operation == OVL_IREDUCE;
    return leads && !r->flat && !r->reversed ? (s->ranks + per_node - 1) / per_node : s->ranks;
}

static size_t power_within(int n)
{
    size_t power = 1;
    while (2 * power <= (size_t)n)
        power *= 2;
    return power;
}

const struct ovl_library_rule *ovl_library_rule_of(const struct ovl_mpi_library *l, const struct ovl_coll_shape *s,
                                                   int per_node, bool own_op)
{
    size_t bytes = ovl_algorithm_measure(s);
    for (const struct ovl_library_rule *r = l->rules; r->name; r++) {
        int n = between(r, s, per_node);
        if (r->operation == s->operation && (!r->below || bytes < r->below) && n >= r->least &&
            (!r->own_op || own_op) && (!r->below_number || n < r->below_number) &&
            (!r->power_of_two || (n & (n - 1)) == 0) && (!r->scarce || bytes / s->element < power_within(n)) &&
            (!r->plenty || bytes / s->element >= power_within(n)))
            return r;
    }
    return NULL;
}

/* The bytes of an operation that brings the same as `s`: of the whole, or to each rank. */
static size_t bytes_as(const struct ovl_coll_shape *s, enum ovl_operation operation)
{
    size_t whole = ovl_algorithm_measure(s), n = (size_t)s->ranks;
    bool scattered = s->operation == OVL_IREDUCE_SCATTER || s->operation == OVL_IREDUCE_SCATTER_BLOCK;
    if (!scattered)
        return s->bytes;
    return operation == OVL_ISCATTER ? (whole + n - 1) / n : whole;
}

const struct ovl_library_rule *ovl_library_choose(const struct ovl_mpi_library *l, int per_node,
                                                  struct ovl_sim_operation *o)
{
    const struct ovl_coll_shape asked = o->shape;
    const struct ovl_library_rule *r = ovl_library_rule_of(l, &asked, per_node, o->own_op);
    if (!r)
        return NULL;
    o->reversed = r->reversed && (asked.ranks & (asked.ranks - 1)) == 0;
    o->flat = r->flat || o->reversed;
    if (r->by != OVL_NO_OPERATION) {
        o->shape.operation = r->by;
        o->shape.bytes = bytes_as(&asked, r->by);
        o->shape.in_place = asked.operation == OVL_IBCAST; /* the root keeps what it sends */
    }
    o->shape.algorithm = ovl_algorithm_find(o->shape.operation, r->name);
    if (r->then == OVL_NO_OPERATION)
        return r;
    o->then = o->shape;
    o->then.operation = r->then;
    o->then.bytes = bytes_as(&asked, r->then);
    o->then.algorithm = ovl_algorithm_find(r->then, r->then_name ? r->then_name : r->name);
    o->then.send_counts = o->then.recv_counts = o->then.send_displs = o->then.recv_displs = NULL;
    return r;
}
