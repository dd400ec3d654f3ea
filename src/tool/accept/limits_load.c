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

static const char *text_of(const json_t *rule, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(rule, name));
    return text ? text : otherwise;
}

/* A ratio to baselines is that of totals, and the rule an upper limit: less time is better. */
static int check_ratio(const char *path, size_t i, const json_t *rule, struct ovl_error *err)
{
    char pointer[96];
    const json_t *names = json_object_get(rule, "ratio_to");
    snprintf(pointer, sizeof pointer, "/rules/%zu", i);
    if (!names)
        return 0;
    if (strcmp(text_of(rule, "metric", ""), "total_seconds") != 0 || text_of(rule, "operator", "")[0] != '<' ||
        strcmp(text_of(rule, "statistic", "median"), "median") != 0)
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
    if (!isfinite(reference * (1 + tolerance)))
        return "reference and tolerance are too large together";
    if (text_of(rule, "operator", "")[0] == '>' && reference > 0 && tolerance >= 1)
        return "a tolerance below 1 is wanted here: it is the part of the reference that may be missing";
    return NULL;
}

static int check_rule(const char *path, size_t i, const json_t *rule, struct ovl_error *err)
{
    char pointer[96];
    struct ovl_error unknown;
    const struct ovl_field *metric = ovl_metric_find(text_of(rule, "metric", ""), &unknown);
    bool limit = json_object_get(rule, "limit"), reference = json_object_get(rule, "reference");
    snprintf(pointer, sizeof pointer, "/rules/%zu/metric", i);
    if (!metric)
        return ovl_json_file_fault(path, pointer, unknown.text, err);
    snprintf(pointer, sizeof pointer, "/rules/%zu/statistic", i);
    if (metric->kind != OVL_FIELD_SUMMARY && strcmp(text_of(rule, "statistic", "median"), "median") != 0)
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

static const char wanted_digest[] = "a SHA-256 of 64 digits is wanted here";

/* SHA-256 in lower case, as sha256sum prints them. */
static bool is_digest(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static int check_digests(const char *path, const json_t *limits, const char *name, struct ovl_error *err)
{
    const json_t *list = json_object_get(limits, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/%s/%zu", name, i);
        if (!is_digest(json_string_value(json_array_get(list, i))))
            return ovl_json_file_fault(path, pointer, wanted_digest, err);
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

static int check_files(const char *path, const json_t *limits, struct ovl_error *err)
{
    const json_t *list = json_object_get(limits, "input_files");
    for (size_t i = 0; i < json_array_size(list); i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/input_files/%zu/sha256", i);
        if (!is_digest(json_string_value(json_object_get(json_array_get(list, i), "sha256"))))
            return ovl_json_file_fault(path, pointer, wanted_digest, err);
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
        rc = check_digests(path, limits, "plans", err) == 0 && check_digests(path, limits, "work_from", err) == 0
                 ? check_digests(path, limits, "log_lines", err)
                 : -1;
    if (rc == 0)
        rc = check_files(path, limits, err) == 0 ? check_signers(path, limits, err) : -1;
    for (size_t i = 0; rc == 0 && i < json_array_size(rules); i++)
        rc = check_rule(path, i, json_array_get(rules, i), err);
    ovl_printable(limits);
    if (rc == 0)
        return limits;
    json_decref(limits);
    return NULL;
}
