/* What cells can differ in besides their size: what all cells of a chart share goes into its subtitle, the rest tells
   panels and series apart. A facet is a row of the table of fields with an axis; the last one is the variables in which
   runs differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_FACET_H
#define OVL_TOOL_FACET_H

#include "record/field.h"

enum { OVL_FACETS = 48, OVL_FACET_TEXT = 192 };

/* The rows, of machine and library first; NULL behind the last. */
const struct ovl_field *ovl_facet(size_t i);

/* As it stands in a subtitle or legend; "" where it does not apply or needs no word. Facets of axis OFFLOAD apply to
   cells that the host's library does not progress. `all` is the record of which environments are compared. */
void ovl_facet_text(char text[OVL_FACET_TEXT], const struct ovl_field *facet, const struct ovl_record *all,
                    const struct ovl_run *run, const struct ovl_cell *cell);

/* Is it a variable that a job manager or launcher sets anew for each job, or the emulated cluster, which stands with
   the ranks? */
bool ovl_environment_per_job(const char *name);

#endif
