/* JSON Schemas made from the table of fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/field_schema.h"
#include "record/field.h"

#include <stdio.h>
#include <string.h>

static json_t *reference(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

static json_t *type_of(const char *name, bool null)
{
    return null ? json_pack("{s:[s, s]}", "type", name, "null") : json_pack("{s:s}", "type", name);
}

static json_t *words_of(const char *words, bool null)
{
    json_t *all = json_array();
    for (size_t n; words; words = words[n] ? words + n + 1 : NULL) {
        n = strcspn(words, "|");
        json_array_append_new(all, json_stringn(words, n));
    }
    if (null)
        json_array_append_new(all, json_null());
    return json_pack("{s:o}", "enum", all);
}

/* What a value of this row must be, without its description. */
static json_t *value_schema(const struct ovl_field *f)
{
    json_t *schema;
    switch (f->kind) {
    case OVL_FIELD_TEXT:
        return f->words ? words_of(f->words, f->null) : type_of("string", f->null);
    case OVL_FIELD_WHOLE:
    case OVL_FIELD_NUMBER:
        schema = type_of(f->kind == OVL_FIELD_WHOLE ? "integer" : "number", f->null);
        if (f->kind == OVL_FIELD_WHOLE || f->bounded)
            json_object_set_new(schema, "minimum", json_integer((json_int_t)f->least));
        return schema;
    case OVL_FIELD_TRUTH:
        return type_of("boolean", f->null);
    case OVL_FIELD_OBJECT:
        return type_of("object", f->null);
    case OVL_FIELD_SUMMARY:
        return reference(f->negative ? "difference" : "summary");
    case OVL_FIELD_ESTIMATE:
        return reference("estimate");
    case OVL_FIELD_SAMPLES:
        return reference("samples");
    case OVL_FIELD_ANY:
        break;
    }
    return json_object();
}

/* The member of an object's schema, made where it is not there yet. Lent. */
static json_t *member(json_t *object, const char *name)
{
    json_t *properties = json_object_get(object, "properties");
    if (!properties)
        json_object_set_new(object, "properties", properties = json_object());
    json_t *schema = json_object_get(properties, name);
    if (!schema)
        json_object_set_new(properties, name, schema = json_object());
    return schema;
}

static void require(json_t *object, const char *name)
{
    json_t *required = json_object_get(object, "required");
    if (!required)
        json_object_set_new(object, "required", required = json_array());
    for (size_t i = 0; i < json_array_size(required); i++)
        if (strcmp(json_string_value(json_array_get(required, i)), name) == 0)
            return;
    json_array_append_new(required, json_string(name));
}

/* An object that its own row does not call for may be missing as a whole. */
static bool optional_object(const struct ovl_field *of, size_t length)
{
    const struct ovl_field *f;
    for (size_t i = 0; (f = ovl_field_row(i)); i++)
        if ((f->line & of->line) && f->kind == OVL_FIELD_OBJECT && strlen(f->path) == length &&
            strncmp(f->path, of->path, length) == 0)
            return f->need == OVL_NEED_NOT;
    return false;
}

/* Adds the row to the schema of its line: walks its path, making objects and arrays on the way. */
static void add_row(json_t *line, const struct ovl_field *f, bool needed)
{
    const char *path = f->path;
    json_t *at = line;
    for (;;) {
        size_t n = strcspn(path, ".[");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        json_object_set_new(at, "type", json_string("object"));
        if (strcmp(name, "*") == 0) {
            json_t *any = json_object_get(at, "additionalProperties");
            if (!any)
                json_object_set_new(at, "additionalProperties", any = json_object());
            at = any;
        } else {
            if (needed && !optional_object(f, (size_t)(path - f->path) + n))
                require(at, name);
            at = member(at, name);
        }
        path += n;
        if (strncmp(path, "[]", 2) == 0) {
            json_t *items = json_object_get(at, "items");
            json_object_set_new(at, "type", json_string("array"));
            if (!items)
                json_object_set_new(at, "items", items = json_object());
            at = items;
            path += 2;
        }
        if (*path != '.')
            break;
        path++;
    }
    json_object_update_new(at, value_schema(f));
    json_object_set_new(at, "description", json_string(f->about));
}

/* A line's schema; of a cell line that of collectives or that of proxies. */
static json_t *line_schema(const char *title, enum ovl_field_line line, enum ovl_field_of of, const char *word)
{
    const struct ovl_field *f;
    json_t *schema = json_pack("{s:s}", "title", title);
    for (size_t i = 0; (f = ovl_field_row(i)); i++) {
        if (!(f->line & line))
            continue;
        if (f->of != OVL_OF_ALL && f->of != of) {
            if (!strpbrk(f->path, ".[") && f->need != OVL_NEED_NOT) /* what tells the two kinds of cells apart */
                json_object_set_new(json_object_get(schema, "properties"), f->path, json_false());
            continue;
        }
        add_row(schema, f, f->need == OVL_NEED_ALL || (f->need == OVL_NEED_COLLECTIVE && of == OVL_OF_COLLECTIVE));
    }
    json_object_set_new(json_object_get(schema, "properties"), "record", json_pack("{s:s}", "const", word));
    return schema;
}

/* Of a summary the numbers are not below 0; of a difference they may be. */
enum numbers { SUMMARY, DIFFERENCE, ESTIMATE };

static json_t *numbers_schema(const char *description, const char *const *names, size_t n, enum numbers kind)
{
    json_t *schema = json_pack("{s:s, s:s}", "type", "object", "description", description);
    for (size_t i = 0; i < n; i++) {
        require(schema, names[i]);
        json_object_update_new(member(schema, names[i]), type_of("number", true));
        if (kind == SUMMARY)
            json_object_set_new(member(schema, names[i]), "minimum", json_integer(0));
    }
    if (kind != ESTIMATE) {
        require(schema, "outliers");
        json_object_update_new(member(schema, "outliers"), json_pack("{s:s, s:i}", "type", "integer", "minimum", 0));
    }
    return schema;
}

static json_t *samples_schema(bool negative)
{
    json_t *schema =
        json_pack("{s:s, s:s}", "type", "object", "description",
                  "a value per block, of the slowest rank and as mean over ranks; null where it is invalid");
    static const char *const names[] = {"max", "mean"};
    for (size_t i = 0; i < 2; i++) {
        require(schema, names[i]);
        json_t *item = type_of("number", true);
        if (!negative)
            json_object_set_new(item, "minimum", json_integer(0));
        json_object_update_new(member(schema, names[i]), json_pack("{s:s, s:o}", "type", "array", "items", item));
    }
    return schema;
}

/* Samples of their own kind, and what every program times; the later ones where there are any: see record/cell.c. */
static void name_samples(json_t *defs, const char *line, bool all)
{
    const struct ovl_field *f;
    json_t *samples = json_object_get(json_object_get(json_object_get(defs, line), "properties"), "samples");
    for (int q = 0; q <= OVL_INNER && all; q++)
        require(samples, ovl_field_of_quantity((enum ovl_quantity)q)->path);
    for (size_t i = 0; (f = ovl_field_row(i)); i++)
        if (f->negative)
            json_object_update_new(member(samples, f->path), reference("differences"));
}

json_t *ovl_field_schema(void)
{
    static const char *const summary[] = {"median", "ci_low", "ci_high", "min", "max", "p99"}, *const estimate[] = {
                                                                                                   "value", "ci_low",
                                                                                                   "ci_high"};
    json_t *defs = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "run",
        line_schema("A run: one start of one program", OVL_LINE_RUN, OVL_OF_ALL, "run"), "cell",
        line_schema("A cell of a collective: one measured point", OVL_LINE_CELL, OVL_OF_COLLECTIVE, "cell"),
        "proxy_cell", line_schema("A cell of a proxy: one measured point", OVL_LINE_CELL, OVL_OF_PROXY, "cell"), "node",
        line_schema("What ovl_noise found on a node", OVL_LINE_NODE, OVL_OF_ALL, "node"), "end",
        line_schema("The end of a run", OVL_LINE_END, OVL_OF_ALL, "end"), "offload",
        line_schema("A program under ovl offload", OVL_LINE_OFFLOAD, OVL_OF_ALL, "offload"), "launch",
        line_schema("A launch of ovl offload --compare", OVL_LINE_LAUNCH, OVL_OF_ALL, "launch"));
    name_samples(defs, "cell", true);
    name_samples(defs, "proxy_cell", false);
    json_object_set_new(defs, "summary",
                        numbers_schema("over the blocks; the interval is of 95 %, exact if blocks are independent",
                                       summary, 6, SUMMARY));
    json_object_set_new(
        defs, "estimate",
        numbers_schema("of medians; the interval is a percentile bootstrap, 95 %", estimate, 3, ESTIMATE));
    json_object_set_new(defs, "difference",
                        numbers_schema("a summary of values that may be below 0", summary, 6, DIFFERENCE));
    json_object_set_new(defs, "samples", samples_schema(false));
    json_object_set_new(defs, "differences", samples_schema(true));
    return json_pack("{s:s, s:s, s:s, s:[o, o, o, o, o, o, o], s:o}", "$schema",
                     "https://json-schema.org/draft/2020-12/schema", "title",
                     "A line of an ovl record (JSON Lines), schema " OVL_RECORD_SCHEMA, "description",
                     "SI units, null where there is no value, never NaN. Further fields are allowed.", "oneOf",
                     reference("run"), reference("cell"), reference("proxy_cell"), reference("node"), reference("end"),
                     reference("offload"), reference("launch"), "$defs", defs);
}

json_t *ovl_field_match_schema(void)
{
    json_t *match = json_object();
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        json_t *schema = f->kind == OVL_FIELD_TRUTH   ? words_of("yes|", false)
                         : f->kind == OVL_FIELD_TEXT  ? type_of("string", false)
                         : f->kind == OVL_FIELD_WHOLE ? type_of("integer", false)
                                                      : type_of("number", false);
        json_object_set_new(schema, "description", json_string(f->about));
        json_object_set_new(match, f->name, schema);
    }
    return match;
}
