/* A table by remainders, and a list by last use, on the same blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/batch/prefix.h"

#include <stdlib.h>

enum { FEWEST = 64 };

void ovl_prefix_open(struct ovl_prefix *p, int limit)
{
    *p = (struct ovl_prefix){.limit = limit, .oldest = -1, .newest = -1, .heads_count = FEWEST};
    p->heads = ovl_alloc(FEWEST, sizeof *p->heads);
    for (int i = 0; i < FEWEST; i++)
        p->heads[i] = -1;
}

void ovl_prefix_close(struct ovl_prefix *p)
{
    free(p->blocks);
    free(p->heads);
    *p = (struct ovl_prefix){.limit = 0};
}

static int *head_of(const struct ovl_prefix *p, uint64_t key)
{
    return &p->heads[key % (uint64_t)p->heads_count];
}

static int place_of(const struct ovl_prefix *p, uint64_t key)
{
    int at = *head_of(p, key);
    while (at >= 0 && p->blocks[at].key != key)
        at = p->blocks[at].next;
    return at;
}

static void enter(struct ovl_prefix *p, int place)
{
    int *head = head_of(p, p->blocks[place].key);
    p->blocks[place].next = *head;
    *head = place;
}

static void leave(struct ovl_prefix *p, int place)
{
    int *at = head_of(p, p->blocks[place].key);
    while (*at != place)
        at = &p->blocks[*at].next;
    *at = p->blocks[place].next;
}

/* Twice the remainders. */
static void spread(struct ovl_prefix *p)
{
    p->heads_count *= 2;
    p->heads = ovl_grow(p->heads, (size_t)p->heads_count, sizeof *p->heads);
    for (int i = 0; i < p->heads_count; i++)
        p->heads[i] = -1;
    for (int place = 0; place < p->count; place++)
        enter(p, place);
}

static void unlink_used(struct ovl_prefix *p, int place)
{
    struct ovl_prefix_block *b = &p->blocks[place];
    *(b->older >= 0 ? &p->blocks[b->older].newer : &p->oldest) = b->newer;
    *(b->newer >= 0 ? &p->blocks[b->newer].older : &p->newest) = b->older;
}

static void link_newest(struct ovl_prefix *p, int place)
{
    struct ovl_prefix_block *b = &p->blocks[place];
    b->older = p->newest;
    b->newer = -1;
    *(p->newest >= 0 ? &p->blocks[p->newest].newer : &p->oldest) = place;
    p->newest = place;
    b->used = p->calls;
}

static void use(struct ovl_prefix *p, const int *places, int count)
{
    while (count-- > 0) {
        unlink_used(p, places[count]);
        link_newest(p, places[count]);
    }
}

static int run_of(struct ovl_prefix *p, const uint64_t *keys, int count, int *places)
{
    int n = 0;
    while (n < count && (places[n] = place_of(p, keys[n])) >= 0)
        n++;
    p->calls++;
    use(p, places, n);
    return n;
}

int ovl_prefix_find(struct ovl_prefix *p, const uint64_t *keys, int count, int *places)
{
    int n = run_of(p, keys, count, places);
    p->asked += count;
    p->found += n;
    return n;
}

/* A place for one more block; -1: all have blocks of the present call. */
static int make_room(struct ovl_prefix *p)
{
    int place = p->count;
    if (p->count == p->limit) {
        place = p->oldest;
        if (p->blocks[place].used == p->calls)
            return -1;
        unlink_used(p, place);
        leave(p, place);
        p->gave_way++;
        return place;
    }
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : FEWEST;
        p->blocks = ovl_grow(p->blocks, (size_t)p->room, sizeof *p->blocks);
    }
    if (p->count == p->heads_count)
        spread(p);
    p->count++;
    return place;
}

int ovl_prefix_keep(struct ovl_prefix *p, const uint64_t *keys, int count, int request, int *places, int *from)
{
    int n = run_of(p, keys, count, places);
    *from = n;
    for (int place; n < count && (place = make_room(p)) >= 0; n++) {
        p->blocks[place].key = keys[n];
        p->blocks[place].request = request;
        p->blocks[place].block = n;
        enter(p, place);
        link_newest(p, place);
        places[n] = place;
        p->kept++;
    }
    use(p, places, n);
    return n;
}
