/* A stack of free numbers, and counts of what each kind of claim has taken. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/pool.h"

#include <stdlib.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

int ovl_pool_open(struct ovl_pool *p, int size, int unit)
{
    int reserve = size >= 2 * unit ? unit : 0, left = size - reserve - unit;
    *p = (struct ovl_pool){.size = size, .reserve = reserve, .early = left > 0 ? least(left, size / 2) : 0};
    p->free = malloc((size_t)size * sizeof *p->free);
    for (int i = 0; i < size && p->free; i++)
        p->free[i] = size - 1 - i;
    return p->free ? 0 : -1;
}

void ovl_pool_close(struct ovl_pool *p)
{
    free(p->free);
    p->free = NULL;
}

bool ovl_pool_has(const struct ovl_pool *p, enum ovl_claim claim, int n, bool behind)
{
    int others = p->taken[OVL_CLAIM_MANY] + p->taken[OVL_CLAIM_EARLY];
    if (n == 0)
        return true;
    if (p->used + n > p->size)
        return false;
    if (claim == OVL_CLAIM_ONE)
        return !behind || p->taken[OVL_CLAIM_ONE] + n <= p->reserve;
    if (behind || others + n > p->size - p->reserve)
        return false;
    return claim == OVL_CLAIM_MANY || p->taken[OVL_CLAIM_EARLY] + n <= p->early;
}

int ovl_pool_alloc(struct ovl_pool *p, enum ovl_claim claim)
{
    int number = p->free[p->size - ++p->used];
    p->taken[claim]++;
    p->most = p->used > p->most ? p->used : p->most;
    return number;
}

void ovl_pool_free(struct ovl_pool *p, enum ovl_claim claim, int number)
{
    p->taken[claim]--;
    p->free[p->size - p->used--] = number;
}
