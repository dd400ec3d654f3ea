/* The first failure counts: the text is on the status page before its code is, which ranks poll. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ovl_worker_fail(struct ovl_worker *w, const char *format, ...)
{
    if (w->failed)
        return;
    char text[sizeof w->config.status->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ovl_worker_fail_reported(w, OVL_RANKS_REPORT, text);
}

void ovl_worker_fail_reported(struct ovl_worker *w, enum ovl_reporter reporter, const char *text)
{
    struct ovl_worker_status *b = w->config.status;
    if (w->failed)
        return;
    snprintf(b->text, sizeof b->text, "%s", text);
    w->failed = true;
    w->reporter = reporter;
    atomic_store_explicit(&b->fault, reporter == OVL_RANKS_REPORT ? OVL_FAULT_GAVE_UP : OVL_FAULT_LOST,
                          memory_order_release);
}

void ovl_worker_refused(struct ovl_worker *w, int worker)
{
    if (errno == ENOTCONN)
        ovl_worker_fail(w, "worker %d is gone: its connection has closed; look at its node for why it ended", worker);
    else
        ovl_worker_fail(w, "no memory for messages of worker %d", worker);
}
