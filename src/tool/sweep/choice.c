/* What of a plan a sweep will run, how long it takes, and what has come of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/state.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double WEEK = 7 * 86400.0;

struct ovl_path ovl_sweep_path(const struct ovl_sweeping *s, const struct ovl_launch *l, size_t attempt,
                               const char *dot, const char *kind)
{
    char again[24] = "";
    if (attempt > 1)
        snprintf(again, sizeof again, "-%zu", attempt);
    return ovl_path("%s/%s/%s%03zu%s.%s", s->options->output, ovl_launch_job(l), dot, l->number, again, kind);
}

struct ovl_path ovl_sweep_record_path(const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    return ovl_sweep_path(s, l, 1, "", "jsonl");
}

bool ovl_sweep_is_there(const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    const struct ovl_attempts *a = s->log.launch ? &s->log.launch[l->place] : NULL; /* the log may not be read yet */
    return a && a->unnamed ? true : !(a && a->no_record) && access(ovl_sweep_record_path(s, l).text, F_OK) == 0;
}

/* Those that are neither there nor cut: an array by index, and how many. */
static bool *to_run(const struct ovl_sweeping *s, size_t *count)
{
    bool *wanted = ovl_alloc(s->plan.count, sizeof *wanted);
    *count = 0;
    for (size_t i = 0; i < s->plan.count; i++) {
        wanted[i] = !s->cut[i] && !ovl_sweep_is_there(s, &s->plan.launch[i]);
        *count += wanted[i];
    }
    return wanted;
}

/* Cuts the launches of jobs whose names do not match --job. */
static int cut_jobs(struct ovl_sweeping *s, struct ovl_error *err)
{
    regex_t wanted;
    size_t kept = 0;
    if (!s->options->job)
        return 0;
    json_t *text = json_string(s->options->job); /* NULL: sweep.log could not tell it */
    json_decref(text);
    if (!text || regcomp(&wanted, s->options->job, REG_EXTENDED | REG_NOSUB) != 0)
        return ovl_error_set(err, OVL_USAGE, "--job %.200s: no %s", s->options->job,
                             text ? "extended regular expression of POSIX" : "UTF-8");
    s->other_jobs = 0;
    for (size_t i = 0; i < s->plan.count; i++) {
        s->cut[i] = regexec(&wanted, ovl_launch_job(&s->plan.launch[i]), 0, NULL, 0) != 0;
        kept += !s->cut[i];
        s->other_jobs += s->cut[i] && !ovl_sweep_is_there(s, &s->plan.launch[i]);
    }
    regfree(&wanted);
    return kept > 0 ? 0
                    : ovl_error_set(err, OVL_USAGE, "--job %.200s: the plan has no job of such a name; its first is %s",
                                    s->options->job, ovl_launch_job(&s->plan.launch[0]));
}

int ovl_sweep_choose(struct ovl_sweeping *s, struct ovl_error *err)
{
    struct ovl_sweep_time t;
    size_t to_go;
    memset(s->cut, 0, s->plan.count * sizeof *s->cut); /* of a choice before */
    if (cut_jobs(s, err) != 0)
        return -1;
    bool *wanted = to_run(s, &to_go), *fits = to_run(s, &to_go);
    ovl_sweep_time_make(&t, &s->plan, &s->log);
    if (s->budget > 0)
        s->left_out = ovl_sweep_time_cut(&t, &s->plan, s->budget, fits);
    for (size_t i = 0; i < s->plan.count; i++)
        s->cut[i] |= wanted[i] && !fits[i];
    ovl_sweep_time_free(&t);
    free(wanted);
    free(fits);
    if (to_go == 0 || s->left_out < to_go)
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "--budget %s: not even the first launch fits; see the time of all by --dry-run, and lower "
                         "--max-time or time_limit_seconds of the jobs",
                         s->options->budget);
}

/* "a 3 of 5, b 5 of 5" */
static void tell_left_out(const struct ovl_sweeping *s)
{
    const json_t *jobs = json_object_get(s->plan.json, "jobs");
    const char *before = "#   ";
    size_t *n = ovl_alloc(json_array_size(jobs), sizeof *n);
    for (size_t i = 0; i < s->plan.count; i++)
        n[s->plan.launch[i].of] += s->cut[i];
    for (size_t j = 0; j < json_array_size(jobs); j++) {
        if (n[j] == 0)
            continue;
        printf("%s%s %zu of %zu", before, json_string_value(json_object_get(json_array_get(jobs, j), "name")), n[j],
               ovl_plan_launches(&s->plan, j));
        before = ", ";
    }
    free(n);
    printf("\n");
}

/* Returns the seconds, too. */
static double put_time(char text[96], const struct ovl_sweep_left *left)
{
    char plain[32];
    double seconds = ovl_sweep_left_seconds(left);
    ovl_sweep_time_text(seconds, plain);
    snprintf(text, 96, "about %s%s", plain, left->took > 0 ? "" : " by --max-time and time limits");
    return seconds;
}

static void make_left(const struct ovl_sweeping *s, struct ovl_sweep_left *left)
{
    size_t n;
    bool *wanted = to_run(s, &n);
    ovl_sweep_left_make(left, &s->plan, &s->log, wanted);
    free(wanted);
}

void ovl_sweep_tell_choice(const struct ovl_sweeping *s)
{
    char text[96];
    struct ovl_sweep_left left;
    make_left(s, &left);
    double seconds = put_time(text, &left);
    size_t n = left.count;
    ovl_sweep_left_free(&left);
    if (s->plan.scanned > 0)
        printf("# scans make %zu of the %zu jobs\n", s->plan.scanned,
               json_array_size(json_object_get(s->plan.json, "jobs")));
    if (n > 0)
        printf("# %zu launch%s: %s\n", n, n == 1 ? "" : "es", text);
    if (seconds >= WEEK)
        printf("# over a week: --budget TIME runs what fits; a sweep may be stopped, and --resume goes on\n");
    if (s->other_jobs > 0)
        printf("# --job %s leaves out %zu launch%s of other jobs\n", s->options->job, s->other_jobs,
               s->other_jobs == 1 ? "" : "es");
    if (s->left_out > 0) {
        printf("# --budget %s leaves out %zu:\n", s->options->budget, s->left_out);
        tell_left_out(s);
    }
}

void ovl_sweep_begin_left(struct ovl_sweeping *s)
{
    make_left(s, &s->left);
}

void ovl_sweep_tell_left(struct ovl_sweeping *s, size_t launch)
{
    char text[96];
    const struct ovl_launch *l = &s->plan.launch[launch];
    ovl_sweep_left_took(&s->left, l, s->log.launch[l->place].seconds);
    ovl_sweep_left_take(&s->left, l);
    put_time(text, &s->left);
    if (s->left.count > 0)
        printf("; %s left\n", text);
    else
        printf("\n");
    if (s->options->digests || s->options->sign)
        printf("# digest %s\n", s->log.last);
}

int ovl_sweep_dry_run(const struct ovl_sweeping *s)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        if (!s->cut[i])
            ovl_launch_print(stdout, &s->plan, l, s->options->output, ovl_sweep_record_path(s, l).text);
    }
    ovl_sweep_tell_choice(s);
    return OVL_OK;
}

size_t ovl_sweep_to_go(const struct ovl_sweeping *s)
{
    return s->plan.count - s->done - s->failed - s->skipped;
}

size_t ovl_sweep_wrong(const struct ovl_sweeping *s)
{
    size_t wrong = 0;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_attempts *a = &s->log.launch[s->plan.launch[i].place];
        wrong += a->wrong + (ovl_job_is_ours(s->plan.launch[i].job) ? a->said : 0);
    }
    return wrong;
}

int ovl_sweep_code(const struct ovl_sweeping *s, size_t failed, bool unknown)
{
    return ovl_sweep_wrong(s) > 0 ? OVL_WRONG_DATA : failed > 0 ? OVL_MISSED : unknown ? OVL_INCONCLUSIVE : OVL_OK;
}

void ovl_sweep_tell_wrong(const struct ovl_sweeping *s)
{
    size_t wrong = ovl_sweep_wrong(s);
    if (wrong > 0)
        printf("# wrong data in %zu attempt%s, which no other attempt makes right\n", wrong, wrong == 1 ? "" : "s");
}

void ovl_sweep_summary(const struct ovl_sweeping *s, bool interrupted)
{
    size_t attempts = 0;
    for (size_t i = 0; i < s->plan.count; i++)
        attempts += s->log.launch[i].count;
    printf("%zu done, %zu failed, %zu were there already, %zu to go%s\n", s->done, s->failed, s->skipped,
           ovl_sweep_to_go(s),
           interrupted         ? "; --resume goes on"
           : s->left_out > 0   ? " (left out by --budget: --resume takes them up)"
           : s->other_jobs > 0 ? " (other jobs than --job: --resume without it takes them up)"
                               : "");
    printf("%zu attempt%s for %zu launches\n", attempts, attempts == 1 ? "" : "s", s->plan.count);
    if (s->doubtful > 0)
        printf("%zu launch%s with invalid cells\n", s->doubtful, s->doubtful == 1 ? "" : "es");
    ovl_sweep_tell_wrong(s);
    if (s->failed > 0)
        printf(
            "of what failed, %s/JOB/NNN.log (NNN-2.log of a second attempt) has the output and sweep.log the reason\n",
            s->options->output);
    fflush(stdout);
}
