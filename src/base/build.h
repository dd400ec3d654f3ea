/* How this program was compiled. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_BUILD_H
#define OVL_BASE_BUILD_H

/* The compiler of all but what needs the MPI wrapper, so that of the kernels: "gcc 12.2.0". */
extern const char ovl_build_compiler[];

/* CFLAGS as make took them, and a sanitizer's: "-O2 -g". */
extern const char ovl_build_flags[];

#endif
