/* A signal that a run does not obey in time ends the job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/overdue.h"
#include "bench/interrupt.h"
#include "offload/boot/engine_mpi.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static struct {
    const char *program;
    struct ovl_output *output;
    int rank;
} watched;

static void *watch(void *unused)
{
    const char *name = ovl_interrupt_name(ovl_interrupt_wait());
    struct ovl_output *out = watched.output;
    struct ovl_error err;
    (void)unused;
    nanosleep(&(struct timespec){.tv_sec = OVL_OVERDUE_S}, NULL);
    bool first = out->run.head || watched.rank == 0;
    if (!first)
        nanosleep(&(struct timespec){.tv_sec = OVL_OVERDUE_MORE_S}, NULL);
    ovl_output_cut(out, ovl_interrupt_signal());
    if (out->run.head)
        ovl_error_set(&err, OVL_INCONCLUSIVE,
                      "interrupted by %s; what was under way did not end within %d s; %zu finished cells%s", name,
                      OVL_OVERDUE_S, out->cell_lines, out->writer.fd >= 0 ? " are kept" : "");
    else
        ovl_error_set(&err, OVL_INCONCLUSIVE,
                      "rank %d was interrupted by %s, and what was under way did not end within %d s", watched.rank,
                      name, OVL_OVERDUE_S);
    ovl_engine_abort(watched.program, &err);
}

void ovl_overdue_watch(const char *program, struct ovl_output *output)
{
    pthread_t thread;
    sigset_t all, before;
    watched.program = program;
    watched.output = output;
    MPI_Comm_rank(MPI_COMM_WORLD, &watched.rank);
    ovl_interrupt_catch();
    sigfillset(&all); /* signals are for the rank's own thread, as without this one */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
