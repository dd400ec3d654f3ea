/* What is printed of a run: by the drivers as cells end, and by `ovl show` from the record, with the same bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CORE_TABLE_H
#define OVL_CORE_TABLE_H

#include "core/record.h"

#include <stdbool.h>
#include <stdio.h>

struct ovl_format {
    const char *name;
    void (*head)(FILE *out, const struct ovl_run *run, bool full);
    void (*row)(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full);
    void (*foot)(FILE *out, const struct ovl_run *run, bool full);
};

/* "table" or "omb"; NULL when there is no such format. */
const struct ovl_format *ovl_format_find(const char *name);

extern const struct ovl_format ovl_format_table, ovl_format_omb;

#endif
