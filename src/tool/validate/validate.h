/* What `ovl validate` finds in a record file; `ovl accept` asks the same of each record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_VALIDATE_VALIDATE_H
#define OVL_TOOL_VALIDATE_VALIDATE_H

#include "tool/util/schema.h"

#include <stdio.h>

struct ovl_validity {
    size_t problems;
    char first[OVL_ERROR_TEXT]; /* of them, with line and field, without the file; "" */
};

/* The schema that the table of fields gives. NULL with *err; the caller frees it. */
struct ovl_schema *ovl_validate_schema(struct ovl_error *err);

/* Checks a file: each line against the schema, derived values and checksums against the samples, cells against what
   their run line says, runs against their end. Prints the problems (the first 20), a last line, and fields that this
   version does not know, to `out`; NULL: nowhere. -1 with *err where it cannot be read; a damaged one is a problem. */
int ovl_validate_file(const char *file, const struct ovl_schema *schema, FILE *out, struct ovl_validity *v,
                      struct ovl_error *err);

#endif
