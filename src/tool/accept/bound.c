/* Limits that bind a sweep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/bound.h"
#include "base/input_file.h"
#include "base/utf8.h"
#include "tool/accept/evidence/attempts.h"
#include "tool/accept/evidence/evidence.h"
#include "tool/accept/evidence/input_files.h"
#include "tool/accept/evidence/signed.h"
#include "tool/accept/limits.h"
#include "tool/accept/planned/work.h"
#include "tool/util/atomic_file.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 400 };

static bool names(const json_t *plans, const char *sha256)
{
    for (size_t i = 0; i < json_array_size(plans); i++)
        if (strcmp(json_string_value(json_array_get(plans, i)), sha256) == 0)
            return true;
    return false;
}

/* The SHA-256 of a plan as ovl_json_sha256() computes it, which is what the first line of a log holds: whatever a file
   includes or scans is in it. */
static void judge_plan(const struct ovl_jobs *j, size_t sweep, const json_t *plans, json_t *verdicts)
{
    const struct ovl_sweep *s = &j->sweep[sweep];
    char label[48], sha256[65], reason[REASON];
    ovl_json_sha256(s->plan.json, sha256);
    snprintf(label, sizeof label, "sweep %zu", sweep + 1);
    bool named = plans && names(plans, sha256);
    if (named)
        snprintf(reason, sizeof reason, "its plan is one that the limits name");
    else if (plans)
        snprintf(reason, sizeof reason, "its plan has the SHA-256 %s, which the limits do not name", sha256);
    else
        snprintf(reason, sizeof reason,
                 "a nonce, and the limits name no plan: any would do (ovl accept --bind PLAN LIMITS)");
    ovl_evidence_add(verdicts, label, "plans", !named, 1, named ? "PASS" : plans ? "FAIL" : "INCONCLUSIVE", reason);
}

static void judge_plans(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    const json_t *plans = json_object_get(limits, "plans");
    bool nonce = json_object_get(limits, "nonce");
    char sha256[65], reason[REASON];
    size_t loose = 0;
    for (size_t i = 0; i < j->sweep_count; i++)
        if (plans || nonce || ovl_plan_nonce(&j->sweep[i].plan))
            judge_plan(j, i, plans, verdicts);
    for (size_t r = 0; (plans || nonce) && r < j->record->run_count; r++)
        loose += j->job[j->run[r].job].sweep == OVL_NO_SWEEP;
    snprintf(reason, sizeof reason, "%zu launches are of no sweep, and the limits %s", loose,
             plans ? "name the plan" : "have a nonce");
    if (loose > 0)
        ovl_evidence_add(verdicts, "no sweep", "plans", loose, loose, "INCONCLUSIVE", reason);
    snprintf(reason, sizeof reason, "plan.json is gone beside the sweep.log of %zu launches", j->planless);
    if (j->planless > 0)
        ovl_evidence_add(verdicts, "no sweep", "plans", j->planless, j->planless, "INCONCLUSIVE", reason);
    for (size_t i = 0; i < json_array_size(plans); i++) {
        bool given = false;
        const char *wanted = json_string_value(json_array_get(plans, i));
        for (size_t k = 0; k < j->sweep_count && !given; k++) {
            ovl_json_sha256(j->sweep[k].plan.json, sha256);
            given = strcmp(sha256, wanted) == 0;
        }
        snprintf(reason, sizeof reason, "no sweep is given of the plan with the SHA-256 %s", wanted);
        if (!given)
            ovl_evidence_add(verdicts, "plans", "plans", 1, 1, "FAIL", reason);
    }
}

/* The SHA-256 of an entry of work_from; those of limits of before have no name. */
static const char *digest_of(const json_t *entry)
{
    return json_string_value(json_is_object(entry) ? json_object_get(entry, "sha256") : entry);
}

static const char *file_of(const json_t *entry)
{
    const char *file = json_string_value(json_object_get(entry, "file"));
    return file ? file : "";
}

/* The entry that has that name; where none has, one without a name that has that digest; NULL: neither. */
static const json_t *entry_of(const json_t *work, const char *file, const char *sha256)
{
    const json_t *by_digest = NULL;
    for (size_t i = 0; i < json_array_size(work); i++) {
        const json_t *entry = json_array_get(work, i);
        if (strcmp(file_of(entry), file) == 0)
            return entry;
        by_digest = !*file_of(entry) && strcmp(digest_of(entry), sha256) == 0 ? entry : by_digest;
    }
    return by_digest;
}

/* Of one record outside the sweep: 2 where it is another, 1 where it is not here or not bound, else 0. Its digest is
   added to `seen`. */
static int judge_record(const struct ovl_sweep *s, const json_t *limits, const char *said, json_t *seen,
                        char reason[REASON])
{
    struct ovl_path path;
    char sha256[65];
    struct ovl_error err;
    const json_t *bound = json_object_get(limits, "work_from");
    int length = (int)ovl_utf8_cut(said, 80);
    if (!ovl_work_find(&path, said, s->folder) || ovl_json_file_sha256(path.text, sha256, &err) != 0) {
        snprintf(reason, REASON, "%.*s is not here, from which the plan takes work: give it under that name", length,
                 said);
        return 1;
    }
    char *both = ovl_text("%s\t%s", sha256, said); /* the same record under two names is two */
    json_object_set_new(seen, sha256, json_true());
    json_object_set_new(seen, both, json_true());
    free(both);
    const json_t *entry = entry_of(bound, said, sha256);
    if (bound && (!entry || strcmp(digest_of(entry), sha256) != 0)) {
        snprintf(reason, REASON, "%.*s has the SHA-256 %s, which the limits do not name", length, said, sha256);
        return 2;
    }
    if (!bound && json_object_get(limits, "plans")) {
        snprintf(reason, REASON, "the limits name the plan, and not %.*s, from which it takes work: bind them again",
                 length, said);
        return 1;
    }
    return 0;
}

static void judge_work(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    static const char *const verdict[] = {"PASS", "INCONCLUSIVE", "FAIL"};
    const json_t *bound = json_object_get(limits, "work_from");
    json_t *seen = json_object();
    bool all = true;
    for (size_t i = 0; i < j->sweep_count; i++) {
        const struct ovl_sweep *s = &j->sweep[i];
        char label[48], reason[REASON], one[REASON];
        struct ovl_path said, before = ovl_path("%s", "");
        int worst = 0;
        snprintf(label, sizeof label, "sweep %zu", i + 1);
        snprintf(reason, sizeof reason, "its work is that of the record that the plan names");
        for (size_t l = 0; l < s->plan.count; l++) {
            if (!ovl_work_outside(&s->plan, &s->plan.launch[l], &said) || strcmp(said.text, before.text) == 0)
                continue;
            before = said;
            int found = judge_record(s, limits, said.text, seen, one);
            if (found > worst) {
                worst = found;
                strcpy(reason, one);
            }
        }
        if (*before.text)
            ovl_evidence_add(verdicts, label, "work_from", worst > 0, 1, verdict[worst], reason);
        all = all && worst == 0;
    }
    /* A folder that is empty, or lacks a job, has nothing to take work from. */
    for (size_t i = 0; i < json_array_size(bound) && all; i++) {
        const json_t *entry = json_array_get(bound, i);
        char reason[REASON];
        snprintf(reason, sizeof reason,
                 "a record%s%.80s with the SHA-256 %s, from which work was to be taken, is not here",
                 *file_of(entry) ? " " : "", file_of(entry), digest_of(entry));
        char *both = ovl_text("%s\t%s", digest_of(entry), file_of(entry));
        all = json_object_get(seen, *file_of(entry) ? both : digest_of(entry));
        free(both);
        if (!all)
            ovl_evidence_add(verdicts, "work", "work_from", 1, 1, "INCONCLUSIVE", reason);
    }
    json_decref(seen);
}

/* What the lines that were sent say of one sweep's log. */
struct sent {
    size_t lines, idle; /* that are in it; of these, that tell of no attempt */
    size_t last, most;  /* attempts that had ended by the last of them, and the most that ended between two */
};

static int in_order(const void *a, const void *b)
{
    json_int_t x = *(const json_int_t *)a, y = *(const json_int_t *)b;
    return (x > y) - (x < y);
}

static struct sent look_at_sent(const struct ovl_sweep *s, const json_t *lines, bool *there)
{
    struct sent sent = {0};
    json_int_t *ended = ovl_alloc(json_array_size(lines), sizeof *ended);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const char *sha256 = json_string_value(json_array_get(lines, i));
        const json_t *at = json_object_get(s->log.work.digests, sha256);
        bool end = strcmp(sha256, s->log.last) == 0; /* as that of a sweep which --budget ended */
        there[i] = there[i] || at;
        sent.idle += at && !end && json_integer_value(at) < 0;
        if (at)
            ended[sent.lines++] = end ? (json_int_t)s->log.work.ended : json_integer_value(at);
    }
    qsort(ended, sent.lines, sizeof *ended, in_order);
    for (size_t i = 0; i < sent.lines; i++) {
        size_t by = ended[i] > 0 ? (size_t)ended[i] : 0;
        sent.most = by - sent.last > sent.most ? by - sent.last : sent.most;
        sent.last = by;
    }
    free(ended);
    return sent;
}

/* A line that was sent is of a log that nobody can shorten or write anew without its being missed. What ended behind
   the last one could still be chosen. */
static void judge_lines(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    const json_t *lines = json_object_get(limits, "log_lines");
    size_t n = json_array_size(lines), lost = 0, most = 0;
    char reason[REASON], doubt[REASON] = "";
    const char *first = NULL;
    if (!lines)
        return;
    bool *there = ovl_alloc(n + 1, sizeof *there);
    for (size_t k = 0; k < j->sweep_count; k++) {
        const struct ovl_sweep *s = &j->sweep[k];
        struct sent sent = look_at_sent(s, lines, there);
        size_t behind = s->log.work.ended - sent.last;
        most = sent.most > most ? sent.most : most;
        if (*doubt)
            continue;
        if (sent.lines == 0)
            snprintf(doubt, sizeof doubt, "no line of sweep %zu was sent", k + 1);
        else if (sent.idle > 0)
            snprintf(doubt, sizeof doubt, "%zu of the lines that were sent tell%s of no launch", sent.idle,
                     sent.idle == 1 ? "s" : "");
        else if (behind > 0)
            snprintf(doubt, sizeof doubt, "%zu of %zu attempts ended behind the last line that was sent", behind,
                     s->log.work.ended);
    }
    for (size_t i = 0; i < n; i++) {
        first = first || there[i] ? first : json_string_value(json_array_get(lines, i));
        lost += !there[i];
    }
    free(there);
    if (lost > 0)
        snprintf(reason, sizeof reason, "%zu of %zu lines that were sent are in no sweep.log: %s", lost, n, first);
    else if (*doubt)
        snprintf(reason, sizeof reason, "%s: these launches could be chosen", doubt);
    else
        snprintf(reason, sizeof reason,
                 "all %zu lines that were sent are in sweep.log; at most %zu attempts ended between two of them", n,
                 most);
    ovl_evidence_add(verdicts, "log", "log_lines", lost, n,
                     lost > 0 ? "FAIL"
                     : *doubt ? "INCONCLUSIVE"
                              : "PASS",
                     reason);
}

static void judge_times(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    const json_t *most = json_object_get(limits, "start_seconds");
    for (size_t i = 0; most && i < j->sweep_count; i++) {
        char label[48], reason[REASON];
        size_t run = 0;
        double besides = ovl_attempts_besides(j, i, &run);
        bool over = !(besides <= json_number_value(most) + 1); /* a record's times are whole seconds */
        snprintf(label, sizeof label, "sweep %zu", i + 1);
        if (isnan(besides))
            snprintf(reason, sizeof reason, "sweep.log does not tell how long its attempts took");
        else
            snprintf(reason, sizeof reason, "an attempt took up to %.0f s besides its record: the limits allow %g",
                     besides, json_number_value(most));
        ovl_evidence_add(verdicts, label, "start_seconds", over, 1,
                         isnan(besides) ? "INCONCLUSIVE"
                         : over         ? "FAIL"
                                        : "PASS",
                         reason);
    }
}

void ovl_bound_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    judge_plans(j, limits, verdicts);
    judge_work(j, limits, verdicts);
    ovl_input_files_judge(j, limits, verdicts);
    judge_lines(j, limits, verdicts);
    judge_times(j, limits, verdicts);
    ovl_signed_judge(j, limits, verdicts);
}

/* Numbers as people write them, 0.9 and not 0.90000000000000002, where they stay what they are. */
static char *text_of(const json_t *limits)
{
    char *text = json_dumps(limits, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    json_t *again = json_loads(text, 0, NULL);
    bool same = json_equal(again, limits);
    json_decref(again);
    if (same)
        return text;
    free(text);
    return json_dumps(limits, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
}

static int write_limits(const json_t *limits, const char *path, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    if (ovl_atomic_file_open(&o, path, err) != 0)
        return -1;
    char *text = text_of(limits);
    fprintf(o.file, "%s\n", text);
    free(text);
    return ovl_atomic_file_close(&o, err);
}

/* Of all records outside that launches of a plan take work from. */
static int add_digests(const struct ovl_plan *p, const char *path, json_t *work, struct ovl_error *err)
{
    struct ovl_path said, before = ovl_path("%s", "");
    char sha256[65];
    for (size_t l = 0; l < p->count; l++) {
        if (!ovl_work_outside(p, &p->launch[l], &said) || strcmp(said.text, before.text) == 0)
            continue;
        before = said;
        if (ovl_json_file_sha256(said.text, sha256, err) != 0)
            return -1;
        const json_t *entry = entry_of(work, said.text, sha256);
        if (entry && strcmp(digest_of(entry), sha256) != 0)
            return ovl_json_file_fault(
                path, "/work_from",
                "the SHA-256 of another record has this name; remove it to bind the one that is here", err);
        if (!entry)
            json_array_append_new(work, json_pack("{s:s, s:s}", "file", said.text, "sha256", sha256));
    }
    return 0;
}

/* Adds what the plan says to the limits. */
static int bind_plan(json_t *limits, const char *path, const struct ovl_plan *p, struct ovl_error *err)
{
    char sha256[65];
    const char *nonce = ovl_plan_nonce(p), *said = json_string_value(json_object_get(limits, "nonce"));
    if (nonce && strcmp(nonce, "replace-this") == 0)
        return ovl_json_file_fault(path, "/nonce", "replace-this is the example's: give one of your own", err);
    if (nonce && said && strcmp(nonce, said) != 0)
        return ovl_json_file_fault(path, "/nonce", "the nonce of the plan is wanted here", err);
    ovl_json_sha256(p->json, sha256);
    if (!json_object_get(limits, "plans"))
        json_object_set_new(limits, "plans", json_array());
    if (nonce)
        json_object_set_new(limits, "nonce", json_string(nonce));
    json_t *digests = json_object_get(limits, "work_from"), *work = digests ? json_incref(digests) : json_array();
    int rc = add_digests(p, path, work, err);
    if (rc == 0 && json_array_size(work) > 0)
        json_object_set(limits, "work_from", work);
    json_decref(work);
    if (rc != 0 || ovl_input_files_bind(limits, path, p, err) != 0)
        return -1;
    json_t *plans = json_object_get(limits, "plans");
    if (!names(plans, sha256))
        json_array_append_new(plans, json_string(sha256));
    return 0;
}

int ovl_bound_bind(const char *plan, const char *limits, const char *output, struct ovl_error *err)
{
    struct ovl_plan p = {.json = NULL};
    json_t *all = ovl_limits_load(limits, err);
    int rc = all ? ovl_plan_load(&p, plan, NULL, err) : -1;
    if (rc == 0)
        rc = bind_plan(all, limits, &p, err);
    if (!output) /* in place: LIMITS is meant to be written over */
        ovl_input_file_forget();
    if (rc == 0)
        rc = write_limits(all, output ? output : limits, err);
    if (rc == 0 && !json_object_get(p.json, "nonce"))
        printf("%s: the plan has no nonce: records of any age, measured before, can be given\n", plan);
    char sha256[65] = "";
    if (rc == 0)
        ovl_json_sha256(p.json, sha256);
    if (rc == 0)
        printf("%s: bound to %s, whose SHA-256 is %s\n", output ? output : limits, plan, sha256);
    ovl_plan_free(&p);
    json_decref(all);
    return rc;
}
