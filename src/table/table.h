/* What is printed of a run: by the drivers as cells end, and by `ovl show` from the record, with the same bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_TABLE_H
#define OVL_TABLE_TABLE_H

#include "record/record.h"

#include <stdbool.h>
#include <stdio.h>

struct ovl_format {
    const char *name;
    void (*head)(FILE *out, const struct ovl_run *run, bool full);
    void (*row)(FILE *out, const struct ovl_run *run, const struct ovl_cell *cell, bool full);
    void (*foot)(FILE *out, const struct ovl_run *run, bool full);
};

/* "table", "omb" or "omb-blocking"; NULL when there is no such format. */
const struct ovl_format *ovl_format_find(const char *name);

/* The last two are the table of a proxy of an application and that of ovl_noise, whatever format was asked for. */
extern const struct ovl_format ovl_format_table, ovl_format_omb, ovl_format_omb_blocking, ovl_format_proxy,
    ovl_format_noise;

/* table/head.c. The head of a table without its columns: program, machine, MPI, work, warnings, environment. */
void ovl_table_head(FILE *out, const struct ovl_run *run);
/* For a full table, below it: compiler and flags, the first node's caches and how busy it was when the run began. */
void ovl_table_build(FILE *out, const struct ovl_run *run);

/* A column of the table: a value as its row in the table of fields says, or a text. */
struct ovl_column {
    const char *field; /* its name; NULL: `head`, `width` and `text` say all */
    const char *head;
    int width;
    bool full, interval; /* shown by -f only; the value's interval instead of it */
    unsigned of;         /* whose tables have it */
    void (*text)(const struct ovl_cell *cell, char text[32]);
};

const char *ovl_column_head(const struct ovl_column *c);
int ovl_column_width(const struct ovl_column *c);
void ovl_column_text(char text[64], const struct ovl_column *c, const struct ovl_run *run, const struct ovl_cell *cell);

/* What is said of a cell at the end of its row: its status and marks. */
void ovl_status_text(const struct ovl_cell *cell, char text[32]);

/* A line of columns while it is written; starts zeroed. */
struct ovl_line {
    int at, due; /* characters written, and where the columns so far should end */
};

/* Writes a text at the right of a column that is `width` wide. Texts never touch: one that is too long for its column
   moves the next ones to the right. */
void ovl_line_put(FILE *out, struct ovl_line *line, int width, const char *text);

/* A list in the head of a table, "; " between its parts, broken into lines of 118 characters; starts with `head` alone,
   of 12 characters such as "# warning   ". */
struct ovl_words {
    const char *head;
    size_t column, count;
};

void ovl_words_put(FILE *out, struct ovl_words *words, const char *text);

/* Ends its last line; a list without parts leaves nothing. */
void ovl_words_end(FILE *out, struct ovl_words *words);

#endif
