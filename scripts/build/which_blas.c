/* Which BLAS a program gets that is linked as this one is: configure and install-deps ask. Exit 1: netlib's reference.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/blas.h"

#include <cblas.h>
#include <stdio.h>

int main(void)
{
    double one = 1;
    puts(cblas_ddot(1, &one, 1, &one, 1) == 1 ? ovl_blas_text() : "a BLAS that does not work");
    return ovl_blas_warning() != NULL;
}
