/* Where launches were measured: what of machine, library and variables differs between two sides. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_SETTING_H
#define OVL_TOOL_CELLS_SETTING_H

#include "tool/cells/group.h"

#include <stdio.h>

/* The things that a run line says of its setting, each with the different texts found among the runs of a record: an
   object NAME -> {TEXT: number of runs}. Of a kernel it is the series, "Linux 6.1", and the whole a note. */
json_t *ovl_setting_of(const struct ovl_record *record);

/* The same of one run, each thing with its text, without notes; with `strict` of a kernel the whole. */
json_t *ovl_setting_of_run(const struct ovl_run *run, bool strict);

/* The first thing in which two such settings differ, lent by one of them; NULL: none. What older records lack is like
   any other. */
const char *ovl_setting_apart(json_t *one, json_t *other);

enum { OVL_SETTING_MIXED = 80 };

/* The first thing in which launches of the group that count differ, without those that `passes` (NULL: none) names; ""
   where they are alike. */
void ovl_setting_mixed(const struct ovl_group *group, bool (*passes)(const char *name), char what[OVL_SETTING_MIXED]);

/* The things in which a cell that both sides have is not alike: its launches that count have other texts on the other
   side, or several texts in other numbers of launches, so that the sides are mixtures that cannot be compared. An
   object whose members are their names. */
json_t *ovl_setting_unlike(const struct ovl_groups *groups);

/* Prints a line for each thing in which the two sides differ, or launches of one side among each other. Returns how
   many there are of those that make a comparison one of settings (machine, library, binding, variables, not the
   versions of ovl or what only steers how long is measured): the texts differ, or the thing is a member of `unlike`
   (NULL: none is). */
size_t ovl_setting_differences(FILE *out, json_t *old, json_t *new, const json_t *unlike);

/* Prints a line that begins with `before` and names the things in which launches that count of one cell differ. */
void ovl_setting_note_mixed(FILE *out, const char *before, const struct ovl_groups *groups);

#endif
