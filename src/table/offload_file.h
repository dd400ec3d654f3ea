/* The file of `ovl offload --report`, to which the library and the tool append. No JSON here, as in
 * record/offload/report.h. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_OFFLOAD_FILE_H
#define OVL_TABLE_OFFLOAD_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* A name that ends in .json or .jsonl is a record's: each report is a line of it. Others get tables. */
bool ovl_offload_file_is_record(const char *name);

/* Opens it at its end; where a job was killed inside a line, that line is ended first. NULL with errno. */
FILE *ovl_offload_file_open(const char *name);

/* A text within the quotes of JSON, whatever its bytes are: those that are not plain become question marks. */
void ovl_offload_file_put(FILE *out, const char *text);

/* Appends the report on a program of which nothing was offloaded: `why` begins with these words, or others. `ranks` as
   far as they are known, at least 1. -1 with errno. */
int ovl_offload_file_refusal(const char *name, const char *program, int ranks, const char *why);

#endif
