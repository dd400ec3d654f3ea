/* A mode: who progresses the operation. The measuring loop knows modes only as rows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_MODE_H
#define OVL_BENCH_MODE_H

#include "bench/collective.h"

struct ovl_mode {
    const char *name;               /* host, dpu */
    const char *absent;             /* why it cannot run here; NULL when it can */
    const char *engine, *placement; /* for the record */
    void (*post)(struct ovl_exchange *x);
    bool (*test)(struct ovl_exchange *x); /* true when complete */
    void (*wait)(struct ovl_exchange *x);
};

/* The mode whose name is the first `length` characters of `name`, or NULL. */
const struct ovl_mode *ovl_mode_find(const char *name, size_t length);

#endif
