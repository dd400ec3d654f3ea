/* dgemm's memory, and the part of it that needs a CBLAS. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_DGEMM_H
#define OVL_KERNELS_DGEMM_H

#include <stdint.h>

/* One unit multiplies one 32 x 32 block pair, 65536 flops: small enough that a BLAS with threads keeps it on one. */
enum { OVL_DGEMM_BLOCK = 32, OVL_DGEMM_ORDER = 192 };

struct ovl_dgemm {
    uint64_t next, pad[7];
    double a[OVL_DGEMM_ORDER * OVL_DGEMM_ORDER], b[OVL_DGEMM_ORDER * OVL_DGEMM_ORDER],
        c[OVL_DGEMM_ORDER * OVL_DGEMM_ORDER];
};

/* The kernel's run: dgemm_cblas.c, or dgemm_named.c in a program that runs no kernel. */
void ovl_dgemm_run(void *scratch, uint64_t units);

#endif
