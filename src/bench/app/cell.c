/* What the cells of all applications have in common, and the proof that workers did their part. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "bench/app/app.h"
#include "bench/starts.h"
#include "record/derived/link_model.h"
#include "record/derived/percentile.h"
#include "record/derived/settle.h"
#include "record/status.h"
#include "stats/percentile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct ovl_stop ovl_app_stop(const struct ovl_app_options *o)
{
    return (struct ovl_stop){o->blocks[0], o->blocks[1], o->ci, o->max_time, ovl_percentiles_blocks(&o->percentiles)};
}

int ovl_app_stop_check(const struct ovl_app_options *o, struct ovl_error *err)
{
    for (size_t i = 0; i < o->percentiles.n; i++) {
        double percent = o->percentiles.value[i];
        size_t least = ovl_stats_percentile_least(percent), claims = ovl_stats_percentile_claims(percent);
        if (o->blocks[1] < least)
            return ovl_error_set(err, OVL_USAGE,
                                 "--percentiles %g: a number needs %zu blocks, its interval %zu, and -i allows %llu; "
                                 "give -i %zu:%zu",
                                 percent, least, claims, (unsigned long long)o->blocks[1], claims, claims);
    }
    return 0;
}

void ovl_app_prove_begin(struct ovl_app_job *job)
{
    *job->unproved_why = '\0';
    ovl_offload_proof_begin(&job->offload);
    ovl_steal_begin(&job->steal);
    ovl_disturb_begin(&job->disturb);
}

void ovl_app_watch_end(struct ovl_app_job *job)
{
    job->stolen = ovl_steal_largest(&job->steal, job->comm);
    job->disturbance = ovl_disturb_end(&job->disturb);
}

void ovl_app_prove(struct ovl_app_job *job)
{
    struct ovl_error unproved;
    ovl_app_watch_end(job);
    if (ovl_offload_proof_end(&job->offload, &unproved) == 0)
        return;
    job->unproved = true;
    snprintf(job->unproved_why, sizeof job->unproved_why, "%.250s", unproved.text);
    if (job->rank == 0)
        fprintf(stderr, "%s: %s\n", job->offload.program, unproved.text);
}

/* Who takes cores in that mode: the ranks, and workers or threads; and in all of them the busy threads that ranks have
   besides, such as those of an MPI library that progress messages. */
static void count_cores(const struct ovl_app_job *job, const struct ovl_mode *mode, struct ovl_cell *c)
{
    const struct ovl_provenance *p = &job->provenance;
    bool threads = strcmp(mode->name, "thread") == 0;
    int takers = job->ranks + (mode->offloads ? job->offload.engine.job_map.workers : threads ? job->ranks : 0);
    c->cores = mode->offloads ? p->cores_of_all : threads ? job->thread.cores : p->cores_of_ranks;
    c->cores += job->disturb.housed_threads;
    c->cores_shared = c->cores < takers + job->disturb.busy_threads;
}

void ovl_app_cell(const struct ovl_app_job *job, struct ovl_cell *c, const struct ovl_mode *mode, const char *name,
                  size_t group)
{
    const char *run_id = ovl_run_text(&job->output.run, "run_id");
    ovl_cell_clear(c);
    snprintf(c->run_id, sizeof c->run_id, "%s", run_id);
    snprintf(c->benchmark, sizeof c->benchmark, "%s", job->app->name);
    snprintf(c->mode, sizeof c->mode, "%s", name);
    snprintf(c->engine, sizeof c->engine, "%s", mode->engine);
    snprintf(c->placement, sizeof c->placement, "%s", mode->placement);
    snprintf(c->skew, sizeof c->skew, "%s", job->options->skew);
    snprintf(c->block_group, sizeof c->block_group, "%.60s/%zu", run_id, group);
    c->ranks = job->ranks;
    c->workers = 0;
    count_cores(job, mode, c);
    if (mode->offloads)
        ovl_offload_fill(&job->offload, job->offload.least > 0 && job->offload.worker_ops == 0, c);
    if (job->offload.engine.job_map.emulated_ranks) /* in each mode, then */
        strcpy(c->placement, OVL_EMULATED);
    c->test_calls = 0;
    c->rotate = 1;
    c->persistent = 0;
    c->clock_read_seconds = job->clock_read;
    c->steal_fraction = job->stolen;
    c->disturbance = job->disturbance;
}

/* When blocks began, by the clock of the run's own time. */
static json_t *block_times(const struct ovl_run *run, const double *began, size_t blocks, const struct ovl_loop *loop)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double since = (double)now.tv_sec - ovl_clock_utc_seconds(ovl_run_text(run, "started")) +
                   1e-9 * (double)now.tv_nsec - 1e-9 * (double)loop->ops->now(loop->stage);
    json_t *all = json_array();
    for (size_t b = 0; b < blocks; b++)
        json_array_append_new(all, json_real(round(1e6 * (since + began[b])) / 1e6));
    return json_pack("{s:o}", "started_seconds", all);
}

void ovl_app_read_energy(struct ovl_app_job *job, const struct ovl_loop *loop, const struct ovl_loop_result *result,
                         int first)
{
    for (int m = 0; m < loop->modes; m++) {
        job->taken[m] = (struct ovl_cell_energy){{NAN, NAN, NAN}, NAN, NAN};
        int measured = !isnan(job->options->energy) && result->status == OVL_LOOP_OK && m >= first;
        MPI_Bcast(&measured, 1, MPI_INT, 0, job->stage.comm);
        if (measured)
            ovl_rank_energy_measure(&job->energy, loop, m, result->units, job->options->energy, &job->taken[m]);
    }
}

void ovl_app_cell_measured(const struct ovl_app_job *job, struct ovl_cell *c, const struct ovl_loop *loop, int mode,
                           const struct ovl_loop_result *r)
{
    snprintf(c->status, sizeof c->status, "%s", ovl_loop_status_words[r->status]);
    snprintf(c->reason, sizeof c->reason, "%s", r->reason);
    c->bootstrap_seed = (double)loop->seed;
    c->start_spread_seconds = r->start_spread;
    c->cpu_thread_seconds = r->burnt[mode].thread;
    c->cpu_process_seconds = r->burnt[mode].process;
    c->cpu_workers_seconds = r->burnt[mode].workers;
    c->samples = r->samples[mode];
    c->energy = job->taken[mode];
    ovl_starts_fill(c, r, mode, &job->provenance);
    if (c->samples.blocks > 0)
        ovl_cell_set(c, "block_times", block_times(&job->output.run, r->began, c->samples.blocks, loop));
}

void ovl_app_cell_derive(struct ovl_app_job *job, struct ovl_cell *c)
{
    ovl_cell_derive(c);
    ovl_percentiles_fill(c, &job->output.run);
    c->unshaped = ovl_link_unshaped(&job->output.run, c, false);
    ovl_cell_settle(c, &job->output.run);
    job->invalid = job->invalid || strcmp(c->status, "invalid") == 0 || ovl_cell_idle(c);
    if (ovl_cell_idle(c) && job->rank == 0)
        fprintf(stderr, "%s: mode dpu: the workers had nothing to do: this is no measurement of them\n",
                job->offload.program);
}

int ovl_app_cell_tell(struct ovl_app_job *job, const struct ovl_cell *c, const char *what, struct ovl_error *err)
{
    const struct ovl_format *format = job->output.format;
    int rc = ovl_output_cell(&job->output, c, ovl_cell_to_json(c), err);
    job->invalid = job->invalid || (format && format->shows && !format->shows(c));
    if (what && strcmp(c->status, "invalid") == 0 && c->validated != 0)
        fprintf(stderr, "%s: %s: invalid: %s\n", job->offload.program, what, c->reason);
    return rc;
}

void ovl_app_wrong(struct ovl_app_job *job, const char *format, ...)
{
    va_list arguments;
    job->wrong_data = true;
    if (job->rank != 0)
        return;
    fprintf(stderr, "%s: wrong data: ", job->offload.program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
