/* A driver from options to exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver.h"
#include "bench/agree.h"
#include "bench/exchange.h"
#include "bench/progress.h"
#include "bench/provenance.h"
#include "bench/stage.h"
#include "core/catalog.h"
#include "core/clock.h"
#include "core/driver_options.h"
#include "core/rng.h"
#include "core/table.h"
#include "version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything a run has, from its options to its open files. */
struct driver {
    const struct ovl_collective *collective;
    const struct ovl_benchmark *benchmark;
    struct ovl_driver_options options;
    enum ovl_exchange_type type;
    MPI_Comm comm; /* the one measured */
    int rank, ranks;

    struct ovl_provenance provenance;
    struct ovl_work work;
    double nonlinearity, clock_read;
    struct ovl_sync sync;
    struct ovl_stage stage;
    int modes;

    /* At rank 0. */
    struct ovl_run run;
    struct ovl_writer writer;
    struct ovl_progress progress;
    const struct ovl_format *format;

    size_t cells; /* finished */
    bool wrong_data, invalid;
};

static void usage(const struct ovl_benchmark *b)
{
    printf("Usage: mpirun -n RANKS %s [OPTION]...\n"
           "Measure how much of %s can be hidden behind computation.\n"
           "%c%s.\n\n",
           b->program, b->call, b->summary[0] - ('a' <= b->summary[0] && b->summary[0] <= 'z' ? 32 : 0),
           b->summary + 1);
    ovl_options_help(ovl_driver_option_rows, stdout);
    printf("\nExit status: 0 fine, 2 an invalid cell, 3 usage, 4 wrong data, 5 environment. See %s(1) and ovl(7).\n",
           b->program);
}

/* A new row that lacks something is found at its first start. */
static int check_row(const struct driver *d, struct ovl_error *err)
{
    const struct ovl_collective *c = d->collective;
    if (!d->benchmark)
        return ovl_error_set(err, OVL_USAGE, "collective %s has no row in core/catalog.c; add one", c->name);
    if (!c->shape || !c->post || !c->blocking || !c->segments != !c->segment ||
        (d->benchmark->size_max > 0 && !c->segments))
        return ovl_error_set(err, OVL_USAGE, "the row of collective %s lacks a hook; see bench/collective.h", c->name);
    return 0;
}

/* Chooses the rows of --mode and checks the memory: the same answer at all ranks. */
static int check_request(struct driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    for (const char *at = o->modes; *at; at += strcspn(at, ","), at += *at == ',') {
        const struct ovl_mode *mode = ovl_mode_find(at, strcspn(at, ","));
        if (mode->absent)
            return ovl_error_set(err, OVL_ENVIRONMENT, "--mode %s: %s", o->modes, mode->absent);
        d->stage.modes[d->modes++] = mode;
    }
    size_t need = ovl_exchange_memory(d->collective, d->comm, o->size[1], d->type);
    if (need > o->mem_limit) {
        char size[24], limit[24];
        ovl_options_size_text(o->size[1], size);
        ovl_options_size_text(o->mem_limit, limit);
        return ovl_error_set(
            err, OVL_USAGE,
            "--message-size: %s with %d ranks needs %zu bytes a rank, over the limit of %s; give a smaller MAX or a "
            "larger --mem-limit",
            size, d->ranks, need, limit);
    }
    return 0;
}

/* Collective: the median of the ranks' rates, all calibrating at once, until N against 2N units holds within 2 %. */
static void calibrate(struct driver *d)
{
    enum { TRIES = 5 };
    double *rates = malloc((size_t)d->ranks * sizeof *rates), best = INFINITY;
    for (int t = 0; t < TRIES && best > 0.02; t++) {
        double rate, nonlinearity, worst;
        MPI_Barrier(d->stage.comm);
        ovl_work_calibrate(&d->work, &rate, &nonlinearity);
        MPI_Allreduce(&nonlinearity, &worst, 1, MPI_DOUBLE, MPI_MAX, d->stage.comm);
        MPI_Allgather(&rate, 1, MPI_DOUBLE, rates, 1, MPI_DOUBLE, d->stage.comm);
        if (worst < best) {
            best = worst;
            d->work.rate = ovl_stats_median(rates, (size_t)d->ranks);
        }
    }
    d->nonlinearity = best;
    free(rates);
}

static json_t *run_line(struct driver *d, json_t *provenance, char **argv)
{
    char run_id[64], started[32];
    ovl_provenance_run_id(run_id);
    ovl_clock_utc(started);
    json_t *command = json_array();
    for (char **a = argv; *a; a++) {
        json_t *word = json_string(*a); /* NULL when it is no UTF-8 */
        json_array_append_new(command, word ? word : json_string("?"));
    }
    if (d->nonlinearity > 0.02)
        json_array_append_new(json_object_get(provenance, "warnings"),
                              json_sprintf("kernel %s could be calibrated within %.0f %% only: the machine is busy",
                                           d->work.kernel->name, 100 * d->nonlinearity));
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s}", "record", "run", "schema", OVL_RECORD_SCHEMA,
                             "run_id", run_id, "benchmark", d->benchmark->name, "started", started, "command", command,
                             "ovl_version", OVL_VERSION, "git", OVL_GIT);
    json_object_update_new(line, provenance);
    json_object_set_new(line, "workers", json_integer(0));
    json_object_set_new(line, "seed", json_integer((json_int_t)d->options.seed));
    json_object_set_new(line, "options", ovl_options_json(ovl_driver_option_rows, &d->options));
    json_object_set_new(line, "clock",
                        json_pack("{s:f, s:b}", "read_seconds", d->clock_read, "synchronised", d->sync.usable));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:f, s:f}", "kernel", d->work.kernel->name, "units_per_second", d->work.rate,
                                  "nonlinearity", d->nonlinearity));
    return line;
}

/* Rank 0's part of the start: the record and the head of the table. */
static int open_output(struct driver *d, json_t *provenance, char **argv, struct ovl_error *err)
{
    d->run = (struct ovl_run){.head = run_line(d, provenance, argv)};
    if (ovl_writer_open(&d->writer, d->options.json, err) != 0 ||
        ovl_writer_line(&d->writer, json_incref(d->run.head), err) != 0)
        return -1;
    if (!d->options.quiet)
        d->format->head(stdout, &d->run, d->options.full);
    return 0;
}

static size_t count_sizes(const struct ovl_driver_options *o)
{
    size_t n = 1;
    for (uint64_t size = o->size[0]; size && size < o->size[1]; size *= 2)
        n++;
    return n;
}

/* Collective: the data of one cell, in every mode and by the blocking twin. */
static int validate(struct driver *d, struct ovl_exchange *x, size_t cell, struct ovl_error *err)
{
    uint64_t key = ovl_rng_mix(d->options.seed ^ ovl_rng_mix(cell));
    int rc = 0;
    for (int m = -1; m < d->modes; m++) {
        struct ovl_error now;
        const struct ovl_mode *mode = m < 0 ? NULL : d->stage.modes[m];
        if (ovl_exchange_validate(x, mode, d->type, key + (uint64_t)(m + 1), &now) != 0 && rc == 0) {
            rc = -1;
            *err = now;
        }
    }
    return ovl_agree(d->stage.comm, rc, err);
}

static void fill_cell(const struct driver *d, struct ovl_cell *c, const struct ovl_loop *loop, int mode,
                      struct ovl_loop_result *r, int validated, double size)
{
    static const char *const names[] = {"ok", "ci_not_reached", "invalid"};
    const struct ovl_mode *row = d->stage.modes[mode];
    ovl_cell_clear(c);
    snprintf(c->run_id, sizeof c->run_id, "%s", ovl_run_text(&d->run, "run_id"));
    snprintf(c->benchmark, sizeof c->benchmark, "%s", d->benchmark->name);
    snprintf(c->mode, sizeof c->mode, "%s", row->name);
    if (d->benchmark->size_max > 0) {
        c->size_bytes = size;
        snprintf(c->datatype, sizeof c->datatype, "%s", ovl_exchange_type_name(d->type));
    }
    c->ranks = d->ranks;
    snprintf(c->compute_kind, sizeof c->compute_kind, "%s", d->work.kernel->name);
    c->units = (double)r->units;
    c->ratio = isnan(loop->fixed_seconds) ? loop->ratio : NAN;
    c->compute_us = d->options.compute_us;
    snprintf(c->engine, sizeof c->engine, "%s", row->engine);
    snprintf(c->placement, sizeof c->placement, "%s", row->placement);
    c->workers = 0;
    c->test_calls = (double)loop->tests;
    c->rotate = 1;
    snprintf(c->skew, sizeof c->skew, "none");
    snprintf(c->block_group, sizeof c->block_group, "%.60s/%zu", c->run_id, d->cells);
    snprintf(c->status, sizeof c->status, "%s", validated == 0 ? "invalid" : names[r->status]);
    snprintf(c->reason, sizeof c->reason, "%s", validated == 0 ? "wrong data" : r->reason);
    c->validated = validated;
    c->clock_read_seconds = d->clock_read;
    c->bootstrap_seed = (double)loop->seed;
    c->start_spread_seconds = r->start_spread;
    c->cpu_thread_seconds = r->cpu_thread[mode];
    c->cpu_process_seconds = r->cpu_process[mode];
    c->samples = r->samples[mode];
    memset(&r->samples[mode], 0, sizeof r->samples[mode]);
}

/* Rank 0: record and row of one cell. */
static int report_cell(struct driver *d, struct ovl_cell *c, struct ovl_error *err)
{
    ovl_cell_round(c);
    int rc = ovl_cell_derive(c);
    if (rc != 0)
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the statistics of %zu blocks", c->samples.blocks);
    else {
        rc = ovl_writer_line(&d->writer, ovl_cell_to_json(c), err);
        ovl_progress_clear(&d->progress);
        if (!d->options.quiet)
            d->format->row(stdout, &d->run, c, d->options.full);
        if (strcmp(c->status, "invalid") == 0 && c->validated != 0)
            fprintf(stderr, "%s: %.0f bytes: invalid: %s\n", d->benchmark->program,
                    isnan(c->size_bytes) ? 0 : c->size_bytes, c->reason);
    }
    ovl_cell_free(c);
    return rc;
}

/* Collective: one size and ratio, in all modes. */
static int run_cell(struct driver *d, struct ovl_exchange *x, double ratio, int validated, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    struct ovl_loop_result result;
    struct ovl_loop loop = {
        .ops = &ovl_stage_ops,
        .stage = &d->stage,
        .decides = d->rank == 0,
        .ranks = d->ranks,
        .modes = d->modes,
        .tests = o->tests,
        .warmup = o->warmup,
        .stop = {o->blocks[0], o->blocks[1], o->ci, o->max_time},
        .seed = ovl_rng_mix(o->seed ^ ovl_rng_mix(d->cells + 1)) >> 12, /* 52 bits: exact as a JSON number everywhere */
        .clock_read = d->clock_read,
        .ratio = ratio,
        .fixed_seconds = 1e-6 * o->compute_us,
        .shared_cores = d->provenance.oversubscribed,
    };
    if (d->rank == 0)
        ovl_progress_cell(&d->progress, d->benchmark->size_max > 0 ? (double)x->size : -1);
    d->stage.exchange = x;
    ovl_sync_measure(&d->sync);
    int rc = ovl_loop_run(&loop, &result, err);
    double drift = ovl_sync_measure(&d->sync);
    if (rc == 0 && d->rank == 0) {
        if (drift > fmax(1e2 * result.start_spread * 1e9, 1e3)) /* the clocks moved: the spread says nothing */
            result.start_spread = NAN;
        for (int m = 0; m < d->modes && rc == 0; m++) {
            struct ovl_cell cell;
            fill_cell(d, &cell, &loop, m, &result, validated, (double)x->size);
            d->invalid = d->invalid || strcmp(cell.status, "invalid") == 0;
            rc = report_cell(d, &cell, err);
        }
    }
    ovl_loop_result_free(&result);
    d->cells++;
    return ovl_agree(d->stage.comm, rc, err);
}

/* Collective: all ratios at one size. */
static int run_size(struct driver *d, uint64_t size, struct ovl_error *err)
{
    struct ovl_exchange x;
    if (ovl_agree(d->stage.comm, ovl_exchange_open(&x, d->collective, d->comm, size, d->type, err), err) != 0)
        return -1;
    int rc = 0, validated = -1;
    if (d->options.validate) {
        struct ovl_error wrong;
        validated = validate(d, &x, d->cells, &wrong) == 0;
        if (!validated) {
            d->wrong_data = true;
            if (d->rank == 0)
                fprintf(stderr, "%s: %s\n", d->benchmark->program, wrong.text);
        }
    }
    for (size_t r = 0; r < d->options.ratios.n && rc == 0; r++)
        rc = run_cell(d, &x, d->options.ratios.value[r], validated, err);
    ovl_exchange_close(&x);
    return rc;
}

static int finish(struct driver *d, int rc, struct ovl_error *err)
{
    char finished[32];
    struct ovl_error ignored;
    ovl_clock_utc(finished);
    if (d->rank == 0 && d->run.head) {
        ovl_progress_clear(&d->progress);
        json_t *end =
            json_pack("{s:s, s:s, s:s, s:I, s:s}", "record", "end", "run_id", ovl_run_text(&d->run, "run_id"), "status",
                      rc == 0 ? "complete" : "failed", "cells", (json_int_t)d->cells * d->modes, "finished", finished);
        int end_rc = ovl_writer_line(&d->writer, end, rc == 0 ? err : &ignored);
        if (rc == 0 && end_rc == 0 && !d->options.quiet)
            d->format->foot(stdout, &d->run, d->options.full);
        end_rc = ovl_writer_close(&d->writer, rc == 0 && end_rc == 0 ? err : &ignored) | end_rc;
        if (rc == 0 && end_rc == 0 && fflush(stdout) != 0)
            end_rc = ovl_error_set(err, OVL_ENVIRONMENT, "cannot write the table to standard output");
        rc = rc ? rc : end_rc;
    }
    return ovl_agree(d->stage.comm, rc, err);
}

/* Collective: everything after the options. */
static int measure(struct driver *d, char **argv, struct ovl_error *err)
{
    if (ovl_agree(d->stage.comm, ovl_provenance_load(&d->provenance, d->comm, err), err) != 0 ||
        ovl_agree(d->stage.comm, ovl_work_open(&d->work, d->options.compute, err), err) != 0)
        return -1;
    d->clock_read = 1e-9 * ovl_clock_read_cost();
    MPI_Bcast(&d->clock_read, 1, MPI_DOUBLE, 0, d->stage.comm);
    ovl_sync_open(&d->sync, d->comm, d->provenance.topology.clock, ovl_clock_ns, d->provenance.oversubscribed);
    d->stage.sync = &d->sync;
    d->stage.work = &d->work;
    calibrate(d);

    json_t *provenance = ovl_provenance_json(&d->provenance, d->comm);
    int rc = ovl_agree(d->stage.comm, d->rank == 0 ? open_output(d, provenance, argv, err) : 0, err);
    if (rc == 0) {
        size_t sizes = count_sizes(&d->options);
        if (d->rank == 0)
            ovl_progress_open(&d->progress, sizes * d->options.ratios.n, d->options.progress);
        for (size_t s = 0; s < sizes && rc == 0; s++)
            rc = run_size(d, d->options.size[0] << s, err);
        rc = finish(d, rc, err);
    }
    json_decref(d->run.head);
    ovl_sync_close(&d->sync);
    return rc;
}

/* Collective: from a complete row to the last cell. */
static int run_driver(struct driver *d, int argc, char **argv, struct ovl_error *err)
{
    d->options = ovl_driver_options_default(d->benchmark);
    if (ovl_driver_options_parse(d->benchmark, argc, argv, &d->options, err) != 0)
        return -1;
    if (d->options.help || d->options.version) {
        if (d->rank == 0 && d->options.help)
            usage(d->benchmark);
        else if (d->rank == 0)
            printf("%s %s (%s)\n", d->benchmark->program, OVL_VERSION, OVL_GIT);
        return 0;
    }
    d->format = ovl_format_find(d->options.format);
    if (d->benchmark->reduces)
        d->type = d->format == &ovl_format_omb ? OVL_EXCHANGE_INT8 : OVL_EXCHANGE_FLOAT;
    return check_request(d, err) == 0 ? measure(d, argv, err) : -1;
}

int ovl_driver_run(const struct ovl_collective *collective, int argc, char **argv)
{
    struct driver d = {
        .collective = collective, .benchmark = ovl_benchmark_find(collective->name), .writer = {.fd = -1}};
    struct ovl_error err = {.code = OVL_OK};
    MPI_Comm_dup(MPI_COMM_WORLD, &d.comm);
    MPI_Comm_rank(d.comm, &d.rank);
    MPI_Comm_size(d.comm, &d.ranks);
    ovl_stage_open(&d.stage, d.comm);

    int rc = check_row(&d, &err) == 0 ? run_driver(&d, argc, argv, &err) : -1;
    if (rc != 0 && d.rank == 0)
        fprintf(stderr, "%s: %s\n", d.benchmark ? d.benchmark->program : collective->name, err.text);
    ovl_work_close(&d.work);
    ovl_stage_close(&d.stage);
    MPI_Comm_free(&d.comm);

    int code = rc != 0 ? (int)err.code : d.wrong_data ? OVL_WRONG_DATA : d.invalid ? OVL_INCONCLUSIVE : OVL_OK;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}
