/* The fields of a cell's line, for its writer (cell.c) and its reader (cell_read.c). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_CELL_FIELDS_H
#define OVL_RECORD_CELL_FIELDS_H

#include "record/cell.h"

#include <stddef.h>

enum ovl_cell_kind {
    TEXT,
    OPTIONAL_TEXT,
    NUMBER,
    WHOLE,
    TRUTH,
    LATER_TRUTH, /* not in older records, as the next */
    LATER_NUMBER,
    PROXY_TEXT, /* in lines of proxies only, as the next two */
    PROXY_NUMBER,
    PROXY_WHOLE,
};

struct ovl_cell_field {
    const char *group, *name; /* group is the object inside the line, or NULL */
    enum ovl_cell_kind kind;
    size_t offset, length; /* length of a text's array */
};

/* All fields; the row with name NULL ends them. */
extern const struct ovl_cell_field ovl_cell_fields[];

/* The values of a proxy that have an interval; the row with name NULL ends them. */
struct ovl_cell_estimate {
    const char *name;
    size_t offset;
};
extern const struct ovl_cell_estimate ovl_cell_estimates[];

#endif
