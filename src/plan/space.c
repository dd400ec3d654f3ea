/* Ranks as a grid of rows and columns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/space.h"

#include <stdio.h>
#include <string.h>

bool ovl_space_by_columns(const char *order)
{
    return strcmp(order, "row") != 0;
}

int ovl_space_sides(const char *text, int ranks, int sides[2], struct ovl_error *err)
{
    char after;
    if (!text) {
        for (int side = 1; side <= ranks / side; side++)
            if (ranks % side == 0)
                sides[0] = side;
        sides[1] = ranks / sides[0];
        return 0;
    }
    if (strspn(text, "0123456789x") != strlen(text) || sscanf(text, "%8dx%8d%c", &sides[0], &sides[1], &after) != 2 ||
        sides[0] < 1 || sides[1] < 1)
        return ovl_error_set(err, OVL_USAGE, "--procs %s: give both sides of the process grid, such as 1x2", text);
    if ((long long)sides[0] * sides[1] != ranks)
        return ovl_error_set(err, OVL_USAGE, "--procs %s: a grid of %lld processes, and there are %d ranks", text,
                             (long long)sides[0] * sides[1], ranks);
    return 0;
}

void ovl_space_place(const struct ovl_space *s, int rank, int place[OVL_SPACE_LINES])
{
    int across = s->by_columns ? rank / s->members[OVL_SPACE_COLUMN] : rank % s->members[OVL_SPACE_ROW];
    int down = s->by_columns ? rank % s->members[OVL_SPACE_COLUMN] : rank / s->members[OVL_SPACE_ROW];
    place[OVL_SPACE_ROW] = across;
    place[OVL_SPACE_COLUMN] = down;
}

int ovl_space_rank(const struct ovl_space *s, const int place[OVL_SPACE_LINES])
{
    return s->by_columns ? place[OVL_SPACE_ROW] * s->members[OVL_SPACE_COLUMN] + place[OVL_SPACE_COLUMN]
                         : place[OVL_SPACE_COLUMN] * s->members[OVL_SPACE_ROW] + place[OVL_SPACE_ROW];
}

int ovl_space_member(const struct ovl_space *s, int rank, int line, int which)
{
    int place[OVL_SPACE_LINES];
    ovl_space_place(s, rank, place);
    place[line] = which;
    return ovl_space_rank(s, place);
}

bool ovl_space_crosses(const struct ovl_space *s, int rank, int line, const int *node)
{
    for (int i = 0; i < s->members[line]; i++)
        if (node[ovl_space_member(s, rank, line, i)] != node[rank])
            return true;
    return false;
}
