/* The data of a training step's operations, which any rank can check: by the clock some numbers, behind it all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/values/data.h"
#include "apps/train/values/whole.h"
#include "base/rng.h"

#include <string.h>

static const struct ovl_event *post_of(const struct ovl_train_plan *p, int id)
{
    return &p->own.events.list[p->own.events.posted_at[id]];
}

/* The same at all members of the team. */
static uint64_t key_in(const struct ovl_train *t, uint64_t sample, int id)
{
    const struct ovl_event *post = post_of(&t->plan, id);
    uint64_t operation =
        ((uint64_t)post->team.axis << 24 | (uint64_t)post->team.first) << 32 | (uint64_t)post->sequence;
    return ovl_rng_mix(sample ^ ovl_rng_mix(operation));
}

static uint64_t key_of(const struct ovl_train *t, int id)
{
    return key_in(t, t->given && t->given[id] ? t->given_key : t->key, id);
}

/* That of the operation which brought them there. */
static uint64_t tokens_key(const struct ovl_train *t, int id)
{
    const struct ovl_event *post = post_of(&t->plan, id);
    return key_of(t, post->returns ? post->answers : id);
}

uint64_t ovl_train_next_key(const struct ovl_train *t, int id)
{
    return key_in(t, ovl_train_sample_key(t, t->plays + 1), id);
}

/* Whose numbers a sum has: helpers', too. */
static int summed(const struct ovl_train *t, const struct ovl_exchange *x)
{
    return t->split.on ? 2 * x->ranks : x->ranks;
}

void ovl_train_message_fill(struct ovl_train *t, int id)
{
    struct ovl_exchange *x = &t->messages[id];
    const struct ovl_number *row = ovl_train_number_type(&t->plan, post_of(&t->plan, id));
    size_t n = x->send_bytes / x->element;
    uint64_t key = key_of(t, id);
    if (post_of(&t->plan, id)->route)
        ovl_train_tokens_fill(t, id, tokens_key(t, id));
    else if (!x->pattern.numbers && row->bytes < sizeof(uint32_t))
        ovl_train_pattern_fill(x->send, n, row->bytes, key, x->rank);
    else if (!x->pattern.numbers)
        ovl_train_data_words(x->send, n, key, x->rank);
    else if (ovl_lossy_on(&t->lossy_allreduces.lossy))
        ovl_gradients_fill(&t->gradients, x->send, n, 0, key, x->rank);
    else
        ovl_train_whole_fill(row, x->send, n, key, x->rank, summed(t, x));
}

void ovl_train_messages_give(struct ovl_train *t)
{
    t->given_key = ovl_rng_mix(ovl_train_sample_key(t, ~++t->fills));
    for (int id = 0; id < t->message_count; id++)
        if (t->given[id])
            ovl_train_message_fill(t, id);
}

/* A part of what an operation brought. */
static bool right(const struct ovl_exchange *x, const struct ovl_number *row, const struct ovl_segment *s, uint64_t key,
                  int ranks)
{
    const char *got = (const char *)x->recv + s->offset;
    size_t n = s->bytes / x->element, first = s->source_offset / x->element;
    if (!x->pattern.numbers && row->bytes < sizeof(uint32_t))
        return ovl_train_pattern_moved(got, n, row->bytes, first, key, s->source);
    if (!x->pattern.numbers)
        return ovl_train_data_moved((const uint32_t *)got, n, first, key, s->source);
    return ovl_train_whole_sums(row, got, n, first, key, ranks);
}

/* One number or word at a place that is drawn, of a part that is. */
static bool right_somewhere(const struct ovl_train *t, int id, uint64_t drawn)
{
    const struct ovl_exchange *x = &t->messages[id];
    if (post_of(&t->plan, id)->route)
        return ovl_train_tokens_right(t, id, tokens_key(t, id), drawn);
    int parts = ovl_train_segments(x);
    if (parts == 0)
        return true;
    struct ovl_segment s = ovl_train_segment(x, (int)(drawn % (unsigned)parts));
    size_t n = s.bytes / x->element, at = n ? ovl_rng_mix(drawn) % n * x->element : 0;
    if (n == 0)
        return true;
    s.offset += at;
    s.source_offset += at;
    s.bytes = x->element;
    return right(x, ovl_train_number_type(&t->plan, post_of(&t->plan, id)), &s, key_of(t, id), summed(t, x));
}

/* Compressed sums are used within the sample, and the network of --tiny is computed from what came. */
void ovl_train_message_look(struct ovl_train *t, int id)
{
    enum { DRAWN = 4 };
    if (t->looked[id] == t->key || t->tiny || ovl_lossy_on(&t->lossy_allreduces.lossy))
        return;
    t->looked[id] = t->key;
    for (uint64_t i = 0; i < DRAWN; i++)
        t->bad[id] |= !right_somewhere(t, id, ovl_rng_mix(key_of(t, id) + i));
}

/* Are compressed sums within their bounds? */
static bool near_enough(struct ovl_train *t, int id)
{
    const struct ovl_exchange *x = &t->messages[id];
    return ovl_gradients_misses(&t->gradients, &t->lossy_allreduces.lossy, x->recv, (size_t)x->count, key_of(t, id),
                                x->rank, x->ranks, &t->largest_error) == 0;
}

int ovl_train_messages_wrong(struct ovl_train *t)
{
    int wrong = 0;
    for (int id = 0; id < t->message_count; id++) {
        const struct ovl_exchange *x = &t->messages[id];
        const struct ovl_number *row = ovl_train_number_type(&t->plan, post_of(&t->plan, id));
        bool lossy = ovl_lossy_on(&t->lossy_allreduces.lossy), all = !lossy || near_enough(t, id);
        if (post_of(&t->plan, id)->route) {
            wrong += ovl_train_tokens_wrong(t, id, tokens_key(t, id)) || t->bad[id];
            continue;
        }
        for (int k = 0; k < ovl_train_segments(x) && all && !lossy; k++) {
            struct ovl_segment segment = ovl_train_segment(x, k);
            all = right(x, row, &segment, key_of(t, id), summed(t, x));
        }
        wrong += !all || t->bad[id];
    }
    memset(t->bad, 0, (size_t)t->message_count * sizeof *t->bad);
    ovl_lossy_allreduces_measure(&t->lossy_allreduces);
    return wrong;
}

int ovl_train_epoch_wrong(struct ovl_train *t)
{
    int wrong = t->tiny ? 0 : ovl_train_messages_wrong(t);
    for (int id = 0; id < t->message_count && !t->tiny; id++)
        memset(t->messages[id].recv, 0xff, t->messages[id].recv_bytes);
    return wrong;
}
