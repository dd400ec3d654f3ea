/* Endpoints between threads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/ep.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOARD_ROOM = 4096, POLLS = 3 };

struct fake {
    struct ovl_ep ep;
    struct fake *other;
    char *copy;
    size_t bytes;
    struct ovl_rdma *first, **last;
    int polls;
    atomic_bool cut;
};

static void push(struct ovl_ep *ep, const void *what, size_t bytes)
{
    struct fake *w = (struct fake *)ep;
    char *to = w->other->copy + ((const char *)what - w->copy);
    if (atomic_load(&w->cut))
        return;
    if (bytes == 4) {
        uint32_t word;
        memcpy(&word, what, 4);
        atomic_store_explicit((_Atomic uint32_t *)(void *)to, word, memory_order_release);
    }
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)what + i, 8);
        atomic_store_explicit((_Atomic uint64_t *)(void *)(to + i), word, memory_order_release);
    }
}

/* What is registered; a key is never given twice. */
static struct {
    pthread_mutex_t lock;
    uint32_t last;
    struct {
        uint32_t key;
        uintptr_t base;
        size_t bytes;
    } memory[64];
} registered = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(struct ovl_region *region)
{
    int i = 0;
    pthread_mutex_lock(&registered.lock);
    while (registered.memory[i].key)
        i++;
    registered.memory[i].key = ++registered.last;
    registered.memory[i].base = (uintptr_t)region->shared.base;
    registered.memory[i].bytes = region->shared.bytes;
    snprintf(region->name, sizeof region->name, "%u", (unsigned)registered.last);
    region->registration = &registered.memory[i].key;
    pthread_mutex_unlock(&registered.lock);
}

static bool is_registered(uint32_t key, uint64_t at, size_t bytes)
{
    bool is = false;
    pthread_mutex_lock(&registered.lock);
    for (int i = 0; i < 64 && key; i++)
        if (registered.memory[i].key == key)
            is = at - registered.memory[i].base <= registered.memory[i].bytes &&
                 bytes <= registered.memory[i].bytes - (at - registered.memory[i].base);
    pthread_mutex_unlock(&registered.lock);
    return is;
}

static bool begin(struct ovl_ep *ep, struct ovl_rdma *r)
{
    struct fake *w = (struct fake *)ep;
    if (!is_registered(r->key, r->there, r->waiting))
        r->why = EACCES;
    if (r->why || r->waiting == 0)
        return true;
    if (!w->first)
        w->last = &w->first;
    r->next = NULL;
    *w->last = r;
    w->last = &r->next;
    return false;
}

static void end_first(struct fake *w)
{
    struct ovl_rdma *r = w->first;
    w->first = r->next;
    r->complete(r);
}

/* Half of an RDMA at a time, now and then. */
static bool poll(struct ovl_ep *ep)
{
    struct fake *w = (struct fake *)ep;
    struct ovl_rdma *r = w->first;
    if (atomic_load(&w->cut))
        ep->lost = "it was cut";
    for (; ep->lost && (r = w->first); end_first(w))
        r->why = EIO;
    if (!r || ++w->polls % POLLS)
        return false;
    if (!is_registered(r->key, r->there, r->waiting)) { /* any more */
        r->why = EACCES;
        end_first(w);
        return true;
    }
    size_t now = r->waiting > 64 ? r->waiting / 2 : r->waiting;
    void *there = (void *)(uintptr_t)r->there;
    memcpy(r->put ? there : r->here, r->put ? r->here : there, now);
    r->here += now;
    r->there += now;
    r->waiting -= now;
    if (r->waiting == 0)
        end_first(w);
    return true;
}

static const struct ovl_ep_ops kind = {.push = push, .begin = begin, .poll = poll};

static struct fake *end(int rank, int ranks)
{
    struct fake *w = calloc(1, sizeof *w);
    w->bytes = (BOARD_ROOM + ovl_cmdq_bytes() + ovl_cmdq_area_bytes(ranks) + 4095) / 4096 * 4096;
    w->copy = aligned_alloc(4096, w->bytes);
    memset(w->copy, 0, w->bytes);
    w->ep = (struct ovl_ep){.kind = &kind,
                            .status = (struct ovl_worker_status *)(void *)w->copy,
                            .channel = (struct ovl_cmdq *)(void *)(w->copy + BOARD_ROOM)};
    ovl_status_init(w->ep.status);
    ovl_cmdq_init(w->ep.channel, rank);
    ovl_cmdq_add_areas(w->ep.channel, ranks, ovl_cmdq_bytes());
    return w;
}

struct ovl_ep *fake_ep_make(int rank, int ranks)
{
    struct fake *a = end(rank, ranks), *b = end(rank, ranks);
    a->other = b;
    b->other = a;
    return &a->ep;
}

struct ovl_ep *fake_ep_other(struct ovl_ep *w)
{
    return &((struct fake *)w)->other->ep;
}

void fake_ep_cut(struct ovl_ep *w)
{
    struct fake *a = (struct fake *)w;
    atomic_store(&a->cut, true);
    atomic_store(&a->other->cut, true);
}

void fake_ep_free(struct ovl_ep *w)
{
    struct fake *a = (struct fake *)w, *b = a->other;
    free(a->copy);
    free(b->copy);
    free(a);
    free(b);
}

static int reg(struct ovl_region *region, struct ovl_error *err)
{
    (void)err;
    enter(region);
    return 0;
}

/* Whoever uses what was struck has a wrong key. */
static void dereg(struct ovl_region *region)
{
    pthread_mutex_lock(&registered.lock);
    if (region->registration)
        *(uint32_t *)region->registration = 0;
    pthread_mutex_unlock(&registered.lock);
    region->registration = NULL;
}

static int alloc(struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    region->shared.bytes = (bytes + 64) / 64 * 64;
    region->shared.base = aligned_alloc(64, region->shared.bytes);
    memset(region->shared.base, 0, region->shared.bytes);
    return reg(region, err);
}

static void dealloc(struct ovl_region *region)
{
    dereg(region);
    free(region->shared.base);
}

static int map(struct ovl_region *region, const char *name, int socket)
{
    (void)socket;
    region->there = (uintptr_t)region->shared.base;
    region->key = (uint32_t)strtoul(name, NULL, 10);
    region->shared.base = NULL;
    return 0;
}

static void *alloc_local(size_t bytes, struct ovl_error *err)
{
    (void)err;
    return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

static const char *hint(int why)
{
    (void)why;
    return "none";
}

const struct ovl_mem_path fake_remote_path = {.name = "remote",
                                              .summary = "the far end of an endpoint",
                                              .staged = true,
                                              .remote = true,
                                              .alloc = alloc,
                                              .dealloc = dealloc,
                                              .reg = reg,
                                              .dereg = dereg,
                                              .map = map,
                                              .alloc_local = alloc_local,
                                              .free_local = free,
                                              .hint = hint};
