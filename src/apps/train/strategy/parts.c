/* Units of a model are mostly alike, and are gathered twice: their lists are kept once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/parts.h"

#include <stdlib.h>

enum { NEAR = 64 }; /* operations before one among which its lists are looked for */

static const struct ovl_event *post_of(const struct ovl_train_plan *p, int id)
{
    return &p->own.events.list[p->own.events.posted_at[id]];
}

bool ovl_train_is_uneven_gather(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    return post->operation == OVL_IALLGATHER && ovl_train_numbers(p, post) % (size_t)post->team.ranks != 0;
}

int ovl_train_takes_lists(const struct ovl_train_plan *p, const struct ovl_event *post)
{
    bool received = post->operation == OVL_IREDUCE_SCATTER || ovl_train_is_uneven_gather(p, post);
    return post->route ? 4 : received ? 2 : 0;
}

/* The first one near that has the same lists, which are those of its numbers and ranks. */
static int same_lists(const struct ovl_train_plan *p, int id)
{
    const struct ovl_event *post = post_of(p, id);
    if (post->route)
        return id;
    for (int other = id > NEAR ? id - NEAR : 0; other < id; other++)
        if (post_of(p, other)->team.ranks == post->team.ranks && ovl_train_takes_lists(p, post_of(p, other)) == 2 &&
            ovl_train_numbers(p, post_of(p, other)) == ovl_train_numbers(p, post))
            return other;
    return id;
}

size_t ovl_train_place_lists(const struct ovl_train_plan *p, size_t *begin)
{
    size_t values = 0;
    for (int id = 0; id < p->own.events.ids; id++) {
        int lists = ovl_train_takes_lists(p, post_of(p, id));
        if (lists == 0)
            continue;
        int same = same_lists(p, id);
        begin[id] = same < id ? begin[same] : values;
        values += same < id ? 0 : (size_t)lists * (size_t)post_of(p, id)->team.ranks;
    }
    return values;
}

double ovl_train_lists_bytes(const struct ovl_train_plan *p)
{
    size_t *begin = ovl_check_alloc(calloc((size_t)p->own.events.ids + 1, sizeof *begin));
    double values = (double)ovl_train_place_lists(p, begin);
    free(begin);
    return values * sizeof(int);
}
