/* Progress on stderr. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/progress.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

void ovl_progress_open(struct ovl_progress *p, size_t cells, bool force)
{
    *p = (struct ovl_progress){.terminal = isatty(STDERR_FILENO), .cells = cells, .begin = ovl_clock_ns()};
    p->on = p->terminal || force;
}

void ovl_progress_cell(struct ovl_progress *p, double size)
{
    if (p->on) {
        char left[48] = "";
        if (p->done > 0) /* later cells are larger: a lower bound, and said so */
            snprintf(left, sizeof left, ", at least %.0f s left",
                     ovl_clock_since(p->begin) / (double)p->done * (double)(p->cells - p->done));
        fprintf(stderr, "%scell %zu of %zu", p->terminal ? "\r\033[K" : "", p->done + 1, p->cells);
        if (!isnan(size))
            fprintf(stderr, ", %.0f bytes", size);
        fprintf(stderr, "%s%s", left, p->terminal ? "" : "\n");
        fflush(stderr);
    }
    p->done++;
}

void ovl_progress_clear(const struct ovl_progress *p)
{
    if (p->on && p->terminal)
        fputs("\r\033[K", stderr);
}
