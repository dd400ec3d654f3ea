/* The file of a build with CBLAS; without one make leaves ovl_hpl out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/blas.h"

#include <cblas.h>
#include <stddef.h>

void ovl_hpl_gemm(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
    if (m > 0 && n > 0 && k > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}

void ovl_hpl_gemv(int m, int n, const double *a, int lda, const double *x, double *y)
{
    if (m > 0 && n > 0)
        cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, -1, a, lda, x, 1, 1, y, 1);
}

void ovl_hpl_solve_lower(int m, int n, const double *l, int ldl, double *b, int ldb)
{
    if (m > 0 && n > 0)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, 1, l, ldl, b, ldb);
}

void ovl_hpl_solve_upper(int n, const double *u, int ldu, double *x)
{
    if (n > 0)
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, u, ldu, x, 1);
}

int ovl_hpl_largest(int n, const double *x)
{
    int at = (int)cblas_idamax(n, x, 1);
    return at >= 0 && at < n ? at : 0; /* with NaN among them libraries say what they like */
}
