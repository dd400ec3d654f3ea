/* An application from MPI_Init to its exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/standard_streams.h"
#include "bench/app/message.h"
#include "bench/interrupt.h"
#include "bench/overdue.h"
#include "bench/starts.h"
#include "machine/memory_room.h"
#include "offload/boot/agree_mpi.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>

static void usage(void)
{
    static const char usual[] = "0 fine, 2 an invalid cell, 3 usage, 4 wrong data, 5 environment";
    printf("Usage: mpirun -n RANKS ovl_%s [OPTION]...\n%s\n", ovl_app.name, ovl_app.about);
    ovl_options_help(ovl_app.rows, stdout);
    printf("\nExit status: %s. See ovl_%s(1) and ovl(7).\n", ovl_app.exit_status ? ovl_app.exit_status : usual,
           ovl_app.name);
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
    for (size_t i = 0; i < ovl_app.problems(job); i++) {
        struct ovl_app_need need = {.bytes = 0};
        if (ovl_app.need(job, i, &need, err) != 0)
            return -1;
        if (ovl_app_fits(job, &need, least, err) != 0)
            return -1;
    }
    return 0;
}

/* At rank 0; takes `provenance`. */
static json_t *run_line(struct ovl_app_job *job, json_t *provenance, char **argv)
{
    json_t *line = ovl_output_run_line(ovl_app.name, argv, provenance);
    json_object_set_new(line, "datatype", json_null());
    json_object_set_new(line, "workers", json_integer(job->offload.engine.job_map.workers));
    json_t *offload = ovl_offload_json(&job->offload);
    if (offload)
        json_object_set_new(line, "offload", offload);
    json_object_set_new(line, "seed", json_integer((json_int_t)job->options->seed));
    json_object_set_new(line, "options", ovl_options_json(ovl_app.rows, (const char *)job + ovl_app.options_at));
    json_object_set_new(
        line, "clock",
        json_pack("{s:f, s:b}", "read_seconds", job->clock_read, "synchronised", ovl_app.schemes && job->sync.usable));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:n, s:n}", "kernel", ovl_app.kernel, "units_per_second", "nonlinearity"));
    json_object_set_new(line, "solves", ovl_app.solves(job, line));
    return line;
}

static int open_output(struct ovl_app_job *job, json_t *provenance, char **argv, struct ovl_error *err)
{
    job->output.quiet = job->options->quiet;
    job->output.full = job->options->full;
    job->output.format = ovl_app.format ? ovl_app.format(job) : &ovl_format_proxy;
    int rc = ovl_output_open(&job->output, run_line(job, provenance, argv), job->options->json, err);
    if (rc == 0)
        ovl_progress_open(&job->output.progress, ovl_app.problems(job), job->options->progress);
    return rc;
}

/* Collective: everything after the options. */
static int measure(struct ovl_app_job *job, char **argv, struct ovl_error *err)
{
    if (check_problems(job, err) != 0)
        return -1;
    ovl_steal_open(&job->steal);
    job->clock_read = ovl_stage_meet(&job->stage, &job->sync, job->comm, &job->provenance);
    json_t *provenance = ovl_provenance_json(&job->provenance, job->comm);
    int rc = ovl_agree(job->stage.comm, job->rank == 0 ? open_output(job, provenance, argv, err) : 0, err);
    if (rc == 0) {
        rc = ovl_app.schemes ? ovl_app_schemes_measure(job, err) : ovl_app.measure(job, err);
        if (job->rank == 0)
            rc = ovl_output_close(&job->output, rc, job->signal, err);
        rc = ovl_agree(job->stage.comm, rc, err);
    }
    json_decref(job->output.run.head);
    ovl_sync_close(&job->sync);
    return rc;
}

/* Collective over the ranks: everything between the meeting of all and their parting. */
static int run_ranks(struct ovl_app_job *job, char **argv, struct ovl_error *err)
{
    struct ovl_exchange none = {0}; /* bench's stage takes one of these in turn */
    MPI_Comm_dup(job->offload.engine.comm, &job->comm);
    MPI_Comm_rank(job->comm, &job->rank);
    MPI_Comm_size(job->comm, &job->ranks);
    ovl_stage_open(&job->stage, job->comm);
    job->stage.program = job->offload.program;
    job->stage.exchanges = &none;
    job->stage.offload = job->offload.engine.connected ? &job->offload : NULL;
    job->stage.skew_rng = ovl_rng_seeded(job->options->seed ^ ovl_rng_mix((uint64_t)job->rank + 1));
    int rc = ovl_skew_parse(job->options->skew, &job->stage.skew, err);
    if (rc == 0)
        rc = ovl_agree(job->stage.comm,
                       ovl_provenance_load(&job->provenance, job->comm, &job->offload.engine.job_map, err), err);
    if (ovl_app.schemes) {
        ovl_app_schemes_choose(job);
        job->schemes.node = job->provenance.hosts.node_of;
        job->schemes.machine.node = job->schemes.node;
        job->schemes.machine.nodes = job->provenance.nodes;
    }
    if (rc == 0)
        rc = !ovl_app.begin || ovl_app.begin(job, err) == 0 ? measure(job, argv, err) : -1;
    if (rc == 0 && job->signal && job->rank == 0)
        fprintf(stderr, "ovl_%s: interrupted by %s; %zu finished cells are kept\n", ovl_app.name,
                ovl_interrupt_name(job->signal), job->output.cell_lines);
    if (ovl_app.end)
        ovl_app.end(job);
    ovl_stage_close(&job->stage);
    ovl_provenance_free(&job->provenance);
    MPI_Comm_free(&job->comm);
    return rc;
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
            usage();
        else
            printf("%s %s (%s)\n", program, OVL_VERSION, OVL_GIT);
        rc = ovl_output_printed(err);
    }
    if (rc != 0 && e->first && *err->text)
        fprintf(stderr, "%s: %s\n", program, err->text);
    ovl_offload_release(&job->offload);
    int code = rc != 0                       ? (int)err->code
               : job->unproved               ? OVL_ENVIRONMENT
               : job->wrong_data             ? OVL_WRONG_DATA
               : job->invalid || job->signal ? OVL_INCONCLUSIVE
                                             : OVL_OK;
    return ovl_engine_agree_exit_code(&job->offload.engine, code);
}

int main(int argc, char **argv)
{
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    struct ovl_app_job *job = ovl_check_alloc(calloc(1, ovl_app.size));
    struct ovl_error err = {.code = OVL_OK};
    static char program[64];
    snprintf(program, sizeof program, "ovl_%s", ovl_app.name);
    job->offload.program = program;
    job->app = &ovl_app;
    job->output.writer.fd = -1;
    job->options = (struct ovl_app_options *)((char *)job + ovl_app.options_at);
    int rc = ovl_app.parse(job, argc, argv, &err);
    if (rc == 0 && ovl_app.print && (rc = ovl_app.print(job, &err)) > 0) {
        free(job);
        if (ovl_output_printed(&err) != 0)
            fprintf(stderr, "ovl_%s: %s\n", ovl_app.name, err.text);
        return (int)err.code;
    }
    if (rc == 0 && ovl_app.prepare && !job->options->help && !job->options->version)
        rc = ovl_app.prepare(job, &err);
    if (rc == 0 && ovl_offload_wanted(&job->options->offload))
        ovl_engine_prepare((int)job->options->offload.workers);
    MPI_Init(&argc, &argv);
    ovl_overdue_watch(program, &job->output);
    return ovl_engine_finalize(run(job, rc, argv, &err)); /* the thread on watch looks at the job until the end */
}
