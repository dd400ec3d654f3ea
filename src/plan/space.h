/* Ranks as a grid of rows and columns: who stands where, and who shares a line. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_SPACE_H
#define OVL_PLAN_SPACE_H

#include "base/error.h"

#include <stdbool.h>

enum ovl_space_line { OVL_SPACE_ROW, OVL_SPACE_COLUMN, OVL_SPACE_LINES };

struct ovl_space {
    int members[OVL_SPACE_LINES]; /* of a row, of a column */
    bool by_columns;              /* ranks fill one column after the other, else one row after the other */
};

/* The choices of --pmap, for an option's row, and what they say. */
#define OVL_SPACE_ORDERS "row|col|column"
bool ovl_space_by_columns(const char *order);

/* The two numbers of `text`, the value of --procs, such as 2x3; where it is NULL, as nearly square as so many ranks
   go, the first number the smaller. -1 and OVL_USAGE with what does not go. */
int ovl_space_sides(const char *text, int ranks, int sides[2], struct ovl_error *err);

/* A rank's place among the members of its row, and of its column; and the rank that has them. */
void ovl_space_place(const struct ovl_space *s, int rank, int place[OVL_SPACE_LINES]);
int ovl_space_rank(const struct ovl_space *s, const int place[OVL_SPACE_LINES]);

/* Member `which` of that rank's line, an enum ovl_space_line. */
int ovl_space_member(const struct ovl_space *s, int rank, int line, int which);

/* Do members of that rank's line lie on several nodes? The same at all of them. `node` has a number for each rank. */
bool ovl_space_crosses(const struct ovl_space *s, int rank, int line, const int *node);

#endif
