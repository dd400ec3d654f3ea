/* Does another worker still live? Asked only of those that something waits for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

static void find_awaited(struct ovl_worker *w)
{
    for (int f = 0; f < w->plan.workers; f++)
        w->fellows[f].awaited = false;
    for (const struct ovl_task *t = w->tasks; t; t = t->after)
        for (size_t i = 0; i < t->begun; i++)
            if (!t->transfer[i].done && t->transfer[i].step->kind != OVL_STEP_COPY)
                w->fellows[t->transfer[i].worker].awaited = true;
    w->fellows[w->plan.index].awaited = false;
}

void ovl_worker_beat(struct ovl_worker *w, int64_t now)
{
    int silent = -1;
    find_awaited(w);
    for (int i = 0; i < w->plan.workers; i++) {
        struct ovl_fellow *f = &w->fellows[i];
        if (!f->awaited)
            f->asked = 0;
        else if (f->asked == 0) {
            struct ovl_letter ping = {.kind = OVL_LETTER_PING};
            f->asked = now;
            ovl_worker_post(w, i, &ping, NULL);
        } else if (1e-9 * (double)(now - f->asked) > w->plan.timeout)
            silent = i;
    }
    atomic_store_explicit(&w->plan.board->silent, silent, memory_order_relaxed);
}
