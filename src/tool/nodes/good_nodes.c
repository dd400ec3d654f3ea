/* The nodes of which the largest set can be used. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/good_set.h"
#include "tool/nodes/nodes.h"

#include <stdlib.h>
#include <string.h>

static bool is_known(const struct ovl_place *p)
{
    return p->state < OVL_PLACE_UNSURE || p->state >= OVL_PLACE_SLOW;
}

/* Nodes that are bad by themselves, of which nothing is known by itself, or by any of their pairs. */
static bool *find_left_out(const struct ovl_nodes *n)
{
    bool *out = ovl_alloc(n->count + 1, sizeof *out), *known = ovl_alloc(n->count + 1, sizeof *known);
    for (size_t i = 0; i < n->places; i++) {
        const struct ovl_place *p = &n->place[i];
        for (size_t k = 0; k < p->nodes; k++) {
            known[p->node[k]] |= is_known(p);
            out[p->node[k]] |= p->nodes == 1 && p->state >= OVL_PLACE_UNSURE;
        }
    }
    for (size_t i = 0; i < n->places; i++)
        for (size_t k = 0; k < n->place[i].nodes; k++)
            out[n->place[i].node[k]] |= !known[n->place[i].node[k]];
    free(known);
    return out;
}

void ovl_nodes_find_good(struct ovl_nodes *n)
{
    size_t(*bad)[2] = ovl_alloc(n->places + 1, sizeof *bad), count = 0;
    bool *out = find_left_out(n);
    for (size_t i = 0; i < n->places; i++) {
        const struct ovl_place *p = &n->place[i];
        if (p->nodes > 1 && p->state >= OVL_PLACE_SLOW && !out[p->node[0]] && !out[p->node[1]])
            memcpy(bad[count++], p->node, sizeof *bad);
    }
    n->good = ovl_alloc(n->count + 1, sizeof *n->good);
    n->largest = ovl_good_set(n->count, (const size_t(*)[2])bad, count, n->good);
    for (size_t i = 0; i < n->count; i++) {
        n->good[i] = n->good[i] && !out[i];
        n->good_count += n->good[i];
    }
    free(out);
    free(bad);
}
