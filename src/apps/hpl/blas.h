/* The few operations that are left to a BLAS; matrices are stored by columns. blas.c needs a CBLAS library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_BLAS_H
#define OVL_APPS_HPL_BLAS_H

/* All of them take dimensions of 0 and then do nothing. C is m x n, A is m x k. */
void ovl_hpl_gemm(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc);
void ovl_hpl_gemv(int m, int n, const double *a, int lda, const double *x, double *y); /* y = y - A x, A m x n */
void ovl_hpl_solve_lower(int m, int n, const double *l, int ldl, double *b, int ldb);  /* B = L^-1 B, unit diagonal */
void ovl_hpl_solve_upper(int n, const double *u, int ldu, double *x);                  /* x = U^-1 x */
int ovl_hpl_largest(int n, const double *x); /* index of the largest magnitude; n > 0 */

#endif
