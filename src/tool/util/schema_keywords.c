/* A small interpreter of JSON Schema 2020-12: what each keyword asks of an instance. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/schema_keywords.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct type {
    const char *name, *said;
} types[] = {
    {"null", "null"},       {"boolean", "true or false"},  {"object", "an object"}, {"array", "an array"},
    {"number", "a number"}, {"integer", "a whole number"}, {"string", "a text"},
};

/* Writes a value shortly enough for a message. */
static void said_value(json_t *value, char text[48])
{
    if (json_is_object(value) || json_is_array(value)) {
        snprintf(text, 48, "%s", json_is_object(value) ? "an object" : "an array");
        return;
    }
    char *whole = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
    snprintf(text, 48, strlen(whole ? whole : "") < 40 ? "%s" : "%.36s...", whole ? whole : "?");
    free(whole);
}

static void problem(struct ovl_schema_walk *w, const char *wanted)
{
    w->problems++;
    if (w->report)
        w->report(w->to, w->path, wanted);
}

/* "WANTED is wanted here, not VALUE". */
static void problem_value(struct ovl_schema_walk *w, const char *wanted, json_t *instance)
{
    char text[512], value[48];
    said_value(instance, value);
    snprintf(text, sizeof text, "%.400s is wanted here, not %s", wanted, value);
    problem(w, text);
}

/* Adds a token to the pointer and returns its old length, to cut it back to. */
static size_t path_push(struct ovl_schema_walk *w, const char *token)
{
    size_t old = strlen(w->path), at = old;
    const size_t most = sizeof w->path - 3;
    if (at < most)
        w->path[at++] = '/';
    for (; *token && at < most; token++) {
        if (*token == '~' || *token == '/')
            w->path[at++] = '~';
        w->path[at++] = *token == '~' ? '0' : *token == '/' ? '1' : *token;
    }
    w->path[at] = '\0';
    return old;
}

static void apply_at(struct ovl_schema_walk *w, const char *token, json_t *schema, json_t *instance)
{
    size_t old = path_push(w, token);
    ovl_schema_apply(w, schema, instance);
    w->path[old] = '\0';
}

/* Equal as JSON Schema has it: 1 and 1.0 are. */
static bool same(json_t *a, json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static bool has_type(json_t *instance, const char *name)
{
    double x = json_number_value(instance);
    switch (json_typeof(instance)) {
    case JSON_OBJECT:
        return strcmp(name, "object") == 0;
    case JSON_ARRAY:
        return strcmp(name, "array") == 0;
    case JSON_STRING:
        return strcmp(name, "string") == 0;
    case JSON_TRUE:
    case JSON_FALSE:
        return strcmp(name, "boolean") == 0;
    case JSON_NULL:
        return strcmp(name, "null") == 0;
    case JSON_INTEGER:
    case JSON_REAL:
        return strcmp(name, "number") == 0 || (strcmp(name, "integer") == 0 && floor(x) == x);
    }
    return false;
}

const char *ovl_schema_type_said(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].said;
    return NULL;
}

static void apply_type(struct ovl_schema_walk *w, json_t *value, json_t *in, json_t *instance)
{
    (void)in;
    char wanted[128] = "";
    size_t n = json_is_string(value) ? 1 : json_array_size(value);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_is_string(value) ? value : json_array_get(value, i));
        if (has_type(instance, name))
            return;
        size_t at = strlen(wanted);
        snprintf(wanted + at, sizeof wanted - at, "%s%s",
                 i == 0      ? ""
                 : i + 1 < n ? ", "
                             : " or ",
                 ovl_schema_type_said(name));
    }
    problem_value(w, wanted, instance);
}

static void apply_const(struct ovl_schema_walk *w, json_t *value, json_t *in, json_t *instance)
{
    (void)in;
    char wanted[48];
    said_value(value, wanted);
    if (!same(value, instance))
        problem_value(w, wanted, instance);
}

static void apply_enum(struct ovl_schema_walk *w, json_t *list, json_t *in, json_t *instance)
{
    (void)in;
    char wanted[400] = "";
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n; i++) {
        char one[48];
        if (same(json_array_get(list, i), instance))
            return;
        said_value(json_array_get(list, i), one);
        size_t at = strlen(wanted);
        snprintf(wanted + at, sizeof wanted - at, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", one);
    }
    problem_value(w, wanted, instance);
}

static void apply_minimum(struct ovl_schema_walk *w, json_t *value, json_t *in, json_t *instance)
{
    (void)in;
    char wanted[64];
    if (!json_is_number(instance) || json_number_value(instance) >= json_number_value(value))
        return;
    snprintf(wanted, sizeof wanted, "%.12g or more", json_number_value(value));
    problem_value(w, wanted, instance);
}

static void apply_maximum(struct ovl_schema_walk *w, json_t *value, json_t *in, json_t *instance)
{
    (void)in;
    char wanted[64];
    if (!json_is_number(instance) || json_number_value(instance) <= json_number_value(value))
        return;
    snprintf(wanted, sizeof wanted, "%.12g or less", json_number_value(value));
    problem_value(w, wanted, instance);
}

static void apply_properties(struct ovl_schema_walk *w, json_t *map, json_t *in, json_t *instance)
{
    (void)in;
    const char *name;
    json_t *schema;
    json_object_foreach(map, name, schema) {
        json_t *value = json_object_get(instance, name);
        if (value)
            apply_at(w, name, schema, value);
    }
}

static void apply_required(struct ovl_schema_walk *w, json_t *names, json_t *in, json_t *instance)
{
    (void)in;
    for (size_t i = 0; json_is_object(instance) && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (json_object_get(instance, name))
            continue;
        size_t old = path_push(w, name);
        problem(w, "is missing");
        w->path[old] = '\0';
    }
}

static void apply_additional(struct ovl_schema_walk *w, json_t *schema, json_t *in, json_t *instance)
{
    json_t *known = json_object_get(in, "properties");
    const char *name;
    json_t *value;
    json_object_foreach(instance, name, value)
        if (!json_object_get(known, name))
            apply_at(w, name, schema, value);
}

/* Of a schema that asks for nothing but types and a least number: the types that pass, as bits by json_type. 0: it asks
   for more. A record has thousands of samples, all of which pass. */
static unsigned types_of(json_t *schema, double *least)
{
    static const struct {
        const char *name;
        unsigned bits;
    } of[] = {{"number", 1U << JSON_REAL | 1U << JSON_INTEGER},
              {"integer", 1U << JSON_INTEGER},
              {"null", 1U << JSON_NULL},
              {"string", 1U << JSON_STRING}};
    json_t *said = json_object_get(schema, "type"), *minimum = json_object_get(schema, "minimum");
    unsigned pass = 0;
    size_t n = json_is_string(said) ? 1 : json_array_size(said);
    *least = minimum ? json_number_value(minimum) : -INFINITY;
    if (json_object_size(schema) != 1U + (minimum != NULL) + (json_object_get(schema, "description") != NULL))
        return 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (strcmp(json_string_value(json_is_string(said) ? said : json_array_get(said, i)), of[k].name) == 0)
                pass |= of[k].bits;
    return pass;
}

static void apply_items(struct ovl_schema_walk *w, json_t *schema, json_t *in, json_t *instance)
{
    (void)in;
    double least;
    unsigned pass = json_is_array(instance) ? types_of(schema, &least) : 0;
    for (size_t i = 0; json_is_array(instance) && i < json_array_size(instance); i++) {
        json_t *one = json_array_get(instance, i);
        if (pass >> json_typeof(one) & 1 && !(json_is_number(one) && json_number_value(one) < least))
            continue;
        char token[24], *digit = token + sizeof token - 1; /* by hand: a record has thousands of samples */
        size_t rest = i;
        *digit = '\0';
        do
            *--digit = (char)('0' + rest % 10);
        while ((rest /= 10) > 0);
        apply_at(w, digit, schema, one);
    }
}

json_t *ovl_schema_resolve(json_t *root, const char *reference)
{
    static const char before[] = "#/$defs/";
    if (strcmp(reference, "#") == 0)
        return root;
    if (strncmp(reference, before, strlen(before)) != 0)
        return NULL;
    return json_object_get(json_object_get(root, "$defs"), reference + strlen(before));
}

static void apply_ref(struct ovl_schema_walk *w, json_t *value, json_t *in, json_t *instance)
{
    (void)in;
    ovl_schema_apply(w, ovl_schema_resolve(w->root, json_string_value(value)), instance);
}

/* The first property with a `const` in a schema or in what it refers to: what tells an alternative from the others. */
static json_t *mark_of(json_t *root, json_t *schema, const char **name)
{
    for (int depth = 0; json_object_get(schema, "$ref") && depth < OVL_SCHEMA_REF_DEPTH; depth++)
        schema = ovl_schema_resolve(root, json_string_value(json_object_get(schema, "$ref")));
    json_t *property;
    json_object_foreach(json_object_get(schema, "properties"), *name, property)
        if (json_object_get(property, "const"))
            return json_object_get(property, "const");
    return NULL;
}

static size_t problems_of(struct ovl_schema_walk *w, json_t *schema, json_t *instance)
{
    struct ovl_schema_walk silent = {.root = w->root};
    ovl_schema_apply(&silent, schema, instance);
    return silent.problems;
}

static bool contains(json_t *list, json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (same(json_array_get(list, i), value))
            return true;
    return false;
}

/* Of the alternatives whose mark the instance has, the problems of the one that fits best are told. */
static void report_none(struct ovl_schema_walk *w, json_t *list, json_t *instance)
{
    const char *field = NULL;
    json_t *marks = json_array(), *best = NULL;
    size_t marked = 0, fewest = SIZE_MAX;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name;
        json_t *schema = json_array_get(list, i), *mark = mark_of(w->root, schema, &name);
        if (!mark || (field && strcmp(field, name) != 0))
            continue;
        field = name;
        marked++;
        if (!contains(marks, mark))
            json_array_append(marks, mark);
        json_t *value = json_object_get(instance, name);
        if (value && same(mark, value) && problems_of(w, schema, instance) < fewest) {
            best = schema;
            fewest = problems_of(w, schema, instance);
        }
    }
    size_t old = strlen(w->path);
    json_t *value = field ? json_object_get(instance, field) : NULL;
    if (field && json_is_object(instance) && !best)
        path_push(w, field);
    if (best)
        ovl_schema_apply(w, best, instance);
    else if (value && marked == json_array_size(list))
        apply_enum(w, marks, NULL, value);
    else
        problem(w, field && json_is_object(instance) && !value ? "is missing" : "fits none of the alternatives");
    w->path[old] = '\0';
    json_decref(marks);
}

static void apply_one_of(struct ovl_schema_walk *w, json_t *list, json_t *in, json_t *instance)
{
    (void)in;
    size_t fit = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name;
        json_t *schema = json_array_get(list, i), *mark = mark_of(w->root, schema, &name);
        json_t *value = mark ? json_object_get(instance, name) : NULL;
        if (!value || same(mark, value)) /* most lines are of another kind, as one look tells */
            fit += problems_of(w, schema, instance) == 0;
    }
    if (fit > 1)
        problem(w, "fits more than one of the alternatives");
    else if (fit == 0)
        report_none(w, list, instance);
}

static const struct ovl_schema_keyword keywords[] = {
    {"$schema", OVL_SHAPE_TEXT, NULL},
    {"$id", OVL_SHAPE_TEXT, NULL},
    {"$comment", OVL_SHAPE_TEXT, NULL},
    {"title", OVL_SHAPE_TEXT, NULL},
    {"description", OVL_SHAPE_TEXT, NULL},
    {"$defs", OVL_SHAPE_SCHEMA_MAP, NULL},
    {"$ref", OVL_SHAPE_REFERENCE, apply_ref},
    {"type", OVL_SHAPE_TYPES, apply_type},
    {"const", OVL_SHAPE_ANYTHING, apply_const},
    {"enum", OVL_SHAPE_VALUE_LIST, apply_enum},
    {"minimum", OVL_SHAPE_NUMBER, apply_minimum},
    {"maximum", OVL_SHAPE_NUMBER, apply_maximum},
    {"required", OVL_SHAPE_NAME_LIST, apply_required},
    {"properties", OVL_SHAPE_SCHEMA_MAP, apply_properties},
    {"additionalProperties", OVL_SHAPE_SCHEMA, apply_additional},
    {"items", OVL_SHAPE_SCHEMA, apply_items},
    {"oneOf", OVL_SHAPE_SCHEMA_LIST, apply_one_of},
};

const struct ovl_schema_keyword *ovl_schema_keyword(const char *name)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].name, name) == 0)
            return &keywords[i];
    return NULL;
}

void ovl_schema_apply(struct ovl_schema_walk *w, json_t *schema, json_t *instance)
{
    const char *name;
    json_t *value;
    if (json_is_false(schema))
        problem(w, "is not known here");
    json_object_foreach(schema, name, value) {
        const struct ovl_schema_keyword *k = ovl_schema_keyword(name);
        if (k->apply)
            k->apply(w, value, schema, instance);
    }
}
