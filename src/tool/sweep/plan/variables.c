/* Variables of a plan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/plan/variables.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the schema of plans wants as numbers, wherever it stands. */
static const char *const numbers[] = {"ranks",         "nodes",    "launches", "seed", "time_limit_seconds",
                                      "grace_seconds", "priority", "rounds",   NULL};

static bool is_number(const char *name)
{
    for (size_t i = 0; numbers[i]; i++)
        if (strcmp(numbers[i], name) == 0)
            return true;
    return false;
}

/* NULL: the text is none. */
static json_t *number_of(const char *text)
{
    double value;
    const char *end;
    if (ovl_options_number(text, &value, &end) != 0 || *end)
        return NULL;
    return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static char *text_of(const json_t *value)
{
    if (json_is_string(value))
        return ovl_text("%s", json_string_value(value));
    if (json_is_integer(value))
        return ovl_text("%lld", (long long)json_integer_value(value));
    return ovl_text("%.15g", json_real_value(value));
}

/* "ranks, sizes": what there is to set; the caller frees it. */
static char *names_of(const json_t *variables)
{
    char *all = ovl_text("%s", "");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)variables, name, value) {
        char *longer = ovl_text("%s%s%s", all, *all ? ", " : "", name);
        free(all);
        all = longer;
    }
    return all;
}

static int unknown(const char *given, const json_t *variables, const char *path, struct ovl_error *err)
{
    char *names = names_of(variables);
    int rc = *names ? ovl_error_set(err, OVL_USAGE, "-S %.100s: no variable of %.200s, whose variables are %.300s",
                                    given, path, names)
                    : ovl_error_set(err, OVL_USAGE, "-S %.100s: %.200s has no `variables`", given, path);
    free(names);
    return rc;
}

static int set_one(json_t *variables, const char *given, const char *path, struct ovl_error *err)
{
    size_t n = strcspn(given, "=");
    if (n == 0 || given[n] != '=')
        return ovl_error_set(err, OVL_USAGE, "-S %.200s: give NAME=VALUE", given);
    char *name = ovl_text("%.*s", (int)n, given);
    json_t *was = json_object_get(variables, name);
    json_t *value = json_is_number(was) ? number_of(given + n + 1) : json_string(given + n + 1);
    int rc = 0;
    if (!was)
        rc = unknown(given, variables, path, err);
    else if (!value)
        rc = ovl_error_set(err, OVL_USAGE, "-S %.200s: %s is wanted here", given,
                           json_is_number(was) ? "a number, as the plan has," : "UTF-8");
    else
        json_object_set(variables, name, value);
    json_decref(value);
    free(name);
    return rc;
}

int ovl_plan_variables_set(json_t *variables, const struct ovl_texts *set, const char *path, struct ovl_error *err)
{
    const char *name;
    json_t *value;
    for (size_t i = 0; set && i < set->n; i++)
        if (set_one(variables, set->text[i], path, err) != 0)
            return -1;
    json_object_foreach(variables, name, value) {
        if (json_is_null(value))
            return ovl_error_set(err, OVL_USAGE, "%.200s: its variable %.60s has no value: give -S %.60s=VALUE", path,
                                 name, name);
    }
    return 0;
}

/* Where a text stands. */
struct place {
    const json_t *variables;
    const char *path;
    char pointer[200]; /* as much of it as fits */
    struct ovl_error *err;
};

static int fault(const struct place *p, const char *wanted)
{
    return ovl_json_file_fault(p->path, p->pointer, wanted, p->err);
}

/* The value that the variable behind "${" at `text` has, and its end behind "}"; NULL: told. */
static const json_t *look_up(const struct place *p, const char *text, const char **end)
{
    size_t n = strcspn(text + 2, "}");
    char *name = ovl_text("%.*s", (int)n, text + 2);
    const json_t *value = json_object_get(p->variables, name);
    if (!value || text[2 + n] != '}') {
        char *names = names_of(p->variables),
             *wanted = ovl_text("%.60s is no variable: they are %s; $${ stands for ${", name, names);
        fault(p, wanted);
        free(wanted);
        free(names);
        value = NULL;
    }
    free(name);
    *end = text + n + 3;
    return value;
}

/* A new reference; NULL: told. */
static json_t *replaced(const struct place *p, const char *text, bool number)
{
    char *made = ovl_text("%s", "");
    const char *end = text;
    while (text) {
        const char *next = strstr(text, "${");
        bool kept = next && next > text && next[-1] == '$';
        const json_t *value = next && !kept ? look_up(p, next, &end) : NULL;
        if (next && !kept && !value) {
            free(made);
            return NULL;
        }
        char *put = kept ? ovl_text("${") : value ? text_of(value) : ovl_text("%s", "");
        size_t before = next ? (size_t)(next - text) - kept : strlen(text);
        char *longer = ovl_text("%s%.*s%s", made, (int)before, text, put);
        free(put);
        free(made);
        made = longer;
        text = kept ? next + 2 : next ? end : NULL;
    }
    json_t *whole = number ? number_of(made) : NULL;
    whole = whole ? whole : json_string(made);
    free(made);
    return whole;
}

static int put(const struct place *above, const char *part, json_t *value, bool number, json_t **made);

static int put_in_members(const struct place *p, json_t *object)
{
    const char *name;
    json_t *value, *made;
    void *next;
    bool top = !*p->pointer;
    json_object_foreach_safe(object, next, name, value)
    {
        if (top && (strcmp(name, "variables") == 0 || strcmp(name, "include") == 0))
            continue;
        if (put(p, name, value, is_number(name), &made) != 0)
            return -1;
        if (made)
            json_object_set_new(object, name, made);
    }
    return 0;
}

/* *made: what stands in the value's place, NULL where it stays. */
static int put(const struct place *above, const char *part, json_t *value, bool number, json_t **made)
{
    struct place p = *above;
    snprintf(p.pointer, sizeof p.pointer, "%.150s/%.48s", above->pointer, part);
    *made = NULL;
    if (json_is_object(value))
        return put_in_members(&p, value);
    if (json_is_string(value) && strstr(json_string_value(value), "${"))
        return (*made = replaced(&p, json_string_value(value), number)) ? 0 : -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        char index[24];
        json_t *item;
        snprintf(index, sizeof index, "%zu", i);
        if (put(&p, index, json_array_get(value, i), number, &item) != 0)
            return -1;
        if (item)
            json_array_set_new(value, i, item);
    }
    return 0;
}

int ovl_plan_variables_put(json_t *file, const json_t *variables, const char *path, struct ovl_error *err)
{
    struct place p = {variables, path, "", err};
    return json_object_size(variables) > 0 && json_is_object(file) ? put_in_members(&p, file) : 0;
}
