/* The hooks by which the runner of plans (plan/run.c) plays a trace, and how work is calibrated to it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "base/clock.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double now(void)
{
    return 1e-9 * (double)ovl_clock_ns();
}

/* An iteration begins with the first thing that is done for it: with blocking calls that is the fetch of keys and
   values that its next one needs. */
static void begin_iteration(struct ovl_serve_player *p, const struct ovl_app_step *step)
{
    double *begin = &p->begin[p->serve->plan.own.events.notes[step->index].iteration];
    if (p->run.mask == OVL_MASK_TOTAL && isnan(*begin)) /* of samples of the work alone no token is told */
        *begin = now() - p->start;
}

/* What the work makes is written with its last unit, as a block's keys and values are. */
static void hook_compute(void *self, const struct ovl_app_step *step, int from, int to)
{
    struct ovl_serve_player *p = self;
    struct ovl_serve *s = p->serve;
    const struct ovl_event *e = &s->plan.own.events.events.list[step->index];
    const struct ovl_serve_note *note = &s->plan.own.events.notes[step->index];
    uint64_t units = s->units[step->index], all = (uint64_t)step->units;
    uint64_t n = units * (uint64_t)to / all - units * (uint64_t)from / all;
    bool whole = p->run.mask == OVL_MASK_TOTAL;
    if (from == 0)
        ovl_span_begins(s->tracing.spans, step->index);
    begin_iteration(p, step);
    double start = now();
    for (int i = 0; i < e->takes_count && s->choice.packing && from == 0; i++)
        ovl_serve_message_expand(s, e->takes + i);
    if (n > 0)
        s->work.kernel->run(s->work.scratch, n);
    (whole ? p->computed : s->alone[p->plan])[note->iteration] += now() - start;
    if (to < step->units)
        return;
    ovl_span_ends(s->tracing.spans, step->index);
    if (s->tiny)
        ovl_lm_rank_compute(&s->tiny->rank, (size_t)step->index);
    for (int i = 0; i < e->makes_count && !s->tiny; i++)
        ovl_serve_message_fill(s, e->makes + i);
    if (note->closes && whole)
        p->end[note->iteration] = now() - p->start;
}

static void hook_post(void *self, const struct ovl_app_step *step)
{
    struct ovl_serve_player *p = self;
    int id = p->serve->plan.own.events.events.list[step->index].id;
    p->in_slot[step->slot] = id;
    begin_iteration(p, step);
    ovl_span_begins(p->serve->tracing.spans, step->index);
    p->mode->post(&p->serve->messages[id]);
}

static bool hook_test(void *self, int slot)
{
    struct ovl_serve_player *p = self;
    int id = p->in_slot[slot];
    bool ended = p->mode->test(&p->serve->messages[id]);
    if (ended)
        ovl_span_ends(p->serve->tracing.spans, p->serve->plan.own.events.events.posted_at[id]);
    return ended;
}

/* What has come is looked at before anything uses it; not where communication is timed alone, whose data are old. What
   follows from the data of --tiny is looked at behind the sample. */
static void look(struct ovl_serve_player *p, int id)
{
    if (p->run.mask == OVL_MASK_TOTAL && !p->serve->tiny)
        ovl_serve_message_look(p->serve, id, p->serve->looks);
}

static void hook_wait(void *self, int slot)
{
    struct ovl_serve_player *p = self;
    int id = p->in_slot[slot];
    ovl_span_begins(p->serve->tracing.waits, id);
    p->mode->wait(&p->serve->messages[id]);
    ovl_span_ends(p->serve->tracing.waits, id);
    ovl_span_ends(p->serve->tracing.spans, p->serve->plan.own.events.events.posted_at[id]);
    look(p, id);
}

static void hook_sync(void *self, const struct ovl_app_step *step)
{
    struct ovl_serve_player *p = self;
    int id = p->serve->plan.own.events.events.list[step->index].id;
    struct ovl_exchange *x = &p->serve->messages[id];
    begin_iteration(p, step);
    ovl_span_begins(p->serve->tracing.spans, step->index);
    ovl_span_begins(p->serve->tracing.waits, id);
    x->collective->blocking(x);
    ovl_span_ends(p->serve->tracing.waits, id);
    ovl_span_ends(p->serve->tracing.spans, step->index);
    look(p, id);
}

static void play(struct ovl_app_job *job, int scheme, enum ovl_app_mask mask)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    struct ovl_serve_player *p = &s->players[scheme];
    s->plays++;
    s->playing = scheme;
    if (mask != OVL_MASK_COMM)
        s->key = ovl_rng_mix(job->options->seed ^ ovl_rng_mix(s->tiny && s->looks ? 0 : s->plays));
    if (s->tiny && mask != OVL_MASK_COMM)
        ovl_lm_rank_begin(&s->tiny->rank, s->key);
    p->run.exposed = mask == OVL_MASK_TOTAL ? p->exposed : NULL;
    if (mask == OVL_MASK_WORK)
        memset(s->alone[p->plan], 0, (size_t)s->iterations * sizeof *p->computed);
    if (mask == OVL_MASK_TOTAL) {
        memset(p->exposed, 0, (size_t)s->iterations * sizeof *p->exposed);
        memset(p->computed, 0, (size_t)s->iterations * sizeof *p->computed);
        for (int i = 0; i < s->iterations; i++)
            p->begin[i] = NAN;
        memset(s->bad, 0, (size_t)s->message_count * sizeof *s->bad);
    }
    p->start = now();
    ovl_app_run(&p->run);
}

/* Iterations that compute while a message is on its way to this rank. */
static bool *brings(const struct ovl_serve *s)
{
    const struct ovl_serve_events *e = &s->plan.own.events;
    bool *list = ovl_alloc((size_t)s->iterations + 1, sizeof *list);
    int coming = 0;
    for (size_t i = 0; i < e->events.count; i++) {
        const struct ovl_event *v = &e->events.list[i], *post = v;
        if (v->kind == OVL_EVENT_WAIT)
            post = &e->events.list[e->events.posted_at[v->id]];
        if (v->kind == OVL_EVENT_COMPUTE)
            list[e->notes[i].iteration] |= coming > 0;
        else if (v->kind != OVL_EVENT_STEP && post->operation == OVL_ISENDRECV && post->from >= 0)
            coming += v->kind == OVL_EVENT_POST ? 1 : -1;
    }
    return list;
}

static void make_players(struct ovl_serve *s)
{
    static const struct ovl_app_hooks hooks = {ovl_app_now, hook_compute, hook_post, hook_test,
                                               hook_wait,   hook_sync,    NULL};
    struct ovl_app_schemes *a = &s->job.schemes;
    size_t n = (size_t)s->iterations + 1;
    s->blocking = ovl_app_blocking(&s->plan.plan);
    s->brings = brings(s);
    s->summed = ovl_serve_summed_bytes(s);
    for (int plan = 0; plan < 2; plan++)
        s->alone[plan] = ovl_alloc(n, sizeof **s->alone);
    s->players = ovl_alloc((size_t)a->count, sizeof *s->players);
    for (int i = 0; i < a->count; i++) {
        struct ovl_serve_player *p = &s->players[i];
        bool blocks = i == a->blocking;
        *p = (struct ovl_serve_player){.serve = s,
                                       .mode = a->scheme[i].mode,
                                       .plan = !blocks,
                                       .begin = ovl_alloc(n, sizeof *p->begin),
                                       .end = ovl_alloc(n, sizeof *p->end),
                                       .exposed = ovl_alloc(n, sizeof *p->exposed),
                                       .computed = ovl_alloc(n, sizeof *p->computed)};
        if (s->job.rank == 0)
            p->kept_exposed = ovl_alloc(n * OVL_SERVE_KEPT, sizeof *p->kept_exposed);
        p->run = (struct ovl_app_run){.plan = blocks ? &s->blocking : &s->plan.plan,
                                      .rank = s->job.rank,
                                      .hooks = &hooks,
                                      .self = p,
                                      .polls = a->scheme[i].polls && s->job.options->test_lines > 0,
                                      .marks = (size_t)s->iterations};
        a->scheme[i].run = &p->run;
        a->scheme[i].plan = p->plan;
    }
}

/* Collective: the shortest of some samples, of the slowest rank; of long ones there are few. */
static double try(struct ovl_serve *s, int scheme, enum ovl_app_mask mask)
{
    enum { TRIES = 3 };
    const double enough = 0.5;
    double least = INFINITY, all = 0;
    for (int i = 0; i < TRIES && all < enough; i++) {
        s->players[scheme].run.mask = mask;
        MPI_Barrier(s->job.comm);
        play(&s->job, scheme, mask);
        double took = ovl_app_run_seconds(&s->players[scheme].run), slowest;
        MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
        least = fmin(least, slowest);
        all += slowest;
        if (i == 0 && mask == OVL_MASK_COMM && s->job.rank == 0)
            ovl_serve_foresee(s, slowest);
    }
    return least;
}

/* Collective: the work of a sample in seconds at the rank that has most of it. */
static double work_seconds(struct ovl_serve *s)
{
    double all = ovl_serve_guess(s);
    if (s->job.rank == 0)
        ovl_serve_foresee(s, all);
    const struct ovl_app_schemes *a = &s->job.schemes;
    int host = 0;
    for (int i = 0; i < a->count; i++)
        host = strcmp(a->scheme[host].name, "host") == 0 ? host : i;
    ovl_offload_wake(&s->job.offload, a->scheme[host].mode->offloads);
    double comm = try(s, host, OVL_MASK_COMM);
    return s->us > 0 ? 1e-6 * s->us : s->options.ratio * comm;
}

/* Collective: units of each event, in proportion to its multiply-adds. Filling messages is work, too, and has its part
   of the time that was asked for. */
static void share_work(struct ovl_serve *s)
{
    const struct ovl_events *e = &s->plan.own.events.events;
    double macs = 0, most, first, before = 0;
    for (size_t i = 0; i < e->count; i++)
        macs += e->list[i].macs;
    MPI_Allreduce(&macs, &most, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
    first = macs;
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, s->job.comm);
    double wanted = work_seconds(s);
    ovl_offload_wake(&s->job.offload, false);
    wanted -= try(s, 0, OVL_MASK_WORK); /* of no units yet: filling */
    double units_a_mac =
        s->options.units > 0 && first > 0 ? s->options.units / first : fmax(0, wanted) * s->work.rate / most;
    ovl_app_schemes_foresee(&s->job, most * units_a_mac / s->work.rate);
    for (size_t i = 0; i < e->count; i++) {
        s->units[i] = (uint64_t)(round((before + e->list[i].macs) * units_a_mac) - round(before * units_a_mac));
        before += e->list[i].macs;
    }
    ovl_offload_wake(&s->job.offload, true);
}

/* Collective: the slowest rank's rate, so that none has more work than was asked for; units are the same at all. */
static int open_work(struct ovl_serve *s, struct ovl_error *err)
{
    double rate, nonlinearity;
    if (ovl_agree(s->job.comm, ovl_work_open(&s->work, s->options.kernel, err), err) != 0)
        return -1;
    ovl_offload_wake(&s->job.offload, false);
    MPI_Barrier(s->job.comm);
    ovl_work_calibrate(&s->work, &rate, &nonlinearity);
    MPI_Allreduce(&rate, &s->work.rate, 1, MPI_DOUBLE, MPI_MIN, s->job.comm);
    ovl_offload_wake(&s->job.offload, true);
    return 0;
}

/* Before the first sample; later the work itself fills what is sent, each time with other data. */
static void fill(struct ovl_app_job *job)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    for (int id = 0; id < s->message_count && s->key == 0; id++)
        ovl_serve_message_fill(s, id);
}

static void share_tiered(struct ovl_serve *s)
{
    const struct ovl_serve_tiered *own = &s->plan.own.events.tiered;
    double sums[] = {own->blocks, own->found, own->kept, own->gave_way}, most;
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, s->job.comm);
    MPI_Allreduce(&own->most, &most, 1, MPI_DOUBLE, MPI_MAX, s->job.comm);
    s->tiered = (struct ovl_serve_tiered){sums[0], sums[1], sums[2], sums[3], most};
}

static void share_pushed(struct ovl_serve *s)
{
    const struct ovl_batcher_told *own = &s->plan.own.events.pushed;
    int64_t sums[] = {own->requests, own->times, own->again, own->moved};
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, s->job.comm);
    s->pushed = (struct ovl_batcher_told){sums[0], sums[1], sums[2], sums[3]};
}

static int open_trace(struct ovl_app_job *job, size_t problem, struct ovl_error *err)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    (void)problem;
    if (ovl_agree(job->comm, ovl_serve_plan_open(&s->plan, job->rank, err), err) != 0)
        return -1;
    s->opened = true; /* at all ranks, so that closing can be collective */
    MPI_Allreduce(&s->plan.own.events.iterations, &s->iterations, 1, MPI_INT, MPI_MAX, job->comm);
    MPI_Allreduce(&s->plan.own.events.kv_most, &s->kv_most, 1, MPI_INT64_T, MPI_MAX, job->comm);
    share_tiered(s);
    share_pushed(s);
    s->units = ovl_alloc(s->plan.own.events.events.count + 1, sizeof *s->units);
    if (ovl_serve_messages_open(s, err) != 0)
        return -1;
    make_players(s);
    ovl_serve_tiny_open(s);
    fill(job);
    if (open_work(s, err) != 0)
        return -1;
    share_work(s);
    snprintf(job->schemes.problem, sizeof job->schemes.problem, "%.60s", s->model.name);
    job->schemes.equal = 1;
    job->schemes.limit = 0;
    return 0;
}

static void close_trace(struct ovl_app_job *job)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    if (s->opened)
        ovl_serve_messages_close(s);
    ovl_serve_tiny_close(s);
    for (int i = 0; s->players && i < job->schemes.count; i++) {
        free(s->players[i].begin);
        free(s->players[i].end);
        free(s->players[i].exposed);
        free(s->players[i].computed);
        free(s->players[i].kept_exposed);
        free(s->players[i].told);
        json_decref(s->players[i].lanes);
    }
    free(s->players);
    free(s->units);
    free(s->brings);
    free(s->summed);
    free(s->alone[0]);
    free(s->alone[1]);
    s->players = NULL;
    s->units = NULL;
    s->brings = NULL;
    s->summed = NULL;
    s->alone[0] = s->alone[1] = NULL;
    ovl_work_close(&s->work);
    s->opened = false;
}

static double error_of(struct ovl_app_job *job)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    return s->tiny ? ovl_serve_tiny_wrong(s) : ovl_serve_messages_wrong(s);
}

/* A sample in which all that comes is looked at when it has come. Of --tiny all schemes have the same prompts in it. */
static double validate(struct ovl_app_job *job, int scheme)
{
    struct ovl_serve *s = (struct ovl_serve *)job;
    ovl_offload_wake(&job->offload, s->players[scheme].mode->offloads);
    s->looks = true;
    ovl_serve_tiny_clear(s);
    s->packed_error = 0;
    s->players[scheme].run.mask = OVL_MASK_TOTAL;
    MPI_Barrier(job->comm);
    play(job, scheme, OVL_MASK_TOTAL);
    s->looks = false;
    MPI_Barrier(job->comm); /* as the frame */
    double wrong = error_of(job);
    MPI_Allreduce(&s->packed_error, &s->players[scheme].packed_error, 1, MPI_DOUBLE, MPI_MAX, job->comm);
    if (s->tiny)
        s->players[scheme].written = ovl_serve_tiny_written(s);
    ovl_serve_trace(s, scheme);
    ovl_offload_wake(&job->offload, true);
    return wrong;
}

const struct ovl_app_schemes_row ovl_serve_schemes = {
    .check = "wrong_messages",
    .open = open_trace,
    .close = close_trace,
    .fill = fill,
    .error = error_of,
    .validate = validate,
    .play = play,
    .kept = ovl_serve_keep,
    .locate = ovl_serve_locate,
    .fault = ovl_serve_fault,
    .tell = ovl_serve_fill_cell,
};
