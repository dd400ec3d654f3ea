/* The hooks by which the runner of plans (plan/run.c) plays a step, and how work is calibrated to the problem. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "base/clock.h"
#include "base/rng.h"
#include "offload/boot/agree_mpi.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between units a rank carries on with what is compressed: that is no work of the step. */
static void carry_on(struct ovl_train_player *p)
{
    struct ovl_lossy_allreduces *s = &p->train->lossy_allreduces;
    int64_t begin = ovl_clock_ns();
    if (s->waiting == 0)
        return;
    ovl_lossy_allreduces_progress(s, p->mode);
    ovl_app_polled(&p->run, ovl_clock_ns() - begin);
}

/* What the work makes is written with its last unit, as a layer's gradients are. */
static void hook_compute(void *self, const struct ovl_app_step *step, int from, int to)
{
    struct ovl_train *t = ((struct ovl_train_player *)self)->train;
    const struct ovl_event *e = &t->plan.own.events.list[step->index];
    uint64_t units = ovl_train_rank_units(t, e, t->units[step->index]), all = (uint64_t)step->units;
    uint64_t n = units * (uint64_t)to / all - units * (uint64_t)from / all;
    carry_on(self);
    if (from == 0)
        ovl_span_begins(t->timeline.now.spans, step->index);
    if (n > 0)
        t->work.kernel->run(t->work.scratch, n);
    if (t->tiny && to == step->units)
        ovl_train_learn(t, e);
    for (int i = 0; i < e->makes_count && to == step->units && !t->tiny; i++)
        ovl_train_message_make(t, e->makes + i);
    if (to == step->units)
        ovl_span_ends(t->timeline.now.spans, step->index);
}

static struct ovl_exchange *message(struct ovl_train_player *p, const struct ovl_app_step *step)
{
    return &p->train->messages[step->mark];
}

/* What no work makes and is not given, such as tokens that are sent on, is brought to where it is sent from when it is
   posted: once in a sample, and not where communication is timed alone. */
static void copy_in(struct ovl_train *t, int id)
{
    if (t->made[id] || t->given[id] || t->copied[id] == t->key)
        return;
    (t->tiny ? ovl_train_learn_copy : ovl_train_message_fill)(t, id);
    t->copied[id] = t->key;
}

static void hook_post(void *self, const struct ovl_app_step *step)
{
    struct ovl_train_player *p = self;
    p->in_slot[step->slot] = step->mark;
    ovl_span_begins(p->train->timeline.now.spans, step->index);
    copy_in(p->train, step->mark);
    if (p->train->lossy_allreduces.count)
        ovl_lossy_allreduce_post(&p->train->lossy_allreduces, step->mark, p->mode);
    else
        p->mode->post(message(p, step));
}

/* What has come is looked at before anything uses it; not where communication is timed alone, whose data are old. */
static void look(struct ovl_train_player *p, int id)
{
    if (p->run.mask == OVL_MASK_TOTAL)
        ovl_train_message_look(p->train, id);
}

static bool hook_test(void *self, int slot)
{
    struct ovl_train_player *p = self;
    struct ovl_train *t = p->train;
    int id = p->in_slot[slot];
    bool complete = t->lossy_allreduces.count ? ovl_lossy_allreduce_test(&t->lossy_allreduces, id, p->mode)
                                              : p->mode->test(&t->messages[id]);
    if (complete) {
        ovl_span_ends(t->timeline.now.spans, t->plan.own.events.posted_at[id]);
        look(p, id);
    }
    return complete;
}

static void hook_wait(void *self, int slot)
{
    struct ovl_train_player *p = self;
    struct ovl_train *t = p->train;
    ovl_span_begins(t->timeline.now.waits, p->in_slot[slot]);
    if (t->lossy_allreduces.count)
        ovl_lossy_allreduce_wait(&t->lossy_allreduces, p->in_slot[slot], p->mode);
    else
        p->mode->wait(&t->messages[p->in_slot[slot]]);
    ovl_span_ends(t->timeline.now.waits, p->in_slot[slot]);
    ovl_span_ends(t->timeline.now.spans, t->plan.own.events.posted_at[p->in_slot[slot]]);
    look(p, p->in_slot[slot]);
}

static void hook_sync(void *self, const struct ovl_app_step *step)
{
    struct ovl_train_player *p = self;
    struct ovl_exchange *x = message(p, step);
    ovl_span_begins(p->train->timeline.now.spans, step->index);
    copy_in(p->train, step->mark);
    ovl_span_begins(p->train->timeline.now.waits, step->mark);
    if (p->train->lossy_allreduces.count)
        ovl_lossy_allreduce_blocking(&p->train->lossy_allreduces, step->mark);
    else
        x->collective->blocking(x);
    ovl_span_ends(p->train->timeline.now.waits, step->mark);
    ovl_span_ends(p->train->timeline.now.spans, step->index);
    look(p, step->mark);
}

static void play(struct ovl_app_job *job, int scheme, enum ovl_app_mask mask)
{
    struct ovl_train *t = (struct ovl_train *)job;
    struct ovl_train_player *p = &t->players[scheme];
    t->plays++;
    if (mask != OVL_MASK_COMM)
        t->key = ovl_train_sample_key(t, t->plays);
    p->run.exposed = mask == OVL_MASK_TOTAL ? p->last : NULL;
    if (t->tiny && mask != OVL_MASK_COMM)
        ovl_train_learn_begin(t);
    ovl_app_run(&p->run);
    if (t->tiny && mask != OVL_MASK_COMM)
        ovl_train_learn_end(t);
}

static void make_players(struct ovl_train *t)
{
    static const struct ovl_app_hooks hooks = {ovl_app_now, hook_compute, hook_post, hook_test,
                                               hook_wait,   hook_sync,    NULL};
    struct ovl_app_schemes *a = &t->job.schemes;
    size_t ids = (size_t)t->message_count;
    t->blocking = ovl_app_blocking(&t->plan.plan);
    t->made = ovl_check_alloc(calloc(ids + 1, sizeof *t->made));
    t->given = ovl_check_alloc(calloc(ids + 1, sizeof *t->given));
    t->copied = ovl_check_alloc(calloc(ids + 1, sizeof *t->copied));
    t->looked = ovl_check_alloc(calloc(ids + 1, sizeof *t->looked));
    t->bad = ovl_check_alloc(calloc(ids + 1, sizeof *t->bad));
    for (size_t i = 0; i < t->plan.own.events.count; i++)
        for (int k = 0; k < t->plan.own.events.list[i].makes_count; k++)
            t->made[t->plan.own.events.list[i].makes + k] = true;
    for (size_t id = 0; id < ids; id++) /* who sends what one rank makes has a receiver that makes none of it */
        t->given[id] = !t->made[id] && !t->tiny &&
                       t->plan.own.events.list[t->plan.own.events.posted_at[id]].operation == OVL_IALLGATHER;
    t->players = ovl_check_alloc(calloc((size_t)a->count, sizeof *t->players));
    for (int i = 0; i < a->count; i++) {
        struct ovl_train_player *p = &t->players[i];
        bool blocks = i == a->blocking;
        *p = (struct ovl_train_player){.train = t, .mode = a->scheme[i].mode, .plain = &t->plain[i]};
        p->alone = ovl_check_alloc(calloc(ids + 1, sizeof *p->alone));
        p->exposed = ovl_check_alloc(calloc(ids * OVL_TRAIN_KEPT + 1, sizeof *p->exposed));
        p->last = ovl_check_alloc(calloc(ids + 1, sizeof *p->last));
        p->run = (struct ovl_app_run){.plan = blocks ? &t->blocking : &t->plan.plan,
                                      .rank = t->job.rank,
                                      .hooks = &hooks,
                                      .self = p,
                                      .polls = a->scheme[i].polls && t->job.options->test_lines > 0,
                                      .marks = ids};
        a->scheme[i].run = &p->run;
        a->scheme[i].plan = !blocks;
    }
}

/* Collective: the shortest of some samples, of the slowest rank. */
static double try(struct ovl_train *t, int scheme, enum ovl_app_mask mask)
{
    enum { TRIES = 5 };
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        t->players[scheme].run.mask = mask;
        MPI_Barrier(t->job.comm);
        play(&t->job, scheme, mask);
        double took = ovl_app_run_seconds(&t->players[scheme].run), slowest;
        MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, t->job.comm);
        least = fmin(least, slowest);
    }
    return least;
}

static double macs_of(const struct ovl_train *t)
{
    double macs = 0;
    for (size_t i = 0; i < t->plan.own.events.count; i++)
        macs += t->plan.own.events.list[i].macs;
    return macs;
}

/* Collective: the work of a sample in seconds at the rank that has most of it. */
static double work_seconds(struct ovl_train *t)
{
    const struct ovl_app_schemes *a = &t->job.schemes;
    int host = 0;
    for (int i = 0; i < a->count; i++)
        host = strcmp(a->scheme[host].name, "host") == 0 ? host : i;
    if (t->options.us > 0)
        return 1e-6 * t->options.us;
    ovl_offload_wake(&t->job.offload, a->scheme[host].mode->offloads);
    return t->options.ratio * try(t, host, OVL_MASK_COMM);
}

/* Collective: units of each event, in proportion to its multiply-adds. What it takes to fill the messages is work, too,
   and has its part of the time that was asked for. All compressions to compress have the same work. */
static int share_work(struct ovl_train *t, bool again, struct ovl_error *err)
{
    const struct ovl_events *e = &t->plan.own.events;
    const struct ovl_kernel *k = t->work.kernel;
    double macs = macs_of(t), most, first = macs, before = 0;
    bool given = t->options.real || t->options.units > 0;
    MPI_Allreduce(&macs, &most, 1, MPI_DOUBLE, MPI_MAX, t->job.comm);
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, t->job.comm);
    t->units = ovl_check_alloc(calloc(e->count + 1, sizeof *t->units));
    if (t->options.real) {
        t->units_a_mac = 2 / k->flops_per_unit / t->options.scale_flops;
        if (most * t->units_a_mac < OVL_WORK_UNITS_AT_LEAST)
            return ovl_error_set(err, OVL_USAGE, "--scale-flops %g: that leaves no work; give a smaller one",
                                 t->options.scale_flops);
    } else if (given)
        t->units_a_mac = t->options.units / first;
    if (!again) {
        double wanted = given ? 0 : work_seconds(t);
        ovl_offload_wake(&t->job.offload, false);
        t->filling = try(t, 0, OVL_MASK_WORK); /* of no units yet */
        if (!given)
            t->units_a_mac = fmax(0, wanted - t->filling) * t->work.rate / most;
    }
    ovl_app_schemes_foresee(&t->job, t->filling + most * t->units_a_mac / t->work.rate);
    for (size_t i = 0; i < e->count; i++) {
        t->units[i] = (uint64_t)(round((before + e->list[i].macs) * t->units_a_mac) - round(before * t->units_a_mac));
        before += e->list[i].macs;
    }
    ovl_offload_wake(&t->job.offload, true);
    return 0;
}

/* Collective: the slowest rank's rate, so that none has more work than was asked for; units are the same at all. */
static int open_work(struct ovl_train *t, struct ovl_error *err)
{
    double rate, nonlinearity;
    if (ovl_agree(t->job.comm, ovl_work_open(&t->work, t->options.kernel, err), err) != 0)
        return -1;
    ovl_offload_wake(&t->job.offload, false);
    MPI_Barrier(t->job.comm);
    ovl_work_calibrate(&t->work, &rate, &nonlinearity);
    MPI_Allreduce(&rate, &t->work.rate, 1, MPI_DOUBLE, MPI_MIN, t->job.comm);
    ovl_offload_wake(&t->job.offload, true);
    return 0;
}

/* The present way to compress, in whose plan bytes on links are known or not. */
static int choose_compression(struct ovl_train *t, size_t problem, struct ovl_error *err)
{
    t->compression = &t->choice.compressions[problem];
    t->lossy_allreduces = (struct ovl_lossy_allreduces){.lossy = t->compression->lossy};
    t->largest_error = 0;
    t->key = 0;
    bool compressed = t->compression->lossy.compressor != NULL;
    if (t->plan.compressed == compressed && t->plan.halves == t->compression->lossy.halves)
        return 0;
    t->plan.compressed = compressed;
    t->plan.halves = t->compression->lossy.halves;
    ovl_train_plan_close(&t->plan);
    return ovl_agree(t->job.comm, ovl_train_plan_open(&t->plan, t->job.rank, err), err);
}

/* All before the first sample; later the work itself fills what it makes, each time with other data. */
static void fill(struct ovl_app_job *job)
{
    struct ovl_train *t = (struct ovl_train *)job;
    ovl_train_messages_give(t);
    if (t->tiny)
        ovl_tiny_start_elsewhere(t->tiny, t->fills);
    for (int id = 0; id < t->message_count && t->key == 0 && !t->tiny; id++)
        ovl_train_message_fill(t, id);
}

static int open_step(struct ovl_app_job *job, size_t problem, struct ovl_error *err)
{
    struct ovl_train *t = (struct ovl_train *)job;
    if (choose_compression(t, problem, err) != 0)
        return -1;
    t->opened = true; /* at all ranks, so that closing can be collective */
    for (int a = 0; a < OVL_TRAIN_AXES; a++)
        t->comm[a] = MPI_COMM_NULL;
    if (ovl_train_messages_open(t, err) != 0)
        return -1;
    make_players(t);
    ovl_train_tokens_forget(t);
    fill(job); /* zeros would compress to nothing */
    if (open_work(t, err) != 0 || share_work(t, problem > 0, err) != 0)
        return -1;
    for (int s = 0; s < job->schemes.count; s++)
        if (ovl_train_epochs(t, s, err) != 0 || ovl_train_faults(t, s, err) != 0 ||
            ovl_train_data_epochs(t, s, err) != 0 || ovl_train_helper_epochs(t, s, err) != 0)
            return -1;
    snprintf(job->schemes.problem, sizeof job->schemes.problem, "%.60s", t->model.name);
    job->schemes.equal = 1;
    job->schemes.limit = 0;
    return 0;
}

static void close_step(struct ovl_app_job *job)
{
    struct ovl_train *t = (struct ovl_train *)job;
    if (t->opened)
        ovl_train_messages_close(t);
    for (int i = 0; t->players && i < job->schemes.count; i++) {
        free(t->players[i].alone);
        free(t->players[i].exposed);
        free(t->players[i].last);
        json_decref(t->players[i].epochs);
        json_decref(t->players[i].phases);
        json_decref(t->players[i].dataset);
        json_decref(t->players[i].faults);
        json_decref(t->players[i].lanes);
    }
    free(t->players);
    t->players = NULL;
    free(t->units);
    free(t->made);
    free(t->copied);
    free(t->looked);
    free(t->bad);
    t->units = t->copied = t->looked = NULL;
    free(t->given);
    t->made = t->given = t->bad = NULL;
    ovl_work_close(&t->work);
    t->opened = false;
}

static double error_of(struct ovl_app_job *job)
{
    struct ovl_train *t = (struct ovl_train *)job;
    return t->tiny ? ovl_train_learn_wrong(t) : ovl_train_messages_wrong(t);
}

/* Each operation with nothing beside it; the sample that is traced; the training of --tiny. */
static double time_alone(struct ovl_app_job *job, int scheme)
{
    enum { TRIES = 3 };
    struct ovl_train *t = (struct ovl_train *)job;
    struct ovl_train_player *p = &t->players[scheme];
    size_t ids = (size_t)t->message_count, steps = t->plan.own.count;
    double *tries = ovl_check_alloc(calloc(TRIES * ids + 1, sizeof *tries));
    double *seconds = ovl_check_alloc(calloc(steps + 1, sizeof *seconds));
    ovl_offload_wake(&job->offload, p->mode->offloads);
    p->run.seconds[OVL_LANE_CHAIN] = seconds;
    p->run.room[OVL_LANE_CHAIN] = steps;
    for (int i = 0; i < TRIES; i++) {
        p->run.mask = scheme == job->schemes.blocking ? OVL_MASK_COMM : OVL_MASK_APART;
        MPI_Barrier(job->comm);
        play(job, scheme, p->run.mask);
        size_t at = 0;
        for (size_t s = 0; s < steps; s++) { /* the blocking twin has no WAIT */
            const struct ovl_app_step *step = &t->plan.own.steps[s];
            if (step->kind == OVL_APP_POST)
                tries[(size_t)step->mark * TRIES + (size_t)i] = seconds[at];
            at += step->kind != OVL_APP_WAIT || scheme != job->schemes.blocking;
        }
    }
    memset(p->classes, 0, sizeof p->classes);
    for (size_t id = 0; id < ids; id++) {
        const struct ovl_event *post = &t->plan.own.events.list[t->plan.own.events.posted_at[id]];
        ovl_stats_sort(tries + id * TRIES, TRIES);
        p->alone[id] = tries[id * TRIES + TRIES / 2];
        p->classes[ovl_size_class(ovl_train_bytes(&t->plan, post))] += p->alone[id];
    }
    MPI_Allreduce(MPI_IN_PLACE, p->classes, OVL_SIZE_CLASSES, MPI_DOUBLE, MPI_MAX, job->comm);
    p->run.seconds[OVL_LANE_CHAIN] = NULL;
    free(seconds);
    free(tries);
    ovl_train_trace(t, scheme);
    double wrong = t->tiny ? ovl_train_learn_all(t, scheme) : 0;
    ovl_offload_wake(&job->offload, true);
    return wrong;
}

const struct ovl_app_schemes_row ovl_train_schemes = {
    .check = "wrong_messages",
    .open = open_step,
    .close = close_step,
    .fill = fill,
    .error = error_of,
    .validate = time_alone,
    .play = play,
    .kept = ovl_train_keep_block,
    .locate = ovl_train_tokens_locate,
    .fault = ovl_train_tokens_fault,
    .tell = ovl_train_fill_cell,
};
