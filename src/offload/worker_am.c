/* Letters to other workers, and the credit that bounds the eager messages among them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

/* An eager message costs its letter too, so that credit bounds the number of short ones. Empty ones are bounded by the
   operations under way. */
uint32_t ovl_worker_eager_cost(size_t bytes)
{
    return bytes ? (uint32_t)(sizeof(struct ovl_letter) + bytes) : 0;
}

void ovl_worker_post(struct ovl_worker *w, int to, struct ovl_letter *letter, const void *payload)
{
    struct ovl_fellow *f = &w->fellows[to];
    letter->credit = f->owed;
    f->owed = 0;
    if (w->plan.transport->letter(w->plan.transport->state, to, letter, payload) != 0)
        ovl_worker_fail(w, "cannot send to worker %d", to);
}

/* Room in that worker's memory is free again; it is told with the next letter, or by one of its own when it is much. */
void ovl_worker_consumed(struct ovl_worker *w, int from, size_t bytes)
{
    struct ovl_fellow *f = &w->fellows[from];
    f->owed += ovl_worker_eager_cost(bytes);
    if (f->owed >= OVL_CREDIT / 2) {
        struct ovl_letter credit = {.kind = OVL_LETTER_CREDIT};
        ovl_worker_post(w, from, &credit, NULL);
    }
}
