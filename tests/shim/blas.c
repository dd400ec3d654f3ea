/* Another BLAS under a program than it was linked with, as Debian's alternatives put one there. */
/* SPDX-License-Identifier: BSD-3-Clause */

const char *openblas_get_config(void);

const char *openblas_get_config(void)
{
    return "OpenBLAS 99.9 PRETENDED";
}
