/* A rank that comes late: OVL_LATE_RANK stands still for OVL_LATE_S seconds when it has come out of its MPI's MPI_Init,
   as libovl_offload.so asks for its first setting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/shim/this_rank.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *(*real)(const char *name);

char *getenv(const char *name)
{
    static int late;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getenv");
    if (strcmp(name, "OVL_OFFLOAD") == 0 && !late++ && real("OVL_LATE_RANK") && real("OVL_LATE_S") &&
        shim_this_rank() == atoi(real("OVL_LATE_RANK"))) {
        double s = atof(real("OVL_LATE_S"));
        nanosleep(&(struct timespec){.tv_sec = (time_t)s, .tv_nsec = (long)(1e9 * (s - (double)(time_t)s))}, NULL);
    }
    return real(name);
}
