/* Tables: a list of columns, and rows whose values a writer writes as they come, for a reader or another program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_COLUMNS_H
#define OVL_TABLE_COLUMNS_H

#include "record/field.h"

#include <stdio.h>

/* Whose tables have a column: the drivers', ovl_hpl's, those of applications on the measuring loop that solve on a
   grid, ovl_train's, ovl_serve's; texts, pages, and texts of somebody's in Markdown or LaTeX. 0: all. */
enum ovl_column_in {
    OVL_IN_DRIVER = 1,
    OVL_IN_HPL = 2,
    OVL_IN_GRID = 4,
    OVL_IN_TRAIN = 8,
    OVL_IN_SERVE = 128,
    OVL_IN_PROXY = OVL_IN_HPL | OVL_IN_GRID | OVL_IN_TRAIN | OVL_IN_SERVE,
    OVL_IN_TEXT = 16,
    OVL_IN_PAGE = 32,
    OVL_IN_MARKUP = 64
};

/* What a column's numbers are, where its own `show` does not say it. */
enum ovl_column_of {
    OVL_COLUMN_OWN,
    OVL_COLUMN_VALUE, /* values of the table's metric; its head says us, which goes where the unit is another */
    OVL_COLUMN_CHANGE /* changes of the metric: new / old, or with a sign new - old, and so in the head */
};

/* One without head and field ends a list. */
struct ovl_column {
    struct ovl_show show; /* head NULL: as the row `field` of the table of fields says */
    const char *field;
    const char *page; /* its head on a page, where that is another */
    enum ovl_column_of of;
    unsigned in;      /* enum ovl_column_in */
    int interval;     /* not the value but its interval, so wide; in Markdown, LaTeX and CSV behind the value */
    int left;         /* a text, behind so many blanks; 0: at the right, the blanks are part of the width */
    bool full;        /* of full tables only */
    bool percentiles; /* behind it stand those of its quantity that are asked for: ovl_columns_asked */
    size_t at;        /* 1 + the offset of its double in what ovl_table_numbers is given */
    void (*text)(const struct ovl_cell *cell, char text[32]); /* what ovl_table_cell puts, if not the field */
};

struct ovl_value {
    const char *text; /* of a number: how a table in text has it, where the column does not say it */
    bool number;
    struct ovl_estimate x;     /* in its unit in the record */
    const char *reason, *note; /* stand behind it as a verdict's or a number's, on a page below a text, whose lines
                                  '\n' ends; NULL or "": nothing does */
};

/* A table while it is written. */
struct ovl_table {
    FILE *out;
    const struct ovl_table_writer *writer;
    const struct ovl_column *columns;
    unsigned in;
    bool full;
    const char *caption;            /* on a page; set it before the table begins */
    const struct ovl_field *metric; /* the same, of columns that show it */
    int widest;                     /* text of the first column, where that has no width */
    const struct ovl_column *next;  /* that of the next value */
    const char *class;              /* of the next value, on a page */
    size_t written;                 /* values of the row */
    int at, due;                    /* in a line of text, and where the columns so far should end */
};

struct ovl_table_writer {
    unsigned in;
    const char *row, *gap, *row_end, *end; /* what stands before and between values, behind them, and behind all rows */
    void (*begin)(struct ovl_table *t);
    void (*put)(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v);
    void (*text)(FILE *out, const char *text); /* a text of anybody's, so that it is nothing but text */
};

/* Text: "-" stands for a number that is none. A page: HTML, whose table sorts by its heads. Markdown as GitHub reads
   it. LaTeX with the package booktabs. CSV by RFC 4180, numbers as the record has them. */
extern const struct ovl_table_writer ovl_table_plain, ovl_table_html, ovl_table_markdown, ovl_table_latex,
    ovl_table_csv;

/* The columns of cells, drivers' and applications'; and of nodes, as ovl_noise has them. */
extern const struct ovl_column ovl_cell_columns[], ovl_node_columns[], ovl_long_quanta_columns[],
    ovl_short_quanta_columns[], ovl_clock_columns[];

/* The verdicts of a report of acceptance, a row each. */
extern const struct ovl_column ovl_verdict_columns[];
void ovl_table_verdicts(FILE *out, const struct ovl_table_writer *writer, const json_t *verdicts);

/* The columns, and what the runs were asked for: behind those with `percentiles` these, and behind C streams with
   theirs; in Markdown and LaTeX with their intervals. The caller frees them. */
struct ovl_column *ovl_columns_asked(const struct ovl_column *columns, const struct ovl_run *runs, size_t count);

/* A table that is to be written; `in` and `full` say which columns it has. */
struct ovl_table ovl_table_to(FILE *out, const struct ovl_table_writer *writer, const struct ovl_column *columns,
                              unsigned in, bool full);

/* Head, rows and end. A row that ends early lacks the rest. */
void ovl_table_begin(struct ovl_table *t);
void ovl_table_row_end(struct ovl_table *t);
void ovl_table_end(struct ovl_table *t);

/* All of it: `put` writes row i, or the rows, of so many. In text the first column is as wide as its widest text, if
   its width is 0: rows are put twice. */
void ovl_table_print(struct ovl_table t, size_t count, void (*put)(struct ovl_table *t, const void *of, size_t i),
                     const void *of);

/* The value of the next column of the list, which is passed over where the table does not have it: so all tables of one
   list are given the same values. */
void ovl_table_put(struct ovl_table *t, const struct ovl_value *v);
void ovl_table_text(struct ovl_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ovl_table_number(struct ovl_table *t, double x);
void ovl_table_estimate(struct ovl_table *t, struct ovl_estimate x);
void ovl_table_verdict(struct ovl_table *t, const char *word, const char *reason, const char *note);

/* Those of the next columns that name a field, or say a text of a cell (NULL: "-"); that say where their double is. */
void ovl_table_cell(struct ovl_table *t, const struct ovl_run *run, const struct ovl_cell *cell);
void ovl_table_numbers(struct ovl_table *t, const void *row);

/* For writers: the table's next column behind one (NULL: the first); its heads as a row of texts; of a column its
   field, how it shows numbers, its head, and the text of a number. */
const struct ovl_column *ovl_table_next(const struct ovl_table *t, const struct ovl_column *c);
void ovl_table_heads(struct ovl_table *t);
const struct ovl_field *ovl_column_field(const struct ovl_column *c);
struct ovl_show ovl_column_show(const struct ovl_table *t, const struct ovl_column *c);
void ovl_column_head(const struct ovl_table *t, const struct ovl_column *c, char head[96]);
void ovl_column_text(const struct ovl_table *t, const struct ovl_column *c, struct ovl_estimate x, char text[96]);

#endif
