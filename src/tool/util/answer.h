/* What a command found, as JSON for other programs: one object a call, of the form that answers.schema.json describes.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_ANSWER_H
#define OVL_TOOL_UTIL_ANSWER_H

#include "base/error.h"

#include <jansson.h>

enum { OVL_ANSWER_FORM = 1 };

/* The row of --json FILE; `offset` is that of its const char *. */
#define OVL_ANSWER_OPTION(offset)                                                                                      \
    {                                                                                                                  \
        0, "json", "FILE", "write what was found as JSON too, whole or not at all", OVL_OPTION_TEXT, offset, 0, 0,     \
            NULL, NULL                                                                                                 \
    }

/* A number; null where it is none. */
json_t *ovl_answer_number(double x);

/* Writes what a command found (taken; its members stand behind those of all commands) and its exit code to the file.
   `path` NULL: nothing. -1 with *err as ovl_atomic_file_open has it. */
int ovl_answer_write(const char *path, const char *command, int code, json_t *found, struct ovl_error *err);

#endif
