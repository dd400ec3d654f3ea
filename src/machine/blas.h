/* Which BLAS this process computes with, asked where it runs: Debian's alternatives put another library under programs
   that are built. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_BLAS_H
#define OVL_MACHINE_BLAS_H

#include <stdbool.h>

/* How programs that have a BLAS begin the line of --version that names it, and what netlib's own is called there. */
#define OVL_BLAS_LINE      "BLAS: "
#define OVL_BLAS_REFERENCE "reference BLAS"

/* A library, known by one function that only it has. */
struct ovl_blas {
    const char *name, *symbol;
    bool reference; /* netlib's own: correct, and many times slower than what is tuned to a processor */
};

/* The library among whose symbols `find` looks (it gives an address, or NULL): the row of the last resort where there
   is a CBLAS that nobody knows, NULL where there is none. */
const struct ovl_blas *ovl_blas_identify(void *(*find)(const char *symbol));

/* Of this process; NULL in a build without a CBLAS. */
const struct ovl_blas *ovl_blas_here(void);

/* What it says of itself, as "OpenBLAS 0.3.21 ...", or its name; "" where there is none. Valid until the next call. */
const char *ovl_blas_text(void);

/* Sets the threads of a call. False where the library cannot be told: then its environment decides. */
bool ovl_blas_threads(int threads);

/* What a reader of its numbers should know, and how to mend it; NULL: nothing. */
const char *ovl_blas_warning(void);

#endif
