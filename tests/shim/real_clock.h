/* The machine's own clock in a shim, whatever clocks.c shows to the program: include it in one file of the shim. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SHIM_REAL_CLOCK_H
#define OVL_TESTS_SHIM_REAL_CLOCK_H

#include <dlfcn.h>
#include <time.h>

/* Hidden: every clock that this library reads, in files of ours that are linked into it too, is read here, and nobody
   else finds it. */
__attribute__((visibility("hidden"))) int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*libc)(clockid_t, struct timespec *);
    if (!libc)
        *(void **)&libc = dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "clock_gettime");
    return libc(id, t);
}

#endif
