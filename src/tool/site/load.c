/* Reading what a site expects. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "tool/cells/point.h"
#include "tool/site/site.h"
#include "tool/util/json_file.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

/* Bytes, a list of them, or a range, as limits have them (tool/accept/limits.schema.json.in). */
static bool is_size(json_t *size)
{
    const char *name;
    json_t *value;
    size_t i;
    bool good = json_is_integer(size) || json_array_size(size) > 0 || json_object_size(size) > 0;
    json_array_foreach(size, i, value)
        good = good && json_is_integer(value);
    json_object_foreach(size, name, value)
        good = good && json_is_integer(value) && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0);
    return good;
}

static int check_match(const char *path, const char *where, json_t *match, struct ovl_error *err)
{
    char pointer[240];
    const char *name;
    json_t *value;
    json_object_foreach(match, name, value) {
        const struct ovl_field *f = ovl_point_find(name);
        bool size = strcmp(name, "size_bytes") == 0;
        snprintf(pointer, sizeof pointer, "%s/match/%.60s", where, name);
        if (!f)
            return ovl_json_file_fault(path, pointer, "a field that identifies a cell is wanted here", err);
        if (!json_is_string(value) && !json_is_number(value) && !size)
            return ovl_json_file_fault(path, pointer, "a text or a number is wanted here", err);
        if (size && !is_size(value))
            return ovl_json_file_fault(path, pointer, "bytes, a list of them, or {\"min\", \"max\"} is wanted here",
                                       err);
    }
    if (json_is_string(json_object_get(match, "benchmark")))
        return 0;
    snprintf(pointer, sizeof pointer, "%s/match", where);
    return ovl_json_file_fault(path, pointer, "a benchmark is wanted here", err);
}

static int check_rule(const char *path, const char *where, const json_t *rule, struct ovl_error *err)
{
    char pointer[240];
    struct ovl_error unknown;
    const char *name = json_string_value(json_object_get(rule, "metric"));
    const struct ovl_field *metric = ovl_metric_find(name, &unknown);
    double value = json_number_value(json_object_get(rule, "value"));
    bool why = json_object_get(rule, "why") != NULL, expect = json_object_get(rule, "expect") != NULL;
    snprintf(pointer, sizeof pointer, "%s/metric", where);
    if (!metric)
        return ovl_json_file_fault(path, pointer, unknown.text, err);
    snprintf(pointer, sizeof pointer, "%s/value", where);
    if (metric->scale == OVL_METRIC_RATIO && !(value > 0))
        return ovl_json_file_fault(path, pointer, "a value above 0 is wanted here", err);
    snprintf(pointer, sizeof pointer, "%s/worse", where);
    if (json_number_value(json_object_get(rule, "worse")) > 1)
        return ovl_json_file_fault(path, pointer, "a number from 0 to 1 is wanted here, 0.05 for 5 %", err);
    snprintf(pointer, sizeof pointer, "%s", where);
    if (why != expect)
        return ovl_json_file_fault(path, pointer, "expect and why go together", err);
    return check_match(path, where, json_object_get(rule, "match"), err);
}

static int check_system(const char *path, const json_t *systems, size_t i, struct ovl_error *err)
{
    char pointer[96];
    regex_t compiled;
    const json_t *system = json_array_get(systems, i), *rules = json_object_get(system, "rules");
    const char *hosts = json_string_value(json_object_get(system, "hosts")),
               *name = json_string_value(json_object_get(system, "name"));
    for (size_t k = 0; k < i; k++)
        if (strcmp(json_string_value(json_object_get(json_array_get(systems, k), "name")), name) == 0) {
            snprintf(pointer, sizeof pointer, "/systems/%zu/name", i);
            return ovl_json_file_fault(path, pointer, "another system has this name already", err);
        }
    snprintf(pointer, sizeof pointer, "/systems/%zu/hosts", i);
    if (hosts && regcomp(&compiled, hosts, REG_EXTENDED | REG_NOSUB) != 0)
        return ovl_json_file_fault(path, pointer, "a POSIX extended expression is wanted here", err);
    if (hosts)
        regfree(&compiled);
    snprintf(pointer, sizeof pointer, "/systems/%zu/rules", i);
    if (json_array_size(rules) == 0)
        return ovl_json_file_fault(path, pointer, "a rule is wanted here: nothing to judge by", err);
    for (size_t r = 0; r < json_array_size(rules); r++) {
        snprintf(pointer, sizeof pointer, "/systems/%zu/rules/%zu", i, r);
        if (check_rule(path, pointer, json_array_get(rules, r), err) != 0)
            return -1;
    }
    return 0;
}

json_t *ovl_site_load(const char *path, struct ovl_error *err)
{
    json_t *all = ovl_json_file_load(path, "references.schema.json", err), *systems = json_object_get(all, "systems");
    int rc = all ? 0 : -1;
    if (all && json_array_size(systems) == 0)
        rc = ovl_json_file_fault(path, "/systems", "a system is wanted here: nothing to judge by", err);
    for (size_t i = 0; i < json_array_size(systems) && rc == 0; i++)
        rc = check_system(path, systems, i, err);
    ovl_printable(all);
    if (rc == 0)
        return all;
    json_decref(all);
    return NULL;
}
