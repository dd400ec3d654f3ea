/* A rank gets its whole message, but for the blocks of peers on its node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/traffic.h"

enum { NUMBER = 2 * sizeof(double) };

/* Of one variable, forwards and backwards, to a rank whose node has the ranks from `first` to the one before `end`. */
static double numbers_in(const struct ovl_pencil *p, enum ovl_transpose t, int rank, int first, int end)
{
    size_t slab = ovl_pencil_slab(p, t, 1, 0).count;
    int members = p->space.members[t], by_peers = members < end - first;
    double in = 0;
    for (int back = 0; back < 2; back++)
        in += (double)ovl_pencil_message(p, t, back, slab);
    for (int i = 0; i < (by_peers ? members : end - first); i++) { /* whichever are fewer */
        int peer = i, other = by_peers ? ovl_space_member(&p->space, rank, (int)t, i) : first + i;
        if (!by_peers) {
            int place[OVL_SPACE_LINES];
            ovl_space_place(&p->space, other, place);
            peer = place[t];
            other = place[!t] == p->place[!t] ? other : -1; /* of another line */
        }
        for (int back = 0; back < 2 && other >= first && other < end; back++)
            in -= (double)ovl_pencil_block(p, t, back, slab, peer).count;
    }
    return in;
}

struct all {
    const struct ovl_pencil *pencil;
    int variables;
};

static double in_of(const void *of, int first, int end)
{
    const struct all *all = of;
    double in = 0;
    for (int r = first; r < end; r++) {
        struct ovl_pencil p;
        struct ovl_error impossible;
        ovl_pencil_make(&p, &all->pencil->grid, all->pencil->real, &all->pencil->space, r, &impossible);
        in += numbers_in(&p, OVL_ROW, r, first, end) + numbers_in(&p, OVL_COLUMN, r, first, end);
    }
    return NUMBER * all->variables * in;
}

struct ovl_busiest ovl_pencil_busiest(const struct ovl_pencil *pencil, int variables, int per_node)
{
    const double patience = 1e8; /* peers */
    const struct all all = {pencil, variables};
    const int *members = pencil->space.members;
    int ranks = members[0] * members[1], here = per_node < ranks ? per_node : ranks;
    double each = 0;
    for (int t = 0; t < OVL_TRANSPOSES; t++)
        each += (double)here * (members[t] < here ? members[t] : here);
    return ovl_busiest_of(ranks, per_node, patience / each, in_of, &all);
}
