/* `ovl accept`: do launches keep the limits? And --verify: does a report still follow from its inputs? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/command.h"
#include "tool/document.h"
#include "tool/output.h"
#include "tool/rules.h"
#include "tool/setting.h"
#include "tool/sources.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct accept_options {
    int help;
    const char *output, *verify;
};

#define AT(member) offsetof(struct accept_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "REPORT", "write the verdicts and the SHA-256 of all inputs as JSON, whole or not at all",
     OVL_OPTION_TEXT, AT(output), 0, 0, NULL, NULL},
    {0, "verify", "REPORT", "hash the inputs of a report again and judge them again, from the samples", OVL_OPTION_TEXT,
     AT(verify), 0, 0, NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* What was judged, from where. */
struct judged {
    json_t *limits, *verdicts, *setting;
    struct ovl_sources sources;
    struct ovl_record record;
    size_t copies;
};

static void judged_free(struct judged *j)
{
    json_decref(j->limits);
    json_decref(j->verdicts);
    json_decref(j->setting);
    ovl_record_free(&j->record);
    ovl_sources_free(&j->sources);
}

static int judge(struct judged *j, const char *limits, struct ovl_error *err)
{
    struct ovl_groups groups;
    const struct ovl_record *const one[] = {&j->record};
    j->limits = ovl_rules_load(limits, err);
    if (!j->limits || ovl_sources_read(&j->sources, false, &j->record, &j->copies, err) != 0 ||
        ovl_groups_make(&groups, one, 1, err) != 0)
        return -1;
    j->verdicts = ovl_rules_judge(j->limits, &groups);
    j->setting = ovl_setting_of(&j->record);
    ovl_groups_free(&groups);
    return j->verdicts && j->setting ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the verdicts");
}

static size_t count_of(const json_t *verdicts, const char *verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(verdicts); i++)
        n += strcmp(json_string_value(json_object_get(json_array_get(verdicts, i), "verdict")), verdict) == 0;
    return n;
}

/* All verdicts together: nothing judged is nothing accepted. */
static const char *overall(const json_t *verdicts)
{
    return count_of(verdicts, "FAIL") > 0                                              ? "FAIL"
           : count_of(verdicts, "INCONCLUSIVE") > 0 || count_of(verdicts, "PASS") == 0 ? "INCONCLUSIVE"
                                                                                       : "PASS";
}

static int exit_of(const char *verdict)
{
    return strcmp(verdict, "PASS") == 0 ? OVL_OK : strcmp(verdict, "FAIL") == 0 ? OVL_MISSED : OVL_INCONCLUSIVE;
}

static void put_number(char text[32], const json_t *x)
{
    if (json_is_number(x))
        snprintf(text, 32, "%.6g", json_number_value(x));
    else
        strcpy(text, "-");
}

static void print_verdicts(const json_t *verdicts, const struct judged *j)
{
    printf("# ovl accept: %zu launch%s\n", j->record.run_count, j->record.run_count == 1 ? "" : "es");
    if (j->copies > 0)
        printf("# note  %zu cop%s of a launch passed over\n", j->copies, j->copies == 1 ? "y" : "ies");
    printf("#\n# %4s %-34s %-24s %-14s %12s %26s %3s  verdict\n", "rule", "cell", "metric", "limit", "value",
           "95 % interval", "n");
    for (size_t i = 0; i < json_array_size(verdicts); i++) {
        const json_t *v = json_array_get(verdicts, i);
        char value[32], limit[32], low[32], high[32], interval[72], bound[48];
        const char *label = json_string_value(json_object_get(v, "label"));
        const char *name = json_string_value(json_object_get(v, "name"));
        const char *reason = json_string_value(json_object_get(v, "reason"));
        put_number(value, json_object_get(v, "value"));
        put_number(limit, json_object_get(v, "limit"));
        put_number(low, json_object_get(v, "ci_low"));
        put_number(high, json_object_get(v, "ci_high"));
        snprintf(interval, sizeof interval, *low == '-' && !low[1] ? "-" : "%s .. %s", low, high);
        snprintf(bound, sizeof bound, "%s %s", json_string_value(json_object_get(v, "operator")), limit);
        printf("  %4lld %-34s %-24s %-14s %12s %26s %3lld  %s%s%s\n",
               (long long)json_integer_value(json_object_get(v, "rule")),
               label  ? label
               : name ? name
                      : "-",
               json_string_value(json_object_get(v, "metric")), bound, value, interval,
               (long long)json_integer_value(json_object_get(v, "n")), json_string_value(json_object_get(v, "verdict")),
               reason ? ": " : "", reason ? reason : "");
    }
    printf("#\n# %s: %zu PASS, %zu FAIL, %zu INCONCLUSIVE, %zu not required and not measured\n", overall(verdicts),
           count_of(verdicts, "PASS"), count_of(verdicts, "FAIL"), count_of(verdicts, "INCONCLUSIVE"),
           count_of(verdicts, "SKIPPED"));
}

static json_t *hashed(const char *path, struct ovl_error *err)
{
    char digest[65];
    return ovl_document_sha256(path, digest, err) == 0 ? json_pack("{s:s, s:s}", "path", path, "sha256", digest) : NULL;
}

static int add_hash(json_t *list, const char *path, struct ovl_error *err)
{
    json_t *entry = hashed(path, err);
    return entry ? json_array_append_new(list, entry) : -1;
}

/* The report without its own digest, or NULL. */
static json_t *report_of(const struct judged *j, const char *limits, json_t *inputs)
{
    char now[32];
    time_t t = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    return json_pack("{s:i, s:s, s:s, s:s, s:O, s:O, s:s, s:O, s:O}", "accept_report", 1, "ovl_version", OVL_VERSION,
                     "git", OVL_GIT, "created", now, "limits", json_object_get(inputs, limits), "inputs",
                     json_object_get(inputs, ""), "verdict", overall(j->verdicts), "verdicts", j->verdicts, "setting",
                     j->setting);
}

/* The inputs are hashed before and after they are read, so that what was judged is what was hashed. */
static json_t *hash_all(const struct judged *j, const char *limits, struct ovl_error *err)
{
    json_t *all = json_object(), *inputs = json_array(), *entry = hashed(limits, err);
    int rc = all && inputs && entry ? 0 : -1;
    for (size_t i = 0; i < j->sources.count && rc == 0; i++)
        rc = add_hash(inputs, j->sources.path[i], err);
    json_object_set_new(all, limits, entry);
    json_object_set_new(all, "", inputs);
    if (rc == 0)
        return all;
    json_decref(all);
    return NULL;
}

static int write_report(json_t *report, const char *path, struct ovl_error *err)
{
    struct ovl_output o;
    char digest[65];
    if (!report || ovl_document_sha256_of(report, digest) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the report");
    json_object_set_new(report, "sha256", json_string(digest));
    if (ovl_output_open(&o, path, err) != 0)
        return -1;
    if (json_dumpf(report, o.file, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) != 0) {
        ovl_output_abandon(&o);
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write it", path);
    }
    fputc('\n', o.file);
    return ovl_output_close(&o, err);
}

static int accept(const struct accept_options *o, int argc, char **argv, struct ovl_error *err)
{
    struct judged j = {0};
    json_t *before = NULL, *after = NULL, *report = NULL;
    int rc = 0;
    for (int i = 1; i < argc && rc == 0; i++)
        rc = ovl_sources_add(&j.sources, argv[i], err);
    if (rc == 0)
        rc = (before = hash_all(&j, argv[0], err)) && judge(&j, argv[0], err) == 0 &&
                     (after = hash_all(&j, argv[0], err))
                 ? 0
                 : -1;
    if (rc == 0 && !json_equal(before, after))
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "an input changed while it was read");
    if (rc == 0) {
        print_verdicts(j.verdicts, &j);
        rc = exit_of(overall(j.verdicts));
    }
    if (rc >= 0 && o->output) {
        report = report_of(&j, argv[0], after);
        if (write_report(report, o->output, err) != 0)
            rc = -1;
    }
    json_decref(report);
    json_decref(before);
    json_decref(after);
    judged_free(&j);
    return rc;
}

/* As it was given, else beside the report. */
static void find_input(char path[4096], const char *report, const char *said)
{
    const char *slash = strrchr(report, '/');
    snprintf(path, 4096, "%s", said);
    if (access(path, R_OK) != 0 && said[0] != '/' && slash)
        snprintf(path, 4096, "%.*s%s", (int)(slash - report + 1), report, said);
}

/* Equal but for the last digits, which another processor may compute otherwise. */
static bool same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
    }
    if (json_is_array(a) && json_is_array(b)) {
        bool all = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; all && i < json_array_size(a); i++)
            all = same(json_array_get(a, i), json_array_get(b, i));
        return all;
    }
    if (json_is_object(a) && json_is_object(b)) {
        const char *name;
        json_t *value;
        bool all = json_object_size(a) == json_object_size(b);
        json_object_foreach((json_t *)a, name, value) {
            all = all && same(value, json_object_get(b, name));
        }
        return all;
    }
    return json_equal(a, b);
}

static int verify_hash(const char *report, const json_t *entry, char path[4096], size_t *wrong, struct ovl_error *err)
{
    char digest[65];
    const char *said = json_string_value(json_object_get(entry, "path"));
    const char *sum = json_string_value(json_object_get(entry, "sha256"));
    if (!said || !sum)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: inputs: path and sha256 are wanted here", report);
    find_input(path, report, said);
    if (ovl_document_sha256(path, digest, err) != 0)
        return -1;
    bool good = strcmp(sum, digest) == 0;
    *wrong += !good;
    printf("%s: %s\n", path, good ? "as it was" : "CHANGED since the report: another SHA-256");
    return 0;
}

static void verify_verdicts(const char *report, const json_t *said, const json_t *again, size_t *wrong)
{
    size_t n = json_array_size(said), m = json_array_size(again), bad = *wrong;
    for (size_t i = 0; i < n || i < m; i++) {
        if (same(json_array_get(said, i), json_array_get(again, i)))
            continue;
        const char *verdict = json_string_value(json_object_get(json_array_get(again, i), "verdict"));
        printf("%s: /verdicts/%zu: does not follow from the samples%s%s\n", report, i, verdict ? ", which give " : "",
               verdict ? verdict : "");
        ++*wrong;
    }
    if (*wrong == bad)
        printf("%s: all %zu verdicts follow from the samples\n", report, n);
}

static int verify_with(const char *path, json_t *report, struct judged *j, size_t *wrong, struct ovl_error *err)
{
    char limits[4096], input[4096], digest[65];
    json_t *inputs = json_object_get(report, "inputs"), *said = json_object_get(report, "verdicts");
    const char *sum = json_string_value(json_object_get(report, "sha256"));
    json_t *bare = json_copy(report);
    json_object_del(bare, "sha256");
    int rc = bare && ovl_document_sha256_of(bare, digest) == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    json_decref(bare);
    if (rc == 0 && (!sum || !json_is_array(inputs) || !json_is_array(said)))
        rc = ovl_error_set(err, OVL_WRONG_DATA, "%s: no report of ovl accept", path);
    if (rc == 0 && strcmp(sum, digest) != 0) {
        printf("%s: CHANGED since it was written: another SHA-256\n", path);
        ++*wrong;
    }
    if (rc == 0)
        rc = verify_hash(path, json_object_get(report, "limits"), limits, wrong, err);
    for (size_t i = 0; i < json_array_size(inputs) && rc == 0; i++) {
        rc = verify_hash(path, json_array_get(inputs, i), input, wrong, err);
        if (rc == 0)
            rc = ovl_sources_add(&j->sources, input, err);
    }
    if (rc == 0)
        rc = judge(j, limits, err);
    if (rc == 0)
        verify_verdicts(path, said, j->verdicts, wrong);
    const char *verdict = json_string_value(json_object_get(report, "verdict"));
    if (rc == 0 && (!verdict || strcmp(verdict, overall(j->verdicts)) != 0)) {
        printf("%s: /verdict: the samples give %s\n", path, overall(j->verdicts));
        ++*wrong;
    }
    return rc;
}

static int verify(const char *path, struct ovl_error *err)
{
    struct judged j = {0};
    size_t wrong = 0;
    json_t *report = ovl_document_load(path, NULL, err);
    int rc = report ? verify_with(path, report, &j, &wrong, err) : -1;
    if (rc == 0) {
        printf(wrong ? "%s: does NOT hold\n" : "%s: holds: %s\n", path, overall(j.verdicts));
        rc = wrong ? OVL_WRONG_DATA : exit_of(overall(j.verdicts));
    }
    json_decref(report);
    judged_free(&j);
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct accept_options o = {0};
    int first;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (o.verify && (first < argc || o.output))
        return ovl_error_set(err, OVL_USAGE, "--verify takes a report and nothing else: it names its inputs");
    if (o.verify)
        return verify(o.verify, err);
    if (argc - first < 2)
        return ovl_error_set(err, OVL_USAGE, "give a limits file, and one record file or folder or more");
    return accept(&o, argc - first, argv + first, err);
}

const struct ovl_command ovl_command_accept = {
    .name = "accept",
    .arguments = "LIMITS FILE... [-o REPORT] | --verify REPORT",
    .summary = "judge launches by a limits file; what is not shown is not accepted",
    .exits = "0 accepted, 1 a rule FAILs, 2 a rule is INCONCLUSIVE and none FAILs, 3 wrong call,\n"
             "4 damaged limits or record, or a report that does not hold, 5 file not usable",
    .options = options,
    .run = run,
};
