/* Judging by rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/rules.h"
#include "tool/document.h"
#include "tool/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 6 }; /* an exact 95 % interval of the median needs so many */

static const char *text_of(const json_t *rule, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(rule, name));
    return text ? text : otherwise;
}

static int check_rule(const char *path, size_t i, const json_t *rule, struct ovl_error *err)
{
    char pointer[96];
    struct ovl_error unknown;
    const struct ovl_metric *metric = ovl_metric_find(text_of(rule, "metric", ""), &unknown);
    bool limit = json_object_get(rule, "limit"), reference = json_object_get(rule, "reference");
    snprintf(pointer, sizeof pointer, "/rules/%zu/metric", i);
    if (!metric)
        return ovl_document_fault(path, pointer, unknown.text, err);
    snprintf(pointer, sizeof pointer, "/rules/%zu/statistic", i);
    if (metric->quantity < 0 && strcmp(text_of(rule, "statistic", "median"), "median") != 0)
        return ovl_document_fault(path, pointer, "only times have other statistics than median", err);
    snprintf(pointer, sizeof pointer, "/rules/%zu", i);
    if (limit == reference)
        return ovl_document_fault(path, pointer, "one of limit and reference is wanted here", err);
    if (reference != (json_object_get(rule, "tolerance") != NULL))
        return ovl_document_fault(path, pointer, "reference and tolerance go together", err);
    return 0;
}

json_t *ovl_rules_load(const char *path, struct ovl_error *err)
{
    json_t *limits = ovl_document_load(path, "limits.schema.json", err), *rules = json_object_get(limits, "rules");
    int rc = limits ? 0 : -1;
    if (limits && json_array_size(rules) == 0)
        rc = ovl_document_fault(path, "/rules", "a rule is wanted here: nothing to judge by", err);
    for (size_t i = 0; rc == 0 && i < json_array_size(rules); i++)
        rc = check_rule(path, i, json_array_get(rules, i), err);
    if (rc == 0)
        return limits;
    json_decref(limits);
    return NULL;
}

static double limit_of(const json_t *rule)
{
    const json_t *limit = json_object_get(rule, "limit");
    double reference = json_number_value(json_object_get(rule, "reference"));
    double room = json_number_value(json_object_get(rule, "tolerance")) * fabs(reference);
    return limit                                     ? json_number_value(limit)
           : text_of(rule, "operator", "")[0] == '<' ? reference + room
                                                     : reference - room;
}

static bool satisfies(const char *operator, double x, double limit)
{
    return strcmp(operator, "<=") == 0  ? x <= limit
           : strcmp(operator, "<") == 0 ? x < limit
           : strcmp(operator, ">") == 0 ? x > limit
                                        : x >= limit;
}

static bool size_matches(const json_t *wanted, double size)
{
    const json_t *min = json_object_get(wanted, "min"), *max = json_object_get(wanted, "max");
    if (json_is_integer(wanted))
        return size == json_number_value(wanted);
    for (size_t i = 0; i < json_array_size(wanted); i++)
        if (size == json_number_value(json_array_get(wanted, i)))
            return true;
    return json_is_object(wanted) && !isnan(size) && !(min && size < json_number_value(min)) &&
           !(max && size > json_number_value(max));
}

static bool matches(json_t *match, const struct ovl_group *group)
{
    const char *name;
    json_t *wanted;
    json_object_foreach(match, name, wanted) {
        char text[OVL_IDENTITY_TEXT];
        const struct ovl_identity *id = ovl_identity_find(name);
        if (!id)
            return false;
        id->text(text, group->member->run, group->member->cell);
        bool same = strcmp(name, "size_bytes") == 0 ? size_matches(wanted, group->member->cell->size_bytes)
                    : id->number                    ? *text && strtod(text, NULL) == json_number_value(wanted)
                                                    : strcmp(text, json_string_value(wanted)) == 0;
        if (!same)
            return false;
    }
    return true;
}

/* 12 digits, as everywhere in a record. */
static json_t *number(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    return isfinite(x) ? json_real(strtod(text, NULL)) : json_null();
}

static json_t *entry_of(const json_t *rule, size_t i)
{
    return json_pack("{s:i, s:s?, s:s, s:s, s:s, s:o}", "rule", (int)i + 1, "name", text_of(rule, "name", NULL),
                     "metric", text_of(rule, "metric", ""), "statistic", text_of(rule, "statistic", "median"),
                     "operator", text_of(rule, "operator", ""), "limit", number(limit_of(rule)));
}

static void put_verdict(json_t *entry, const char *verdict, const char *reason)
{
    json_object_set_new(entry, "verdict", json_string(verdict));
    json_object_set_new(entry, "reason", *reason ? json_string(reason) : json_null());
}

static void decide(json_t *entry, const struct ovl_summary *s, const char *operator, double limit)
{
    char reason[96];
    bool low = satisfies(operator, s->ci_low, limit), high = satisfies(operator, s->ci_high, limit);
    if (s->n < LAUNCHES) {
        snprintf(reason, sizeof reason, "%zu launch%s: an interval needs %d", s->n, s->n == 1 ? "" : "es", LAUNCHES);
        put_verdict(entry, "INCONCLUSIVE", reason);
    } else if (low && high) {
        put_verdict(entry, "PASS", "");
    } else if (!low && !high) {
        put_verdict(entry, "FAIL", "the whole interval misses the limit");
    } else {
        put_verdict(entry, "INCONCLUSIVE", "the limit lies inside the interval");
    }
}

/* A launch that is invalid counts against who claims, unless the rule does not require the cell. */
static json_t *judge_cell(const json_t *rule, size_t i, const struct ovl_group *group, bool required)
{
    struct ovl_error none;
    struct ovl_summary s;
    const struct ovl_metric *metric = ovl_metric_find(text_of(rule, "metric", ""), &none);
    const char *statistic = text_of(rule, "statistic", "median");
    json_t *entry = entry_of(rule, i), *values = json_array();
    double *x = calloc(group->count, sizeof *x);
    size_t bad = 0;
    for (size_t l = 0; x && l < group->count; l++) {
        const struct ovl_member *m = &group->member[l];
        x[l] = ovl_metric_claims(m->cell) ? ovl_metric_again(metric, statistic, m->run, m->cell) : NAN;
        bad += !isfinite(x[l]);
        json_array_append_new(values, number(x[l]));
    }
    if (!entry || !x || ovl_stats_summarise(x, group->count, &s) != 0) {
        free(x);
        json_decref(entry);
        json_decref(values);
        return NULL;
    }
    free(x);
    json_object_set_new(entry, "cell", ovl_group_json(group));
    json_object_set_new(entry, "label", json_string(group->label));
    json_object_set_new(entry, "value", number(s.median));
    json_object_set_new(entry, "ci_low", number(s.ci_low));
    json_object_set_new(entry, "ci_high", number(s.ci_high));
    json_object_set_new(entry, "n", json_integer((json_int_t)s.n));
    json_object_set_new(entry, "values", values);
    decide(entry, &s, text_of(rule, "operator", ""), limit_of(rule));
    if (bad > 0 && required) {
        char reason[96];
        snprintf(reason, sizeof reason, "%zu of %zu launches are invalid, unshaped or without a value", bad,
                 group->count);
        put_verdict(entry, "FAIL", reason);
    }
    return entry;
}

static int add(json_t *all, json_t *entry)
{
    return entry ? json_array_append_new(all, entry) : -1;
}

/* The sizes that a rule lists and no cell has. */
static int judge_missing(json_t *all, const json_t *rule, size_t i, const struct ovl_groups *groups, size_t found)
{
    json_t *match = json_object_get(rule, "match"), *sizes = json_object_get(match, "size_bytes");
    const json_t *said = json_object_get(rule, "required");
    bool required = !json_is_false(said);
    for (size_t k = 0; k < json_array_size(sizes); k++) {
        double size = json_number_value(json_array_get(sizes, k));
        bool there = false;
        for (size_t g = 0; g < groups->count && !there; g++)
            there = matches(match, &groups->group[g]) && groups->group[g].member->cell->size_bytes == size;
        if (there)
            continue;
        char reason[96];
        json_t *entry = entry_of(rule, i);
        snprintf(reason, sizeof reason, "not measured: %.0f bytes", size);
        put_verdict(entry, required ? "FAIL" : "SKIPPED", reason);
        if (add(all, entry) != 0)
            return -1;
    }
    if (found > 0 || json_array_size(sizes) > 0)
        return 0;
    json_t *entry = entry_of(rule, i);
    put_verdict(entry, required ? "FAIL" : "SKIPPED", "not measured: no cell matches");
    return add(all, entry);
}

json_t *ovl_rules_judge(json_t *limits, const struct ovl_groups *groups)
{
    json_t *rules = json_object_get(limits, "rules"), *all = json_array();
    int rc = all ? 0 : -1;
    for (size_t i = 0; i < json_array_size(rules) && rc == 0; i++) {
        json_t *rule = json_array_get(rules, i);
        size_t found = 0;
        for (size_t g = 0; g < groups->count && rc == 0; g++) {
            if (!matches(json_object_get(rule, "match"), &groups->group[g]))
                continue;
            found++;
            rc = add(all, judge_cell(rule, i, &groups->group[g], !json_is_false(json_object_get(rule, "required"))));
        }
        if (rc == 0)
            rc = judge_missing(all, rule, i, groups, found);
    }
    if (rc == 0)
        return all;
    json_decref(all);
    return NULL;
}
