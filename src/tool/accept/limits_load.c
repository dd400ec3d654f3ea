/* Limits files: read, and checked where their schema cannot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "tool/accept/baseline.h"
#include "tool/accept/limits.h"
#include "tool/cells/metric.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ovl_rule_word(const json_t *rule, const char *name)
{
    const char *word = json_string_value(json_object_get(rule, name));
    return word ? word : strcmp(name, "statistic") == 0 ? "median" : "";
}

/* A ratio to baselines is that of totals, and the rule an upper limit: less time is better. */
static int check_ratio(const char *path, size_t i, const json_t *rule, struct ovl_error *err)
{
    char pointer[96];
    const json_t *names = json_object_get(rule, "ratio_to");
    snprintf(pointer, sizeof pointer, "/rules/%zu", i);
    if (!names)
        return 0;
    if (strcmp(ovl_rule_word(rule, "metric"), "total_seconds") != 0 || ovl_rule_word(rule, "operator")[0] != '<' ||
        strcmp(ovl_rule_word(rule, "statistic"), "median") != 0)
        return ovl_json_file_fault(path, pointer, "ratio_to goes with the metric total_seconds, <= or <, and median",
                                   err);
    snprintf(pointer, sizeof pointer, "/rules/%zu/ratio_to", i);
    if (json_array_size(names) == 0)
        return ovl_json_file_fault(path, pointer, "the name of a baseline is wanted here", err);
    for (size_t k = 0; k < json_array_size(names); k++) {
        const char *fault = ovl_baseline_fault(json_string_value(json_array_get(names, k)));
        snprintf(pointer, sizeof pointer, "/rules/%zu/ratio_to/%zu", i, k);
        if (fault)
            return ovl_json_file_fault(path, pointer, fault, err);
    }
    return 0;
}

/* What no value could miss is no limit. */
static const char *reference_fault(const json_t *rule)
{
    double reference = json_number_value(json_object_get(rule, "reference"));
    double tolerance = json_number_value(json_object_get(rule, "tolerance"));
    return !isfinite(reference * (1 + tolerance)) ? "reference and tolerance are too large together"
           : ovl_rule_word(rule, "operator")[0] == '>' && reference > 0 && tolerance >= 1
               ? "a tolerance below 1 is wanted here: it is the part of the reference that may be missing"
               : NULL;
}

static int check_rule(const char *path, size_t i, const json_t *rule, struct ovl_error *err)
{
    char pointer[96];
    struct ovl_error unknown;
    const struct ovl_field *metric = ovl_metric_find(ovl_rule_word(rule, "metric"), &unknown);
    bool limit = json_object_get(rule, "limit"), reference = json_object_get(rule, "reference");
    snprintf(pointer, sizeof pointer, "/rules/%zu/metric", i);
    if (!metric)
        return ovl_json_file_fault(path, pointer, unknown.text, err);
    snprintf(pointer, sizeof pointer, "/rules/%zu/statistic", i);
    if (metric->kind != OVL_FIELD_SUMMARY && strcmp(ovl_rule_word(rule, "statistic"), "median") != 0)
        return ovl_json_file_fault(path, pointer, "only times have other statistics than median", err);
    snprintf(pointer, sizeof pointer, "/rules/%zu", i);
    if (limit == reference)
        return ovl_json_file_fault(path, pointer, "one of limit and reference is wanted here", err);
    if (reference != (json_object_get(rule, "tolerance") != NULL))
        return ovl_json_file_fault(path, pointer, "reference and tolerance go together", err);
    if (reference_fault(rule))
        return ovl_json_file_fault(path, pointer, reference_fault(rule), err);
    return check_ratio(path, i, rule, err);
}

/* SHA-256 in lower case, as sha256sum prints them. */
static bool is_digest(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

/* A list of them, or of objects with one. */
static int check_digests(const char *path, const json_t *limits, const char *name, const char *member,
                         struct ovl_error *err)
{
    const json_t *list = json_object_get(limits, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *of = json_array_get(list, i);
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/%s/%zu%s%s", name, i, member ? "/" : "", member ? member : "");
        bool within = member && json_is_object(of);
        if (!is_digest(json_string_value(within ? json_object_get(of, member) : of)))
            return ovl_json_file_fault(path, pointer, "a SHA-256 of 64 digits is wanted here", err);
    }
    return 0;
}

/* A line of its own each: a line end in one would name a signer that nobody sees. */
static int check_signers(const char *path, const json_t *limits, struct ovl_error *err)
{
    const json_t *list = json_object_get(limits, "signers");
    if (list && json_array_size(list) == 0)
        return ovl_json_file_fault(path, "/signers", "a signer is wanted here", err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char pointer[64];
        const char *line = json_string_value(json_array_get(list, i));
        snprintf(pointer, sizeof pointer, "/signers/%zu", i);
        if (!strchr(line, ' ') || strpbrk(line, "\r\n") || *line == '#')
            return ovl_json_file_fault(path, pointer, "a line such as \"NAME ssh-ed25519 KEY\" is wanted here", err);
    }
    return 0;
}

json_t *ovl_limits_load(const char *path, struct ovl_error *err)
{
    json_t *limits = ovl_json_file_load(path, "limits.schema.json", err), *rules = json_object_get(limits, "rules");
    int rc = limits ? 0 : -1;
    if (limits && json_array_size(rules) == 0)
        rc = ovl_json_file_fault(path, "/rules", "a rule is wanted here: nothing to judge by", err);
    const char *nonce = json_string_value(json_object_get(limits, "nonce"));
    if (rc == 0 && nonce && !*nonce)
        rc = ovl_json_file_fault(path, "/nonce", "the nonce of the plan is wanted here", err);
    if (rc == 0)
        rc = check_digests(path, limits, "plans", NULL, err) == 0 &&
                     check_digests(path, limits, "work_from", "sha256", err) == 0 &&
                     check_digests(path, limits, "log_lines", NULL, err) == 0 &&
                     check_digests(path, limits, "input_files", "sha256", err) == 0
                 ? check_signers(path, limits, err)
                 : -1;
    for (size_t i = 0; rc == 0 && i < json_array_size(rules); i++)
        rc = check_rule(path, i, json_array_get(rules, i), err);
    ovl_printable(limits);
    if (rc == 0)
        return limits;
    json_decref(limits);
    return NULL;
}
