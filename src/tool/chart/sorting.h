/* Points of a chart while they are sorted, and what is then said of them all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_SORTING_H
#define OVL_TOOL_CHART_SORTING_H

#include "tool/cells/group.h"
#include "tool/chart/data.h"

/* The different texts of a facet, each once. */
struct ovl_facet_texts {
    char (*text)[OVL_FACET_TEXT];
    size_t count;
};

/* A point while it is sorted. */
struct ovl_raw_point {
    struct ovl_point point;
    size_t order; /* in which it was read */
    const struct ovl_member *member;
    bool by_job;               /* jobs of a plan meet in its panel and variant, and are told apart */
    unsigned text[OVL_FACETS]; /* index into the facet's texts */
};

struct ovl_sorting {
    struct ovl_raw_point *raw;
    size_t count;
    const struct ovl_field *facet[OVL_FACETS];
    size_t facets;
    struct ovl_facet_texts texts[OVL_FACETS];
    bool differs[OVL_FACETS]; /* among the points of one mode */
    char modes[256];          /* "host, DPU": each mode once */
    size_t mode_count;
};

/* Appends what fits. */
void __attribute__((format(printf, 3, 4))) ovl_chart_append(char *text, size_t room, const char *format, ...);

/* Fills the subtitle, what medians are over, and the warnings. */
void ovl_sorting_describe(struct ovl_chart_data *figure, const struct ovl_sorting *s);

#endif
