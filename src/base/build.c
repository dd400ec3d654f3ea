/* How this program was compiled: of the compiler itself, and of version.h, which make writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/build.h"
#include "version.h"

#if defined __clang__ /* which is __GNUC__ too, and names itself */
#define COMPILER __VERSION__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

const char ovl_build_compiler[] = COMPILER;
const char ovl_build_flags[] = OVL_FLAGS;
