/* The charts: a row per chart says which gnuplot file draws it and what a line of its data holds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CHART_CHART_H
#define OVL_TOOL_CHART_CHART_H

#include "tool/chart/data.h"
#include "tool/chart/gnuplot.h"

#include <stdio.h>

/* The names, with a separator between them: of the rows, for an option's words. */
#define OVL_CHART_NAMES(and)                                                                                           \
    "overlap" and "total" and "latency" and "breakdown" and "cores" and "interference" and "stragglers" and            \
        "fft3d" and "nodes" and "classes" and "experts" and "requests" and "spread" and "iterations" and "gantt" and   \
        "checkpoints" and "excess" and "goodput" and "loading" and "hpl" and "panels" and "samples"

struct ovl_chart {
    const char *name;    /* for --chart, in file names, and of the file plot/NAME.gp */
    const char *summary; /* one line for --help */
    bool needs_size;     /* has an axis of message sizes, so that benchmarks without a message have no such chart */
    bool needs_grid;     /* is of cells that solve on a grid or train a model, and of no others */
    bool on_request;     /* is drawn only where --chart names it */
    bool of_latest;      /* shows what has no median over launches: the latest launch's */
    const char *only;    /* the one benchmark that has such a chart; NULL for all; */
    const char *also;    /* and another one; NULL */
    const char *lacks;   /* why no cell has anything to draw; NULL: for lack of a value */
    const char *columns; /* names of a line's values */
    /* Writes a point's line. false when it has no value to draw (what was written stays). */
    bool (*line)(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
    /* Writes the line of what is drawn for reference beside the series; NULL when there is none. */
    void (*reference)(FILE *out, const struct ovl_point *point);
    const char *reference_label;
    /* Boxes that one panel takes, one above the other. */
    size_t (*boxes)(const struct ovl_chart_data *figure);
    /* Another arrangement of the cells, with points of its own; NULL: as they are. */
    void (*arrange)(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure);
    /* Sets variables of the drawing that only this chart has; NULL when there are none. */
    void (*labels)(struct ovl_gnuplot *g, const struct ovl_chart_data *figure, size_t first, size_t last);
    /* Says what a reader of the chart must know of its points, "" when nothing; NULL when there is never anything. */
    void (*note)(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);
};

/* chart/breakdown.c */
bool ovl_chart_breakdown_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_breakdown_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                              size_t last);

/* chart/hpl.c: the lines of ovl_hpl's charts. */
bool ovl_chart_hpl_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_hpl_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);
bool ovl_chart_panels_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_panels_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);

/* chart/cores.c: two bars for each cell. */
bool ovl_chart_cores_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_cores_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);

/* chart/fft3d.c: the line of ovl_fft3d's chart. */
bool ovl_chart_fft3d_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_fft3d_labels(struct ovl_gnuplot *g, const struct ovl_chart_data *figure, size_t first, size_t last);
void ovl_chart_fft3d_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);

/* chart/nodes.c: a panel per problem, a line of data per number of nodes. */
void ovl_chart_nodes_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure);
bool ovl_chart_nodes_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_nodes_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);

/* chart/apps/lanes.c: a box per scheme, or per way of writing checkpoints, with a lane for each rank. */
bool ovl_chart_gantt_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_gantt_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);
void ovl_chart_checkpoints_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure);
bool ovl_chart_checkpoints_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_checkpoints_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                                size_t last);

/* chart/apps/epochs.c: a panel per cell; a bar per order of samples, or per way of writing checkpoints, or points and
   a line for each of these over the steps between checkpoints. */
void ovl_chart_loading_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure);
bool ovl_chart_loading_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_loading_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                            size_t last);
void ovl_chart_excess_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure);
bool ovl_chart_excess_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_excess_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);
void ovl_chart_goodput_arrange(struct ovl_chart_data *arranged, const struct ovl_chart_data *figure);
bool ovl_chart_goodput_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_goodput_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                            size_t last);

/* chart/apps/experts.c: a line of data per operation on tokens, of a mixture of experts. */
bool ovl_chart_experts_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_experts_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                            size_t last);

/* chart/serve.c: lines of data per kind of time, and per iteration, of requests that are served. */
bool ovl_chart_requests_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_requests_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                             size_t last);
bool ovl_chart_spread_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_spread_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last);
bool ovl_chart_iterations_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_iterations_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                               size_t last);

/* chart/apps/classes.c: a group of bars per size class of a step's operations, and their total. */
bool ovl_chart_classes_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_classes_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                            size_t last);

/* chart/stragglers.c: a box per cell that has samples of single ranks, a line of data per rank. */
void ovl_chart_stragglers_arrange(struct ovl_chart_data *cells, const struct ovl_chart_data *figure);
bool ovl_chart_stragglers_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_stragglers_labels(struct ovl_gnuplot *g, const struct ovl_chart_data *figure, size_t first, size_t last);
void ovl_chart_stragglers_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                               size_t last);

/* chart/samples.c: a panel per cell, a series per quantity, a line per block and one per bin of the histogram. */
void ovl_chart_samples_arrange(struct ovl_chart_data *cells, const struct ovl_chart_data *figure);
bool ovl_chart_samples_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *point);
void ovl_chart_samples_note(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                            size_t last);

/* All charts; the row with name NULL ends them. */
extern const struct ovl_chart ovl_charts[];

/* chart/write.c. Writes the data of the panels first .. last - 1 as gnuplot reads it: blocks divided by two empty
   lines; for each panel the series in order, then the reference; a block without points holds one line of NaN. Returns
   how many points have something to draw. */
size_t ovl_chart_write(const struct ovl_chart *chart, FILE *out, const struct ovl_chart_data *figure, size_t first,
                       size_t last);

/* chart/crossover.c. The message size from which on dpu mode's communication is the faster one in a panel, between
   sizes by log-log interpolation; 0 where it is at all sizes; NaN where it does not stay so, or nothing is compared. */
double ovl_chart_crossover(const struct ovl_chart_data *figure, size_t panel);

#endif
