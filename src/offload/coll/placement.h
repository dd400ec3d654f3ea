/* Which ranks of a team share a node: found once for a team, so that a schedule need not search. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_PLACEMENT_H
#define OVL_OFFLOAD_COLL_PLACEMENT_H

struct ovl_placement {
    int ranks, nodes;
    int *node;    /* of each rank, from 0 in the order in which nodes appear */
    int *by_node; /* the ranks, node after node, in order within each */
    int *begin;   /* of each node in by_node; begin[nodes] is `ranks` */
    int *place;   /* of each rank in by_node */
};

/* `node` has any number for each rank, the same where ranks share a node. In O(ranks x log ranks). -1 when there is no
   memory. The caller frees it by ovl_placement_free. */
int ovl_placement_make(struct ovl_placement *p, const int *node, int ranks);
void ovl_placement_free(struct ovl_placement *p);

#endif
