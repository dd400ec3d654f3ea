/* What cells can differ in besides their size: what all cells of a figure share goes into its subtitle, the rest tells
   panels and series apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_FACET_H
#define OVL_TOOL_FACET_H

#include "record/record.h"

enum ovl_facet_axis {
    OVL_FACET_PANEL,   /* side by side, never in one plot */
    OVL_FACET_OFFLOAD, /* a series of its own; says something in dpu mode only */
    OVL_FACET_VARIANT, /* a series of its own, in which host and dpu are compared */
};

enum { OVL_FACETS = 15, OVL_FACET_TEXT = 192 };

struct ovl_facet {
    const char *name;
    enum ovl_facet_axis axis;
    /* Writes it as it stands in a subtitle or legend; "" where it is the default that needs no word. */
    void (*text)(char text[OVL_FACET_TEXT], const struct ovl_record *all, const struct ovl_run *run,
                 const struct ovl_cell *cell);
    const char *otherwise; /* what a panel is called where the text is ""; NULL for nothing */
};

extern const struct ovl_facet ovl_facets[OVL_FACETS];

/* Is it a variable that a job manager or launcher sets anew for each job, or the emulated cluster, which stands with
   the ranks? */
bool ovl_environment_per_job(const char *name);

#endif
