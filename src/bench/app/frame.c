/* A program that measures, from its options to its exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/standard_streams.h"
#include "bench/app/message.h"
#include "bench/app/same_options.h"
#include "bench/interrupt.h"
#include "bench/overdue.h"
#include "bench/starts.h"
#include "machine/blas.h"
#include "machine/memory_room.h"
#include "offload/boot/agree_mpi.h"
#include "record/derived/disturber.h"
#include "version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void usage(const struct ovl_app *app, const char *program)
{
    static const char usual[] = "0 fine, 2 an invalid cell or a signal, 3 usage, 4 wrong data, 5 environment";
    printf("Usage: mpiexec -n RANKS %s [OPTION]...\n%s\n", program, app->about);
    ovl_options_help(app->rows, stdout);
    printf("\nExit status: %s. See %s(1) and ovl(7).\n", app->exit_status ? app->exit_status : usual, program);
}

/* Collective: does the memory suffice for all problems, can all be solved? */
static int check_problems(struct ovl_app_job *job, struct ovl_error *err)
{
    const double share = 0.8; /* the rest is for MPI, and for what else runs there */
    double has = share * (double)ovl_memory_room("") / job->provenance.ranks_here, least;
    MPI_Allreduce(&has, &least, 1, MPI_DOUBLE, MPI_MIN, job->comm);
    if (job->options->mem_limit)
        least = (double)job->options->mem_limit;
    if (job->options->per_rank && ovl_starts_room(job->options->blocks[1], job->ranks, err) != 0)
        return -1;
    for (size_t i = 0; job->app->need && i < job->app->problems(job); i++) {
        struct ovl_app_need need = {.bytes = 0};
        if (job->app->need(job, i, &need, err) != 0)
            return -1;
        if (ovl_app_fits(job, &need, least, err) != 0)
            return -1;
    }
    return 0;
}

/* At rank 0; takes `provenance`, `disturbance` and `thread`. */
static json_t *run_line(struct ovl_app_job *job, json_t *provenance, json_t *disturbance, json_t *thread, char **argv)
{
    const struct ovl_app *app = job->app;
    json_t *line = ovl_output_run_line(app->name, argv, provenance);
    json_object_set_new(line, "datatype", json_null());
    json_object_set_new(line, "workers", json_integer(job->offload.engine.job_map.workers));
    json_t *offload = ovl_offload_json(&job->offload);
    if (offload)
        json_object_set_new(line, "offload", offload);
    if (job->thread.progress)
        json_object_set_new(line, "thread", thread);
    json_object_set_new(line, "seed", json_integer((json_int_t)job->options->seed));
    json_object_set_new(line, "options", ovl_options_json(app->rows, (const char *)job + app->options_at));
    json_object_set_new(line, "clock",
                        json_pack("{s:f, s:b}", "read_seconds", job->clock_read, "synchronised", job->sync.usable));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:n, s:n}", "kernel", app->kernel, "units_per_second", "nonlinearity"));
    json_object_set_new(line, "disturbance", disturbance);
    if (!isnan(job->options->energy))
        json_object_set_new(line, "energy", ovl_rank_energy_json(&job->energy));
    if (job->ranks == 1 && app->problems) /* ovl_noise has none, and looks at the machine alone */
        json_array_insert_new(json_object_get(line, "warnings"), 0,
                              json_string("one rank: nothing is communicated, and no row says what is hidden"));
    if (app->describe)
        app->describe(job, line);
    ovl_disturber_warn(line, json_object_get(line, "warnings"));
    if (job->offload.engine.job_map.emulated_ranks)
        json_array_append_new(json_object_get(line, "warnings"),
                              json_string("an emulator runs ranks: their times are those of no processor"));
    return line;
}

static int open_output(struct ovl_app_job *job, json_t *line, struct ovl_error *err)
{
    job->output.quiet = job->options->quiet;
    job->output.full = job->options->full;
    job->output.format = job->app->format ? job->app->format(job) : &ovl_format_proxy;
    int rc = ovl_output_open(&job->output, line, job->options->json, err);
    if (rc == 0 && job->app->problems)
        ovl_progress_open(&job->output.progress, job->app->problems(job), job->options->progress);
    return rc;
}

/* Collective: the record with all its cells. */
static int record(struct ovl_app_job *job, char **argv, struct ovl_error *err)
{
    const struct ovl_app *app = job->app;
    json_t *provenance = ovl_provenance_json(&job->provenance, job->comm);
    json_t *disturbance = ovl_disturb_json(&job->disturb);
    json_t *thread = ovl_rank_thread_json(&job->thread, job->comm);
    json_t *line = job->rank == 0 ? run_line(job, provenance, disturbance, thread, argv) : NULL;
    int rc = ovl_agree(job->stage.comm, line ? open_output(job, line, err) : 0, err);
    if (rc == 0)
        rc = app->schemes ? ovl_app_schemes_measure(job, err) : app->measure(job, err);
    if (job->rank == 0)
        rc = ovl_output_close(&job->output, rc, job->signal, err);
    return ovl_agree(job->stage.comm, rc, err);
}

/* Collective: everything after the options. */
static int measure(struct ovl_app_job *job, char **argv, struct ovl_error *err)
{
    if (check_problems(job, err) != 0)
        return -1;
    ovl_steal_open(&job->steal);
    job->clock_read = ovl_stage_meet(&job->stage, &job->sync, job->comm, &job->provenance);
    int rc = job->unrecorded ? job->app->measure(job, err) : record(job, argv, err);
    ovl_sync_close(&job->sync);
    return rc;
}

static void tell_signal(const struct ovl_app_job *job)
{
    fprintf(stderr, "%s: interrupted by %s", job->offload.program, ovl_interrupt_name(job->signal));
    if (job->app->kept)
        fprintf(stderr, "; %s", job->app->kept);
    else if (!job->unrecorded)
        fprintf(stderr, job->options->json ? "; %zu finished cells are kept" : "; %zu cells had finished",
                job->output.cell_lines);
    fputc('\n', stderr);
}

static int begin_thread(struct ovl_app_job *job, struct ovl_error *err)
{
    if (ovl_rank_thread_begin(&job->thread, job->comm, &job->provenance, &job->options->offload, err) != 0)
        return -1;
    job->stage.progress = job->thread.progress;
    if (job->thread.progress)
        ovl_disturb_thread(&job->disturb, ovl_progress_id(job->thread.progress), !job->thread.shared);
    return 0;
}

/* Collective over the ranks: everything between the meeting of all and their parting. */
static int run_ranks(struct ovl_app_job *job, char **argv, struct ovl_error *err)
{
    const struct ovl_app *app = job->app;
    struct ovl_exchange none = {0}; /* bench's stage takes one of these in turn */
    MPI_Comm_dup(job->offload.engine.comm, &job->comm);
    MPI_Comm_rank(job->comm, &job->rank);
    MPI_Comm_size(job->comm, &job->ranks);
    ovl_stage_open(&job->stage, job->comm);
    job->stage.program = job->offload.program;
    job->stage.exchanges = &none;
    job->stage.offload = job->offload.engine.connected ? &job->offload : NULL;
    job->stage.skew_rng = ovl_rng_seeded(job->options->seed ^ ovl_rng_mix((uint64_t)job->rank + 1));
    int rc = ovl_agree(job->comm, ovl_app_options_same(app, (const char *)job + app->options_at, job->comm, err), err);
    if (rc == 0)
        rc = ovl_skew_parse(job->options->skew, &job->stage.skew, err);
    if (rc == 0)
        rc = ovl_agree(job->stage.comm,
                       ovl_provenance_load(&job->provenance, job->comm, &job->offload.engine.job_map, err), err);
    if (rc == 0)
        ovl_worker_cpu_open(&job->worker_cpu, job->comm, &job->offload.engine.job_map);
    job->stage.worker_cpu = job->worker_cpu.known ? &job->worker_cpu : NULL;
    if (rc == 0)
        ovl_disturb_open(&job->disturb, job->comm, &job->provenance, &job->offload.engine.job_map);
    if (rc == 0)
        rc = begin_thread(job, err);
    if (rc == 0 && !isnan(job->options->energy))
        ovl_rank_energy_open(&job->energy, job->comm, &job->provenance, "");
    if (app->schemes) {
        ovl_app_schemes_choose(job);
        job->schemes.node = job->provenance.hosts.node_of;
        job->schemes.machine.node = job->schemes.node;
        job->schemes.machine.nodes = job->provenance.nodes;
    }
    if (rc == 0)
        rc = !app->begin || app->begin(job, err) == 0 ? measure(job, argv, err) : -1;
    if (rc == 0 && job->signal && job->rank == 0)
        tell_signal(job);
    if (app->end)
        app->end(job);
    ovl_rank_thread_end(&job->thread);
    ovl_stage_close(&job->stage);
    ovl_disturb_close(&job->disturb);
    ovl_worker_cpu_close(&job->worker_cpu);
    ovl_provenance_free(&job->provenance);
    MPI_Comm_free(&job->comm);
    return rc;
}

static void print_version(const char *program)
{
    const char *blas = ovl_blas_text();
    char *text = ovl_text("%s %s (%s)\n%s%s%s", program, OVL_VERSION, OVL_GIT, *blas ? OVL_BLAS_LINE : "", blas,
                          *blas ? "\n" : "");
    fputs(text, stdout); /* at once: who wants the first line alone may go then */
    free(text);
}

static int run(struct ovl_app_job *job, int rc, char **argv, struct ovl_error *err)
{
    const struct ovl_engine *e = &job->offload.engine;
    const char *program = job->offload.program;
    bool leave = rc == 0 && (job->options->help || job->options->version);
    rc = ovl_offload_join(&job->offload, &job->options->offload, leave, err);
    if (rc == 0 && !e->worker)
        rc = run_ranks(job, argv, err);
    else if (leave && e->first) {
        if (job->options->help)
            usage(job->app, program);
        else
            print_version(program);
        rc = ovl_output_printed(err);
    }
    if (rc != 0 && e->first && *err->text)
        fprintf(stderr, "%s: %s\n", program, err->text);
    ovl_offload_release(&job->offload);
    int code = job->wrong_data               ? OVL_WRONG_DATA /* whatever else went wrong */
               : rc != 0                     ? (int)err->code
               : job->unproved               ? OVL_ENVIRONMENT
               : job->missed                 ? OVL_MISSED
               : job->invalid || job->signal ? OVL_INCONCLUSIVE
                                             : OVL_OK;
    return ovl_engine_agree_exit_code(&job->offload.engine, code);
}

/* Collective: MPI, which two threads of a rank may call at once where mode thread is wanted. */
static int begin_mpi(const struct ovl_app_job *job, int *argc, char ***argv, struct ovl_error *err)
{
    int level;
    if (!ovl_thread_wanted(&job->options->offload)) {
        MPI_Init(argc, argv);
        return 0;
    }
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    return level >= MPI_THREAD_MULTIPLE
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT,
                               "--mode thread: this MPI library lets one thread of a rank call it at a time (no "
                               "MPI_THREAD_MULTIPLE); leave thread out, or take a library that has it");
}

int ovl_app_main(const struct ovl_app *app, int argc, char **argv)
{
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    struct ovl_app_job *job = ovl_check_alloc(calloc(1, app->size));
    struct ovl_error err = {.code = OVL_OK};
    static char program[64];
    snprintf(program, sizeof program, "%s%s", app->program ? "" : "ovl_", app->program ? app->program : app->name);
    job->offload.program = program;
    job->app = app;
    job->output.writer.fd = -1;
    job->options = (struct ovl_app_options *)((char *)job + app->options_at);
    int rc = app->parse(job, argc, argv, &err);
    if (rc == 0)
        rc = ovl_app_stop_check(job->options, &err);
    if (rc == 0 && app->print && (rc = app->print(job, &err)) > 0) {
        free(job);
        if (ovl_output_printed(&err) != 0)
            fprintf(stderr, "%s: %s\n", program, err.text);
        return (int)err.code;
    }
    if (rc == 0 && app->prepare && !job->options->help && !job->options->version)
        rc = app->prepare(job, &err);
    if (rc == 0 && ovl_offload_wanted(&job->options->offload))
        ovl_engine_prepare((int)job->options->offload.workers);
    struct ovl_error no_threads;
    if (begin_mpi(job, &argc, &argv, &no_threads) != 0 && rc == 0) {
        rc = -1;
        err = no_threads;
    }
    ovl_overdue_watch(program, &job->output);
    return ovl_engine_finalize(
        run(job, rc, job->words ? job->words : argv, &err)); /* the thread on watch looks at the job until the end */
}
