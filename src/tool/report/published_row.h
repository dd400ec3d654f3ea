/* A row of share/ovl/published.json: a figure of a publication, and the same figure of records. Both are made by one
   formula from an old and a new value, between which one thing varies: a field of the record from one value to another,
   or, within a cell, who writes checkpoints or what helpers do. So a row cannot compare two variables or two measures.
   A row that records cannot answer says why: "input" (what it found is what a run is given), or "dash". */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_REPORT_PUBLISHED_ROW_H
#define OVL_TOOL_REPORT_PUBLISHED_ROW_H

#include "tool/cells/group.h"
#include "tool/report/published_measure.h"

enum { OVL_PUBLISHED_FIGURE = 160, OVL_PUBLISHED_SAID = 800, OVL_PUBLISHED_LINES = 19 };

/* What records have of a row. */
struct ovl_published_here {
    char figure[OVL_PUBLISHED_FIGURE]; /* "-": none */
    char from[OVL_PUBLISHED_SAID];     /* of which values and of which set-up it is, or why there is none */
};

/* -1 and OVL_WRONG_DATA, with the row, where the file has a formula, a value or a member that cannot be. */
int ovl_published_check(const json_t *all, const char *path, struct ovl_error *err);

/* How the figure is made, and all figures of the source, with what each is of. */
const char *ovl_published_formula_text(const json_t *row);
void ovl_published_figures(const json_t *row, char text[OVL_PUBLISHED_FIGURE]);

/* One line for each set-up of the records that has both values, then what was left out; or one line that says why there
   is nothing. Returns how many. */
size_t ovl_published_find(struct ovl_published_here here[OVL_PUBLISHED_LINES], const json_t *row,
                          const struct ovl_groups *groups);

#endif
