/* Epochs with failures: after each the training goes back to its last whole checkpoint, and plays what it has lost
   again. Checkpoints stand 4 and 10 an epoch, and as often as Daly's formula says; beside each stands what is expected.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/faults.h"
#include "apps/train/state.h"
#include "apps/train/turns/turns.h"
#include "base/clock.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_CHECKPOINTS, IN_RESTARTS, INTERVALS = 3 };
static const char *const interval_words[INTERVALS] = {"4 an epoch", "10 an epoch", "daly"};

/* Of a kind: the counts are those of all its epochs. */
struct failing {
    enum ovl_checkpoint_mode mode;
    const char *why;
    uint64_t interval; /* steps from one checkpoint to the next */
    uint64_t seed;
    struct ovl_faults faults;
    struct ovl_faults_count now; /* of the present epoch */
    uint64_t played, failures, checkpoints;
    struct ovl_faults_count drawn; /* what the seed has for all of them */
};

struct epochs {
    struct ovl_train *t;
    int scheme;
    uint64_t plays;
    char *state; /* all of it, as it is read */
    int rc;
    struct ovl_error err;
};

static int begin_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct epochs *e = of;
    struct failing *f = k->what;
    (void)err;
    e->plays = e->t->plays;
    ovl_train_start(e->t);
    ovl_checkpoint_writer_begin(e->t->writer, f->mode);
    ovl_checkpoint_writer_forget(e->t->writer); /* those of another epoch are no checkpoints of this one */
    f->seed = ovl_faults_seed(e->t->job.options->seed, k->n);
    ovl_faults_start(&f->faults, e->t->options.mtbf, f->seed);
    f->now = (struct ovl_faults_count){.played = 0};
    return 0;
}

static void fail(struct epochs *e, int rc, const struct ovl_error *err)
{
    if (rc != 0 && e->rc == 0) {
        e->rc = rc;
        e->err = *err;
    }
}

/* Collective: the newest whole checkpoint; false: there is none. */
static bool find(struct epochs *e, uint64_t *step, uint32_t *parts)
{
    struct ovl_error err;
    uint64_t told[3] = {0};
    if (e->t->job.rank == 0) {
        int found = ovl_checkpoint_find(e->t->options.checkpoint_dir, step, parts, &err);
        fail(e, found < 0 ? -1 : 0, &err);
        told[0] = found > 0;
        told[1] = found > 0 ? *step : 0;
        told[2] = found > 0 ? *parts : 0;
    }
    MPI_Bcast(told, 3, MPI_UINT64_T, 0, e->t->job.comm);
    *step = told[1];
    *parts = (uint32_t)told[2];
    return told[0] != 0;
}

/* Collective: a rank fails, and all go back. */
static void go_back(struct epochs *e, bool dies)
{
    struct ovl_train *t = e->t;
    struct ovl_error err;
    uint64_t step;
    uint32_t parts;
    fail(e, ovl_checkpoint_writer_fail(t->writer, dies), &t->writer->err);
    MPI_Barrier(t->job.comm); /* whoever wrote, has */
    if (!find(e, &step, &parts)) {
        ovl_train_start(t);
        return;
    }
    int rc = ovl_train_read_checkpoint(t, e->state, step, parts, &err);
    fail(e, rc, &err);
    if (rc == 0)
        memcpy(ovl_train_parameters(t), e->state + t->held.first * t->held.element, t->held.count * t->held.element);
    t->plays = step;
}

static uint64_t after_step(void *of, struct ovl_turns_kind *k, uint64_t i)
{
    struct epochs *e = of;
    struct failing *f = k->what;
    uint32_t victim;
    f->now.played++;
    if (ovl_faults_strike(&f->faults, (uint32_t)e->t->job.ranks, &victim)) {
        int64_t begin = ovl_clock_ns();
        f->now.failures++;
        go_back(e, (uint32_t)e->t->job.rank == victim);
        k->spent[IN_RESTARTS] += ovl_clock_since(begin);
        return e->t->plays - e->t->resumed_step;
    }
    if ((i + 1) % f->interval == 0) {
        f->now.checkpoints++;
        ovl_train_checkpoint(e->t, f->mode);
    }
    return i + 1;
}

static void finish_epoch(void *of, struct ovl_turns_kind *k)
{
    struct epochs *e = of;
    (void)k;
    ovl_checkpoint_writer_finish(e->t->writer);
}

static int end_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct epochs *e = of;
    struct failing *f = k->what;
    ovl_checkpoint_writer_finish(e->t->writer);
    k->spent[IN_CHECKPOINTS] = e->t->writer->stall_seconds;
    f->played += f->now.played;
    f->failures += f->now.failures;
    f->checkpoints += f->now.checkpoints;
    fail(e, e->t->writer->rc, &e->t->writer->err);
    if (e->rc != 0)
        *err = e->err;
    return e->rc;
}

/* Does it end where a training without failures ends? And where checkpoints are on disk as soon as they are taken, has
   it played what the seed says? */
static int check_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct epochs *e = of;
    struct failing *f = k->what;
    struct ovl_train *t = e->t;
    struct ovl_faults_count want =
        ovl_faults_replay(t->options.mtbf, f->seed, (uint32_t)t->job.ranks, k->steps, f->interval);
    uint64_t plays = t->plays;
    f->drawn.played += want.played;
    f->drawn.failures += want.failures;
    f->drawn.checkpoints += want.checkpoints;
    t->plays += e->plays;
    ovl_train_exact(t, plays, e->state);
    if (plays != t->resumed_step + k->steps ||
        memcmp(ovl_train_parameters(t), e->state + t->held.first * t->held.element, t->held.count * t->held.element) !=
            0)
        return ovl_error_set(err, OVL_WRONG_DATA,
                             "--mtbf, --checkpoint %s: rank %d does not end where a training without failures ends",
                             ovl_checkpoint_modes[f->mode].word, t->job.rank);
    if (ovl_checkpoint_modes[f->mode].by == OVL_CHECKPOINT_BY_RANK && memcmp(&want, &f->now, sizeof want) != 0)
        return ovl_error_set(err, OVL_WRONG_DATA,
                             "--mtbf, --checkpoint %s: %.0f steps and %.0f failures, where the seed has %.0f and %.0f",
                             ovl_checkpoint_modes[f->mode].word, (double)f->now.played, (double)f->now.failures,
                             (double)want.played, (double)want.failures);
    return 0;
}

static bool has_failed(void *of)
{
    struct epochs *e = of;
    return e->rc != 0 || e->t->writer->rc != 0;
}

static void play_step(void *of)
{
    struct epochs *e = of;
    ovl_train_step(e->t, e->scheme);
}

static const struct ovl_turns_hooks hooks = {
    .begin = begin_epoch, .after = after_step, .finish = finish_epoch, .end = end_epoch, .check = check_epoch};

static double sum(const double *x, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += x[i];
    return all;
}

/* Of epochs without failures, and of those with. */
static double goodput_drawn(double drawn[OVL_TURNS_COLUMNS][OVL_TURNS_EPOCHS], size_t n, const void *of)
{
    (void)of;
    return ovl_stats_median(drawn[0], n) / ovl_stats_mean(drawn[1], n);
}

/* The goodput's interval takes in that of the step without failures, of as many epochs. */
static json_t *goodput_interval(const struct epochs *e, const struct ovl_turns_kind *k)
{
    double without[OVL_TURNS_EPOCHS];
    const json_t *seconds =
        json_object_get(json_array_get(e->t->players[e->scheme].epochs, OVL_CHECKPOINT_NONE), "seconds");
    for (size_t i = 0; i < k->n; i++)
        without[i] = json_number_value(json_array_get(seconds, i));
    return ovl_turns_interval(goodput_drawn, NULL, (const double *[OVL_TURNS_COLUMNS]){without, k->seconds}, k->n,
                              e->t->job.options->seed);
}

static json_t *json_of_kind(const struct epochs *e, const struct ovl_turns_kind *k, double step)
{
    const struct failing *f = k->what;
    double n = (double)k->n, cost = f->checkpoints ? sum(k->values[IN_CHECKPOINTS], k->n) / (double)f->checkpoints : 0,
           restart = f->failures ? sum(k->values[IN_RESTARTS], k->n) / (double)f->failures : 0,
           mtbf = e->t->options.mtbf, useful = n * (double)k->steps;
    double drawn = (double)f->drawn.played + (double)f->drawn.checkpoints * cost / step +
                   (double)f->drawn.failures * restart / step;
    return json_pack("{s:s, s:s, s:I, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:I, s:I}", "checkpoint",
                     ovl_checkpoint_modes[f->mode].word, "by", f->why, "interval_steps", (json_int_t)f->interval,
                     "seconds", ovl_turns_list(k), "median_seconds", ovl_turns_seconds(k), "failures",
                     (double)f->failures / n, "lost_steps", ((double)f->played - useful) / n, "checkpoints",
                     (double)f->checkpoints / n, "checkpoint_seconds", cost, "restart_seconds", restart, "goodput",
                     useful * step / sum(k->seconds, k->n), "goodput_ci", goodput_interval(e, k), "expected_goodput",
                     ovl_faults_goodput(mtbf, (double)f->interval, cost / step, restart / step), "drawn_goodput",
                     useful / drawn, "young_steps", (json_int_t)ovl_faults_young(mtbf, cost / step), "daly_steps",
                     (json_int_t)ovl_faults_daly(mtbf, cost / step));
}

static uint64_t interval_of(const struct ovl_train *t, int which, double cost)
{
    uint64_t steps = t->options.steps_per_epoch, best = ovl_faults_daly(t->options.mtbf, cost);
    uint64_t interval = which == 0 ? steps / 4 : which == 1 ? steps / 10 : best < steps ? best : steps;
    return interval > 0 ? interval : 1;
}

int ovl_train_faults(struct ovl_train *t, int scheme, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    struct ovl_train_player *p = &t->players[scheme];
    struct epochs e = {.t = t, .scheme = scheme};
    struct ovl_turns turns = {.comm = t->job.comm, .of = &e, .step = play_step, .failed = has_failed};
    size_t n = 0;
    if (!(o->mtbf > 0) || !(p->step_seconds > 0)) /* a signal has ended the epochs without failures */
        return 0;
    struct failing *all = ovl_check_alloc(calloc(OVL_CHECKPOINT_MODES * INTERVALS, sizeof *all));
    struct ovl_turns_kind *kinds = ovl_check_alloc(calloc(OVL_CHECKPOINT_MODES * INTERVALS, sizeof *kinds));
    for (int m = OVL_CHECKPOINT_ROOT; m < OVL_CHECKPOINT_MODES; m++)
        for (int i = 0; i < INTERVALS && p->checkpoint_seconds[m] > 0; i++, n++) {
            all[n] = (struct failing){.mode = (enum ovl_checkpoint_mode)m,
                                      .why = interval_words[i],
                                      .interval = interval_of(t, i, p->checkpoint_seconds[m] / p->step_seconds)};
            kinds[n] = (struct ovl_turns_kind){.hooks = &hooks, .what = &all[n], .steps = o->steps_per_epoch};
        }
    e.state = malloc(t->held.all * t->held.element);
    int rc =
        ovl_agree(t->job.comm, e.state ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a checkpoint"), err);
    if (rc == 0) {
        ovl_offload_wake(&t->job.offload, p->mode->offloads);
        rc = ovl_turns_play_all(&turns, kinds, n, o->epochs, err);
        ovl_offload_wake(&t->job.offload, true);
    }
    if (rc == 0 && t->job.rank == 0) {
        json_t *list = json_array();
        for (size_t i = 0; i < n; i++)
            json_array_append_new(list, json_of_kind(&e, &kinds[i], p->step_seconds));
        p->faults = json_pack("{s:f, s:I, s:f, s:o}", "mtbf_steps", o->mtbf, "steps", (json_int_t)o->steps_per_epoch,
                              "step_seconds", p->step_seconds, "kinds", list);
    }
    free(e.state);
    free(all);
    free(kinds);
    return rc < 0 ? -1 : 0;
}
