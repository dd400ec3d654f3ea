/* The parts of the page that `ovl report` writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_REPORT_PAGE_H
#define OVL_TOOL_REPORT_PAGE_H

#include "tool/cells/inputs/inputs.h"
#include "tool/compare/history.h"
#include "tool/compare/verdict.h"

#include <stdio.h>

/* Head and navigation, with the style inside; and the end, with the script inside. -1 when the installed files are not
   there. */
int ovl_page_head(FILE *out, const char *title, struct ovl_error *err); /* without navigation */
int ovl_page_begin(FILE *out, const char *title, bool verdicts, bool history, struct ovl_error *err);
int ovl_page_end(FILE *out, struct ovl_error *err);

/* Lines that begin with "# ", as `ovl` prints them, a paragraph each; one that goes on begins with "#  ". The word of a
   line "# outcome  the gate fails" gets a colon. Changes the text, which may be NULL. */
void ovl_page_lines(FILE *out, char *text);

/* What logs do not tell, thinned records, and launches that failed beside the files: as `ovl show` notes it. */
void ovl_page_beside(FILE *out, const struct ovl_inputs *sources);

void ovl_page_summary(FILE *out, const struct ovl_record *record, const struct ovl_groups *groups, size_t copies);
void ovl_page_changes(FILE *out, const struct ovl_changes *changes, const struct ovl_gate *gate);
void ovl_page_history(FILE *out, const struct ovl_history *history);
void ovl_page_cells(FILE *out, const struct ovl_record *record, const struct ovl_groups *groups);

/* Below that table: what the words in its column status say, of those that it uses. */
void ovl_page_words(FILE *out, const struct ovl_groups *groups);

/* Has any cell launches on both sides? If not: in which fields the cells of the sides differ. */
bool ovl_page_sides_meet(const struct ovl_groups *both);
void ovl_page_apart(FILE *out, const struct ovl_groups *both);

void ovl_page_setup(FILE *out, json_t *setting, const struct ovl_record *record);
void ovl_page_fairness(FILE *out, const struct ovl_record *record, const struct ovl_groups *groups);

/* A chart's file as a figure: the SVG itself, its names made different from those of other charts by `number`. */
int ovl_page_chart(FILE *out, const char *file, const char *caption, size_t number, struct ovl_error *err);

#endif
