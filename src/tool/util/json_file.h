/* JSON files that people write: read, checked against an installed schema, and faulted by file, line and field. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_JSON_FILE_H
#define OVL_TOOL_UTIL_JSON_FILE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads a file and checks it against a schema of share/ovl ("limits.schema.json"; NULL: none). With a schema, whole
   numbers are JSON integers however they were written (2.0, 1e2). NULL with *err:
   OVL_ENVIRONMENT when it cannot be read, OVL_WRONG_DATA with file, line and field when it is damaged. */
json_t *ovl_json_file_load(const char *path, const char *schema, struct ovl_error *err);

/* The same in two steps, for files that are changed between them: the JSON, with its text, which the caller frees; and
   the check, after which whole numbers are integers. */
json_t *ovl_json_file_parse(const char *path, char **text, struct ovl_error *err);
int ovl_json_file_check(const char *path, const char *text, json_t *json, const char *schema, struct ovl_error *err);

/* The line (from 1) on which the value of a JSON pointer begins in a sound JSON text, or the last line that was found
   on the way there. */
size_t ovl_json_file_line(const char *text, const char *pointer);

/* For faults that no schema sees: fills *err with file, line and field and returns -1. */
int ovl_json_file_fault(const char *path, const char *pointer, const char *wanted, struct ovl_error *err);

/* Hex digits of a file's SHA-256. -1 and OVL_ENVIRONMENT when it cannot be read, is no regular file, or has holes. */
int ovl_json_file_sha256(const char *path, char text[65], struct ovl_error *err);

/* The same of a JSON value's compact text with sorted names. */
void ovl_json_sha256(const json_t *json, char text[65]);

/* Is a line of the file such a one, by its JSON, NULL where it is none, and its text? A file that cannot be read has no
   line. */
bool ovl_json_file_has_line(const char *path, bool (*is)(const json_t *line, const char *text));

/* Is the text one of an array's? */
bool ovl_json_lists(const json_t *array, const char *text);

/* Equal but for the last digits of numbers, which another processor may compute otherwise. */
bool ovl_json_same(const json_t *a, const json_t *b);

#endif
