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
    char text[sizeof w->plan.status->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ovl_worker_fail_as(w, OVL_RANKS_SPEAK, text);
}

void ovl_worker_fail_as(struct ovl_worker *w, enum ovl_speaker speaker, const char *text)
{
    struct ovl_worker_status *b = w->plan.status;
    if (w->failed)
        return;
    snprintf(b->text, sizeof b->text, "%s", text);
    w->failed = true;
    w->speaker = speaker;
    atomic_store_explicit(&b->fault, speaker == OVL_RANKS_SPEAK ? OVL_FAULT_GAVE_UP : OVL_FAULT_LOST,
                          memory_order_release);
}

void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_rank_mem *rank_mem, int why)
{
    ovl_worker_fail(w, "cannot reach the memory of rank %d: %s", rank_mem->rank,
                    rank_mem->ep && rank_mem->ep->lost ? rank_mem->ep->lost : strerror(why));
}
