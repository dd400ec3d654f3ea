/* Offload lines of a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_OFFLOAD_LINES_H
#define OVL_RECORD_OFFLOAD_LINES_H

#include "base/error.h"
#include "record/offload/report.h"

#include <jansson.h>

/* Reads a line, whose texts the report borrows. -1 and OVL_WRONG_DATA with the field's name: one is missing, or of the
   wrong kind. */
int ovl_offload_from_json(const json_t *line, struct ovl_offload_report *r, struct ovl_error *err);

/* Is a line of this kind, the text of its field record, one of `ovl offload`, which belongs to no run? */
bool ovl_offload_owns(const char *kind);

/* Puts a line that can be read into the array, which is made with the first one. -1 with the field's name. */
int ovl_offload_keep(json_t **lines, json_t *line, struct ovl_error *err);

#endif
