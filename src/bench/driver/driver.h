/* A driver of a collective: what every ovl_<collective> adds to the frame, and what its files share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_DRIVER_DRIVER_H
#define OVL_BENCH_DRIVER_DRIVER_H

#include "bench/app/app.h"
#include "bench/exchange/exchange.h"
#include "cli/catalog.h"
#include "cli/driver_options.h"

struct ovl_driver {
    struct ovl_app_job job; /* the first */
    const struct ovl_benchmark *benchmark;
    struct ovl_driver_options options;
    enum ovl_exchange_type type;
    MPI_Comm group;                /* of those that communicate with this one: `comm`, a part of it, or MPI_COMM_NULL */
    int group_number, group_ranks; /* the ranks of any group */
    struct ovl_neighbours graph;   /* of --edges */

    struct ovl_work work;
    double nonlinearity, *rates; /* of all ranks, as they were when `work` got its own */
    int modes;                   /* in the loop */
    bool pilot;                  /* the first of them only sets the work, and is not reported */
    bool of_ranks; /* the samples of each rank are kept: asked for, or columns of OMB need them and they have room */

    size_t sizes;            /* of the options', the least first, that are measured; 0 where there is no message */
    size_t cells;            /* finished */
    double size;             /* bytes of the present cells' message; NaN where there is none */
    int validated;           /* their data were right so far: 1, or wrong: 0; -1: they are not looked at */
    struct ovl_samples host; /* of host mode's T in the present blocks; blocks 0 where it carries no claim */
};

/* cells.c. Collective: all cells. */
int ovl_driver_measure_cells(struct ovl_driver *d, struct ovl_error *err);
/* Operations of a stream, each with buffers of its own; 0: there is none. */
size_t ovl_driver_stream(const struct ovl_driver *d);
/* The loop of one cell, but for what the cell itself fixes. */
struct ovl_loop ovl_driver_loop(struct ovl_driver *d);
/* What is to be exchanged at that size. */
struct ovl_exchange_plan ovl_driver_plan(const struct ovl_driver *d, size_t size);

/* check.c. Collective, outside the samples: checks data in every mode and by the blocking twin, and tells where
   they are wrong. 1 right, 0 wrong. Before the samples of a size: of all buffer sets. */
int ovl_driver_validate(struct ovl_driver *d);
/* Behind the samples of a cell with so many units of work: what they left in all buffer sets, and then the operation
   again in each way in which it was timed, so that what goes wrong after some calls is seen. */
int ovl_driver_validate_end(struct ovl_driver *d, uint64_t units);

/* report.c. At rank 0: what a driver's run line has besides the frame's. */
void ovl_driver_describe(struct ovl_app_job *job, json_t *line);
/* Sets what the present cells are, but for their mode, in a cell that has the benchmark. */
void ovl_driver_name_cell(const struct ovl_driver *d, const struct ovl_loop *loop, struct ovl_cell *cell);
/* At rank 0: record and row of one cell in one mode; takes the samples out of the result. */
int ovl_driver_report_cell(struct ovl_driver *d, const struct ovl_loop *loop, int mode, struct ovl_loop_result *result,
                           struct ovl_error *err);

/* selftest.c. Collective: operations whose truth is known, in place of the cells. */
int ovl_driver_self_test(struct ovl_driver *d, struct ovl_error *err);

/* plan.c. Before MPI, as the frame's `print`: what is simulated by --plan. */
int ovl_driver_print(struct ovl_app_job *job, struct ovl_error *err);

#endif
