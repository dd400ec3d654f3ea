/* The tables in which the two halves of a transfer find each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "offload/worker/worker_state.h"

#include <string.h>

static struct ovl_match_entry **bucket_of(struct ovl_match_table *t, const struct ovl_key *k)
{
    uint64_t h = ovl_rng_mix(k->team ^ ovl_rng_mix(k->sequence << 32 ^ k->tag));
    h = ovl_rng_mix(h ^ ((uint64_t)(uint32_t)k->source << 32 | (uint32_t)k->destination));
    return &t->bucket[h % OVL_MATCH_BUCKETS];
}

static bool same(const struct ovl_key *a, const struct ovl_key *b)
{
    return a->team == b->team && a->sequence == b->sequence && a->source == b->source &&
           a->destination == b->destination && a->tag == b->tag;
}

static bool unanswered(const struct ovl_match_entry *e)
{
    return e->req && e->req->cts_bytes == 0;
}

struct ovl_match_entry *ovl_match_take(struct ovl_match_table *t, const struct ovl_key *key)
{
    for (struct ovl_match_entry **at = bucket_of(t, key); *at; at = &(*at)->next)
        if (same(&(*at)->key, key)) {
            struct ovl_match_entry *found = *at;
            *at = found->next;
            t->unanswered -= unanswered(found);
            return found;
        }
    return NULL;
}

void ovl_match_put(struct ovl_match_table *t, struct ovl_match_entry *e)
{
    struct ovl_match_entry **at = bucket_of(t, &e->key);
    e->next = *at;
    *at = e;
    t->unanswered += unanswered(e);
}
