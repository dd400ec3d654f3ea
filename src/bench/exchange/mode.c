/* The table of modes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/mode.h"
#include "bench/exchange/offload.h"

#include <string.h>

static void host_post(struct ovl_exchange *x)
{
    if (!x->persistent) {
        x->collective->post(x);
        return;
    }
    MPI_Start(&x->request);
    if (x->other_count > 0)
        MPI_Startall(x->other_count, x->others);
}

static bool host_test(struct ovl_exchange *x)
{
    int complete, others = 1;
    MPI_Status ignored[OVL_OTHER_REQUESTS];
    MPI_Test(&x->request, &complete, MPI_STATUS_IGNORE);
    if (x->other_count > 0)
        MPI_Testall(x->other_count, x->others, &others, ignored);
    return complete && others;
}

static void host_wait(struct ovl_exchange *x)
{
    MPI_Status ignored[OVL_OTHER_REQUESTS];
    MPI_Wait(&x->request, MPI_STATUS_IGNORE);
    if (x->other_count > 0)
        MPI_Waitall(x->other_count, x->others, ignored);
}

/* Small messages go by the host's MPI where --dpu-min says so. */
static void dpu_post(struct ovl_exchange *x)
{
    if (x->by_host)
        host_post(x);
    else
        ovl_offload_post(x);
}

static bool dpu_test(struct ovl_exchange *x)
{
    return x->by_host ? host_test(x) : ovl_offload_test(x);
}

static void dpu_wait(struct ovl_exchange *x)
{
    if (x->by_host)
        host_wait(x);
    else
        ovl_offload_wait(x);
}

/* The thread of this process's rank; and does the rank wait for its flag, or have the request back? */
static struct ovl_progress *progress;
static bool waits;

void ovl_mode_use_thread(struct ovl_progress *of_rank, bool for_flag)
{
    progress = of_rank;
    waits = for_flag;
}

static bool thread_tests(void *of)
{
    return host_test(of);
}

/* A `handed` below 0: the thread has completed it, and the rank knows. */
static void thread_post(struct ovl_exchange *x)
{
    host_post(x);
    x->handed = 1 + ovl_progress_hand(progress, thread_tests, x);
}

static bool thread_test(struct ovl_exchange *x)
{
    if (x->handed == 0)
        return host_test(x);
    if (x->handed > 0 && ovl_progress_done(progress, x->handed - 1)) {
        ovl_progress_wait(progress, x->handed - 1);
        x->handed = -1;
    }
    return x->handed < 0;
}

static void thread_wait(struct ovl_exchange *x)
{
    bool complete = x->handed < 0;
    if (x->handed > 0 && waits) {
        ovl_progress_wait(progress, x->handed - 1);
        complete = true;
    } else if (x->handed > 0)
        complete = ovl_progress_take_back(progress, x->handed - 1);
    x->handed = 0;
    if (!complete)
        host_wait(x);
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
        .name = "thread",
        .engine = "mpi",
        .placement = "host",
        .post = thread_post,
        .test = thread_test,
        .wait = thread_wait,
    },
    {
        .name = "dpu",
        .engine = "worker",
        .placement = "", /* ovl_offload_fill asks the engine where its workers run */
        .offloads = true,
        .post = dpu_post,
        .test = dpu_test,
        .wait = dpu_wait,
    },
    {
        /* The MPI library offloads by itself, hidden from us: plain calls. */
        .name = "dpu",
        .engine = "mpi",
        .placement = "library",
        .post = host_post,
        .test = host_test,
        .wait = host_wait,
    },
};

const struct ovl_mode *ovl_mode_find(const char *name, size_t length, const char *engine)
{
    const struct ovl_mode *found = NULL;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        if (strlen(modes[m].name) == length && strncmp(modes[m].name, name, length) == 0 &&
            (!found || strcmp(modes[m].engine, engine) == 0))
            found = &modes[m];
    return found;
}
