/* The table of modes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mode.h"

#include <string.h>

static void host_post(struct ovl_exchange *x)
{
    if (x->persistent)
        MPI_Start(&x->request);
    else
        x->collective->post(x);
}

static bool host_test(struct ovl_exchange *x)
{
    int complete;
    MPI_Test(&x->request, &complete, MPI_STATUS_IGNORE);
    return complete;
}

static void host_wait(struct ovl_exchange *x)
{
    MPI_Wait(&x->request, MPI_STATUS_IGNORE);
}

static const struct ovl_mode modes[] = {
    {
        .name = "host",
        .engine = "mpi",
        .placement = "host",
        .post = host_post,
        .test = host_test,
        .wait = host_wait,
    },
    {
        .name = "dpu",
        .absent = "dpu mode is not there yet in this version; leave it out of --mode",
    },
};

const struct ovl_mode *ovl_mode_find(const char *name, size_t length)
{
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        if (strlen(modes[m].name) == length && strncmp(modes[m].name, name, length) == 0)
            return &modes[m];
    return NULL;
}
