/* `ovl accept --verify`: does a report still follow from its inputs? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "base/printable.h"
#include "tool/accept/judged.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is being verified. */
struct verifying {
    const char *path;
    char *shown; /* the path, fit for a terminal */
    json_t *report;
    struct ovl_judged judged;
    size_t wrong;
};

/* As it was given, else beside the report, of whose folder the last parts of the name may still be right: the longest
   that leads to a file. */
static struct ovl_path find_input(const char *report, const char *said)
{
    const char *slash = strrchr(report, '/');
    int folder = slash ? (int)(slash - report + 1) : 0;
    for (const char *rest = said; access(said, R_OK) != 0 && rest; rest = strchr(rest, '/')) {
        rest += strspn(rest, "/");
        if (!*rest)
            break;
        const struct ovl_path path = ovl_path("%.*s%s", folder, report, rest);
        if (access(path.text, R_OK) == 0)
            return path;
    }
    return ovl_path("%s", said);
}

static int verify_hash(struct verifying *v, const json_t *entry, struct ovl_path *path, struct ovl_error *err)
{
    char digest[65];
    const char *said = json_string_value(json_object_get(entry, "path"));
    const char *sum = json_string_value(json_object_get(entry, "sha256"));
    if (!said || !sum)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: path and sha256 are wanted for each input", v->path);
    *path = find_input(v->path, said);
    if (ovl_json_file_sha256(path->text, digest, err) != 0)
        return -1;
    bool good = strcmp(sum, digest) == 0;
    char *shown = ovl_printable_copy(path->text);
    v->wrong += !good;
    printf("%s: %s\n", shown, good ? "as it was" : "CHANGED since the report: another SHA-256");
    free(shown);
    return 0;
}

/* The report's own digest, and those of all that it names. */
static int verify_hashes(struct verifying *v, struct ovl_path *limits, struct ovl_error *err)
{
    struct ovl_path path;
    char digest[65];
    const json_t *inputs = json_object_get(v->report, "inputs"), *sweeps = json_object_get(v->report, "sweeps");
    json_t *bare = json_copy(v->report);
    json_object_del(bare, "sha256");
    ovl_json_sha256(bare, digest);
    json_decref(bare);
    if (strcmp(json_string_value(json_object_get(v->report, "sha256")), digest) != 0) {
        printf("%s: CHANGED since it was written: another SHA-256\n", v->shown);
        v->wrong++;
    }
    int rc = verify_hash(v, json_object_get(v->report, "limits"), limits, err);
    for (size_t i = 0; i < json_array_size(inputs) && rc == 0; i++) {
        rc = verify_hash(v, json_array_get(inputs, i), &path, err);
        if (rc == 0)
            rc = ovl_inputs_add(&v->judged.sources, path.text, err);
    }
    for (size_t i = 0; i < json_array_size(sweeps) && rc == 0; i++) {
        const json_t *sweep = json_array_get(sweeps, i), *log = json_object_get(sweep, "log");
        rc = verify_hash(v, json_object_get(sweep, "plan"), &path, err);
        if (rc == 0 && !json_is_null(log))
            rc = verify_hash(v, log, &path, err);
        const json_t *outputs = json_object_get(sweep, "outputs");
        for (size_t k = 0; k < json_array_size(outputs) && rc == 0; k++)
            rc = verify_hash(v, json_array_get(outputs, k), &path, err);
    }
    return rc;
}

static bool is_digest(const json_t *file, const char *sha256)
{
    return strcmp(sha256, json_string_value(json_object_get(file, "sha256"))) == 0;
}

/* Do both have the same files of output? */
static bool same_outputs(const json_t *said, const json_t *now)
{
    const json_t *a = json_object_get(said, "outputs"), *b = json_object_get(now, "outputs");
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same && i < json_array_size(b); i++)
        same = json_equal(json_object_get(json_array_get(a, i), "sha256"),
                          json_object_get(json_array_get(b, i), "sha256"));
    return same;
}

/* Plan, log and output that the launches were judged by now: those that the report names? verify_hashes() saw its
   entries. */
static bool same_sweeps(const struct verifying *v)
{
    struct ovl_error none;
    json_t *now = ovl_judged_sweep_hashes(&v->judged, true, &none);
    const json_t *said = json_object_get(v->report, "sweeps");
    bool same = json_array_size(said) == v->judged.jobs.sweep_count;
    for (size_t i = 0; same && i < v->judged.jobs.sweep_count; i++) {
        const struct ovl_sweep *s = &v->judged.jobs.sweep[i];
        const json_t *log = json_object_get(json_array_get(said, i), "log");
        same = is_digest(json_object_get(json_array_get(said, i), "plan"), s->plan_sha256) &&
               json_is_null(log) == !s->log_path && (!s->log_path || is_digest(log, s->log_sha256)) &&
               same_outputs(json_array_get(said, i), json_array_get(now, i));
    }
    json_decref(now);
    return same;
}

/* A reason names a record as it was opened, elsewhere after a move; one of what is well names none. */
static bool same_verdict(const json_t *said, const json_t *again)
{
    const char *metric = json_string_value(json_object_get(again, "metric"));
    const char *verdict = json_string_value(json_object_get(again, "verdict"));
    if (!metric || !verdict || strcmp(verdict, "PASS") == 0 ||
        !strstr("records jobs samples validate noise starts", metric))
        return ovl_json_same(said, again);
    json_t *a = json_copy((json_t *)said), *b = json_copy((json_t *)again);
    json_object_del(a, "reason");
    json_object_del(b, "reason");
    bool equal = ovl_json_same(a, b);
    json_decref(a);
    json_decref(b);
    return equal;
}

/* Says which members of an object, or of each of an array, are none of a report: nothing that is computed again speaks
   for them. */
static void verify_members(struct verifying *v, const char *where, const json_t *value, const char *known)
{
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach(value, i, member)
        verify_members(v, where, member, known);
    json_object_foreach((json_t *)value, key, member) {
        char *word = ovl_text(" %s ", key), *shown = ovl_printable_copy(key);
        if (!strstr(known, word) || strchr(key, ' ')) {
            printf("%s: %s/%s: a report has no such member\n", v->shown, where, shown);
            v->wrong++;
        }
        free(word);
        free(shown);
    }
}

static void verify_all_members(struct verifying *v)
{
    static const char *const texts[] = {"ovl_version", "git", "created"};
    static const char of_file[] = " path sha256 ";
    const json_t *sweeps = json_object_get(v->report, "sweeps");
    verify_members(
        v, "", v->report,
        " accept_report ovl_version git created nonce limits inputs sweeps verdict verdicts attempts setting "
        "sha256 ");
    verify_members(v, "/limits", json_object_get(v->report, "limits"), of_file);
    verify_members(v, "/inputs", json_object_get(v->report, "inputs"), of_file);
    verify_members(v, "/sweeps", sweeps, " plan log outputs ");
    for (size_t i = 0; i < json_array_size(sweeps); i++) {
        const json_t *sweep = json_array_get(sweeps, i);
        verify_members(v, "/sweeps/plan", json_object_get(sweep, "plan"), of_file);
        verify_members(v, "/sweeps/log", json_object_get(sweep, "log"), of_file);
        verify_members(v, "/sweeps/outputs", json_object_get(sweep, "outputs"), of_file);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_is_string(json_object_get(v->report, texts[i]))) {
            printf("%s: /%s: a text is wanted here\n", v->shown, texts[i]);
            v->wrong++;
        }
}

static void verify_verdicts(struct verifying *v)
{
    const json_t *said = json_object_get(v->report, "verdicts"), *again = v->judged.verdicts;
    size_t n = json_array_size(said), m = json_array_size(again), bad = v->wrong;
    for (size_t i = 0; i < n || i < m; i++) {
        if (same_verdict(json_array_get(said, i), json_array_get(again, i)))
            continue;
        const char *verdict = json_string_value(json_object_get(json_array_get(again, i), "verdict"));
        printf("%s: /verdicts/%zu: does not follow from the samples%s%s\n", v->shown, i, verdict ? ", which give " : "",
               verdict ? verdict : "");
        v->wrong++;
    }
    if (v->wrong == bad)
        printf("%s: all %zu verdicts follow from the samples\n", v->shown, n);
    if (!same_sweeps(v)) {
        printf("%s: /sweeps: plan.json, sweep.log or outputs beside the inputs are other ones\n", v->shown);
        v->wrong++;
    }
    if (!ovl_json_same(json_object_get(v->report, "setting"), v->judged.setting)) {
        printf("%s: /setting: does not follow from the inputs\n", v->shown);
        v->wrong++;
    }
    const json_t *nonce = json_object_get(v->judged.limits, "nonce");
    if (!json_equal(json_object_get(v->report, "nonce"), nonce ? nonce : json_null())) {
        printf("%s: /nonce: is not that of the limits\n", v->shown);
        v->wrong++;
    }
    if (!ovl_json_same(json_object_get(v->report, "attempts"), v->judged.attempts)) {
        printf("%s: /attempts: does not follow from plan.json and sweep.log\n", v->shown);
        v->wrong++;
    }
    const char *verdict = json_string_value(json_object_get(v->report, "verdict"));
    if (!verdict || strcmp(verdict, ovl_judged_verdict(&v->judged)) != 0) {
        printf("%s: /verdict: the samples give %s\n", v->shown, ovl_judged_verdict(&v->judged));
        v->wrong++;
    }
}

static int verify_form(const struct verifying *v, struct ovl_error *err)
{
    const json_t *version = json_object_get(v->report, "accept_report");
    if (json_is_integer(version) && json_integer_value(version) != OVL_JUDGED_REPORT)
        return ovl_error_set(err, OVL_WRONG_DATA,
                             "%s: a report of form %lld, and this version reads form %d; judge the launches again",
                             v->path, (long long)json_integer_value(version), OVL_JUDGED_REPORT);
    if (!json_is_integer(version) || !json_is_string(json_object_get(v->report, "sha256")) ||
        !json_is_array(json_object_get(v->report, "inputs")) || !json_is_array(json_object_get(v->report, "sweeps")) ||
        !json_is_array(json_object_get(v->report, "verdicts")))
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: no report of ovl accept", v->path);
    return 0;
}

int ovl_judged_verify(const char *report, struct ovl_error *err)
{
    struct ovl_path limits;
    struct verifying v = {.path = report, .shown = ovl_printable_copy(report), .judged.sources.within = true};
    v.report = ovl_json_file_load(report, NULL, err);
    int rc = v.report ? verify_form(&v, err) : -1;
    if (rc == 0)
        rc = verify_hashes(&v, &limits, err);
    if (rc == 0)
        rc = ovl_judged_make(&v.judged, limits.text, err);
    if (rc == 0) {
        verify_verdicts(&v);
        verify_all_members(&v);
        ovl_judged_head(stdout, &v.judged);
        printf(v.wrong ? "%s: does NOT hold\n" : "%s: holds: %s\n", v.shown, ovl_judged_verdict(&v.judged));
        rc = v.wrong ? OVL_WRONG_DATA : ovl_judged_exit(&v.judged);
    }
    json_decref(v.report);
    free(v.shown);
    ovl_judged_free(&v.judged);
    return rc;
}
