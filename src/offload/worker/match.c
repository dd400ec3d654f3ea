/* The tables in which the two halves of a message find each other. What comes before its other half is kept: a control
 * message for each message of an operation, whatever else is under way (R4). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "offload/worker/state.h"

#include <stdlib.h>

static struct ovl_match_entry **bucket_of(const struct ovl_match_table *t, const struct ovl_key *k)
{
    uint64_t h = ovl_rng_mix(k->team ^ ovl_rng_mix(k->sequence << 32 ^ k->tag));
    h = ovl_rng_mix(h ^ ((uint64_t)(uint32_t)k->source << 32 | (uint32_t)k->destination));
    return t->bucket ? &t->bucket[h & (t->buckets - 1)]
                     : (struct ovl_match_entry **)&t->small[h & (OVL_MATCH_BUCKETS - 1)];
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

static void link_entry(struct ovl_match_table *t, struct ovl_match_entry *e)
{
    struct ovl_match_entry **at = bucket_of(t, &e->key);
    e->next = *at;
    *at = e;
}

/* Twice as many buckets, or as many as before where there is no memory. */
static void grow(struct ovl_match_table *t)
{
    size_t buckets = t->bucket ? t->buckets : OVL_MATCH_BUCKETS;
    struct ovl_match_entry **old = t->bucket ? t->bucket : t->small, **more = calloc(2 * buckets, sizeof *more);
    if (!more)
        return;
    t->bucket = more;
    t->buckets = 2 * buckets;
    for (size_t b = 0; b < buckets; b++)
        for (struct ovl_match_entry *e = old[b], *next; e; e = next) {
            next = e->next;
            link_entry(t, e);
        }
    if (old != t->small)
        free(old);
}

static struct ovl_match_entry **find(const struct ovl_match_table *t, const struct ovl_key *key)
{
    struct ovl_match_entry **at = bucket_of(t, key);
    while (*at && !same(&(*at)->key, key))
        at = &(*at)->next;
    return at;
}

struct ovl_match_entry *ovl_match_find(const struct ovl_match_table *t, const struct ovl_key *key)
{
    return *find(t, key);
}

struct ovl_match_entry *ovl_match_remove(struct ovl_match_table *t, const struct ovl_key *key)
{
    struct ovl_match_entry **at = find(t, key), *found = *at;
    if (!found)
        return NULL;
    *at = found->next;
    t->entries--;
    t->early -= !found->req;
    t->unanswered -= unanswered(found);
    return found;
}

void ovl_match_insert(struct ovl_match_table *t, struct ovl_match_entry *e)
{
    if (t->entries >= (t->bucket ? t->buckets : OVL_MATCH_BUCKETS))
        grow(t);
    link_entry(t, e);
    t->entries++;
    t->early += !e->req;
    t->most_early = t->early > t->most_early ? t->early : t->most_early;
    t->unanswered += unanswered(e);
}

void ovl_match_free(struct ovl_match_table *t)
{
    for (size_t b = 0; b < (t->bucket ? t->buckets : OVL_MATCH_BUCKETS); b++)
        for (struct ovl_match_entry *e = t->bucket ? t->bucket[b] : t->small[b], *next; e; e = next) {
            next = e->next;
            if (!e->req)
                free(e);
        }
    free(t->bucket);
    *t = (struct ovl_match_table){.entries = 0};
}
