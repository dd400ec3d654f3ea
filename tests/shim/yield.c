/* LD_PRELOADed: under an MPICH on UCX a rank that finds nothing to do gives its core away, so that more ranks than
   cores, or ranks beside other work, wait for each other and not for the end of a time slice. Found at run time: the
   library goes into every process of a test, with MPI or without. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

/* In a program that loaded MPI for itself alone (RTLD_LOCAL) UCX is in no search order. */
static void *find(void)
{
    void *next = dlsym(RTLD_NEXT, "ucp_worker_progress"),
         *ucx = next ? NULL : dlopen("libucp.so.0", RTLD_NOLOAD | RTLD_LAZY);
    return ucx ? dlsym(ucx, "ucp_worker_progress") : next;
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress)
        *(void **)&progress = find();
    unsigned done = progress(worker);
    if (done == 0)
        sched_yield();
    return done;
}
