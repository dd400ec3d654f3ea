/* The cells of one benchmark, put in order for charts: panels, series in them, and what is said above and below. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_DATA_H
#define OVL_TOOL_CHART_DATA_H

#include "tool/cells/facet.h"

enum {
    OVL_FIGURE_PANELS = 32,
    OVL_FIGURE_SERIES = 6,  /* more cannot be told apart in grey */
    OVL_FIGURE_STYLES = 12, /* of scripts/plot/common.gp */
    OVL_FIGURE_LINES = 8,
    OVL_FIGURE_LABEL = 400,
    OVL_CHART_LEFT_OUT = 100,
};

struct ovl_point {
    const struct ovl_run *run;
    const struct ovl_cell *cell;
    size_t panel, series;
    const char *odd; /* why it has no claim besides (ovl_member_odd); NULL: for nothing */
    double bound;    /* seconds of its plan's bound, the median of its launches'; NAN where it has none */
};

enum ovl_series_mode { OVL_SERIES_HOST, OVL_SERIES_DPU, OVL_SERIES_OTHER };

struct ovl_series {
    char label[OVL_FIGURE_LABEL]; /* "Host", "DPU" or another mode's name, and what tells it from others of its mode */
    enum ovl_series_mode mode;
    int style;      /* line style in the drawing: odd for host, even for dpu, even from the last one down for others */
    size_t variant; /* host and dpu series of the same variant are compared */
};

struct ovl_chart_data {
    const char *benchmark;
    struct ovl_point *points; /* by panel, series, size; one of each */
    struct ovl_cell *joined;  /* the cells of those that stand for several launches; what they point to is lent */
    size_t point_count;
    char panels[OVL_FIGURE_PANELS][OVL_FIGURE_LABEL];
    size_t panel_count;
    struct ovl_series series[OVL_FIGURE_SERIES];
    size_t series_count;
    char variants[OVL_FIGURE_SERIES][OVL_FIGURE_LABEL];
    size_t variant_count;
    char subtitle[1024]; /* what all points share */
    char warnings[1024]; /* of their runs, each once */
    size_t repeated;     /* points of several launches of which the latest is drawn */
    size_t left_out;     /* points beyond the limits above */
    bool off_panels;     /* of panels */
    size_t again, gave;  /* cells left out: with the very samples of another launch, and ovl_group_gave_work */
    size_t launches[2];  /* least and most that a point is the median of; 0 where each is of one launch */
    size_t single;       /* points of one launch, of those that have some */
    size_t silent;       /* cells without a claim that such medians leave out */
    char medians[120];   /* the same in words, behind the subtitle; "" where each is of one launch */
};

/* Gathers the cells of that benchmark from all runs. Of cells that differ in nothing but their run, and are of no
   two jobs of a plan that both measured them, the medians are taken from 6 launches on (tool/chart/launches.h), and the
   latest where they are fewer. The record must outlive the figure. */
void ovl_chart_data_make(struct ovl_chart_data *figure, const struct ovl_record *record, const char *benchmark);
void ovl_chart_data_free(struct ovl_chart_data *figure);

/* describe.c: how many points are not drawn, and what there is no room for; "" where all are. */
void ovl_chart_left_out(const struct ovl_chart_data *figure, char text[OVL_CHART_LEFT_OUT]);

/* The same point elsewhere. */
struct ovl_point ovl_chart_point_at(const struct ovl_point *p, size_t panel, size_t series);

/* The point of that panel, series and size (NaN finds NaN), or NULL. */
const struct ovl_point *ovl_chart_data_point(const struct ovl_chart_data *figure, size_t panel, size_t series,
                                             double size);

/* Have they the same work, as far as cells that may be medians over launches tell? */
bool ovl_figure_same_work(const struct ovl_cell *a, const struct ovl_cell *b);

/* The host point that a point of dpu mode is to be compared with: same panel, variant, size and amount of work, both
   valid and shaped; NULL when there is none. */
const struct ovl_point *ovl_figure_host_of(const struct ovl_chart_data *figure, const struct ovl_point *point);

#endif
