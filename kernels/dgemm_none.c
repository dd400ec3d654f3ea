/* dgemm where configure found no CBLAS: a row that says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

const struct ovl_kernel ovl_kernel_dgemm = {
    .name = "dgemm",
    .summary = "block products by CBLAS",
    .absent = "ovl was built without a CBLAS; install libopenblas-dev and build again",
};
