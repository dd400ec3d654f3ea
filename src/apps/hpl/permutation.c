/* Interchanges are played on row numbers; what has moved in the end is the permutation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/permutation.h"
#include "apps/hpl/map.h"

#include <stdlib.h>
#include <string.h>

int ovl_hpl_permutation_make(struct ovl_hpl_permutation *s, int most, int procs)
{
    size_t rows = (size_t)most * sizeof(int), places = ((size_t)procs + 1) * sizeof(int);
    *s = (struct ovl_hpl_permutation){
        .top = malloc(rows),
        .source = malloc(rows),
        .top_from = malloc(places),
        .into = malloc(rows),
        .from = malloc(rows),
        .moves_from = malloc(places),
        .by_row = malloc(3 * rows),
    };
    return s->top && s->source && s->top_from && s->into && s->from && s->moves_from && s->by_row ? 0 : -1;
}

void ovl_hpl_permutation_free(struct ovl_hpl_permutation *s)
{
    int *const all[] = {s->top, s->source, s->top_from, s->into, s->from, s->moves_from, s->by_row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    memset(s, 0, sizeof *s);
}

/* Fills source[i], the global row that ends in place i of the top, and the moves with global rows. Returns their
   number. A row below the top only ever receives what is a top row in the beginning: interchange i is the first to
   bring anything but a top row to place i, and later ones leave place i alone. */
static int play(int first, int count, const int *pivots, int *source, int *into, int *from)
{
    int moves = 0;
    for (int i = 0; i < count; i++)
        source[i] = first + i;
    for (int i = 0; i < count; i++) {
        int held = source[i], *other;
        if (pivots[i] < first + count)
            other = &source[pivots[i] - first];
        else {
            int m = 0;
            while (m < moves && into[m] != pivots[i])
                m++;
            if (m == moves) {
                into[m] = from[m] = pivots[i];
                moves++;
            }
            other = &from[m];
        }
        source[i] = *other;
        *other = held;
    }
    return moves;
}

void ovl_hpl_permutation_set(struct ovl_hpl_permutation *s, int first, int count, const int *pivots, int nb, int procs)
{
    int *source = s->by_row, *into = source + count, *from = into + count, top = 0, move = 0;
    s->count = count;
    s->moves = play(first, count, pivots, source, into, from);
    for (int p = 0; p < procs; p++) {
        s->top_from[p] = top;
        for (int i = 0; i < count; i++)
            if (ovl_hpl_owner(source[i], nb, procs) == p) {
                s->top[top] = i;
                s->source[top++] = ovl_hpl_local(source[i], nb, procs);
            }
        s->moves_from[p] = move;
        for (int m = 0; m < s->moves; m++)
            if (ovl_hpl_owner(into[m], nb, procs) == p) {
                s->into[move] = ovl_hpl_local(into[m], nb, procs);
                s->from[move++] = ovl_hpl_local(from[m], nb, procs);
            }
    }
    s->top_from[procs] = top;
    s->moves_from[procs] = move;
}

int ovl_hpl_permutation_moves(const struct ovl_hpl_permutation *s, int procs, int root, int after)
{
    int behind = s->moves_from[root + 1], at = root + after;
    return at <= procs ? s->moves_from[at] - behind : s->moves_from[procs] - behind + s->moves_from[at - procs];
}
