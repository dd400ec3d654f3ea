/* A driver's cells: sizes, ratios, modes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/driver.h"
#include "bench/driver/work_from.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ovl_exchange_plan ovl_driver_plan(const struct ovl_driver *d, size_t size)
{
    const struct ovl_driver_options *o = &d->options;
    if (d->group == MPI_COMM_NULL)
        return (struct ovl_exchange_plan){.collective = &ovl_collective_idle,
                                          .comm = MPI_COMM_SELF,
                                          .type = d->type,
                                          .size = size,
                                          .offload = d->job.stage.offload};
    size_t element = ovl_datatype_row(d->type)->bytes;
    return (struct ovl_exchange_plan){
        .collective = &ovl_collective,
        .comm = d->group,
        .type = d->type,
        .size = size,
        .root = (int)o->root,
        .reduces = d->benchmark->reduces,
        .redop = ovl_redop_find(o->op),
        .layout = {o->block * element, o->stride * element},
        .pairs = o->pairs,
        .dimensions = o->dims > 0 ? (int)o->dims : 2,
        .graph = o->edges ? &d->graph : NULL,
        .in_place = o->in_place,
        .persistent = o->persistent,
        .offload = d->job.stage.offload,
    };
}

size_t ovl_driver_stream(const struct ovl_driver *d)
{
    enum { OPERATIONS = 8 };
    return strcmp(d->options.cadence, "stream") == 0 ? OPERATIONS : 0;
}

struct ovl_loop ovl_driver_loop(struct ovl_driver *d)
{
    const struct ovl_driver_options *o = &d->options;
    return (struct ovl_loop){
        .ops = &ovl_stage_ops,
        .stage = &d->job.stage,
        .decides = d->job.rank == 0,
        .rank = d->job.rank,
        .ranks = d->job.ranks,
        .modes = d->modes,
        .pilot = d->pilot,
        .tests = o->tests,
        .warmup = o->common.warmup,
        .stop = ovl_app_stop(&o->common),
        .seed = ovl_rng_mix(o->common.seed ^ ovl_rng_mix(d->cells + 1)) >>
                12, /* 52 bits: exact as a JSON number everywhere */
        .clock_read = d->job.clock_read,
        .ratio = 1,
        .fixed_seconds = 1e-6 * o->compute_us,
        .per_rank = d->of_ranks,
    };
}

/* Collective: the work that another record has for this cell; 0 where none is asked for, or where the record has none
   and the host's communication of this run sets it. */
static int find_work(struct ovl_driver *d, const struct ovl_loop *loop, uint64_t *units, struct ovl_error *err)
{
    struct ovl_cell like;
    int rc = 0;
    *units = 0;
    if (!d->options.work_from)
        return 0;
    ovl_cell_clear(&like);
    snprintf(like.benchmark, sizeof like.benchmark, "%s", d->benchmark->name);
    ovl_driver_name_cell(d, loop, &like);
    if (d->job.rank == 0) {
        bool own = strcmp(d->job.stage.modes[0]->name, "host") == 0 || !isnan(loop->fixed_seconds);
        rc = ovl_work_from(d->options.work_from, &d->job.output.run, &like, units, err);
        if (rc == 0 && *units == 0 && !own)
            rc = ovl_work_missing(d->options.work_from, &like, err);
    }
    MPI_Bcast(units, 1, MPI_UINT64_T, 0, d->job.stage.comm);
    return ovl_agree(d->job.stage.comm, rc, err);
}

/* Collective: a cell whose operations the workers did not do is none; what becomes of it says nothing of other modes.
 */
static void prove(struct ovl_driver *d, int rc)
{
    struct ovl_error unproved;
    if (ovl_offload_proof_end(&d->job.offload, &unproved) == 0 || rc != 0)
        return;
    d->job.unproved = true;
    snprintf(d->job.unproved_why, sizeof d->job.unproved_why, "%.250s", unproved.text);
}

/* Of a block, before anything is measured: work that is given, in W and in each mode's T, and the starts that --skew
   delays. */
static double known_seconds(const struct ovl_driver *d, const struct ovl_loop *loop)
{
    double work = loop->fixed_units > 0 ? (double)loop->fixed_units / d->work.rate : loop->fixed_seconds;
    double delays = 1e-6 * d->job.stage.skew.us * (2 + 2 * loop->modes); /* B, W, and C and T of each mode */
    return (isnan(work) ? 0 : (1 + loop->modes) * work) + delays;
}

/* Collective: one ratio, in all modes. */
static int run_cell(struct ovl_driver *d, double ratio, struct ovl_error *err)
{
    struct ovl_loop_result result;
    struct ovl_loop loop = ovl_driver_loop(d);
    loop.ratio = ratio;
    loop.stream = ovl_driver_stream(d);
    if (find_work(d, &loop, &loop.fixed_units, err) != 0)
        return -1;
    loop.block_seconds = known_seconds(d, &loop);
    if (d->job.rank == 0)
        ovl_progress_cell(&d->job.output.progress, d->size);
    ovl_app_prove_begin(&d->job);
    int rc = ovl_loop_run(&loop, &result, err);
    ovl_app_watch_end(&d->job);
    prove(d, rc);
    if (rc == 0 && !result.signal && !*d->job.unproved_why)
        ovl_app_read_energy(&d->job, &loop, &result, d->pilot);
    if (rc == 0 && !result.signal && d->validated == 1)
        d->validated = ovl_driver_validate_end(d, result.units);
    for (int m = d->pilot; rc == 0 && d->job.rank == 0 && !result.signal && m < d->modes; m++)
        rc = ovl_driver_report_cell(d, &loop, m, &result, err);
    d->job.signal = rc == 0 ? result.signal : 0;
    if (rc == 0 && !d->job.signal)
        d->cells++;
    ovl_loop_result_free(&result);
    return ovl_agree(d->job.stage.comm, rc, err);
}

/* Collective: all ratios at the present size. */
static int run_size(struct ovl_driver *d, struct ovl_error *err)
{
    struct ovl_exchange_plan plan = ovl_driver_plan(d, isnan(d->size) ? 0 : (size_t)d->size);
    size_t sets = d->options.rotate + ovl_driver_stream(d);
    int rc = 0;
    d->job.stage.exchanges = ovl_alloc(sets, sizeof *d->job.stage.exchanges);
    d->job.stage.rotate = d->options.rotate;
    d->job.stage.streams = ovl_driver_stream(d);
    for (size_t i = 0; i < sets; i++) /* all of them are opened at all ranks, so that closing can be collective */
        if (ovl_agree(d->job.stage.comm, ovl_exchange_open(&d->job.stage.exchanges[i], &plan, err), err) != 0)
            rc = -1;
    for (size_t i = 0; i < sets && rc == 0; i++)
        ovl_exchange_init(&d->job.stage.exchanges[i], &plan);

    bool checks = d->options.validate && ovl_exchange_checks(&ovl_collective);
    d->validated = rc == 0 && checks ? ovl_driver_validate(d) : -1;
    for (size_t r = 0; r < d->options.ratios.n && rc == 0 && !d->job.signal; r++)
        rc = run_cell(d, d->options.ratios.value[r], err);
    for (size_t i = 0; i < sets; i++)
        ovl_exchange_close(&d->job.stage.exchanges[i]);
    free(d->job.stage.exchanges);
    d->job.stage.exchanges = NULL;
    return rc;
}

int ovl_driver_measure_cells(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_sizes *sizes = &d->options.sizes;
    size_t n = sizes->n > 0 ? d->sizes : 1; /* without a message, one cell */
    int rc = 0;
    for (size_t s = 0; s < n && rc == 0 && !d->job.signal; s++) {
        d->size = sizes->n > 0 ? (double)sizes->size[s] : NAN;
        rc = run_size(d, err);
    }
    return rc;
}
