/* A kernel: pure computation, counted in units and never in time. No MPI, no allocation, no I/O, no globals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_KERNEL_H
#define OVL_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_kernel {
    const char *name;
    const char *summary;   /* one line for --help and `ovl list`; says what a unit is */
    double flops_per_unit; /* floating point operations in one unit */
    double bytes_per_unit; /* bytes of memory that one unit reads and writes */
    size_t scratch_bytes; /* memory that the caller gives, aligned to 64 bytes; a shared last-level cache may hold it */

    /* Units per second where the rate is known beforehand (sleep); 0 asks for calibration. */
    double fixed_rate;
    /* A cell with less work than this is refused (sleep: 1 ms); 0 leaves only the 1 % rule. */
    uint64_t least_units;

    void (*prepare)(void *scratch);             /* fills the scratch memory once */
    void (*run)(void *scratch, uint64_t units); /* does exactly `units` units */

    bool blas;          /* it computes by the BLAS library */
    const char *absent; /* why this kernel cannot run in this build; NULL when it can */
};

/* All kernels, NULL at the end. */
extern const struct ovl_kernel *const ovl_kernels[];

/* The kernel of that name, or NULL. */
const struct ovl_kernel *ovl_kernel_find(const char *name);

extern const struct ovl_kernel ovl_kernel_fma, ovl_kernel_triad, ovl_kernel_dgemm, ovl_kernel_sleep;

#endif
