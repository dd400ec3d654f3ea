/* The table of kernels: a new one is one file and one row here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

#include <string.h>

const struct ovl_kernel *const ovl_kernels[] = {&ovl_kernel_fma, &ovl_kernel_triad, &ovl_kernel_dgemm,
                                                &ovl_kernel_sleep, NULL};

const struct ovl_kernel *ovl_kernel_find(const char *name)
{
    for (const struct ovl_kernel *const *k = ovl_kernels; *k; k++)
        if (strcmp((*k)->name, name) == 0)
            return *k;
    return NULL;
}
