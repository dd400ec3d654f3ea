/* The worker gives up, and says why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ovl_worker_fail(struct ovl_worker *w, const char *format, ...)
{
    if (w->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(w->plan.board->text, sizeof w->plan.board->text, format, args);
    va_end(args);
    w->failed = true;
    atomic_store_explicit(&w->plan.board->fault, 1, memory_order_release);
}

void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_reach *reach, int why)
{
    ovl_worker_fail(w, "cannot reach the memory of rank %d: %s", reach->host,
                    reach->wire && reach->wire->lost ? reach->wire->lost : strerror(why));
}
