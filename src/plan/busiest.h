/* Which node's link has most to bring in, of ranks that fill one node after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_BUSIEST_H
#define OVL_PLAN_BUSIEST_H

struct ovl_busiest {
    int node;  /* the first of those with most */
    double in; /* its bytes */
    int looked_at, nodes;
};

/* Ranks 0 to ranks - 1, `per_node` of them on a node. `in`: what comes in over the link of a node that has the ranks
   from `first` to the one before `end`. No more than `most` nodes are looked at, one at least. */
struct ovl_busiest ovl_busiest_of(int ranks, int per_node, double most,
                                  double (*in)(const void *of, int first, int end), const void *of);

/* Of the ranks first, first + stride, ...: on how many nodes they are, and how many of them are on the node of `rank`.
 */
int ovl_nodes_of_team(int first, int ranks, int stride, int per_node, int rank, int *here);

#endif
