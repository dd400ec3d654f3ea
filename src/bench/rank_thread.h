/* The progress thread of a rank in mode thread: begun as the options say, and told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_RANK_THREAD_H
#define OVL_BENCH_RANK_THREAD_H

#include "bench/provenance.h"
#include "bench/thread/progress_thread.h"
#include "cli/offload_options.h"

struct ovl_rank_thread {
    struct ovl_progress *progress; /* NULL where mode thread is not wanted */
    enum ovl_progress_idle idle;
    int cores;     /* of all machines: processing units that ranks and threads can have at once */
    bool shared;   /* on some machine ranks, workers and threads have not a processor each */
    bool for_flag; /* a rank that waits does so for the thread's flag; else it has the request back */
    double flag_seconds, back_seconds; /* that both took here: an allreduce of 64 KiB, the slowest rank's median */
    char processors[128];              /* where it may run, such as 2-3 */
};

/* Collective over the ranks of `comm`: begins the thread of each where the options want one, tries both ways of waiting
   and sets the one that is quicker here. -1, the same at all ranks, where there is no thread to be had. */
int ovl_rank_thread_begin(struct ovl_rank_thread *t, MPI_Comm comm, const struct ovl_provenance *p,
                          const struct ovl_offload_options *options, struct ovl_error *err);
/* Whatever was begun, which may be nothing. */
void ovl_rank_thread_end(struct ovl_rank_thread *t);

/* Collective: `thread` of the run line at rank 0, which owns it; NULL elsewhere, and without mode thread. */
json_t *ovl_rank_thread_json(const struct ovl_rank_thread *t, MPI_Comm comm);

#endif
