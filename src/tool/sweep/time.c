/* Times of launches, and what of a plan fits into a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/time.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/util/slurm_step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What its options give to measuring, or the time limit. */
static double expected_of(const json_t *job, double limit)
{
    struct ovl_program_options o;
    double seconds = ovl_job_options_parse(&o, job) ? ovl_program_seconds(&o) : NAN;
    ovl_program_options_free(&o);
    return fmin(limit, seconds); /* fmin passes over NaN */
}

void ovl_sweep_time_make(struct ovl_sweep_time *t, const struct ovl_plan *p, const struct ovl_sweep_log *log)
{
    size_t jobs = json_array_size(json_object_get(p->json, "jobs"));
    double *expected = ovl_alloc(jobs, sizeof *expected), all = 0, all_expected = 0;
    t->launch = ovl_alloc(jobs, sizeof *t->launch);
    for (size_t i = 0; i < p->count; i++)
        if (p->launch[i].number == 1)
            expected[p->launch[i].of] = expected_of(p->launch[i].job, p->launch[i].seconds);
    for (size_t i = 0; i < jobs; i++) {
        double sum = 0, n = 0;
        for (size_t place = p->first[i]; place < p->first[i + 1]; place++) {
            sum += log->launch ? log->launch[place].seconds : 0;
            n += log->launch && log->launch[place].seconds > 0;
        }
        t->launch[i] = n > 0 ? sum / n : 0;
        all += sum;
        all_expected += n * expected[i];
    }
    t->measured = all > 0;
    for (size_t i = 0; i < jobs; i++)
        if (t->launch[i] <= 0)
            t->launch[i] = all > 0 ? expected[i] * all / all_expected : expected[i];
    free(expected);
}

void ovl_sweep_time_free(struct ovl_sweep_time *t)
{
    free(t->launch);
    t->launch = NULL;
}

void ovl_sweep_left_make(struct ovl_sweep_left *left, const struct ovl_plan *p, const struct ovl_sweep_log *log,
                         const bool *wanted)
{
    size_t jobs = json_array_size(json_object_get(p->json, "jobs"));
    *left = (struct ovl_sweep_left){.open = ovl_alloc(p->count, sizeof *left->open),
                                    .seconds = ovl_alloc(p->count, sizeof *left->seconds),
                                    .job = ovl_alloc(jobs, sizeof *left->job)};
    for (size_t i = 0; i < p->count; i++) {
        const struct ovl_launch *l = &p->launch[i];
        if (l->number == 1)
            left->job[l->of].expected = expected_of(l->job, l->seconds);
    }
    for (size_t i = 0; i < p->count; i++) {
        const struct ovl_launch *l = &p->launch[i];
        left->open[l->place] = wanted[i];
        left->count += wanted[i];
        left->job[l->of].open += wanted[i];
        left->unknown += wanted[i] ? left->job[l->of].expected : 0;
    }
    for (size_t i = 0; i < p->count && log->launch; i++)
        ovl_sweep_left_took(left, &p->launch[i], log->launch[p->launch[i].place].seconds);
}

void ovl_sweep_left_free(struct ovl_sweep_left *left)
{
    free(left->open);
    free(left->seconds);
    free(left->job);
    *left = (struct ovl_sweep_left){.count = 0};
}

/* Adds the job's part of what is to run, or takes it away (-1). */
static void add_job(struct ovl_sweep_left *left, const struct ovl_sweep_left_job *job, double sign)
{
    if (job->done > 0)
        left->known += sign * (double)job->open * job->seconds / (double)job->done;
    else
        left->unknown += sign * (double)job->open * job->expected;
}

void ovl_sweep_left_take(struct ovl_sweep_left *left, const struct ovl_launch *l)
{
    struct ovl_sweep_left_job *job = &left->job[l->of];
    if (!left->open[l->place])
        return;
    left->open[l->place] = false;
    left->count--;
    add_job(left, job, -1);
    job->open--;
    add_job(left, job, 1);
}

void ovl_sweep_left_took(struct ovl_sweep_left *left, const struct ovl_launch *l, double seconds)
{
    struct ovl_sweep_left_job *job = &left->job[l->of];
    double *before = &left->seconds[l->place];
    bool first = seconds > 0 && *before <= 0;
    if (!(seconds > 0))
        return;
    add_job(left, job, -1);
    job->done += first;
    left->should += first ? job->expected : 0;
    job->seconds += seconds - *before;
    left->took += seconds - *before;
    *before = seconds;
    add_job(left, job, 1);
}

double ovl_sweep_left_seconds(const struct ovl_sweep_left *left)
{
    double seconds = left->known + left->unknown * (left->took > 0 ? left->took / left->should : 1);
    return seconds > 0 ? seconds : 0; /* what is left of differences */
}

double ovl_sweep_time_read(const char *text)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    const char *end;
    double value;
    if (ovl_options_number(text, &value, &end) != 0 || !(value > 0 && value <= 1e7))
        return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            return value * units[i].seconds;
    return -1;
}

int ovl_sweep_time_budget(const char *text, double *seconds, struct ovl_error *err)
{
    const double to_end = 30;
    if (strcmp(text, "allocation") != 0) {
        *seconds = ovl_sweep_time_read(text);
        return *seconds > 0
                   ? 0
                   : ovl_error_set(err, OVL_USAGE,
                                   "--budget %s: give a time such as 90s, 20m or 1.5h, or allocation in a job of Slurm",
                                   text);
    }
    double left = ovl_slurm_seconds_left();
    if (left < 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--budget allocation: this is no job of Slurm, or squeue does not tell its time");
    if (left <= to_end)
        return ovl_error_set(err, OVL_USAGE, "--budget allocation: %.0f s are left of it, in which nothing can end",
                             left);
    *seconds = isinf(left) ? 0 : left - to_end;
    return 0;
}

void ovl_sweep_time_text(double seconds, char text[32])
{
    if (seconds < 100)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else if (seconds < 96 * 3600.0)
        snprintf(text, 32, "%.1f h", seconds / 3600);
    else
        snprintf(text, 32, "%.1f days", seconds / 86400);
}

/* A launch with what decides its turn. */
struct turn {
    size_t launch; /* its index in the plan's order */
    bool sets_work;
    json_int_t priority;
    size_t job, number;
};

static int by_turn(const void *one, const void *other)
{
    const struct turn *a = one, *b = other;
    if (a->sets_work != b->sets_work)
        return a->sets_work ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static struct turn turn_of(const struct ovl_plan *p, const bool *source, size_t launch)
{
    const struct ovl_launch *l = &p->launch[launch];
    const json_t *said = json_object_get(l->job, "priority");
    return (struct turn){launch, l->number == 1 && source[l->of], said ? json_integer_value(said) : INT64_MAX, l->of,
                         l->number};
}

size_t ovl_sweep_time_cut(const struct ovl_sweep_time *t, const struct ovl_plan *p, double budget, bool *wanted)
{
    struct turn *turns = ovl_alloc(p->count, sizeof *turns);
    bool *source = ovl_plan_sources(p);
    double sum = 0;
    size_t cut = 0;
    for (size_t i = 0; i < p->count; i++)
        turns[i] = turn_of(p, source, i);
    free(source);
    qsort(turns, p->count, sizeof *turns, by_turn);
    for (size_t i = 0; i < p->count; i++) {
        size_t k = turns[i].launch;
        if (!wanted[k])
            continue;
        sum += t->launch[turns[i].job];
        wanted[k] = sum <= budget;
        cut += !wanted[k];
    }
    free(turns);
    return cut;
}
