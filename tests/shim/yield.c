/* LD_PRELOADed: under an MPICH on UCX a rank that finds nothing to do gives its core away, so that more ranks than
   cores, or ranks beside other work, wait for each other and not for the end of a time slice. Found at run time: the
   library goes into every process of a test, with MPI or without. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = progress(worker);
    if (done == 0)
        sched_yield();
    return done;
}
