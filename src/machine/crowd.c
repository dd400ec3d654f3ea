/* Maximum matching of processes and processors. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/crowd.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS = 64 * OVL_CROWD_WORDS };

struct matching {
    const uint64_t (*masks)[OVL_CROWD_WORDS];
    size_t owner[PROCESSORS]; /* process + 1; 0: free */
    uint64_t taken[OVL_CROWD_WORDS];
    uint64_t seen[OVL_CROWD_WORDS]; /* lead to no free processor, or are being looked at */
};

/* The first processor of `mask` that is not in `except`, or PROCESSORS. */
static size_t first_of(const uint64_t *mask, const uint64_t *except)
{
    for (size_t w = 0; w < OVL_CROWD_WORDS; w++)
        if (mask[w] & ~except[w])
            return 64 * w + (size_t)__builtin_ctzll(mask[w] & ~except[w]);
    return PROCESSORS;
}

/* A free processor if there is one, else one whose owner can move. */
static bool place(struct matching *m, size_t process)
{
    const uint64_t *mask = m->masks[process];
    size_t found = first_of(mask, m->taken);
    while (found == PROCESSORS) {
        size_t held = first_of(mask, m->seen);
        if (held == PROCESSORS)
            return false;
        m->seen[held / 64] |= (uint64_t)1 << held % 64;
        if (place(m, m->owner[held] - 1))
            found = held;
    }
    m->taken[found / 64] |= (uint64_t)1 << found % 64;
    m->owner[found] = process + 1;
    return true;
}

size_t ovl_crowd_waiting(const uint64_t (*masks)[OVL_CROWD_WORDS], size_t processes)
{
    struct matching m = {.masks = masks};
    size_t waiting = 0;
    for (size_t p = 0; p < processes; p++)
        if (place(&m, p))
            memset(m.seen, 0, sizeof m.seen);
        else /* what it saw leads nowhere for others either, until somebody moves */
            waiting++;
    return waiting;
}

size_t ovl_crowd_running(const uint64_t (*masks)[OVL_CROWD_WORDS], size_t processes,
                         const uint64_t (*others)[OVL_CROWD_WORDS], size_t other_processes)
{
    size_t n = processes + other_processes;
    uint64_t(*all)[OVL_CROWD_WORDS] = ovl_alloc(n + 1, sizeof *all);
    memcpy(all, masks, processes * sizeof *all);
    if (other_processes > 0)
        memcpy(all + processes, others, other_processes * sizeof *all);
    size_t running = n - ovl_crowd_waiting((const uint64_t(*)[OVL_CROWD_WORDS])all, n);
    free(all);
    return running;
}
