/* The launches of one side, from the command line to groups of cells: for commands that look at all of them together.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_LAUNCHES_H
#define OVL_TOOL_COMPARE_LAUNCHES_H

#include "cli/options.h"
#include "record/field.h"
#include "tool/cells/group.h"
#include "tool/cells/inputs/inputs.h"

struct ovl_launches {
    struct ovl_inputs inputs;
    struct ovl_record record;
    struct ovl_groups groups;
    size_t copies;
};

/* Reads files and folders, and groups the cells that the filter leaves; the samples too where the metric wants them.
   -1 with *err filled. To be closed in any case. */
int ovl_launches_open(struct ovl_launches *l, char *const *paths, size_t count, const struct ovl_field *metric,
                      const struct ovl_texts *filter, struct ovl_error *err);
void ovl_launches_close(struct ovl_launches *l);

/* Prints notes of what does not count, and of what was disturbed. */
void ovl_launches_note(const struct ovl_launches *l);

#endif
