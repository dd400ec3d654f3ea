/* dgemm: small block products out of matrices that fill the private cache, by the CBLAS that configure found. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

#include <cblas.h>

/* One unit multiplies one 32 x 32 block pair, 65536 flops: small enough that a BLAS with threads keeps it on one. */
enum { BLOCK = 32, ORDER = 192, ACROSS = ORDER / BLOCK };

struct dgemm {
    uint64_t next, pad[7];
    double a[ORDER * ORDER], b[ORDER * ORDER], c[ORDER * ORDER];
};

static void dgemm_prepare(void *scratch)
{
    struct dgemm *d = scratch;
    d->next = 0;
    for (size_t i = 0; i < ORDER * ORDER; i++) {
        d->a[i] = (double)(i % 7) / 7;
        d->b[i] = (double)(i % 5) / 5;
        d->c[i] = 0;
    }
}

static void dgemm_run(void *scratch, uint64_t units)
{
    struct dgemm *d = scratch;
    for (; units > 0; units--) {
        uint64_t k = d->next % ACROSS, j = d->next / ACROSS % ACROSS, i = d->next / (ACROSS * ACROSS) % ACROSS;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, BLOCK, BLOCK, BLOCK, 1.0, d->a + (i * ORDER + k) * BLOCK,
                    ORDER, d->b + (k * ORDER + j) * BLOCK, ORDER, k > 0, d->c + (i * ORDER + j) * BLOCK, ORDER);
        d->next++;
    }
}

const struct ovl_kernel ovl_kernel_dgemm = {
    .name = "dgemm",
    .summary = "block products by CBLAS; a unit is 65536 flops",
    .flops_per_unit = 2.0 * BLOCK * BLOCK * BLOCK,
    .bytes_per_unit = 4.0 * BLOCK * BLOCK * sizeof(double),
    .scratch_bytes = sizeof(struct dgemm),
    .prepare = dgemm_prepare,
    .run = dgemm_run,
    .blas = true,
};
