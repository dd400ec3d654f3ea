/* Quanta are timed back to back: the end of one is the begin of the next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/fwq.h"
#include "base/clock.h"
#include "bench/interrupt.h"

#include <stdlib.h>
#include <string.h>

uint64_t ovl_fwq_units(const struct ovl_work *work, double seconds)
{
    enum { RUNS = 20, UNITS = 20000 };
    int64_t quickest = INT64_MAX;
    for (int i = 0; i < RUNS; i++) {
        int64_t begin = ovl_clock_ns();
        work->kernel->run(work->scratch, UNITS);
        int64_t took = ovl_clock_ns() - begin;
        quickest = took < quickest ? took : quickest;
    }
    double units = seconds * UNITS / (1e-9 * (double)(quickest > 0 ? quickest : 1));
    return units > 1 ? (uint64_t)units : 1;
}

int ovl_fwq_open(struct ovl_fwq *f, uint64_t units, size_t room, struct ovl_error *err)
{
    *f = (struct ovl_fwq){.units = units, .room = room};
    f->begin = malloc(room * sizeof *f->begin);
    f->took = malloc(room * sizeof *f->took);
    if (!f->begin || !f->took)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu quanta", room);
    memset(f->begin, 0, room * sizeof *f->begin); /* a page that is touched first while measuring would be a detour */
    memset(f->took, 0, room * sizeof *f->took);
    return 0;
}

void ovl_fwq_close(struct ovl_fwq *f)
{
    free(f->begin);
    free(f->took);
    f->begin = f->took = NULL;
}

void ovl_fwq_run(struct ovl_fwq *f, const struct ovl_work *work, double seconds)
{
    work->kernel->run(work->scratch, f->units); /* the first one pays for what was not in the cache */
    int64_t begin = ovl_clock_ns(), until = begin + (int64_t)(1e9 * seconds);
    if (f->n == 0)
        f->origin = begin;
    while (f->n < f->room && begin < until && !ovl_interrupt_signal()) {
        work->kernel->run(work->scratch, f->units);
        int64_t end = ovl_clock_ns();
        f->begin[f->n] = 1e-9 * (double)(begin - f->origin);
        f->took[f->n++] = 1e-9 * (double)(end - begin);
        begin = end;
    }
}
