/* Launches of a program with libovl_offload.so and without it, in pairs: what their record lines say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_OFFLOAD_PAIRS_H
#define OVL_TOOL_OFFLOAD_PAIRS_H

#include "table/columns.h"

/* Wall time, or a value that the program printed. Ratios are with / without. */
struct ovl_offload_row {
    const char *name;
    double without, with;    /* medians of the launches */
    double ratio, low, high; /* each end holds for all rows together with 95 %; NaN where there is none */
    const char *verdict;     /* better, worse, or not shown */
    const char *reason;      /* why there is no interval; NULL: there is one */
    char stalls[48];         /* that reason, where it would be better, and some launches are far worse */
};

struct ovl_offload_pairs {
    const char *id, *metric; /* metric: by which values were found, or NULL */
    json_t *command;
    bool more_is_better;         /* values, not the wall time */
    size_t pairs;                /* that are whole: both launches, and the library's report of the one with it */
    size_t planned;              /* 0: the record does not tell */
    char lacking[160];           /* which of the planned pairs are not there, so that nothing is shown; "": none */
    bool refuted;                /* nor is it, since lines contradict each other: `lacking` says so */
    struct ovl_offload_row *row; /* wall time first */
    size_t count;
    const json_t *report; /* of the launch with the median wall time; NULL: none */
};

/* The comparison of that id. What it has is lent by the record. */
void ovl_offload_pairs_make(struct ovl_offload_pairs *p, const struct ovl_record *record, const char *id);
void ovl_offload_pairs_free(struct ovl_offload_pairs *p);

/* The ids of the comparisons in a record, in order: an array of texts. */
json_t *ovl_offload_pairs_ids(const struct ovl_record *record);

/* Does a report of the record prove no offload, or a comparison contradict itself? Who shows them ends with
   OVL_WRONG_DATA. */
bool ovl_offloads_refuted(const struct ovl_record *record);

/* The table of the rows, in any form; as text, with all that belongs to it. */
extern const struct ovl_column ovl_pairs_columns[];
void ovl_offload_pairs_table(FILE *out, const struct ovl_table_writer *writer, const struct ovl_offload_pairs *p);
void ovl_offload_pairs_print(FILE *out, const struct ovl_offload_pairs *p);

/* Draws the ratios, as .svg, .png or .pdf. */
int ovl_offload_pairs_chart(const struct ovl_offload_pairs *p, const char *file, struct ovl_error *err);

/* A section of the page for each comparison and each program that was offloaded. */
void ovl_page_offloads(FILE *out, const struct ovl_record *record);

#endif
