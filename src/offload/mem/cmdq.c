/* Layouts have no pointers, since both sides map them at addresses of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/cmdq.h"
#include "base/cpu.h"
#include "base/page_alloc.h"
#include "offload/mem/ep.h"

size_t ovl_cmdq_bytes(void)
{
    return sizeof(struct ovl_cmdq);
}

static uint32_t area_ints(int ranks)
{
    return (4 * (uint32_t)ranks + 15u) & ~15u;
}

/* As many as there may be commands, or for large jobs as have room in AREA_ROOM, but two. */
static uint32_t areas(int ranks)
{
    enum { AREA_ROOM = 320 << 10 };
    size_t n = AREA_ROOM / (area_ints(ranks) * sizeof(int32_t));
    return n > OVL_AREAS ? OVL_AREAS : n < 2 ? 2 : (uint32_t)n;
}

size_t ovl_cmdq_area_bytes(int ranks)
{
    return (size_t)areas(ranks) * area_ints(ranks) * sizeof(int32_t);
}

void ovl_cmdq_init(struct ovl_cmdq *s, int rank)
{
    s->rank = rank;
}

void ovl_cmdq_add_areas(struct ovl_cmdq *s, int ranks, size_t offset)
{
    s->areas = areas(ranks);
    s->area_ints = area_ints(ranks);
    s->area_offset = offset;
}

size_t ovl_cmdq_set_bytes(int workers, int ranks)
{
    return (size_t)workers * ovl_cmdq_bytes() + ovl_cmdq_area_bytes(ranks);
}

struct ovl_cmdq *ovl_cmdq_of_set(void *set, int number)
{
    return (struct ovl_cmdq *)((char *)set + (size_t)number * ovl_cmdq_bytes());
}

void ovl_cmdq_set_init(void *set, int workers, int own, int rank, int ranks)
{
    for (int i = 0; i < workers; i++)
        ovl_cmdq_init(ovl_cmdq_of_set(set, i), rank);
    ovl_cmdq_add_areas(ovl_cmdq_of_set(set, own), ranks, (size_t)(workers - own) * ovl_cmdq_bytes());
}

size_t ovl_status_bytes(void)
{
    return ovl_page_round(sizeof(struct ovl_worker_status));
}

void ovl_status_init(struct ovl_worker_status *b)
{
    atomic_init(&b->unresponsive, -1);
}

void ovl_cmdq_complete(struct ovl_cmdq *s, struct ovl_ep *ep, struct ovl_completion *at, uint64_t sequence, int result)
{
    at->result = result;
    ovl_ep_put_flag(ep, &at->result, sizeof at->result);
    atomic_store_explicit(&at->done, sequence, memory_order_release);
    ovl_ep_put_flag(ep, &at->done, sizeof at->done);
    if (atomic_exchange(&s->rank_sleeping, 0))
        ovl_futex_wake(&s->rank_sleeping);
}
