/* Texts that came from elsewhere, made fit for a terminal and a table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_PRINTABLE_H
#define OVL_BASE_PRINTABLE_H

#include <jansson.h>
#include <stdio.h>

/* Rewrites control characters, line ends too, in all texts and names under `json` as JSON writes them: \u001b. They
   would move a terminal's cursor, or make a line of a table that nobody measured. */
void ovl_printable(json_t *json);

/* The same of one text, as a new one, which the caller frees. */
char *ovl_printable_copy(const char *text);

/* Prints it so: names of files, which may be anybody's. */
void ovl_printable_put(FILE *out, const char *text);

/* Makes bytes of unknown origin, such as a program's output, a text for JSON and for one line: control characters and
   bytes that are no UTF-8 (RFC 3629), such as half a character, become '?'. */
void ovl_printable_bytes(char *text);

/* A name or a program's words as JSON, which need not be UTF-8 and are changed as above where they are not:
   json_string() would be NULL, and what it belongs to be lost. A new reference. */
json_t *ovl_printable_json(const char *text);

#endif
