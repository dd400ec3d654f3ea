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

/* A series before it is known whether there is room for it. */
struct ovl_found_series {
    struct ovl_series series;
    char variant[OVL_FIGURE_LABEL];
    const char *mode; /* of its cells; lent */
    size_t turn;      /* how many of its mode were found before it */
};

struct ovl_sorting {
    struct ovl_raw_point *raw;
    size_t count;
    const struct ovl_field *facet[OVL_FACETS];
    size_t facets;
    struct ovl_facet_texts texts[OVL_FACETS];
    bool differs[OVL_FACETS];  /* among the points of one mode */
    bool of_panel[OVL_FACETS]; /* a difference of variants that the panels' names tell */
    struct ovl_found_series *found;
    size_t found_count;
    const char *modes[OVL_FIGURE_SERIES]; /* of what is drawn, each once, as cells have them */
    size_t mode_count;
};

/* Appends what fits. */
void __attribute__((format(printf, 3, 4))) ovl_chart_append(char *text, size_t room, const char *format, ...);

/* chart/series.c. The index in `found` of that label's series, which is added where it is new. */
size_t ovl_sorting_find_series(struct ovl_sorting *s, const char *label, const char *variant, const char *mode,
                               enum ovl_series_mode kind);

/* Chooses the figure's series among those found; a point of another one has series OVL_FIGURE_SERIES. */
void ovl_sorting_keep_series(struct ovl_chart_data *figure, struct ovl_sorting *s);

/* Lets panels tell those differences of variants that are none inside a panel. false: there is no such difference. */
bool ovl_sorting_tell_by_panels(struct ovl_sorting *s);

/* "Host", "DPU", or the mode's own name with a capital letter. */
void ovl_sorting_name_mode(char text[OVL_FIGURE_LABEL], const char *mode);

/* Fills the subtitle, what medians are over, and the warnings. */
void ovl_sorting_describe(struct ovl_chart_data *figure, const struct ovl_sorting *s);

#endif
