/* fma: multiply-adds on values that stay in registers; takes core time and no memory bandwidth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

/* One unit is one step of eight independent chains, 16 flops: short (2-3 ns), because a unit must be at most 1 % of the
   work of a cell, and the smallest messages take a few hundred nanoseconds. */
enum { CHAINS = 8 };

static void fma_prepare(void *scratch)
{
    double *x = scratch;
    for (int i = 0; i < CHAINS; i++)
        x[i] = 1.0 + i;
}

static void fma_run(void *scratch, uint64_t units)
{
    double *x = scratch;
    /* The chains converge to c / (1 - m) = 2: no overflow and no denormal, however long the run. */
    const double m = 0.999999, c = 2e-6;
    double a0 = x[0], a1 = x[1], a2 = x[2], a3 = x[3], a4 = x[4], a5 = x[5], a6 = x[6], a7 = x[7];

    for (uint64_t u = 0; u < units; u++) {
        a0 = a0 * m + c;
        a1 = a1 * m + c;
        a2 = a2 * m + c;
        a3 = a3 * m + c;
        a4 = a4 * m + c;
        a5 = a5 * m + c;
        a6 = a6 * m + c;
        a7 = a7 * m + c;
    }
    x[0] = a0, x[1] = a1, x[2] = a2, x[3] = a3, x[4] = a4, x[5] = a5, x[6] = a6, x[7] = a7;
}

const struct ovl_kernel ovl_kernel_fma = {
    .name = "fma",
    .summary = "multiply-adds in registers; a unit is 16 flops",
    .flops_per_unit = 16,
    .scratch_bytes = CHAINS * sizeof(double),
    .prepare = fma_prepare,
    .run = fma_run,
};
