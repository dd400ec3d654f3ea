/* The schemes of a problem, from --mode to their cells: the loop's hooks, and the data between samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/message.h"
#include "bench/nodes.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The blocking scheme has no mode's hooks: for the stage it is the host that carries. Where there is host-t, that one
   alone polls. */
void ovl_app_schemes_choose(struct ovl_app_job *job)
{
    static const char blocking[] = "blocking", polled[] = "host-t";
    struct ovl_app_schemes *a = &job->schemes;
    const char *modes = job->options->offload.modes;
    a->blocking = -1;
    a->count = 0;
    a->equal = 1;
    for (const char *at = modes; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        bool blocks = length == strlen(blocking) && strncmp(at, blocking, length) == 0;
        bool polls = length == strlen(polled) && strncmp(at, polled, length) == 0;
        struct ovl_app_scheme *s = &a->scheme[a->count];
        s->mode =
            blocks || polls ? ovl_mode_find("host", 4, "mpi") : ovl_mode_find(at, length, job->options->offload.engine);
        s->name = blocks ? blocking : s->mode->name;
        s->polls = !blocks && (polls || !strstr(modes, polled));
        if (blocks)
            a->blocking = a->count;
        job->stage.modes[a->count++] = s->mode;
    }
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static void fill(struct ovl_app_job *job)
{
    job->app->schemes->fill(job);
    job->schemes.data = OVL_DATA_GOOD;
}

static void poison(struct ovl_app_job *job)
{
    if (job->app->schemes->poison)
        job->app->schemes->poison(job);
}

/* Every answer is looked at, between the samples; so a T never begins with the errors of the one before. */
static void settle(struct ovl_app_job *job)
{
    struct ovl_app_schemes *a = &job->schemes;
    double *error = &a->scheme[a->answered].error;
    if (a->data == OVL_DATA_ANSWERED)
        *error = larger(job->app->schemes->error(job), *error);
    if (a->data > OVL_DATA_SENT)
        fill(job);
}

/* A C, another scheme or the T before has brought what was right for its data: none of it may pass for this T's. */
static void renew(struct ovl_app_job *job)
{
    if (job->schemes.data != OVL_DATA_GOOD)
        fill(job);
    poison(job);
}

static void play(struct ovl_app_job *job, int s, enum ovl_app_mask mask)
{
    struct ovl_app_schemes *a = &job->schemes;
    struct ovl_app_run *run = a->scheme[s].run;
    run->mask = mask;
    if (job->app->schemes->play)
        job->app->schemes->play(job, s, mask);
    else
        ovl_app_run(run);
    if (mask != OVL_MASK_COMM)
        a->data = mask == OVL_MASK_TOTAL ? OVL_DATA_ANSWERED : OVL_DATA_SPOILT;
    else if (a->data == OVL_DATA_GOOD)
        a->data = OVL_DATA_SENT;
    if (mask == OVL_MASK_TOTAL)
        a->answered = s;
}

/* The largest error of all ranks at all ranks, of each scheme; infinite where there is a NaN. */
static void share_errors(const struct ovl_app_job *job, double error[OVL_LOOP_MODES])
{
    const struct ovl_app_schemes *a = &job->schemes;
    double mine[OVL_LOOP_MODES];
    for (int s = 0; s < a->count; s++)
        mine[s] = isnan(a->scheme[s].error) ? INFINITY : a->scheme[s].error;
    MPI_Allreduce(mine, error, a->count, MPI_DOUBLE, MPI_MAX, job->stage.comm);
}

static void tell_wrong(struct ovl_app_job *job, int s, double error)
{
    char text[128] = "";
    if (job->app->schemes->fault)
        job->app->schemes->fault(job, s, error, text);
    if (*text)
        ovl_app_wrong(job, "%s, %s", job->schemes.problem, text);
    else if (isinf(error))
        ovl_app_wrong(job, "%s: the answer is no number, as where a message did not come", job->schemes.problem);
    else
        ovl_app_wrong(job, "%s: an error of %.3g, and at most %.3g is right", job->schemes.problem, error,
                      job->schemes.limit);
}

bool ovl_app_schemes_validate(struct ovl_app_job *job)
{
    struct ovl_app_schemes *a = &job->schemes;
    double error[OVL_LOOP_MODES];
    for (int s = 0; s < a->count; s++) {
        a->scheme[s].error = job->app->schemes->validate ? job->app->schemes->validate(job, s) : 0;
        if (a->data != OVL_DATA_GOOD || s == 0 || job->app->schemes->validate)
            fill(job);
        poison(job);
        play(job, s, OVL_MASK_TOTAL);
        a->seconds = ovl_app_run_seconds(a->scheme[s].run);
        settle(job);
        MPI_Barrier(job->comm); /* a rank that waits for its worker lets no other one's messages end */
    }
    MPI_Bcast(&a->seconds, 1, MPI_DOUBLE, 0, job->comm);
    share_errors(job, error);
    return ovl_app_wrong_scheme(a, error) < 0;
}

static struct ovl_start start(void *stage, enum ovl_quantity sample, int mode)
{
    settle(stage);
    if (sample == OVL_TOTAL)
        renew(stage);
    return ovl_stage_ops.start(stage, sample, mode);
}

static void run(void *stage, enum ovl_quantity sample, int mode, struct ovl_parts *parts)
{
    struct ovl_app_job *job = stage;
    struct ovl_app_scheme *s = &job->schemes.scheme[mode];
    for (int lane = 0; lane < OVL_LANES; lane++) {
        s->run->seconds[lane] = sample == OVL_COMPUTE ? s->bounder.seconds[lane] : NULL;
        s->run->room[lane] = s->bounder.count[lane];
    }
    play(job, mode, sample == OVL_COMM ? OVL_MASK_COMM : sample == OVL_COMPUTE ? OVL_MASK_WORK : OVL_MASK_TOTAL);
    const int64_t *ns = s->run->ns;
    parts->init += 1e-9 * (double)ns[OVL_PHASE_POST];
    parts->test += 1e-9 * (double)ns[OVL_PHASE_TEST];
    parts->wait += 1e-9 * (double)(ns[OVL_PHASE_WAIT] + ns[OVL_PHASE_SYNC]); /* a blocking call is all waiting */
    parts->inner += 1e-9 * (double)ns[OVL_PHASE_COMPUTE];
    if (sample == OVL_TOTAL)
        ovl_app_keep_parts(job, mode);
}

static void took(void *stage, size_t kept)
{
    ovl_app_keep_block(stage, kept);
}

/* The work is the problem's own. */
static uint64_t units(void *stage, double seconds)
{
    (void)seconds;
    return (uint64_t)((struct ovl_app_job *)stage)->schemes.equal;
}

static struct ovl_stage_ops stage_ops(void)
{
    struct ovl_stage_ops ops = ovl_stage_ops;
    ops.start = start;
    ops.run = run;
    ops.units = units;
    ops.took = took;
    ops.blocking = NULL;
    return ops;
}

void ovl_app_schemes_foresee(struct ovl_app_job *job, double sample_seconds)
{
    const struct ovl_app_options *o = job->options;
    const struct ovl_stop stop = ovl_app_stop(o);
    double block = 2 * job->schemes.count * (sample_seconds + 1e-6 * job->stage.skew.us); /* W, or C, and T */
    if (job->rank == 0 && ovl_loop_too_long(&stop, block))
        ovl_stage_ops.too_long(&job->stage, block, o->max_time);
}

static struct ovl_loop make_loop(struct ovl_app_job *job, const struct ovl_stage_ops *ops, bool wrong)
{
    const struct ovl_app_options *o = job->options;
    struct ovl_loop loop = {
        .ops = ops,
        .stage = job,
        .decides = job->rank == 0,
        .rank = job->rank,
        .ranks = job->ranks,
        .modes = job->schemes.count,
        .warmup = o->warmup,
        .stop = ovl_app_stop(o),
        .seed =
            ovl_rng_mix(o->seed ^ ovl_rng_mix(job->problems)) >> 12, /* 52 bits: exact as a JSON number everywhere */
        .clock_read = job->clock_read,
        .late_seconds = 0.01 * job->schemes.seconds,
        .fixed_seconds = 0, /* the work is the problem's own */
        .per_rank = o->per_rank,
    };
    for (int s = 0; s < job->schemes.count; s++)
        loop.work_of[s] = job->schemes.scheme[s].first;
    if (wrong) { /* the time of a wrong answer is worth nothing: the fewest blocks */
        loop.warmup = 0;
        loop.stop.most = loop.stop.least =
            o->blocks[1] < OVL_STOP_BLOCKS_AT_LEAST ? o->blocks[1] : OVL_STOP_BLOCKS_AT_LEAST;
    }
    return loop;
}

static int measure(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_app_schemes *a = &job->schemes;
    struct ovl_stage_ops ops = stage_ops();
    struct ovl_loop_result result;
    double error[OVL_LOOP_MODES];
    struct ovl_loop loop = make_loop(job, &ops, !ovl_app_schemes_validate(job));
    ovl_app_schemes_foresee(job, a->seconds);
    ovl_app_prove_begin(job);
    int rc = ovl_loop_run(&loop, &result, err);
    settle(job);
    ovl_offload_wake(&job->offload, true);
    ovl_app_prove(job);
    if (rc == 0 && !result.signal)
        ovl_app_read_energy(job, &loop, &result, 0);
    settle(job);
    share_errors(job, error);
    ovl_app_share_parts(job);
    int wrong = ovl_app_wrong_scheme(a, error);
    if (wrong >= 0 && job->app->schemes->locate)
        job->app->schemes->locate(job, wrong);
    if (rc == 0 && wrong >= 0) /* also where the record has no room for it */
        tell_wrong(job, wrong, error[wrong]);
    if (rc == 0 && job->rank == 0 && !result.signal)
        rc = ovl_app_schemes_report(job, &loop, &result, error, err);
    job->signal = rc == 0 ? result.signal : 0;
    ovl_loop_result_free(&result);
    return ovl_agree(job->stage.comm, rc, err);
}

/* Collective: a problem that is open. */
static int run_open(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_app_schemes *a = &job->schemes;
    for (int s = 0; s < a->count; s++)
        for (a->scheme[s].first = 0; a->scheme[a->scheme[s].first].plan != a->scheme[s].plan;)
            a->scheme[s].first++;
    ovl_offload_wake(&job->offload, true);
    int rc = ovl_app_blocks_open(job, err);
    if (rc == 0)
        rc = measure(job, err);
    ovl_app_blocks_close(job);
    ovl_offload_wake(&job->offload, true);
    return rc;
}

int ovl_app_schemes_measure(struct ovl_app_job *job, struct ovl_error *err)
{
    const struct ovl_app_schemes_row *row = job->app->schemes;
    int rc = 0;
    for (size_t i = 0; i < job->app->problems(job) && rc == 0 && !job->signal; i++) {
        job->problems++;
        if (job->rank == 0)
            ovl_progress_cell(&job->output.progress, NAN);
        rc = row->open(job, i, err);
        if (rc == 0)
            rc = run_open(job, err);
        if (row->close)
            row->close(job);
        ovl_app_memory_end(job);
    }
    return rc;
}
