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
    bool (*shows)(const struct ovl_cell *cell); /* does its row have numbers? NULL: each has */
};

/* "table", "omb", "omb-blocking" or "bandwidth"; NULL when there is no such format. */
const struct ovl_format *ovl_format_find(const char *name);

/* The last two are the table of a proxy of an application and that of ovl_noise, whatever format was asked for. */
extern const struct ovl_format ovl_format_table, ovl_format_omb, ovl_format_omb_blocking, ovl_format_bandwidth,
    ovl_format_proxy, ovl_format_noise;

/* table/head.c. The head of a table without its columns: program, machine, MPI, work, warnings, environment. */
void ovl_table_head(FILE *out, const struct ovl_run *run);
/* For a full table, below it: compiler and flags, the first node's caches and how busy it was when the run began. */
void ovl_table_build(FILE *out, const struct ovl_run *run);

/* marks.c. What is said of a cell at the end of its row: its status and its marks. */
enum { OVL_STATUS_TEXT = 160 };
void ovl_status_text(const struct ovl_cell *cell, char text[OVL_STATUS_TEXT]);

/* Each of those words, and what it says of a cell; a row without a word ends them. */
struct ovl_status_word {
    const char *word, *about;
};
extern const struct ovl_status_word ovl_status_words[];

/* Of several cells, how many have each mark: "3 few, 1 noisy", or "". */
struct ovl_marks_seen {
    size_t cells[OVL_MARKS];
};
void ovl_marks_see(struct ovl_marks_seen *seen, const struct ovl_cell *cell);
void ovl_marks_text(const struct ovl_marks_seen *seen, char text[OVL_STATUS_TEXT]);

/* A list in the head of a table, "; " between its parts, broken into lines of 118 characters; starts with `head` alone,
   of 12 characters such as "# warning   ". */
struct ovl_words {
    const char *head;
    size_t column, count;
};

void ovl_words_put(FILE *out, struct ovl_words *words, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Ends its last line; a list without parts leaves nothing. */
void ovl_words_end(FILE *out, struct ovl_words *words);

#endif
