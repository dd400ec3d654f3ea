/* The table of fields as JSON Schema. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_FIELD_SCHEMA_H
#define OVL_RECORD_DERIVED_FIELD_SCHEMA_H

#include <jansson.h>

/* A JSON Schema (2020-12) of a line. Fields that it does not know are allowed. */
json_t *ovl_field_schema(void);

/* For the `match` of a limits file: {"benchmark": {"type": "string"}, ...}. */
json_t *ovl_field_match_schema(void);

#endif
