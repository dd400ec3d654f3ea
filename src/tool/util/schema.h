/* JSON Schema 2020-12 over jansson: the part that our schema file uses (the distributions have no C library for it). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_SCHEMA_H
#define OVL_TOOL_UTIL_SCHEMA_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

/* Keywords: type, const, enum, minimum, maximum, properties, required, additionalProperties, items, oneOf, $ref to "#"
   or
   "#/$defs/NAME", and the annotations $schema, $id, $defs, $comment, title, description. A schema with any other
   keyword, or with one that is malformed, is refused when it is loaded, so that nothing in it is passed over silently.
 */
struct ovl_schema;

/* Called for each problem. `path` is a JSON pointer into the instance ("" is all of it), `wanted` says what should be
   there. */
typedef void ovl_schema_report(void *to, const char *path, const char *wanted);

/* Reads a schema file. NULL and OVL_ENVIRONMENT when it cannot be read, is no JSON or is refused. */
struct ovl_schema *ovl_schema_load(const char *path, struct ovl_error *err);

/* The same from JSON in memory, of which it keeps a reference. */
struct ovl_schema *ovl_schema_make(json_t *json, struct ovl_error *err);
void ovl_schema_free(struct ovl_schema *schema);

/* Checks an instance and returns the number of problems. Of a oneOf that nothing fits, the problems of that alternative
   are told whose `const` property the instance has, of several the one with the fewest. */
size_t ovl_schema_check(const struct ovl_schema *schema, json_t *instance, ovl_schema_report *report, void *to);

#endif
