/* Progress on stderr: cell k of n, and about how long the rest takes. Silent where nobody looks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_PROGRESS_H
#define OVL_BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_progress {
    bool on, terminal;
    size_t cells, done;
    int64_t begin;
};

/* On when stderr is a terminal, or when it is forced. */
void ovl_progress_open(struct ovl_progress *p, size_t cells, bool force);
/* Before a cell. `size` is NaN where it has none. */
void ovl_progress_cell(struct ovl_progress *p, double size);
/* Before anything else is printed, and at the end: clears the line of a terminal. */
void ovl_progress_clear(const struct ovl_progress *p);

#endif
