/* Attempts at the launches of sweeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/evidence/attempts.h"
#include "base/clock.h"
#include "base/name.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/accept/evidence/evidence.h"
#include "tool/cells/facet.h"
#include "tool/cells/idle.h"
#include "tool/sweep/launcher/job_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 400 };

/* Of the launches of one job, or of all. */
struct tally {
    size_t launches, given, attempts, failed, unended;
    size_t retries;  /* attempts beyond one a launch */
    size_t done;     /* attempts that ended well */
    size_t unknown;  /* launches with a record that no attempt in the log can have made */
    size_t wrong;    /* attempts that found wrong data */
    size_t kept;     /* launches that ended well, of which no record is given */
    size_t left_out; /* launches that --budget left out, so that there was no attempt at them */
};

static void add(struct tally *all, const struct tally *one)
{
    all->launches += one->launches;
    all->given += one->given;
    all->attempts += one->attempts;
    all->failed += one->failed;
    all->unended += one->unended;
    all->retries += one->retries;
    all->done += one->done;
    all->unknown += one->unknown;
    all->kept += one->kept;
    all->wrong += one->wrong;
    all->left_out += one->left_out;
}

static const json_t *jobs_of(const struct ovl_sweep *s)
{
    return json_object_get(s->plan.json, "jobs");
}

static const char *job_name(const struct ovl_sweep *s, size_t job)
{
    return json_string_value(json_object_get(json_array_get(jobs_of(s), job), "name"));
}

static struct tally tally_job(const struct ovl_sweep *s, size_t job)
{
    struct tally t = {.launches = ovl_plan_launches(&s->plan, job)};
    size_t place = ovl_plan_place(&s->plan, job_name(s, job), 1);
    for (size_t i = place; i < place + t.launches; i++) {
        t.given += s->runs[i] > 0;
        const struct ovl_attempts *a = &s->log.launch[i];
        bool ours = ovl_job_is_ours(json_array_get(jobs_of(s), job));
        t.wrong += a->wrong + (ours ? a->said : 0); /* without a log, by what attempts left */
        if (!s->log_path)
            continue;
        t.attempts += a->count;
        t.failed += a->failed;
        t.unended += a->unended;
        t.done += a->count - a->failed - a->unended;
        t.kept += s->runs[i] == 0 && a->count > a->failed + a->unended;
        t.retries += a->count > 1 ? a->count - 1 : 0;
        t.unknown += s->runs[i] > 0 && a->count == a->failed;
        t.left_out += s->log.budgeted && a->count == 0;
    }
    return t;
}

/* All jobs of the plan, given or not: who leaves one out must not lose its attempts. */
static struct tally tally_sweep(const struct ovl_sweep *s)
{
    struct tally all = {0};
    for (size_t i = 0; i < json_array_size(jobs_of(s)); i++) {
        struct tally t = tally_job(s, i);
        add(&all, &t);
    }
    return all;
}

/* A job of which no record is given has no cell by which a rule could find it. *done: launches of it that ended well.
 */
static const char *job_not_given(const struct ovl_sweep *s, size_t *done)
{
    for (size_t i = 0; i < json_array_size(jobs_of(s)); i++) {
        struct tally t = tally_job(s, i);
        *done = t.done;
        if (t.given == 0)
            return job_name(s, i);
    }
    return NULL;
}

static void put_reason(char reason[REASON], const struct ovl_sweep *s, const struct tally *t, size_t retries)
{
    size_t done = 0;
    const char *lost = job_not_given(s, &done);
    size_t n = (size_t)snprintf(reason, REASON, "%zu attempt%s for %zu launches", t->attempts,
                                t->attempts == 1 ? "" : "s", t->launches);
    if (t->retries > retries)
        n += (size_t)snprintf(reason + n, REASON - n, ", %zu beyond one a launch: the limits allow %zu", t->retries,
                              retries);
    if (t->wrong > 0)
        n += (size_t)snprintf(reason + n, REASON - n, "; %zu found wrong data, which no other attempt makes right",
                              t->wrong);
    if (t->unknown > 0)
        n += (size_t)snprintf(reason + n, REASON - n, "; %zu with a record and no good attempt in sweep.log",
                              t->unknown);
    if (t->left_out > 0)
        n += (size_t)snprintf(reason + n, REASON - n, "; %zu left out by ovl sweep --budget", t->left_out);
    for (size_t i = 0; i < json_array_size(jobs_of(s)) && !lost && t->given < t->launches; i++) {
        struct tally job = tally_job(s, i);
        if (job.given + job.kept < job.launches && n < REASON)
            n += (size_t)snprintf(reason + n, REASON - n, "; job %.60s has %zu of %zu launches", job_name(s, i),
                                  job.given, job.launches);
    }
    n = n < REASON ? n : REASON - 1;
    if (t->kept > 0 && !lost)
        n += (size_t)snprintf(reason + n, REASON - n, "; no record is given of %zu that ended well", t->kept);
    if (lost && done == 0)
        snprintf(reason + n, REASON - n, "; job %.100s has no good launch", lost);
    else if (lost)
        snprintf(reason + n, REASON - n, "; no record of job %.100s is given, of which %zu launch%s ended well", lost,
                 done, done == 1 ? "" : "es");
}

void ovl_attempts_judge(const struct ovl_jobs *j, size_t retries, json_t *verdicts)
{
    for (size_t i = 0; i < j->sweep_count; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        char reason[REASON], label[48];
        struct tally t = tally_sweep(s);
        size_t done;
        const char *lost = job_not_given(s, &done);
        snprintf(label, sizeof label, "sweep %zu", i + 1);
        if (!s->log_path && lost) {
            ovl_utf8_print(reason, sizeof reason, "no record of job %.100s is given, and no sweep.log", lost);
            ovl_evidence_add(verdicts, label, "retries", 0, t.launches, "FAIL", reason);
        }
        if (!s->log_path && t.wrong > 0) {
            ovl_utf8_print(reason, sizeof reason, "%zu attempts left wrong data, and no sweep.log", t.wrong);
            ovl_evidence_add(verdicts, label, "retries", 0, t.launches, "FAIL", reason);
        }
        if (!s->log_path)
            continue;
        bool good = t.retries <= retries && t.unknown == 0 && t.kept == 0 && t.wrong == 0 && !lost;
        put_reason(reason, s, &t, retries);
        json_array_append_new(verdicts, json_pack("{s:i, s:n, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:o}", "rule", 0,
                                                  "name", "label", label, "metric", "retries", "statistic", "count",
                                                  "operator", "<=", "limit", (json_int_t)retries, "value",
                                                  (json_int_t)t.retries, "n", (json_int_t)t.launches, "verdict",
                                                  good ? "PASS" : "FAIL", "reason", ovl_printable_json(reason)));
    }
}

double ovl_attempts_besides(const struct ovl_jobs *j, size_t sweep, size_t *run)
{
    double most = NAN;
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_attempts *a;
        const struct ovl_run *of = &j->record->runs[r];
        if (ovl_jobs_sweep(j, r, &a) != &j->sweep[sweep] || !a || !a->timed)
            continue;
        const char *finished = json_string_value(json_object_get(of->end, "finished"));
        double began = ovl_clock_utc_seconds(ovl_run_text(of, "started"));
        double took = (finished ? ovl_clock_utc_seconds(finished) : NAN) - began,
               besides = a->seconds - took + ovl_run_idle(of);
        if (took >= 0 && !(besides <= most)) {
            most = besides;
            *run = r;
        }
    }
    return most;
}

/* How the sweep was at work, as its log tells. */
static void add_work(json_t *o, const struct ovl_jobs *j, size_t sweep)
{
    const struct ovl_sweep *s = &j->sweep[sweep];
    size_t run;
    double besides = ovl_attempts_besides(j, sweep, &run);
    json_object_set_new(o, "starts",
                        s->log.work.starts > 0 ? json_integer((json_int_t)s->log.work.starts) : json_null());
    json_object_set(o, "hosts", s->log.work.hosts);
    json_object_set(o, "launchers", s->log.work.launchers);
    json_object_set_new(o, "longest_pause_seconds", json_real(s->log.work.pause));
    json_object_set_new(o, "besides_record_seconds", isnan(besides) ? json_null() : json_real(besides));
}

static json_t *tally_json(const struct tally *t, bool logged)
{
    json_t *o = json_pack("{s:I, s:I}", "launches", (json_int_t)t->launches, "records", (json_int_t)t->given);
    json_object_set_new(o, "attempts", logged ? json_integer((json_int_t)t->attempts) : json_null());
    json_object_set_new(o, "failed", logged ? json_integer((json_int_t)t->failed) : json_null());
    json_object_set_new(o, "unended", logged ? json_integer((json_int_t)t->unended) : json_null());
    return o;
}

/* Launches beside which no log stands. */
static size_t not_known(const struct ovl_jobs *j)
{
    size_t n = 0;
    for (size_t i = 0; i < j->count; i++)
        n += j->job[i].sweep == OVL_NO_SWEEP || !j->sweep[j->job[i].sweep].log_path ? j->job[i].launches : 0;
    return n;
}

json_t *ovl_attempts_json(const struct ovl_jobs *j)
{
    json_t *sweeps = json_array();
    for (size_t i = 0; i < j->sweep_count; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        struct tally all = tally_sweep(s);
        json_t *o = tally_json(&all, s->log_path), *jobs = json_object();
        for (size_t k = 0; k < json_array_size(jobs_of(s)); k++) {
            struct tally t = tally_job(s, k);
            json_object_set_new(jobs, job_name(s, k), tally_json(&t, s->log_path));
        }
        json_object_set_new(o, "jobs", jobs);
        if (s->log_path)
            add_work(o, j, i);
        json_object_set_new(o, "nonce", ovl_plan_nonce(&s->plan) ? json_string(ovl_plan_nonce(&s->plan)) : json_null());
        json_array_append_new(sweeps, o);
    }
    return json_pack("{s:o, s:I}", "sweeps", sweeps, "not_known_launches", (json_int_t)not_known(j));
}

/* Jobs of the plan of which nothing was given. */
static void print_left_out(FILE *out, const struct ovl_sweep *s)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(jobs_of(s)); i++) {
        struct tally t = tally_job(s, i);
        if (t.given == 0)
            fprintf(out, "%s%s", n++ == 0 ? "#          no record is given of: " : ", ", job_name(s, i));
    }
    if (n > 0)
        fputs("\n", out);
}

static void count(json_t *counts, const char *text)
{
    json_object_set_new(counts, text, json_integer(json_integer_value(json_object_get(counts, text)) + 1));
}

/* What the user's shell, the site or the launcher sets: of all launches alike no verdict speaks. Of what launchers set
   for each launch the names count. */
static void count_variables(const struct ovl_jobs *j, size_t run, json_t *counts, json_t *of_launcher)
{
    const struct ovl_job *job = &j->job[j->run[run].job];
    const struct ovl_sweep *s = &j->sweep[job->sweep];
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(j->record->runs[run].head, "environment"), name, value) {
        char text[160], *said;
        if (ovl_name_of_launcher(name))
            count(of_launcher, name);
        if (ovl_environment_per_job(&j->record->runs[run], name, value) || !json_is_string(value) ||
            ovl_plan_variable(&s->plan, json_array_get(jobs_of(s), job->of_plan), name))
            continue;
        said = ovl_environment_text(name, value);
        ovl_utf8_print(text, sizeof text, "%s=%s", name, said);
        free(said);
        count(counts, text);
    }
}

/* Those of fewer launches than `all`, which it frees. */
static void print_counts(FILE *out, const char *before, json_t *counts, json_int_t all)
{
    const char *text, *end = "";
    json_t *of;
    json_object_foreach(counts, text, of)
        if (json_integer_value(of) < all) {
            fprintf(out, "%s%s (%lld launch%s)", *end ? ", " : before, text, json_integer_value(of),
                    json_integer_value(of) == 1 ? "" : "es");
            end = "\n";
        }
    fputs(end, out);
    json_decref(counts);
}

static void print_variables(FILE *out, const struct ovl_jobs *j, size_t sweep)
{
    json_t *counts = json_object(), *of_launcher = json_object();
    json_int_t runs = 0;
    for (size_t r = 0; r < j->record->run_count; r++)
        if (j->job[j->run[r].job].sweep == (int)sweep) {
            count_variables(j, r, counts, of_launcher);
            runs++;
        }
    print_counts(out, "#          variables that the plan does not set: ", counts, runs + 1);
    print_counts(out, "#          variables of the launcher that some launches lack: ", of_launcher, runs);
}

static void print_texts(FILE *out, const char *before, json_t *counts)
{
    const char *text;
    json_t *n;
    json_object_foreach(counts, text, n) {
        fprintf(out, "%s%s", before, text);
        before = ", ";
    }
}

/* A sweep of which the end was cut off and run again has a start and a pause more; one that ran a launch several times
   took longer than its records. */
static void print_work(FILE *out, const struct ovl_jobs *j, size_t sweep)
{
    const struct ovl_sweep_work *w = &j->sweep[sweep].log.work;
    size_t run = 0;
    double besides = ovl_attempts_besides(j, sweep, &run);
    if (w->starts == 0)
        fputs("#          its log is of an older version: it tells neither starts nor launchers", out);
    else
        fprintf(out, "#          started %zu time%s", w->starts, w->starts == 1 ? "" : "s");
    print_texts(out, " on ", w->hosts);
    print_texts(out, " by ", w->launchers);
    if (w->pause > 0)
        fprintf(out, "\n#          longest pause between attempts: %.0f s, before %s", w->pause, w->before);
    if (besides >= 1)
        fprintf(out, "\n#          longest time of an attempt besides its record: %.0f s, of %s, launch %zu", besides,
                job_name(&j->sweep[sweep], j->job[j->run[run].job].of_plan), j->run[run].launch + 1);
    fputs("\n", out);
}

void ovl_attempts_print(FILE *out, const struct ovl_jobs *j)
{
    size_t unknown = not_known(j);
    for (size_t i = 0; i < j->sweep_count; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        struct tally t = tally_sweep(s);
        char *folder = ovl_printable_copy(s->folder);
        fprintf(out, "# sweep %zu  %s: ", i + 1, folder);
        if (s->log_path)
            fprintf(out, "%zu attempt%s for %zu launches, %zu failed, %zu without an end", t.attempts,
                    t.attempts == 1 ? "" : "s", t.launches, t.failed, t.unended);
        else
            fprintf(out, "%zu launches in its plan", t.launches);
        if (t.left_out > 0)
            fprintf(out, ", %zu left out by --budget", t.left_out);
        fputs("\n", out);
        print_left_out(out, s);
        if (s->log_path)
            print_work(out, j, i);
        print_variables(out, j, i);
        free(folder);
    }
    if (unknown > 0)
        fprintf(out,
                "# note  attempts are not known, for want of a sweep.log with its plan beside them, of %zu launch%s\n",
                unknown, unknown == 1 ? "" : "es");
}
