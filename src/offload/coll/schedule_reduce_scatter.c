/* Reduce-scatter, with counts or with even blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_group.h"

#include <stdlib.h>

static const struct ovl_bufref result = {OVL_RECV_BUFFER, 0};

/* Where each rank's part of the vector begins; [ranks] is the end. NULL when there is no memory. */
static size_t *parts_of(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    size_t *offset = ovl_build_list(b, s->ranks + 1);
    for (int r = 0; r < s->ranks && offset; r++)
        offset[r + 1] = offset[r] + (s->recv_counts ? (size_t)s->recv_counts[r] * s->element : s->bytes);
    return offset;
}

/* In place the result is put down last, since it may lie on what is still to be sent. */
static struct ovl_bufref sum_of(struct ovl_builder *b, size_t bytes)
{
    return b->shape->in_place ? ovl_build_temporary(b, bytes) : result;
}

enum { FOLD, HALVING, UNFOLD };

/* All but one rank of each pair that folds halve the vector; what a pair's speaker has at last is both ranks' parts. */
void ovl_build_reduce_scatter_halving(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group g = ovl_group_all(s, 0);
    struct ovl_core c = ovl_core_of(&g);
    size_t *part = parts_of(b), *offset = ovl_build_list(b, c.power + 1);
    if (!part || !offset)
        return;
    for (int i = 0; i <= c.power; i++)
        offset[i] = part[ovl_core_first(&c, i)];
    size_t own = part[s->rank + 1] - part[s->rank];
    struct ovl_bufref sum = ovl_build_temporary(b, c.position < 0 ? 0 : part[s->ranks]);
    struct ovl_bufref now = ovl_build_fold(b, &c, ovl_build_input(b), sum, part[s->ranks], ovl_tag(FOLD));
    if (c.position < 0) {
        ovl_build_recv(b, b->round, s->rank - 1, ovl_tag(UNFOLD), result, own);
        return;
    }
    ovl_build_halving(b, &c, offset, now, sum, ovl_tag(HALVING));
    if (c.power > 1)
        now = sum;
    if (s->rank < 2 * c.surplus)
        ovl_build_send(b, s->rank + 1, ovl_tag(UNFOLD), ovl_bufref_at(now, part[s->rank + 1]),
                       part[s->rank + 2] - part[s->rank + 1]);
    ovl_build_copy(b, ovl_bufref_at(now, part[s->rank]), result, own);
}

/* Every rank sends each other one its part, in rounds, so that parts are combined in one order. */
void ovl_build_reduce_scatter_pairwise(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    size_t *part = parts_of(b);
    if (!part)
        return;
    size_t own = part[s->rank + 1] - part[s->rank];
    struct ovl_bufref input = ovl_build_input(b), now = ovl_bufref_at(input, part[s->rank]), sum = sum_of(b, own);
    for (int i = 1; i < s->ranks; i++, b->round++) {
        int to = (s->rank + i) % s->ranks, from = (s->rank - i + s->ranks) % s->ranks;
        ovl_build_send(b, to, 0, ovl_bufref_at(input, part[to]), part[to + 1] - part[to]);
        ovl_build_reduce(b, b->round, from, 0, now, sum, own);
        now = sum;
    }
    ovl_build_copy(b, now, result, own);
}

void ovl_build_reduce_scatter_ring(struct ovl_builder *b)
{
    const struct ovl_coll_shape *s = b->shape;
    struct ovl_schedule_group g = ovl_group_ring(s);
    size_t *part = parts_of(b);
    struct ovl_part *parts = calloc((size_t)s->ranks, sizeof *parts);
    if (part && parts) {
        for (int i = 0; i < s->ranks; i++) {
            int r = ovl_group_rank(&g, i);
            parts[i] = (struct ovl_part){part[r], part[r + 1] - part[r]};
        }
        struct ovl_bufref input = ovl_build_input(b), sum = sum_of(b, parts[g.position].bytes);
        ovl_build_ring_reduce(b, &g, parts, input, sum, 0);
        if (s->ranks == 1)
            sum = input;
        ovl_build_copy(b, sum, result, parts[g.position].bytes);
    } else
        b->failed = true;
    free(parts);
}
