/* A line of JSON as our programs write it, read in a third of jansson's time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_JSON_LINE_H
#define OVL_BASE_JSON_LINE_H

#include <jansson.h>
#include <stddef.h>

/* What json_loadb(text, length, JSON_REJECT_DUPLICATES, why) gives, to the last bit of each number; NULL and *why as
   there. An object of plain ASCII is read here; all that is not so plain (escapes, UTF-8, deep nesting, errors) by
   jansson, and so is a number whose double is not one product or quotient of exact ones (Clinger, PLDI 1990). */
json_t *ovl_json_line(const char *text, size_t length, json_error_t *why);

#endif
