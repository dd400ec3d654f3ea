/* The keywords of schema.h as a table: for its own two files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_SCHEMA_KEYWORDS_H
#define OVL_TOOL_UTIL_SCHEMA_KEYWORDS_H

#include "tool/util/schema.h"

enum { OVL_SCHEMA_REF_DEPTH = 32, OVL_SCHEMA_PATH = 512 };

/* One check of one instance. */
struct ovl_schema_walk {
    json_t *root;
    ovl_schema_report *report; /* NULL: only count */
    void *to;
    size_t problems;
    char path[OVL_SCHEMA_PATH];
};

/* What a keyword's value holds. */
enum ovl_schema_shape {
    OVL_SHAPE_ANYTHING,
    OVL_SHAPE_TEXT,
    OVL_SHAPE_NUMBER,
    OVL_SHAPE_SCHEMA,
    OVL_SHAPE_SCHEMA_MAP,
    OVL_SHAPE_SCHEMA_LIST,
    OVL_SHAPE_NAME_LIST,
    OVL_SHAPE_VALUE_LIST,
    OVL_SHAPE_TYPES,
    OVL_SHAPE_REFERENCE,
};

struct ovl_schema_keyword {
    const char *name;
    enum ovl_schema_shape shape;
    /* `in` is the schema around, for keywords that look at their neighbours; NULL for annotations. */
    void (*apply)(struct ovl_schema_walk *w, json_t *value, json_t *in, json_t *instance);
};

/* The row of that keyword, or NULL. */
const struct ovl_schema_keyword *ovl_schema_keyword(const char *name);

/* The schema in `root` that "#" or "#/$defs/NAME" names, or NULL. */
json_t *ovl_schema_resolve(json_t *root, const char *reference);

/* "a number" for "number"; NULL when there is no such type. */
const char *ovl_schema_type_said(const char *name);

/* Applies all keywords of a schema that was checked when it was loaded. */
void ovl_schema_apply(struct ovl_schema_walk *w, json_t *schema, json_t *instance);

#endif
