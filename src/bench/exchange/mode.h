/* A mode: who progresses the operation. The measuring loop knows modes only as rows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_MODE_H
#define OVL_BENCH_EXCHANGE_MODE_H

#include "bench/exchange/collective.h"
#include "bench/thread/progress_thread.h"

struct ovl_mode {
    const char *name;               /* host, thread, dpu */
    const char *engine, *placement; /* for the record */
    bool offloads;                  /* by our workers: they are awake in its samples and at rest in all others */
    void (*post)(struct ovl_exchange *x);
    bool (*test)(struct ovl_exchange *x); /* true when complete */
    void (*wait)(struct ovl_exchange *x);
};

/* The mode whose name is the first `length` characters of `name`; where several have that name, the one of that engine.
   NULL when there is none. */
const struct ovl_mode *ovl_mode_find(const char *name, size_t length, const char *engine);

/* Mode thread hands requests to that thread, which is one a process. `for_flag`: a rank that waits does so until the
   thread has completed the request; else it has it back, and waits itself. */
void ovl_mode_use_thread(struct ovl_progress *of_rank, bool for_flag);

#endif
