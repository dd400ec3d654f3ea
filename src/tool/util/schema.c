/* Loading a JSON Schema: each keyword is known and well formed, or the schema is refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/schema_keywords.h"

#include <stdlib.h>

struct ovl_schema {
    json_t *root;
};

size_t ovl_schema_check(const struct ovl_schema *schema, json_t *instance, ovl_schema_report *report, void *to)
{
    struct ovl_schema_walk w = {.root = schema->root, .report = report, .to = to};
    ovl_schema_apply(&w, schema->root, instance);
    return w.problems;
}

/* What is wrong with a keyword's value, or NULL. */
static const char *misshapen(json_t *root, enum ovl_schema_shape shape, json_t *value)
{
    size_t n = json_array_size(value);
    switch (shape) {
    case OVL_SHAPE_ANYTHING:
        return NULL;
    case OVL_SHAPE_TEXT:
        return json_is_string(value) ? NULL : "a text is wanted";
    case OVL_SHAPE_NUMBER:
        return json_is_number(value) ? NULL : "a number is wanted";
    case OVL_SHAPE_SCHEMA:
        return json_is_object(value) || json_is_boolean(value) ? NULL : "a schema is wanted";
    case OVL_SHAPE_SCHEMA_MAP:
        return json_is_object(value) ? NULL : "an object of schemas is wanted";
    case OVL_SHAPE_SCHEMA_LIST:
        return n > 0 ? NULL : "a list of schemas is wanted";
    case OVL_SHAPE_VALUE_LIST:
        return n > 0 ? NULL : "a list of values is wanted";
    case OVL_SHAPE_NAME_LIST:
        for (size_t i = 0; i < n; i++)
            if (!json_is_string(json_array_get(value, i)))
                return "a list of names is wanted";
        return json_is_array(value) ? NULL : "a list of names is wanted";
    case OVL_SHAPE_TYPES:
        for (size_t i = 0; i < n; i++)
            if (!json_is_string(json_array_get(value, i)) ||
                !ovl_schema_type_said(json_string_value(json_array_get(value, i))))
                return "a list of type names is wanted";
        return n > 0 || (json_is_string(value) && ovl_schema_type_said(json_string_value(value)))
                   ? NULL
                   : "a type's name is wanted";
    case OVL_SHAPE_REFERENCE:
        return json_is_string(value) && ovl_schema_resolve(root, json_string_value(value))
                   ? NULL
                   : "#/$defs/NAME of a schema that is there is wanted";
    }
    return NULL;
}

/* Refuses a chain of $ref and oneOf that comes back to itself without going down into the instance. */
static int refuse_circle(json_t *root, json_t *schema, int depth, struct ovl_error *err)
{
    json_t *reference = json_object_get(schema, "$ref"), *list = json_object_get(schema, "oneOf");
    if (depth > OVL_SCHEMA_REF_DEPTH)
        return ovl_error_set(err, OVL_ENVIRONMENT, "its $ref go round in a circle");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (refuse_circle(root, json_array_get(list, i), depth + 1, err) != 0)
            return -1;
    json_t *to = json_is_string(reference) ? ovl_schema_resolve(root, json_string_value(reference)) : NULL;
    return to ? refuse_circle(root, to, depth + 1, err) : 0;
}

static int check_schema(json_t *root, json_t *schema, struct ovl_error *err)
{
    const char *name, *inner;
    json_t *value, *one;
    if (!json_is_object(schema) && !json_is_boolean(schema))
        return ovl_error_set(err, OVL_ENVIRONMENT, "a schema in it is neither an object nor true or false");
    json_object_foreach(schema, name, value) {
        const struct ovl_schema_keyword *k = ovl_schema_keyword(name);
        if (!k)
            return ovl_error_set(err, OVL_ENVIRONMENT, "keyword %s: not one that this interpreter knows", name);
        const char *why = misshapen(root, k->shape, value);
        if (why)
            return ovl_error_set(err, OVL_ENVIRONMENT, "keyword %s: %s", name, why);
        if (k->shape == OVL_SHAPE_SCHEMA && check_schema(root, value, err) != 0)
            return -1;
        if (k->shape == OVL_SHAPE_SCHEMA_MAP)
            json_object_foreach(value, inner, one)
                if (check_schema(root, one, err) != 0)
                    return -1;
        for (size_t i = 0; k->shape == OVL_SHAPE_SCHEMA_LIST && i < json_array_size(value); i++)
            if (check_schema(root, json_array_get(value, i), err) != 0)
                return -1;
    }
    return refuse_circle(root, schema, 0, err);
}

struct ovl_schema *ovl_schema_make(json_t *json, struct ovl_error *err)
{
    if (check_schema(json, json, err) != 0)
        return NULL;
    struct ovl_schema *schema = ovl_alloc(1, sizeof *schema);
    schema->root = json_incref(json);
    return schema;
}

struct ovl_schema *ovl_schema_load(const char *path, struct ovl_error *err)
{
    json_error_t at;
    struct ovl_error why;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &at);
    if (!json) {
        ovl_error_set(err, OVL_ENVIRONMENT, "%s: %s", path, at.text);
        return NULL;
    }
    struct ovl_schema *schema = ovl_schema_make(json, &why);
    if (!schema)
        ovl_error_set(err, why.code, "%s: %s", path, why.text);
    json_decref(json);
    return schema;
}

void ovl_schema_free(struct ovl_schema *schema)
{
    if (schema)
        json_decref(schema->root);
    free(schema);
}
