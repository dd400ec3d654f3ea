/* The stage of the drivers: the measuring loop's hooks on MPI and the real clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_STAGE_H
#define OVL_BENCH_STAGE_H

#include "bench/exchange/collective.h"
#include "bench/exchange/mode.h"
#include "bench/exchange/offload.h"
#include "bench/loop.h"
#include "bench/provenance.h"
#include "bench/skew.h"
#include "bench/start/sync.h"
#include "bench/worker_cpu.h"
#include "machine/work.h"

struct ovl_stage {
    struct ovl_sync *sync;
    const struct ovl_work *work;
    struct ovl_exchange *exchanges; /* `rotate` of them, used in turn */
    size_t rotate, turn;
    size_t streams;  /* so many more behind them, one for each operation of a stream; 0: there is none */
    size_t streamed; /* operations of the present one */
    bool streaming;
    struct ovl_exchange *exchange; /* of the present sample */
    int64_t settle_ns; /* idleness before each sample, that an emulated wire needs to be as it was before the last */
    struct ovl_skew skew;
    struct ovl_rng skew_rng;
    const struct ovl_mode *modes[OVL_LOOP_MODES];
    int mode;                      /* of the present sample; -1: W */
    struct ovl_offload *offload;   /* NULL without workers */
    struct ovl_progress *progress; /* NULL without mode thread */
    MPI_Comm comm;                 /* for the harness's own calls, not the one measured */
    MPI_Datatype pair;             /* {largest, sum} */
    MPI_Op largest_and_sum;
    const char *program;                     /* that warns; NULL: nobody, or it has */
    const struct ovl_worker_cpu *worker_cpu; /* NULL without workers */
    struct ovl_burnt burnt;                  /* at the last start, since each began */
};

extern const struct ovl_stage_ops ovl_stage_ops;

/* Collective. Makes a communicator and a reduction of its own; `sync`, `work`, `exchanges`, `rotate`, `skew`, `modes`
   and `program` are the caller's to set. */
void ovl_stage_open(struct ovl_stage *stage, MPI_Comm comm);
/* Collective: opens `sync` for the ranks of `comm` as the stage's, and asks how idle the wire must be before a sample.
   Returns the seconds that a read of the clock takes, the same at all ranks. */
double ovl_stage_meet(struct ovl_stage *stage, struct ovl_sync *sync, MPI_Comm comm, const struct ovl_provenance *p);
void ovl_stage_close(struct ovl_stage *stage);

#endif
