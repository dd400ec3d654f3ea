/* Ranks are sorted by node once; all lists follow in one pass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/placement.h"

#include <stdlib.h>

struct member {
    int node, rank;
};

static int by_node_and_rank(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Gives each node the number of the first rank there, in place of its own number; then nodes in the order in which
   they appear are numbered from 0. */
static void number_nodes(struct ovl_placement *p, struct member *sorted)
{
    qsort(sorted, (size_t)p->ranks, sizeof *sorted, by_node_and_rank);
    for (int i = 0, first = 0; i < p->ranks; i++) {
        if (i == 0 || sorted[i].node != sorted[i - 1].node)
            first = sorted[i].rank;
        p->place[sorted[i].rank] = first;
    }
    for (int r = 0; r < p->ranks; r++)
        p->node[r] = p->place[r] == r ? p->nodes++ : p->node[p->place[r]];
}

int ovl_placement_make(struct ovl_placement *p, const int *node, int ranks)
{
    size_t n = (size_t)ranks;
    int *all = malloc((4 * n + 1) * sizeof *all);
    struct member *sorted = malloc((n + 1) * sizeof *sorted);
    *p = (struct ovl_placement){.ranks = ranks, .node = all};
    if (!all || !sorted) {
        free(sorted);
        ovl_placement_free(p);
        return -1;
    }
    p->by_node = all + n;
    p->place = all + 2 * n;
    p->begin = all + 3 * n;
    for (int r = 0; r < ranks; r++)
        sorted[r] = (struct member){node[r], r};
    number_nodes(p, sorted);
    free(sorted);

    for (int i = 0; i <= p->nodes; i++)
        p->begin[i] = 0;
    for (int r = 0; r < ranks; r++)
        p->place[r] = p->begin[p->node[r] + 1]++; /* among the ranks of its node */
    for (int i = 0; i < p->nodes; i++)
        p->begin[i + 1] += p->begin[i];
    for (int r = 0; r < ranks; r++) {
        p->place[r] += p->begin[p->node[r]];
        p->by_node[p->place[r]] = r;
    }
    return 0;
}

void ovl_placement_free(struct ovl_placement *p)
{
    free(p->node);
    *p = (struct ovl_placement){.ranks = 0};
}
