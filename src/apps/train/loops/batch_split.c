/* A helper's share of a batch (O-N): what it computes, and its gradients, which its rank adds to its own before they
   are reduced. They are those of a rank of its own: number ranks + r beside rank r. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/values/data.h"
#include "base/clock.h"

#include <math.h>

/* The update of the parameters is nobody's but the rank's. */
static bool shared(const struct ovl_train *t, const struct ovl_event *e)
{
    return t->split.on && e->kind == OVL_EVENT_COMPUTE && e->work != OVL_EVENT_UPDATE;
}

uint64_t ovl_train_rank_units(const struct ovl_train *t, const struct ovl_event *e, uint64_t units)
{
    return shared(t, e) ? (uint64_t)llround((double)units * t->split.rank_part) : units;
}

int ovl_train_batch_split_open(struct ovl_train *t, struct ovl_error *err)
{
    const struct ovl_events *e = &t->plan.own.events;
    struct ovl_helper_pool *c = t->pool;
    size_t pieces = 0, numbers = 0;
    for (int id = 0; id < t->message_count; id++)
        numbers += t->messages[id].send_bytes / t->messages[id].element;
    for (size_t i = 0; i < e->count; i++)
        pieces += shared(t, &e->list[i]);
    if (pieces > c->sizes.pieces || numbers > c->sizes.numbers || (size_t)t->message_count > c->sizes.entries)
        return ovl_error_set(err, OVL_USAGE,
                             "--offload o-n: a helper has room for %zu gradients of %zu operations, and the step has "
                             "%zu of %d; give a larger --bucket",
                             c->sizes.numbers, c->sizes.entries, numbers, t->message_count);
    numbers = pieces = 0;
    for (int id = 0; id < t->message_count; id++) {
        const struct ovl_exchange *x = &t->messages[id];
        c->entries[id].at = numbers;
        c->entries[id].numbers = x->send_bytes / x->element;
        c->entries[id].rank = x->ranks + x->rank;
        c->entries[id].ranks = 2 * x->ranks;
        numbers += c->entries[id].numbers;
    }
    for (size_t i = 0; i < e->count; i++)
        if (shared(t, &e->list[i]))
            c->pieces[pieces++] =
                (struct ovl_helper_pool_piece){.units = t->units[i] - ovl_train_rank_units(t, &e->list[i], t->units[i]),
                                               .makes = (uint32_t)e->list[i].makes,
                                               .count = (uint32_t)e->list[i].makes_count};
    c->shared->pieces = (uint32_t)pieces;
    c->shared->from = t->split.from;
    return 0;
}

void ovl_train_batch_split_begin(struct ovl_train *t, const struct ovl_batch *batch, uint64_t units)
{
    for (int id = 0; id < t->message_count; id++)
        t->pool->entries[id].key = ovl_train_next_key(t, id);
    ovl_helper_pool_start_step(t->pool, ++t->split.step, batch, units);
}

void ovl_train_message_make(struct ovl_train *t, int id)
{
    ovl_train_message_fill(t, id);
    if (!t->split.on)
        return;
    int64_t begin = ovl_clock_ns();
    const float *theirs = ovl_helper_pool_wait_gradients(t->pool, t->split.step, (size_t)id);
    t->split.stall += ovl_clock_since(begin);
    float *ours = t->messages[id].send;
    for (size_t i = 0; i < t->pool->entries[id].numbers; i++)
        ours[i] += theirs[i];
}
