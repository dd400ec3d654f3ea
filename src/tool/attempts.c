/* Attempts at the launches of sweeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/attempts.h"
#include "base/printable.h"

#include <stdlib.h>

enum { REASON = 400 };

/* Of the launches of one job, or of all that are judged. */
struct tally {
    size_t launches, given, attempts, failed, unended;
    size_t retries;  /* attempts beyond one a launch */
    size_t done;     /* attempts that ended well */
    size_t unknown;  /* launches with a record that no attempt in the log can have made */
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
        if (!s->log_path)
            continue;
        const struct ovl_attempts *a = &s->log.launch[i];
        t.attempts += a->count;
        t.failed += a->failed;
        t.unended += a->unended;
        t.done += a->count - a->failed - a->unended;
        t.retries += a->count > 1 ? a->count - 1 : 0;
        t.unknown += s->runs[i] > 0 && a->count == a->failed;
        t.left_out += s->log.budgeted && a->count == 0;
    }
    return t;
}

/* The jobs of which a launch was given. */
static struct tally tally_judged(const struct ovl_sweep *s)
{
    struct tally all = {0};
    for (size_t i = 0; i < json_array_size(jobs_of(s)); i++) {
        struct tally t = tally_job(s, i);
        if (t.given > 0)
            add(&all, &t);
    }
    return all;
}

/* A job whose launches all failed has no cell by which a rule could find it. */
static const char *job_without_launch(const struct ovl_sweep *s)
{
    for (size_t i = 0; i < json_array_size(jobs_of(s)); i++) {
        struct tally t = tally_job(s, i);
        if (t.given == 0 && t.done == 0)
            return job_name(s, i);
    }
    return NULL;
}

static void put_reason(char reason[REASON], const struct ovl_sweep *s, const struct tally *t, size_t retries)
{
    const char *lost = job_without_launch(s);
    size_t n = (size_t)snprintf(reason, REASON, "%zu attempt%s for %zu launches", t->attempts,
                                t->attempts == 1 ? "" : "s", t->launches);
    if (t->retries > retries)
        n += (size_t)snprintf(reason + n, REASON - n, ", %zu beyond one a launch: the limits allow %zu", t->retries,
                              retries);
    if (t->unknown > 0)
        n += (size_t)snprintf(reason + n, REASON - n, "; %zu with a record and no good attempt in sweep.log",
                              t->unknown);
    if (t->left_out > 0)
        n += (size_t)snprintf(reason + n, REASON - n, "; %zu left out by ovl sweep --budget", t->left_out);
    if (lost)
        snprintf(reason + n, REASON - n, "; job %.100s has no good launch", lost);
}

int ovl_attempts_judge(const struct ovl_jobs *j, size_t retries, json_t *verdicts)
{
    int rc = 0;
    for (size_t i = 0; i < j->sweep_count && rc == 0; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        char reason[REASON], label[48];
        struct tally t = tally_judged(s);
        if (!s->log_path)
            continue;
        bool good = t.retries <= retries && t.unknown == 0 && !job_without_launch(s);
        snprintf(label, sizeof label, "sweep %zu", i + 1);
        put_reason(reason, s, &t, retries);
        json_t *entry = json_pack("{s:i, s:n, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:s}", "rule", 0, "name", "label",
                                  label, "metric", "retries", "statistic", "count", "operator", "<=", "limit",
                                  (json_int_t)retries, "value", (json_int_t)t.retries, "n", (json_int_t)t.launches,
                                  "verdict", good ? "PASS" : "FAIL", "reason", reason);
        rc = entry ? json_array_append_new(verdicts, entry) : -1;
    }
    return rc;
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
    for (size_t i = 0; i < j->sweep_count && sweeps; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        struct tally judged = tally_judged(s);
        json_t *o = tally_json(&judged, s->log_path), *jobs = json_object();
        for (size_t k = 0; k < json_array_size(jobs_of(s)); k++) {
            struct tally t = tally_job(s, k);
            json_object_set_new(jobs, job_name(s, k), tally_json(&t, s->log_path));
        }
        json_object_set_new(o, "jobs", jobs);
        json_object_set_new(o, "nonce", ovl_plan_nonce(&s->plan) ? json_string(ovl_plan_nonce(&s->plan)) : json_null());
        json_array_append_new(sweeps, o);
    }
    return json_pack("{s:o, s:I}", "sweeps", sweeps, "not_known_launches", (json_int_t)not_known(j));
}

/* Jobs of the plan of which nothing was given. */
static void print_left_out(FILE *out, const struct ovl_sweep *s)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(jobs_of(s)); i++)
        if (tally_job(s, i).given == 0)
            fprintf(out, "%s%s", n++ == 0 ? "#          not judged, no record of them is given: " : ", ",
                    job_name(s, i));
    if (n > 0)
        fputs("\n", out);
}

void ovl_attempts_print(FILE *out, const struct ovl_jobs *j)
{
    size_t unknown = not_known(j);
    for (size_t i = 0; i < j->sweep_count; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        struct tally t = tally_judged(s);
        char *folder = ovl_printable_copy(s->folder);
        fprintf(out, "# sweep %zu  %s: ", i + 1, folder ? folder : "?");
        if (s->log_path)
            fprintf(out, "%zu attempt%s for %zu launches, %zu failed, %zu without an end", t.attempts,
                    t.attempts == 1 ? "" : "s", t.launches, t.failed, t.unended);
        else
            fprintf(out, "%zu launches in its plan", t.launches);
        if (t.left_out > 0)
            fprintf(out, ", %zu left out by --budget", t.left_out);
        fputs("\n", out);
        print_left_out(out, s);
        free(folder);
    }
    if (unknown > 0)
        fprintf(out, "# note  attempts are not known, for want of a sweep.log beside them, of %zu launch%s\n", unknown,
                unknown == 1 ? "" : "es");
}
