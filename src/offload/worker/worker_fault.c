/* The worker gives up, and says why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/worker_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ovl_worker_fail(struct ovl_worker *w, const char *format, ...)
{
    if (w->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(w->plan.status->text, sizeof w->plan.status->text, format, args);
    va_end(args);
    w->failed = true;
    atomic_store_explicit(&w->plan.status->fault, 1, memory_order_release);
}

void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_rank_mem *rank_mem, int why)
{
    ovl_worker_fail(w, "cannot reach the memory of rank %d: %s", rank_mem->rank,
                    rank_mem->ep && rank_mem->ep->lost ? rank_mem->ep->lost : strerror(why));
}
