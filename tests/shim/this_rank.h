/* Which rank of the job a process is, before MPI_Init, by what launchers say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SHIM_THIS_RANK_H
#define OVL_TESTS_SHIM_THIS_RANK_H

#include <stdlib.h>

/* -1 for a process that is no rank. */
static inline int shim_this_rank(void)
{
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}

#endif
