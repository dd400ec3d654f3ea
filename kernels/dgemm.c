/* dgemm: small block products out of matrices that fill the private cache, by the CBLAS that configure found. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/dgemm.h"
#include "kernels/kernel.h"

enum { BLOCK = OVL_DGEMM_BLOCK, ORDER = OVL_DGEMM_ORDER };

static void dgemm_prepare(void *scratch)
{
    struct ovl_dgemm *d = scratch;
    d->next = 0;
    for (size_t i = 0; i < ORDER * ORDER; i++) {
        d->a[i] = (double)(i % 7) / 7;
        d->b[i] = (double)(i % 5) / 5;
        d->c[i] = 0;
    }
}

const struct ovl_kernel ovl_kernel_dgemm = {
    .name = "dgemm",
    .summary = "block products by CBLAS; a unit is 65536 flops",
    .flops_per_unit = 2.0 * BLOCK * BLOCK * BLOCK,
    .bytes_per_unit = 4.0 * BLOCK * BLOCK * sizeof(double),
    .scratch_bytes = sizeof(struct ovl_dgemm),
    .prepare = dgemm_prepare,
    .run = ovl_dgemm_run,
    .blas = true,
};
