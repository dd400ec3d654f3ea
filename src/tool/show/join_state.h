/* What the files of a joined table share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SHOW_JOIN_STATE_H
#define OVL_TOOL_SHOW_JOIN_STATE_H

#include "record/record.h"
#include "tool/cells/facet.h"

#include <stdio.h>

/* A launch: the cells of one run that differ in nothing but their size. */
struct ovl_join_launch {
    char key[8];
    char *point; /* its cells' key without their size */
    const struct ovl_run *run;
    const struct ovl_cell *sample; /* the first of them */
    char text[OVL_FACETS][OVL_FACET_TEXT];
};

/* A cell, or the place where a launch has none. */
struct ovl_join_entry {
    size_t launch;
    double size; /* -1 where the benchmark has no message */
    const struct ovl_cell *cell;
};

struct ovl_join {
    const struct ovl_record *record;
    json_t *environment, *options; /* in which runs differ: ovl_facet_differing */
    struct ovl_join_launch *launches;
    struct ovl_join_entry *entries; /* by size, then launch */
    size_t launch_count, entry_count;
    size_t first_launch, first_entry; /* of the run that is gathered */
    const struct ovl_field *facet[OVL_FACETS];
    size_t facets;
    bool differs[OVL_FACETS];
};

/* Prints the lines above the columns, and finds in which facets launches differ. */
void ovl_join_head(FILE *out, struct ovl_join *j);

#endif
