/* Where a cell has the values of a row of published.json. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_REPORT_PUBLISHED_MEASURE_H
#define OVL_TOOL_REPORT_PUBLISHED_MEASURE_H

#include "record/record.h"

/* A member of a row that is a text, "" where it has none. */
const char *ovl_published_text(const json_t *row, const char *name);

struct ovl_published_measure {
    const char *name;
    /* Of `which`, "from" or "to", of the row; NaN where the cell has none. */
    double (*of)(const json_t *row, const struct ovl_cell *cell, const char *which);
    bool within; /* a cell has the old value, too */
};

/* By the row's "value"; NULL where there is none of that name. */
const struct ovl_published_measure *ovl_published_measure_of(const json_t *row);

/* Is the whole text matched by an extended regular expression? */
bool ovl_published_matches(const char *pattern, const char *text);

#endif
