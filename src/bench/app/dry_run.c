/* Sums and the busiest link of a run that is not made. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/dry_run.h"
#include "base/error.h"
#include "machine/memory.h"

#include <stdio.h>
#include <stdlib.h>

int *ovl_dry_run_nodes(int ranks, int per_node)
{
    int *node = ovl_check_alloc(malloc((size_t)ranks * sizeof *node));
    for (int r = 0; r < ranks; r++)
        node[r] = r / per_node;
    return node;
}

void ovl_dry_run_memory(double bytes, int ranks, int per_node)
{
    char rank[32], node[32];
    ovl_memory_text(bytes, rank);
    ovl_memory_text(bytes * (per_node < ranks ? per_node : ranks), node);
    printf("  memory    %s a rank, %s a node\n", rank, node);
}

void ovl_dry_run_carrier(double smallest, double largest, double least, const char *host, char text[OVL_DRY_RUN_TEXT])
{
    char below[32];
    ovl_memory_text(least, below);
    if (largest < least)
        snprintf(text, OVL_DRY_RUN_TEXT, "%s", host);
    else if (smallest < least)
        snprintf(text, OVL_DRY_RUN_TEXT, "workers, what is below %s by %s", below, host);
    else
        snprintf(text, OVL_DRY_RUN_TEXT, "workers");
}

void ovl_dry_run_link(const struct ovl_busiest *b, bool least, const char *of, char text[OVL_DRY_RUN_TEXT])
{
    char bytes[32], which[96] = "";
    ovl_memory_text(b->in, bytes);
    if (b->looked_at < b->nodes)
        snprintf(which, sizeof which, ": of node %d, the most of the first %d of %d", b->node, b->looked_at, b->nodes);
    else if (b->nodes > 1)
        snprintf(which, sizeof which, ": of node %d, the most of all %d", b->node, b->nodes);
    snprintf(text, OVL_DRY_RUN_TEXT, "%s%s come in over the link of a node in a %s%s", bytes, least ? " or more" : "",
             of, which);
}
