/* Slots are a stack; memory is a count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/batch/batch.h"

#include <stdlib.h>

void ovl_kv_open(struct ovl_kv *kv, int slots, int64_t limit)
{
    *kv = (struct ovl_kv){.slots = slots, .free_slots = slots, .limit = limit};
    kv->free = ovl_alloc((size_t)slots, sizeof *kv->free);
    for (int i = 0; i < slots; i++)
        kv->free[i] = slots - 1 - i;
}

void ovl_kv_close(struct ovl_kv *kv)
{
    free(kv->free);
    *kv = (struct ovl_kv){.slots = 0};
}

int ovl_kv_take(struct ovl_kv *kv, int64_t tokens)
{
    if (kv->free_slots == 0 || tokens > kv->limit - kv->used)
        return -1;
    kv->used += tokens;
    kv->most = kv->used > kv->most ? kv->used : kv->most;
    return kv->free[--kv->free_slots];
}

bool ovl_kv_grow(struct ovl_kv *kv)
{
    if (kv->used == kv->limit)
        return false;
    kv->used++;
    kv->most = kv->used > kv->most ? kv->used : kv->most;
    return true;
}

void ovl_kv_give(struct ovl_kv *kv, int slot, int64_t tokens)
{
    kv->used -= tokens;
    kv->free[kv->free_slots++] = slot;
}
