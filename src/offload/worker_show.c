/* What the worker shows of itself to ranks at the far ends of wires: their copies of the board. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

#include <string.h>

/* Only what changed goes out; the text before the word that says that it is there. */
static void show(const struct ovl_board *now, struct ovl_wire *w)
{
    struct ovl_board *there = w->board;
    uint32_t fault = atomic_load_explicit(&now->fault, memory_order_relaxed);
    if (fault && !atomic_load_explicit(&there->fault, memory_order_relaxed)) {
        memcpy(there->text, now->text, sizeof there->text);
        ovl_wire_push(w, there->text, sizeof there->text);
    }
#define SHOW(type, field)                                                                                              \
    do {                                                                                                               \
        type value = atomic_load_explicit(&now->field, memory_order_relaxed);                                          \
        if (value != atomic_load_explicit(&there->field, memory_order_relaxed)) {                                      \
            atomic_store_explicit(&there->field, value, memory_order_relaxed);                                         \
            ovl_wire_push(w, &there->field, sizeof there->field);                                                      \
        }                                                                                                              \
    } while (0)
    SHOW(uint64_t, beats);
    SHOW(int32_t, silent);
    SHOW(uint32_t, fault);
    SHOW(uint32_t, state);
#undef SHOW
}

void ovl_worker_show(struct ovl_worker *w)
{
    for (int c = 0; c < w->client_count && w->wired; c++)
        if (w->clients[c].wire && !w->clients[c].left && !w->clients[c].wire->lost)
            show(w->plan.board, w->clients[c].wire);
}

void ovl_worker_show_beats(struct ovl_worker *w, int64_t now)
{
    if (now < w->next_showing)
        return;
    w->next_showing = now + (int64_t)(w->plan.timeout / 16 * 1e9);
    ovl_worker_show(w);
}
