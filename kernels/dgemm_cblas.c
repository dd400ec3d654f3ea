/* dgemm's products: the one kernel that needs a library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/dgemm.h"

#include <cblas.h>

enum { BLOCK = OVL_DGEMM_BLOCK, ORDER = OVL_DGEMM_ORDER, ACROSS = ORDER / BLOCK };

void ovl_dgemm_run(void *scratch, uint64_t units)
{
    struct ovl_dgemm *d = scratch;
    for (; units > 0; units--) {
        uint64_t k = d->next % ACROSS, j = d->next / ACROSS % ACROSS, i = d->next / (ACROSS * ACROSS) % ACROSS;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, BLOCK, BLOCK, BLOCK, 1.0, d->a + (i * ORDER + k) * BLOCK,
                    ORDER, d->b + (k * ORDER + j) * BLOCK, ORDER, k > 0, d->c + (i * ORDER + j) * BLOCK, ORDER);
        d->next++;
    }
}
