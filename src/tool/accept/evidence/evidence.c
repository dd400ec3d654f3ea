/* What shows that records are those of the log's attempts and of the plan's jobs, and no older than the nonce. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/evidence/evidence.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "cli/catalog.h"
#include "machine/topology.h"
#include "record/derived/noise.h"
#include "record/field.h"
#include "tool/accept/planned/held.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 500, FILE_SHOWN = 120, WHOLE_SECONDS = 2 /* times of records have no parts of one */ };

/* Records of a sweep, or of none. */
struct records {
    size_t count;
    size_t wrong;                              /* cannot be what their attempts left */
    size_t unshown;                            /* nothing shows whether they are */
    char first[FILE_SHOWN + OVL_HELD_WHY + 8]; /* of the wrong ones, and why */
};

/* The end of a long path tells the launch; no character is cut. */
const char *ovl_evidence_end(const char *path)
{
    size_t n = strlen(path);
    const char *end = n > FILE_SHOWN ? path + n - FILE_SHOWN : path;
    while (*end && ovl_utf8_character(end) == 0)
        end++;
    return end;
}

static void count_wrong(struct records *r, const char *file, const char *why)
{
    char *shown = r->wrong++ == 0 ? ovl_printable_copy(file) : NULL;
    if (shown)
        snprintf(r->first, sizeof r->first, "%s: %s", ovl_evidence_end(shown), why);
    free(shown);
}

static bool began_within(const struct ovl_run *run, const struct ovl_attempts *a)
{
    double began = ovl_clock_utc_seconds(ovl_run_text(run, "started"));
    double from = ovl_clock_utc_seconds(a->started), to = ovl_clock_utc_seconds(a->ended);
    if (isnan(from) || isnan(to))
        return true; /* the log of an older version */
    return began >= from - OVL_EVIDENCE_CLOCKS && began <= to + OVL_EVIDENCE_CLOCKS;
}

/* "": a run's own times are such as its attempt can have had; else what is wrong with them. They say how long it took,
   which bounds what else an attempt did (start_seconds). */
static const char *of_another_time(const struct ovl_run *run, const struct ovl_attempts *a)
{
    const char *text = json_string_value(json_object_get(run->end, "finished"));
    double began = ovl_clock_utc_seconds(ovl_run_text(run, "started"));
    double finished = text ? ovl_clock_utc_seconds(text) : NAN, to = a ? ovl_clock_utc_seconds(a->ended) : NAN;
    if (a && !began_within(run, a))
        return "it began at another time than its attempt";
    if (run->end && isnan(finished))
        return "it does not say when it ended";
    if (text && !(finished >= began))
        return "it ended before it began, by its own times";
    if (finished > to + OVL_EVIDENCE_CLOCKS)
        return "it ended at another time than its attempt";
    return a && a->timed && finished - began > a->seconds + WHOLE_SECONDS
               ? "it took longer than its attempt, by its own times"
           : a && a->odd ? "another launcher than the plan's started it"
                         : "";
}

/* From this schema on all programs are of versions whose sweeps tell in the log when they are opened. */
static const char opened_since[] = "2.8.0";

static bool lacks_opened(const struct ovl_run *run, const struct ovl_sweep *s)
{
    return s->log_path && s->log.work.starts == 0 && strverscmp(ovl_run_text(run, "schema"), opened_since) >= 0;
}

static int count_record(struct records *r, const struct ovl_run *run, const struct ovl_sweep *s,
                        const struct ovl_attempts *a, struct ovl_error *err)
{
    char digest[65];
    r->count++;
    if (a && *a->record_sha256 && ovl_json_file_sha256(run->file, digest, err) != 0)
        return -1;
    const char *times = of_another_time(run, a);
    if (*times)
        count_wrong(r, run->file, times);
    else if (a && *a->record_sha256 && strcmp(digest, a->record_sha256) != 0)
        count_wrong(r, run->file, "not the file that its attempt left, by its SHA-256");
    else if (a && lacks_opened(run, s))
        count_wrong(r, run->file, "of a version whose log tells when the sweep was opened, which this one does not");
    else if (!a || s->log.unchained > 0)
        r->unshown++;
    else if (!*a->record_sha256)
        count_wrong(r, run->file, "no attempt in sweep.log left it");
    return 0;
}

void ovl_evidence_add(json_t *verdicts, const char *label, const char *metric, size_t value, size_t n,
                      const char *verdict, const char *reason)
{
    json_array_append_new(verdicts,
                          json_pack("{s:i, s:n, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:s, s:o}", "rule", 0, "name",
                                    "label", label, "metric", metric, "statistic", "count", "operator", "<=", "limit",
                                    0, "value", (json_int_t)value, "n", (json_int_t)n, "verdict", verdict, "reason",
                                    ovl_printable_json(reason))); /* which may name a file */
}

static void add_records(json_t *verdicts, const char *label, const struct records *r, const struct ovl_sweep *s)
{
    char reason[REASON];
    const char *verdict = r->wrong > 0 ? "FAIL" : r->unshown > 0 ? "INCONCLUSIVE" : "PASS";
    if (r->wrong > 0)
        snprintf(reason, sizeof reason, "%zu of %zu records do not belong to sweep.log: %s", r->wrong, r->count,
                 r->first);
    else if (r->unshown > 0)
        snprintf(reason, sizeof reason,
                 "%s shows which attempts made %zu of %zu records: ask for the folder of the sweep, or allow it by "
                 "\"log_required\": false",
                 s && s->log_path ? "no SHA-256 in sweep.log" : "no sweep.log", r->unshown, r->count);
    else
        snprintf(reason, sizeof reason, "%zu records are those that sweep.log tells of", r->count);
    ovl_evidence_add(verdicts, label, "records", r->wrong + r->unshown, r->count, verdict, reason);
}

static int judge_records(const struct ovl_jobs *j, int sweep, bool log_required, json_t *verdicts,
                         struct ovl_error *err)
{
    struct records all = {0};
    char label[48] = "no sweep";
    int rc = 0;
    if (sweep != OVL_NO_SWEEP)
        snprintf(label, sizeof label, "sweep %d", sweep + 1);
    for (size_t r = 0; r < j->record->run_count && rc == 0; r++) {
        const struct ovl_attempts *a;
        const struct ovl_sweep *s = ovl_jobs_sweep(j, r, &a);
        if (j->job[j->run[r].job].sweep == sweep)
            rc = count_record(&all, &j->record->runs[r], s, a, err);
    }
    if (rc != 0)
        return -1;
    if (all.wrong > 0 || (all.count > 0 && (all.unshown == 0 || log_required)))
        add_records(verdicts, label, &all, sweep == OVL_NO_SWEEP ? NULL : &j->sweep[sweep]);
    return 0;
}

/* The launch of a run, as its plan has it. */
static struct ovl_launch launch_of(const struct ovl_jobs *j, const struct ovl_sweep *s, size_t run)
{
    json_t *jobs = json_object_get(s->plan.json, "jobs");
    return (struct ovl_launch){.job = json_array_get(jobs, j->job[j->run[run].job].of_plan),
                               .number = j->run[run].launch + 1};
}

static void judge_jobs(const struct ovl_jobs *j, size_t sweep, const json_t *may_differ, json_t *verdicts)
{
    const struct ovl_sweep *s = &j->sweep[sweep];
    struct records all = {0};
    char label[48], reason[REASON], why[OVL_HELD_WHY];
    char name[OVL_HELD_WHY], untold[OVL_HELD_WHY] = "";
    size_t by[OVL_HELD_CELLS + 1] = {0}, silent = 0, fewer = 0, others = 0;
    json_int_t nodes = 0, least = 0;
    for (size_t r = 0; r < j->record->run_count; r++) {
        if (j->job[j->run[r].job].sweep != (int)sweep)
            continue;
        struct ovl_launch l = launch_of(j, s, r);
        enum ovl_held_by most;
        const char *file = j->record->runs[r].file;
        bool more = r > 0 && ovl_job_is_ours(l.job) && strcmp(j->record->runs[r - 1].file, file) == 0;
        all.count++;
        if (more)
            count_wrong(&all, file, "it has more than one run, and a launch is one");
        if (!ovl_held(j, r, &l, may_differ, &most, why) && !more)
            count_wrong(&all, file, why);
        by[most] += !ovl_run_is_noise(&j->record->runs[r]);
        others += !ovl_version_is_known(ovl_run_text(&j->record->runs[r], "ovl_version")) ||
                  strcmp(ovl_run_text(&j->record->runs[r], "schema"), OVL_RECORD_SCHEMA) != 0;
        json_int_t wanted = json_integer_value(json_object_get(l.job, "nodes"));
        json_int_t has = json_integer_value(json_object_get(j->record->runs[r].head, "nodes"));
        if (has < wanted && fewer++ == 0) {
            nodes = wanted;
            least = has;
        }
        if (ovl_held_untold(j, r, &l, name) && silent++ == 0)
            memcpy(untold, name, sizeof untold);
    }
    snprintf(label, sizeof label, "sweep %zu", sweep + 1);
    size_t n =
        all.wrong > 0
            ? (size_t)snprintf(reason, sizeof reason, "%zu of %zu records are not as the plan has their jobs: %s",
                               all.wrong, all.count, all.first)
            : (size_t)snprintf(reason, sizeof reason, "%zu records are as the plan has their jobs", all.count);
    if (by[OVL_HELD_START] > 0 && n < sizeof reason)
        n += (size_t)snprintf(reason + n, sizeof reason - n,
                              "; of %zu, whose program is none of ovl's, only processes, nodes and variables are known",
                              by[OVL_HELD_START]);
    if (by[OVL_HELD_COMMAND] > 0 && n < sizeof reason)
        snprintf(
            reason + n, sizeof reason - n,
            "; of %zu, whose options this version does not take, not which cells are lacking: let a rule name each",
            by[OVL_HELD_COMMAND]);
    n = strlen(reason);
    if (others > 0 && all.wrong == 0 && n < sizeof reason)
        n += (size_t)snprintf(reason + n, sizeof reason - n,
                              "; of %zu, of another version of ovl or another schema, only the options that they tell",
                              others);
    if (fewer > 0 && all.wrong == 0 && n < sizeof reason)
        snprintf(reason + n, sizeof reason - n,
                 "; of %zu the workers may have been on nodes of their own: their ranks were on %lld of %lld", fewer,
                 (long long)least, (long long)nodes);
    if (silent > 0 && all.wrong == 0)
        snprintf(
            reason, sizeof reason,
            "the plan sets %.100s, and %zu of %zu records do not tell it: nothing shows that it was set (it looks "
            "like a secret, or the program is of an older version, or the launcher does not pass on " OVL_TOPOLOGY_TELL
            ")",
            untold, silent, all.count);
    ovl_evidence_add(verdicts, label, "jobs", all.wrong + silent, all.count,
                     all.wrong > 0 ? "FAIL"
                     : silent > 0  ? "INCONCLUSIVE"
                                   : "PASS",
                     reason);
}

static void judge_nonce(const struct ovl_jobs *j, const char *wanted, json_t *verdicts)
{
    char reason[REASON];
    size_t n = 0, lacking = 0, other = 0;
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_attempts *a;
        const struct ovl_sweep *s = ovl_jobs_sweep(j, r, &a);
        const char *nonce = wanted ? wanted : s ? ovl_plan_nonce(&s->plan) : NULL;
        const json_t *environment = json_object_get(j->record->runs[r].head, "environment");
        const char *held = json_string_value(json_object_get(environment, OVL_PLAN_NONCE));
        n += nonce != NULL;
        lacking += nonce && !held;
        other += nonce && held && strcmp(nonce, held) != 0;
    }
    if (n == 0)
        return;
    if (lacking + other > 0)
        snprintf(reason, sizeof reason,
                 "of %zu records %zu hold no nonce and %zu another than %.100s: they may be older (a launcher that "
                 "passes on no variables must be told " OVL_PLAN_NONCE ")",
                 n, lacking, other, wanted ? wanted : "their plan's");
    else
        snprintf(reason, sizeof reason, "%zu records hold %.100s", n, wanted ? wanted : "the nonce of their plan");
    ovl_evidence_add(verdicts, "nonce", "nonce", lacking + other, n, lacking + other > 0 ? "FAIL" : "PASS", reason);
}

/* Ranks that begin apart show overlap that is none, and no lateness tells of it. */
static void judge_starts(const struct ovl_jobs *j, json_t *verdicts)
{
    char reason[REASON];
    const char *first = NULL;
    size_t apart = 0, n = 0;
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_run *run = &j->record->runs[r];
        if (ovl_run_is_noise(run))
            continue;
        n++;
        if (!json_is_true(ovl_field_at(run->head, "clock.synchronised")) &&
            json_integer_value(json_object_get(run->head, "ranks")) > 1)
            first = apart++ == 0 ? run->file : first;
    }
    if (!first)
        return;
    ovl_utf8_print(reason, sizeof reason, "in %zu of %zu records ranks had no common start: %.100s", apart, n,
                   ovl_evidence_end(first));
    ovl_evidence_add(verdicts, "all", "starts", apart, n, "INCONCLUSIVE", reason);
}

int ovl_evidence_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts, struct ovl_error *err)
{
    bool log_required = !json_is_false(json_object_get(limits, "log_required"));
    for (int i = OVL_NO_SWEEP; i < (int)j->sweep_count; i++)
        if (judge_records(j, i, log_required, verdicts, err) != 0)
            return -1;
    for (size_t i = 0; i < j->sweep_count; i++)
        judge_jobs(j, i, json_object_get(limits, "may_differ"), verdicts);
    judge_nonce(j, json_string_value(json_object_get(limits, "nonce")), verdicts);
    judge_starts(j, verdicts);
    return 0;
}

/* Was each machine of the judged launches looked at? One that is not told was not, unless no record tells any. */
static bool on_their_machines(const struct ovl_jobs *j)
{
    json_t *seen[2] = {json_object(), json_object()}; /* of the judged ones, and of ovl_noise */
    const char *machine;
    json_t *one;
    bool all = true;
    for (size_t r = 0; r < j->record->run_count; r++) {
        const json_t *hosts = json_object_get(j->record->runs[r].head, "hosts");
        for (size_t i = 0; i < json_array_size(hosts); i++) {
            machine = json_string_value(json_object_get(json_array_get(hosts, i), "machine"));
            json_object_set_new(seen[ovl_run_is_noise(&j->record->runs[r])], machine ? machine : "", json_true());
        }
    }
    bool told = json_object_size(seen[1]) > !!json_object_get(seen[1], "");
    json_object_foreach(seen[0], machine, one) {
        all = all && (*machine ? json_object_get(seen[1], machine) != NULL : !told);
    }
    json_decref(seen[0]);
    json_decref(seen[1]);
    return all;
}

/* Launches of ovl_noise that plans have and of which no record is given, *all of so many: whether their nodes were
   quiet is not known. */
static size_t noise_lacks(const struct ovl_jobs *j, size_t *all)
{
    size_t lack = 0;
    *all = 0;
    for (size_t i = 0; i < j->sweep_count; i++) {
        const struct ovl_plan *plan = &j->sweep[i].plan;
        for (size_t l = 0; l < plan->count; l++) {
            if (strcmp(ovl_job_program(plan->launch[l].job), ovl_noise_program.program) != 0)
                continue;
            ++*all;
            lack += j->sweep[i].runs[plan->launch[l].place] == 0;
        }
    }
    return lack;
}

void ovl_evidence_noise(const struct ovl_jobs *j, json_t *verdicts)
{
    size_t n = 0, loud = 0, planned, lack = noise_lacks(j, &planned);
    char first[REASON] = "", reason[REASON];
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_run *run = &j->record->runs[r];
        struct ovl_noise_verdict v;
        if (!ovl_run_is_noise(run))
            continue;
        n++;
        ovl_noise_judge(run, &v);
        enum ovl_noise_kind kind = ovl_noise_first(&v);
        bool all = json_integer_value(json_object_get(run->head, "nodes")) == (json_int_t)run->node_count;
        if (kind == OVL_NOISE_KINDS && !ovl_run_unended(run) && all)
            continue;
        if (loud++ == 0)
            ovl_utf8_print(first, sizeof first, "%.100s: %.300s", ovl_evidence_end(run->file),
                           kind != OVL_NOISE_KINDS ? v.finding[kind]
                           : ovl_run_unended(run)  ? ovl_run_unended(run)
                                                   : "it has not a line for each of its nodes");
    }
    if (n == 0 && lack == 0)
        return;
    bool here = on_their_machines(j);
    if (loud > 0)
        ovl_utf8_print(reason, sizeof reason, "%zu of %zu records of ovl_noise are not quiet: %.420s", loud, n, first);
    else if (lack > 0)
        snprintf(reason, sizeof reason,
                 "%zu of %zu launches of ovl_noise left no record: whether nodes were quiet is not known", lack,
                 planned);
    else
        snprintf(reason, sizeof reason, "%zu records of ovl_noise are quiet%s", n,
                 here ? "" : ", and not of each machine that the judged launches ran on");
    bool quiet = loud == 0 && lack == 0 && here;
    ovl_evidence_add(verdicts, "all", "noise", loud, n, quiet ? "PASS" : "INCONCLUSIVE", reason);
}
