/* The table of algorithms: a new one is one row here and one builder. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/algorithm.h"
#include "offload/coll/schedule_builder.h"

#include <stdio.h>
#include <string.h>

static const char bruck[] =
    "J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient Algorithms for All-to-All "
    "Communications in Multiport Message-Passing Systems, IEEE TPDS 8(11), 1997",
                  mpich[] =
                      "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in "
                      "MPICH, Int. J. High Performance Computing Applications 19(1), 2005",
                  rabenseifner[] = "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS, 2004",
                  ring[] = "P. Patarasuk, X. Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of "
                           "Workstations, J. Parallel and Distributed Computing 69(2), 2009",
                  practice[] =
                      "E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective Communication: Theory, "
                      "Practice, and Experience, Concurrency and Computation 19(13), 2007",
                  intercom[] = "M. Barnett, S. Gupta, D. Payne, L. Shuler, R. van de Geijn, J. Watts, Interprocessor "
                               "Collective Communication Library (InterCom), SHPCC, 1994",
                  hierarchy[] = "N. Karonis, B. de Supinski, I. Foster, W. Gropp, E. Lusk, J. Bresnahan, Exploiting "
                                "Hierarchy in Parallel Computer Networks to Optimize Collective Operation Performance, "
                                "IPDPS, 2000",
                  hpl[] = "A. Petitet, R. C. Whaley, J. Dongarra, A. Cleary, HPL: A Portable Implementation of the "
                          "High-Performance Linpack Benchmark for Distributed-Memory Computers, version 2.3, 2018",
                  gzccl[] =
                      "J. Huang, S. Di, X. Yu, Y. Zhai, J. Liu, Y. Huang, K. Raffenetti, H. Zhou, K. Zhao, X. Lu, "
                      "Z. Chen, F. Cappello, Y. Guo, R. Thakur, gZCCL: Compression-Accelerated Collective "
                      "Communication Framework for GPU Clusters, ICS, 2024",
                  barrier[] = "D. Hensgen, R. Finkel, U. Manber, Two Algorithms for Barrier Synchronization, Int. J. "
                              "Parallel Programming 17(1), 1988";

enum { K = 1 << 10, M = 1 << 20 };

#define ROW(operation, name, build) OVL_##operation, name, ovl_build_##build

const struct ovl_algorithm ovl_algorithms[] = {
    {ROW(IALLTOALL, "bruck", alltoall_bruck), .most_bytes = 256, .least_ranks = 8,
     .about = "log P messages of half the blocks, which are copied on the way", .source = bruck},
    {ROW(IALLTOALL, "pairwise", alltoall_pairwise), .about = "a window of peers at a time, nearest ranks first",
     .source = mpich},
    {ROW(IALLTOALL, "one_by_one", alltoall_one_by_one), .asked_for = true,
     .about = "to one rank and from one in a round", .source = mpich},
    {ROW(IALLTOALLV, "pairwise", alltoallv_pairwise), .about = "a window of peers at a time, nearest ranks first",
     .source = mpich},
    {ROW(IBCAST, "binomial", bcast_binomial), .most_bytes = 128 * K, .about = "a tree of the nodes",
     .source = practice},
    {ROW(IBCAST, "scatter_allgather", bcast_scatter_allgather), .most_bytes = 2 * M, .least_nodes = 8,
     .about = "parts scattered over the nodes by a tree, then gathered by dissemination", .source = intercom},
    {ROW(IBCAST, "scatter_ring", bcast_scatter_ring), .asked_for = true,
     .about = "parts scattered over the nodes by a tree, then gathered by a ring", .source = mpich},
    {ROW(IBCAST, "chain", bcast_chain), .about = "pieces from node to node, as in a pipeline", .source = practice},
    {ROW(IBCAST, "chain_modified", bcast_chain_modified), .asked_for = true,
     .about = "all to the next node, which passes nothing on, then a chain of the others", .source = hpl},
    {ROW(IBCAST, "two_chains", bcast_two_chains), .asked_for = true, .about = "two chains, of half the nodes each",
     .source = hpl},
    {ROW(IBCAST, "two_chains_modified", bcast_two_chains_modified), .asked_for = true,
     .about = "all to the next node, which passes nothing on, then two chains of the others", .source = hpl},
    {ROW(IALLREDUCE, "recursive_doubling", allreduce_doubling), .most_bytes = 16 * K,
     .about = "log N exchanges of the whole vector between the nodes", .source = mpich},
    {ROW(IALLREDUCE, "rabenseifner", allreduce_rabenseifner), .most_bytes = 1 * M, .least_nodes = 4,
     .about = "recursive halving, then recursive doubling, between the nodes", .source = rabenseifner},
    {ROW(IALLREDUCE, "ring", allreduce_ring), .about = "parts go round the nodes twice, added up and then as they are",
     .source = ring},
    {ROW(IREDUCE, "binomial", reduce_binomial), .most_bytes = 64 * K, .about = "a tree of the nodes",
     .source = practice},
    {ROW(IREDUCE, "rabenseifner", reduce_rabenseifner),
     .about = "recursive halving between the nodes, then a binomial gather", .source = rabenseifner},
    {ROW(IALLGATHER, "recursive_doubling", allgather_doubling), .most_bytes = 64 * K, .power_of_two = true,
     .about = "log P exchanges of all that is there", .source = mpich},
    {ROW(IALLGATHER, "bruck", allgather_bruck), .most_bytes = 64 * K,
     .about = "log P messages, for any number of ranks", .source = bruck},
    {ROW(IALLGATHER, "hierarchical", allgather_hierarchical), .most_bytes = 1 * M, .least_nodes = 2,
     .shared_nodes = true, .about = "to a leader, a ring of the leaders, and back", .source = hierarchy},
    {ROW(IALLGATHER, "ring", allgather_ring), .about = "blocks go round the ranks, node after node",
     .source = practice},
    {ROW(IALLGATHERV, "bruck", allgather_bruck), .most_bytes = 64 * K,
     .about = "log P messages, for any number of ranks", .source = bruck},
    {ROW(IALLGATHERV, "hierarchical", allgather_hierarchical), .most_bytes = 1 * M, .least_nodes = 2,
     .shared_nodes = true, .about = "to a leader, a ring of the leaders, and back", .source = hierarchy},
    {ROW(IALLGATHERV, "ring", allgather_ring), .about = "blocks go round the ranks, node after node",
     .source = practice},
    {ROW(IREDUCE_SCATTER, "recursive_halving", reduce_scatter_halving), .most_bytes = 64 * K,
     .about = "log P exchanges of half of what is left", .source = mpich},
    {ROW(IREDUCE_SCATTER, "ring", reduce_scatter_ring), .least_nodes = 2, .shared_nodes = true,
     .about = "sums go round the ranks, node after node", .source = practice},
    {ROW(IREDUCE_SCATTER, "pairwise", reduce_scatter_pairwise), .about = "each part straight to its rank",
     .source = mpich},
    {ROW(IREDUCE_SCATTER_BLOCK, "recursive_halving", reduce_scatter_halving), .most_bytes = 64 * K,
     .about = "log P exchanges of half of what is left", .source = mpich},
    {ROW(IREDUCE_SCATTER_BLOCK, "ring", reduce_scatter_ring), .least_nodes = 2, .shared_nodes = true,
     .about = "sums go round the ranks, node after node", .source = practice},
    {ROW(IREDUCE_SCATTER_BLOCK, "pairwise", reduce_scatter_pairwise), .about = "each part straight to its rank",
     .source = mpich},
    {ROW(IGATHER, "binomial", gather_binomial), .most_bytes = 16 * K, .about = "a tree of the ranks",
     .source = practice},
    {ROW(IGATHER, "linear", gather_linear), .about = "each rank to the root, which takes a window of them at a time",
     .source = practice},
    {ROW(IGATHERV, "linear", gather_linear), .about = "each rank to the root, which takes a window of them at a time",
     .source = practice},
    {ROW(ISCATTER, "binomial", scatter_binomial), .most_bytes = 16 * K, .about = "a tree of the ranks",
     .source = practice},
    {ROW(ISCATTER, "linear", scatter_linear), .about = "the root to each rank, to a window of them at a time",
     .source = practice},
    {ROW(ISCATTERV, "linear", scatter_linear), .about = "the root to each rank, to a window of them at a time",
     .source = practice},
    {ROW(IBARRIER, "dissemination", barrier), .about = "log P signals from each rank", .source = barrier},
    {ROW(ISENDRECV, "direct", pair), .about = "one message out and one in", .source = practice},
    {ROW(IALLREDUCE_SZX, "pairwise", allreduce_szx),
     .about = "packed parts straight to their ranks, added up there, packed again, and to all", .source = gzccl},
    {.name = NULL},
};

bool ovl_algorithm_works(const struct ovl_algorithm *a, int ranks)
{
    return !a->power_of_two || (ranks & (ranks - 1)) == 0;
}

size_t ovl_algorithm_measure(const struct ovl_coll_shape *s)
{
    size_t sum = 0;
    if (!ovl_operations[s->operation].measured)
        return 0;
    switch (s->operation) {
    case OVL_IALLGATHER:
    case OVL_IREDUCE_SCATTER_BLOCK:
        return s->bytes * (size_t)s->ranks;
    case OVL_IALLGATHERV:
    case OVL_IREDUCE_SCATTER:
        for (int r = 0; r < s->ranks; r++)
            sum += (size_t)s->recv_counts[r] * s->element;
        return sum;
    default:
        return s->bytes;
    }
}

static bool fits(const struct ovl_algorithm *a, const struct ovl_coll_shape *s, size_t bytes)
{
    return !a->asked_for && (!a->most_bytes || bytes <= a->most_bytes) && s->ranks >= a->least_ranks &&
           s->placement->nodes >= a->least_nodes && (!a->shared_nodes || s->ranks > s->placement->nodes) &&
           ovl_algorithm_works(a, s->ranks);
}

const struct ovl_algorithm *ovl_algorithm_of(const struct ovl_coll_shape *s)
{
    if (s->algorithm)
        return s->algorithm;
    const struct ovl_algorithm *a = ovl_algorithms;
    while (a->name && a->operation != s->operation)
        a++;
    size_t bytes = a->name ? ovl_algorithm_measure(s) : 0;
    while (a->name && !fits(a, s, bytes))
        a++;
    return a->name ? a : NULL;
}

const struct ovl_algorithm *ovl_algorithm_find(enum ovl_operation operation, const char *name)
{
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name; a++)
        if (a->operation == operation && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

void ovl_algorithm_names(char *text, size_t room, enum ovl_operation operation)
{
    size_t at = 0;
    *text = '\0';
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name && at < room; a++)
        if (a->operation == operation)
            at += (size_t)snprintf(text + at, room - at, "%s%s", at ? ", " : "", a->name);
}

void ovl_algorithm_chosen(char *text, size_t room, const struct ovl_algorithm *a)
{
    size_t at = 0;
    snprintf(text, room, a->asked_for ? "where it is asked for" : "otherwise");
    if (a->most_bytes)
        at += (size_t)snprintf(text + at, room - at, ", up to %zu %s %s",
                               a->most_bytes < K ? a->most_bytes : a->most_bytes / K,
                               a->most_bytes < K ? "bytes" : "KiB", ovl_operations[a->operation].measured);
    if (a->power_of_two)
        at += (size_t)snprintf(text + at, room - at, ", for 2^n ranks");
    if (a->least_ranks)
        at += (size_t)snprintf(text + at, room - at, ", from %d ranks on", a->least_ranks);
    if (a->least_nodes)
        at += (size_t)snprintf(text + at, room - at, ", from %d %snodes on", a->least_nodes,
                               a->shared_nodes ? "shared " : "");
    if (at > 0)
        memmove(text, text + 2, at - 1); /* the first comma */
}
