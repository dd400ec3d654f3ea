/* The key of a point: one for show, plot, compare, accept, export and report. Two cells are the same point when they
   agree in every row of ovl_fields_point, and in all that a proxy's `problem` says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_POINT_H
#define OVL_TOOL_CELLS_POINT_H

#include "record/field.h"

/* The row of that name among those that identify a point, or NULL. */
const struct ovl_field *ovl_point_find(const char *name);

/* Stands for all fields that say how the problem is solved (ovl_field.way), where a field's name is wanted. */
extern const char ovl_point_way[];

/* The key as text, in which strverscmp() sorts points; without the field `but` where it is not NULL. The caller frees
   it. */
char *ovl_point_key(const struct ovl_run *run, const struct ovl_cell *cell, const char *but);

/* Appends " NAME=VALUE" for each part of a proxy's problem that has no row, as of a later version. */
void ovl_point_unknown(char *text, size_t room, const struct ovl_cell *cell);

#endif
