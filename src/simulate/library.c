/* Which library chooses what, as data. Numbers are the defaults of variables by which users may change them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/library.h"

#include <string.h>

enum { K = 1 << 10 };

static const struct ovl_library_rule mpich[] = {
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

static const struct ovl_library_rule openmpi[] = {
    {OVL_IALLTOALL, .name = "pairwise", .in_its = "linear"},
    {OVL_IALLTOALLV, .name = "pairwise", .in_its = "linear"},
    {OVL_IBCAST, .below_number = 5, .name = "linear", .in_its = "linear", .by = OVL_ISCATTER},
    {OVL_IBCAST, .name = "binomial", .in_its = "binomial"},
    {OVL_IALLREDUCE, .below_number = 4, .name = "binomial", .in_its = "binomial", .by = OVL_IREDUCE,
     .then = OVL_IBCAST},
    {OVL_IALLREDUCE, .below = 64 * K, .name = "binomial", .in_its = "binomial", .by = OVL_IREDUCE, .then = OVL_IBCAST},
    {OVL_IALLREDUCE, .plenty = true, .name = "rabenseifner", .in_its = "redscat_allgather"},
    {OVL_IALLREDUCE, .name = "ring", .in_its = "ring"},
    {OVL_IREDUCE, .least = 3, .plenty = true, .name = "rabenseifner", .in_its = "redscat_gather"},
    {OVL_IREDUCE, .below = 64 * K, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .least = 5, .name = "binomial", .in_its = "binomial"},
    {OVL_IREDUCE, .name = "binomial", .in_its = "chain"}, /* of two ranks; its pieces of 8 KiB go as one message */
    {OVL_IALLGATHER, .name = "pairwise", .in_its = "linear", .by = OVL_IALLTOALL},
    {OVL_IALLGATHERV, .name = "pairwise", .in_its = "linear", .by = OVL_IALLTOALLV},
    {OVL_IREDUCE_SCATTER, .name = "binomial", .in_its = "binomial, linear", .by = OVL_IREDUCE, .then = OVL_ISCATTER,
     .then_name = "linear"},
    {OVL_IREDUCE_SCATTER_BLOCK, .name = "binomial", .in_its = "binomial, linear", .by = OVL_IREDUCE,
     .then = OVL_ISCATTER, .then_name = "linear"},
    {OVL_IGATHER, .name = "linear", .in_its = "linear"},
    {OVL_IGATHERV, .name = "linear", .in_its = "linear"},
    {OVL_ISCATTER, .name = "linear", .in_its = "linear"},
    {OVL_ISCATTERV, .name = "linear", .in_its = "linear"},
    {OVL_IBARRIER, .name = "dissemination", .in_its = "dissemination"},
    {.name = NULL},
};

const struct ovl_mpi_library ovl_libraries[] = {
    {"mpich", "MPICH", mpich, false},
    {"openmpi", "Open MPI", openmpi, true},
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
static int between(const struct ovl_mpi_library *l, const struct ovl_coll_shape *s, int per_node)
{
    bool leads = s->operation == OVL_IBCAST || s->operation == OVL_IALLREDUCE || s->operation == OVL_IREDUCE;
    return leads && !l->flat ? (s->ranks + per_node - 1) / per_node : s->ranks;
}

static size_t power_within(int n)
{
    size_t power = 1;
    while (2 * power <= (size_t)n)
        power *= 2;
    return power;
}

const struct ovl_library_rule *ovl_library_rule_of(const struct ovl_mpi_library *l, const struct ovl_coll_shape *s,
                                                   int per_node)
{
    int n = between(l, s, per_node);
    size_t bytes = ovl_algorithm_measure(s);
    for (const struct ovl_library_rule *r = l->rules; r->name; r++)
        if (r->operation == s->operation && (!r->below || bytes < r->below) && n >= r->least &&
            (!r->below_number || n < r->below_number) && (!r->power_of_two || (n & (n - 1)) == 0) &&
            (!r->scarce || bytes / s->element < power_within(n)) &&
            (!r->plenty || bytes / s->element >= power_within(n)))
            return r;
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
    const struct ovl_library_rule *r = ovl_library_rule_of(l, &asked, per_node);
    o->flat = l->flat;
    if (!r)
        return NULL;
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
