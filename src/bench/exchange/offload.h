/* The engine of dpu mode as a driver has it: joining and leaving, buffers, rest between samples, proof. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_OFFLOAD_H
#define OVL_BENCH_EXCHANGE_OFFLOAD_H

#include "bench/exchange/collective.h"
#include "cli/driver_options.h"
#include "offload/boot/engine_mpi.h"
#include "record/cell.h"

#include <jansson.h>

struct ovl_offload {
    struct ovl_engine engine;
    struct ovl_team team;
    struct ovl_placement placement; /* of the team's ranks */
    const char *program;            /* for the last words */
    bool attached;
    bool awake;                            /* the worker; otherwise it was told to rest */
    const struct ovl_algorithm *algorithm; /* --algorithm; NULL: the table chooses */
    uint64_t least;                        /* --dpu-min: smaller messages go by the host's MPI */
    double worker_ops, worker_bytes;       /* at rank 0: of the last cell, over all ranks */
    double registration_hits;              /* the same; NaN where the path registers nothing */
    uint32_t high_water[OVL_HIGH_WATERS];  /* at rank 0: the most of any worker since the job began */
};

/* Collective over MPI_COMM_WORLD. Ranks come back with offload->engine.comm; a worker when all is over. As
   ovl_engine_bootstrap and ovl_engine_connect; OVL_ENVIRONMENT when workers are wanted and there are none. */
int ovl_offload_join(struct ovl_offload *o, const struct ovl_offload_options *options, bool leave,
                     struct ovl_error *err);
/* Collective over the ranks: a team of `comm`, when there are workers. */
int ovl_offload_attach(struct ovl_offload *o, MPI_Comm comm, struct ovl_error *err);
/* Collective over the ranks: no worker is needed any more. */
void ovl_offload_release(struct ovl_offload *o);

/* Looks for the algorithm that --algorithm wants for that operation of so many ranks; `name` is the operation's for the
   user. NULL is wanted: the table chooses. -1 and OVL_USAGE with the names that there are. */
int ovl_offload_choose(struct ovl_offload *o, const struct ovl_offload_options *options, const char *wanted,
                       enum ovl_operation operation, const char *name, int ranks, struct ovl_error *err);

/* Fills what the engine must know of the exchange, whose buffers there are. */
void ovl_offload_describe(struct ovl_exchange *x);

/* The name of the algorithm by which the workers do it; "" where they do nothing. */
const char *ovl_offload_algorithm(const struct ovl_exchange *x);

/* The hooks of the mode. What goes wrong here ends the job: a rank that waits for a lost worker cannot be reached by
   the others. */
void ovl_offload_post(struct ovl_exchange *x);
bool ovl_offload_test(struct ovl_exchange *x);
void ovl_offload_wait(struct ovl_exchange *x);

/* Wakes the worker, or lets it rest; returns when it is so. */
void ovl_offload_wake(struct ovl_offload *o, bool awake);

/* Collective over the ranks: from begin to end all posts were done by workers? -1 with the numbers when not. */
void ovl_offload_proof_begin(struct ovl_offload *o);
int ovl_offload_proof_end(struct ovl_offload *o, struct ovl_error *err);

/* Who did the operations of a cell of the mode, after ovl_offload_proof_end: its engine, where that ran (placement),
   path and workers' counts. `by_host`: all were too small for workers. */
void ovl_offload_fill(const struct ovl_offload *o, bool by_host, struct ovl_cell *cell);

/* Workers of one machine and kind are one entry, with their numbers, wherever they stand in the job. The caller owns
 * it. */
json_t *ovl_offload_processors_json(const struct ovl_job_map *r);

/* What the `run` line says of it; NULL without workers. The caller owns it. */
json_t *ovl_offload_json(const struct ovl_offload *o);

#endif
