/* What the worker shows of itself to ranks at the far ends of endpoints: their copies of the status page. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

#include <string.h>

/* Only what changed goes out; the text before the word that says that it is there. */
static void show(const struct ovl_worker_status *now, struct ovl_ep *w)
{
    struct ovl_worker_status *there = w->status;
    uint32_t fault = atomic_load_explicit(&now->fault, memory_order_relaxed);
    if (fault && !atomic_load_explicit(&there->fault, memory_order_relaxed)) {
        memcpy(there->text, now->text, sizeof there->text);
        ovl_ep_put_flag(w, there->text, sizeof there->text);
    }
#define SHOW(type, field)                                                                                              \
    do {                                                                                                               \
        type value = atomic_load_explicit(&now->field, memory_order_relaxed);                                          \
        if (value != atomic_load_explicit(&there->field, memory_order_relaxed)) {                                      \
            atomic_store_explicit(&there->field, value, memory_order_relaxed);                                         \
            ovl_ep_put_flag(w, &there->field, sizeof there->field);                                                    \
        }                                                                                                              \
    } while (0)
    SHOW(uint64_t, heartbeat);
    SHOW(int32_t, unresponsive);
    SHOW(uint32_t, fault);
    SHOW(uint32_t, state);
    SHOW(uint32_t, parks);
    for (int m = 0; m < OVL_HIGH_WATERS; m++)
        SHOW(uint32_t, high_water[m]);
#undef SHOW
}

static int both(const struct ovl_pools *p)
{
    return p->buffers[OVL_SMALL].most + p->buffers[OVL_LARGE].most;
}

void ovl_worker_publish_high_water(struct ovl_worker *w)
{
    const size_t early = w->table[OVL_SENDING].most_early + w->table[OVL_RECEIVING].most_early;
    const uint32_t now[OVL_HIGH_WATERS] = {
        [OVL_HIGH_WATER_SENDS] = (uint32_t)w->pools[OVL_SENDING].frags.most,
        [OVL_HIGH_WATER_RECEIVES] = (uint32_t)w->pools[OVL_RECEIVING].frags.most,
        [OVL_HIGH_WATER_SEND_BUFFERS] = (uint32_t)both(&w->pools[OVL_SENDING]),
        [OVL_HIGH_WATER_RECEIVE_BUFFERS] = (uint32_t)both(&w->pools[OVL_RECEIVING]),
        [OVL_HIGH_WATER_TAGS] = (uint32_t)w->tags.most,
        [OVL_HIGH_WATER_EARLY] = (uint32_t)early,
    };
    for (int m = 0; m < OVL_HIGH_WATERS; m++)
        atomic_store_explicit(&w->config.status->high_water[m], now[m], memory_order_relaxed);
}

void ovl_worker_publish(struct ovl_worker *w)
{
    for (int c = 0; c < w->client_count && w->remote; c++)
        if (w->clients[c].ep && !w->clients[c].detached && !w->clients[c].ep->lost)
            show(w->config.status, w->clients[c].ep);
}

void ovl_worker_publish_heartbeat(struct ovl_worker *w, int64_t now)
{
    if (now < w->next_showing)
        return;
    w->next_showing = now + (int64_t)(w->config.timeout / 16 * 1e9);
    ovl_worker_publish(w);
}
