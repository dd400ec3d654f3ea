/* triad: a[i] = b[i] + s c[i] over arrays larger than the private caches, as STREAM has it; takes memory bandwidth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

/* One unit is a cache line of each array: 8 elements, 64 bytes written and 128 read. The first line of the scratch
   memory holds the place where the last call stopped, so that short calls walk through the arrays too. */
enum { LINE = 8, LINES = 1 << 17, ELEMENTS = LINE * LINES };

struct triad {
    uint64_t line;
    double pad[LINE - 1];
    double a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
};

static void triad_prepare(void *scratch)
{
    struct triad *t = scratch;
    t->line = 0;
    for (size_t i = 0; i < ELEMENTS; i++) {
        t->a[i] = 0;
        t->b[i] = 1;
        t->c[i] = 2;
    }
}

static void triad_run(void *scratch, uint64_t units)
{
    struct triad *t = scratch;
    uint64_t line = t->line;

    while (units > 0) {
        uint64_t n = LINES - line < units ? LINES - line : units;
        double *restrict a = t->a + line * LINE;
        const double *restrict b = t->b + line * LINE, *restrict c = t->c + line * LINE;
        for (uint64_t i = 0; i < n * LINE; i++)
            a[i] = b[i] + 3.0 * c[i];
        line = (line + n) % LINES;
        units -= n;
    }
    t->line = line;
}

const struct ovl_kernel ovl_kernel_triad = {
    .name = "triad",
    .summary = "a = b + s c over 24 MiB; a unit is 192 bytes",
    .flops_per_unit = 2 * LINE,
    .bytes_per_unit = 3 * LINE * sizeof(double),
    .scratch_bytes = sizeof(struct triad),
    .prepare = triad_prepare,
    .run = triad_run,
};
