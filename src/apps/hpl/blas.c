/* The operations of a BLAS, by CBLAS. */
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

/* Each library has its own call; those of the others are NULL. */
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) char *openblas_get_config(void);
__attribute__((weak)) void MKL_Set_Num_Threads(int threads);
__attribute__((weak)) void bli_thread_set_num_threads(long threads);

bool ovl_hpl_blas_threads(int threads)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
    if (MKL_Set_Num_Threads)
        MKL_Set_Num_Threads(threads);
    if (bli_thread_set_num_threads)
        bli_thread_set_num_threads(threads);
    return openblas_set_num_threads || MKL_Set_Num_Threads || bli_thread_set_num_threads;
}

const char *ovl_hpl_blas_name(void)
{
    return openblas_get_config          ? openblas_get_config()
           : MKL_Set_Num_Threads        ? "MKL"
           : bli_thread_set_num_threads ? "BLIS"
                                        : "CBLAS";
}
