/* Who disturbs: what takes the ranks' cores from them while a cell is measured, and before the first one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_DISTURB_H
#define OVL_BENCH_DISTURB_H

#include "bench/provenance.h"
#include "machine/cpu_quota.h"
#include "machine/rivals.h"
#include "machine/threads.h"
#include "record/cell.h"

/* Of this rank. */
struct ovl_disturb {
    MPI_Comm comm, machine; /* all ranks, and those of this machine */
    int self;               /* the thread that measures */
    int progress;           /* the thread of mode thread, which is told by itself; 0: none */
    bool apart;             /* that has processors which nobody else of the job needs */
    int spare;              /* cores that ranks and workers of this machine leave; below 0: that they lack */
    uint64_t cores[OVL_MACHINE_MASK_WORDS];   /* on which the ranks of this machine run */
    uint64_t watched[OVL_MACHINE_MASK_WORDS]; /* and their progress threads that are apart */
    double busy_threads, housed_threads; /* at rank 0, of the last span: on all machines, and with cores of their own */
    struct ovl_cpu_quota quota;
    int sharing; /* ranks and workers of this machine under the same quota */

    /* At the first rank of a machine: processes of the job, in ascending order. NULL where they cannot be told from
       others, as they have unlike numbers in containers of their own. */
    int *ours;
    size_t our_count;

    /* At the begin of the span. */
    int64_t began;
    struct ovl_threads threads;
    struct ovl_rivals rivals;
    struct ovl_cpu_throttled throttled;
};

/* Collective: from here on a span begins. `job_map` as in ovl_provenance_load. ovl_disturb_close, collective, frees it;
   of one that is all 0 there is nothing to free. */
void ovl_disturb_open(struct ovl_disturb *d, MPI_Comm comm, const struct ovl_provenance *p,
                      const struct ovl_job_map *job_map);
void ovl_disturb_close(struct ovl_disturb *d);

/* Collective: ranks have a progress thread each, of that number here. Who is apart is disturbed as the rank is, where
   its processor is taken. A new span begins. */
void ovl_disturb_thread(struct ovl_disturb *d, int progress, bool apart);

/* A new span, of which ovl_disturb_end, collective, tells at rank 0 who disturbed it. */
void ovl_disturb_begin(struct ovl_disturb *d);
struct ovl_disturbance ovl_disturb_end(struct ovl_disturb *d);

/* Collective: `disturbance` of the run line at rank 0, NULL elsewhere: of the span since ovl_disturb_open, which is
   made long enough to tell. The caller owns it. */
json_t *ovl_disturb_json(struct ovl_disturb *d);

#endif
