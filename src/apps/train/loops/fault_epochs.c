/* Epochs with failures: after each the training goes back to its last whole checkpoint, and plays what it has lost
   again. Checkpoints stand 4 and 10 an epoch, and as often as Daly's formula says; beside each stands what is expected.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/faults.h"
#include "apps/train/loops/written_epochs.h"
#include "base/clock.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_CHECKPOINTS, IN_RESTARTS, TO_DISK, INTERVALS = 3 };
static const char *const interval_words[INTERVALS] = {"4 an epoch", "10 an epoch", "daly"};

/* Of a kind: the counts are those of all its epochs. */
struct failing {
    enum ovl_checkpoint_mode mode;
    const char *why;
    uint64_t interval; /* steps from one checkpoint to the next */
    uint64_t seed;
    struct ovl_faults faults;
    struct ovl_faults_count now; /* of the present epoch */
    uint64_t played, failures, checkpoints, on_disk;
    struct ovl_faults_count drawn; /* what the seed has for all of them */
};

struct epochs {
    struct ovl_written_epochs common;
    char *state; /* all of it, as it is read */
    int rc;
    struct ovl_error err;
};

static int begin_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct epochs *e = of;
    struct failing *f = k->what;
    (void)err;
    ovl_written_epochs_begin(&e->common, f->mode);
    ovl_checkpoint_writer_forget(e->common.t->writer); /* those of another epoch are no checkpoints of this one */
    f->seed = ovl_faults_seed(e->common.t->job.options->seed, k->n);
    ovl_faults_start(&f->faults, e->common.t->options.mtbf, f->seed);
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
    if (e->common.t->job.rank == 0) {
        int found = ovl_checkpoint_find(e->common.t->options.checkpoint_dir, step, parts, &err);
        fail(e, found < 0 ? -1 : 0, &err);
        told[0] = found > 0;
        told[1] = found > 0 ? *step : 0;
        told[2] = found > 0 ? *parts : 0;
    }
    MPI_Bcast(told, 3, MPI_UINT64_T, 0, e->common.t->job.comm);
    *step = told[1];
    *parts = (uint32_t)told[2];
    return told[0] != 0;
}

/* Collective: a rank fails, and all go back. */
static void go_back(struct epochs *e, bool dies)
{
    struct ovl_train *t = e->common.t;
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
    if (ovl_faults_strike(&f->faults, (uint32_t)e->common.t->job.ranks, &victim)) {
        int64_t begin = ovl_clock_ns();
        f->now.failures++;
        go_back(e, (uint32_t)e->common.t->job.rank == victim);
        k->spent[IN_RESTARTS] += ovl_clock_since(begin);
        return e->common.t->plays - e->common.t->resumed_step;
    }
    if ((i + 1) % f->interval == 0) {
        f->now.checkpoints++;
        ovl_written_epochs_write(e->common.t, f->mode);
    }
    return i + 1;
}

static int end_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct epochs *e = of;
    struct failing *f = k->what;
    ovl_checkpoint_writer_finish(e->common.t->writer);
    k->spent[IN_CHECKPOINTS] = e->common.t->writer->stall_seconds;
    k->spent[TO_DISK] = e->common.t->writer->persist_seconds;
    f->on_disk += (uint64_t)e->common.t->writer->count;
    f->played += f->now.played;
    f->failures += f->now.failures;
    f->checkpoints += f->now.checkpoints;
    fail(e, e->common.t->writer->rc, &e->common.t->writer->err);
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
    struct ovl_train *t = e->common.t;
    struct ovl_faults_count want =
        ovl_faults_replay(t->options.mtbf, f->seed, (uint32_t)t->job.ranks, k->steps, f->interval);
    uint64_t plays = t->plays;
    f->drawn.played += want.played;
    f->drawn.failures += want.failures;
    f->drawn.checkpoints += want.checkpoints;
    t->plays += e->common.plays;
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

static int wrong(void *of)
{
    return ovl_train_epoch_wrong(((struct epochs *)of)->common.t);
}

static bool has_failed(void *of)
{
    struct epochs *e = of;
    return e->rc != 0 || e->common.t->writer->rc != 0;
}

static const struct ovl_turns_hooks hooks = {.begin = begin_epoch,
                                             .after = after_step,
                                             .finish = ovl_written_epochs_finish,
                                             .end = end_epoch,
                                             .check = check_epoch};

static double sum(const double *x, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += x[i];
    return all;
}

/* The goodput's interval takes in that of the step without failures, of as many epochs. */
static json_t *goodput_interval(const struct epochs *e, const struct ovl_turns_kind *k)
{
    double without[OVL_TURNS_EPOCHS];
    const json_t *seconds =
        json_object_get(json_array_get(e->common.t->players[e->common.scheme].epochs, OVL_CHECKPOINT_NONE), "seconds");
    for (size_t i = 0; i < k->n; i++)
        without[i] = json_number_value(json_array_get(seconds, i));
    return ovl_turns_limits(ovl_bootstrap_median_by_mean, without, k->seconds, k->n, e->common.t->job.options->seed);
}

/* Of one, in seconds at the slowest rank. */
static double mean(const struct ovl_turns_kind *k, int of, uint64_t count)
{
    return count > 0 ? sum(k->values[of], k->n) / (double)count : 0;
}

static json_t *json_of_kind(const struct epochs *e, const struct ovl_turns_kind *k, double step)
{
    const struct failing *f = k->what;
    bool behind = ovl_checkpoint_modes[f->mode].by != OVL_CHECKPOINT_BY_RANK;
    double n = (double)k->n, cost = mean(k, IN_CHECKPOINTS, f->checkpoints), persist = mean(k, TO_DISK, f->on_disk),
           restart = mean(k, IN_RESTARTS, f->failures), mtbf = e->common.t->options.mtbf, useful = n * (double)k->steps;
    double lost = restart + (behind ? persist : 0); /* a failure before a checkpoint is on disk loses the one before */
    double drawn =
        (double)f->drawn.played + ((double)f->drawn.checkpoints * cost + (double)f->drawn.failures * lost) / step;
    return json_pack("{s:s, s:s, s:I, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:I, s:I}",
                     "checkpoint", ovl_checkpoint_modes[f->mode].word, "by", f->why, "interval_steps",
                     (json_int_t)f->interval, "seconds", ovl_turns_list(k), "median_seconds", ovl_turns_seconds(k),
                     "failures", (double)f->failures / n, "lost_steps", ((double)f->played - useful) / n, "checkpoints",
                     (double)f->checkpoints / n, "checkpoint_seconds", cost, "persist_seconds", persist,
                     "restart_seconds", restart, "goodput", useful * step / sum(k->seconds, k->n), "goodput_ci",
                     goodput_interval(e, k), "expected_goodput",
                     ovl_faults_goodput(mtbf, (double)f->interval, cost / step, lost / step), "drawn_goodput",
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
    struct epochs e = {.common = {.t = t, .scheme = scheme}};
    struct ovl_turns turns = {
        .comm = t->job.comm, .of = &e, .step = ovl_written_epochs_step, .wrong = wrong, .failed = has_failed};
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
