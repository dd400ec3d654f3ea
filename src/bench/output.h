/* A run's output at rank 0: the lines of its record, and its table. For every program that measures. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_OUTPUT_H
#define OVL_BENCH_OUTPUT_H

#include "bench/progress.h"
#include "record/derived/writer.h"
#include "table/table.h"

struct ovl_output {
    const struct ovl_format *format;
    bool quiet, full;
    struct ovl_run run;
    struct ovl_writer writer; /* .fd = -1 before it is opened */
    struct ovl_progress progress;
    size_t cell_lines;      /* written */
    struct ovl_cell *cells; /* of a collective or of ovl_serve, without their samples: for the foot */
    size_t cell_count;
    json_t *ending; /* further members of the end line, or NULL; taken by ovl_output_close */
};

/* The `run` line with what every program has in it: names, time, command. Takes `provenance` and puts it in. */
json_t *ovl_output_run_line(const char *benchmark, char **argv, json_t *provenance);

/* For a run whose work is done by a BLAS: says which, and warns of netlib's. */
void ovl_output_run_blas(json_t *line);

/* Opens the record (`path` NULL: there is none), writes the run line, which it takes, and prints the table's head. */
int ovl_output_open(struct ovl_output *out, json_t *line, const char *path, struct ovl_error *err);

/* Writes a cell's line, which it takes, and prints the cell's row; keeps of the cell what the foot says something of.
 */
int ovl_output_cell(struct ovl_output *out, const struct ovl_cell *cell, json_t *line, struct ovl_error *err);

/* Writes another line of the record, which it takes. */
int ovl_output_line(struct ovl_output *out, json_t *line, struct ovl_error *err);

/* Writes the `end` line and prints the table's foot. `rc` says how it went so far, with *err filled when it is not 0,
   and `signal` which one ended the run, or 0. Returns how it went. */
int ovl_output_close(struct ovl_output *out, int rc, int signal, struct ovl_error *err);

/* From another thread, where the job is to end at once: writes the `end` line of a record that has none yet, and keeps
   the pen, so that nothing follows. Who writes just now has a second to finish. */
void ovl_output_cut(struct ovl_output *out, int signal);

/* After what is printed: -1 and OVL_ENVIRONMENT where standard output has not taken it, as on a full disk. */
int ovl_output_printed(struct ovl_error *err);

#endif
