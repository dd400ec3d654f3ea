/* A run's output at rank 0. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/output.h"
#include "base/build.h"
#include "base/clock.h"
#include "base/printable.h"
#include "bench/interrupt.h"
#include "bench/provenance.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *ovl_output_run_line(const char *benchmark, char **argv, json_t *provenance)
{
    char run_id[64], started[32];
    ovl_provenance_run_id(run_id);
    ovl_clock_utc(started);
    json_t *command = json_array();
    for (char **a = argv; *a; a++)
        json_array_append_new(command, ovl_printable_json(*a));
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:{s:s, s:s}}", "record", "run", "schema",
                             OVL_RECORD_SCHEMA, "run_id", run_id, "benchmark", benchmark, "started", started, "command",
                             command, "ovl_version", OVL_VERSION, "git", OVL_GIT, "build", "compiler",
                             ovl_build_compiler, "flags", ovl_build_flags);
    json_object_update_new(line, provenance);
    return line;
}

int ovl_output_printed(struct ovl_error *err)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write to standard output: %s", strerror(errno));
}

int ovl_output_open(struct ovl_output *out, json_t *line, const char *path, struct ovl_error *err)
{
    out->run = (struct ovl_run){.head = line};
    if (ovl_writer_open(&out->writer, path, err) != 0 ||
        ovl_writer_line(&out->writer, json_incref(out->run.head), err) != 0)
        return -1;
    if (ovl_printable(out->run.head) !=
        0) /* the record has the texts as they are, a terminal gets them as `ovl show` */
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the head of the table");
    if (!out->quiet)
        out->format->head(stdout, &out->run, out->full);
    return ovl_output_printed(err);
}

static int keep(struct ovl_output *out, const struct ovl_cell *cell, struct ovl_error *err)
{
    if (ovl_cell_solves(cell))
        return 0;
    struct ovl_cell *more = realloc(out->cells, (out->cell_count + 1) * sizeof *more), *kept;
    if (!more)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu cells", out->cell_count + 1);
    out->cells = more;
    kept = &out->cells[out->cell_count++];
    *kept = *cell;
    kept->samples = (struct ovl_samples){.blocks = 0};
    kept->others = kept->curve = kept->extra = NULL;
    return 0;
}

static void print_foot(const struct ovl_output *out)
{
    struct ovl_run run = out->run;
    run.cells = out->cells;
    run.cell_count = out->cell_count;
    out->format->foot(stdout, &run, out->full);
}

int ovl_output_cell(struct ovl_output *out, const struct ovl_cell *cell, json_t *line, struct ovl_error *err)
{
    int rc = ovl_writer_line(&out->writer, line, err);
    if (rc == 0 && (ovl_printable(cell->problem) != 0 || ovl_printable(cell->extra) != 0))
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a line of the table");
    ovl_progress_clear(&out->progress);
    if (!out->quiet)
        out->format->row(stdout, &out->run, cell, out->full);
    if (rc == 0)
        rc = keep(out, cell, err);
    return rc == 0 ? ovl_output_printed(err) : rc;
}

int ovl_output_close(struct ovl_output *out, int rc, int signal, size_t cells, struct ovl_error *err)
{
    char finished[32];
    struct ovl_error ignored = {0}, *told = rc == 0 ? err : &ignored; /* the first error is the one to tell */
    ovl_clock_utc(finished);
    ovl_progress_clear(&out->progress);
    json_t *end =
        json_pack("{s:s, s:s, s:s, s:I, s:s}", "record", "end", "run_id", ovl_run_text(&out->run, "run_id"), "status",
                  rc       ? "failed"
                  : signal ? "interrupted"
                           : "complete",
                  "cells", (json_int_t)cells, "finished", finished);
    if (rc != 0)
        json_object_set_new(end, "reason", json_string(err->text));
    else if (signal)
        json_object_set_new(end, "reason", json_string(ovl_interrupt_name(signal)));
    json_object_update_missing(end, out->ending);
    json_decref(out->ending);
    out->ending = NULL;
    out->run.end = json_incref(end);
    int wrote = ovl_writer_line(&out->writer, end, told);
    if (wrote != 0)
        told = &ignored;
    if (ovl_writer_close(&out->writer, told) != 0)
        wrote = -1;
    if (rc == 0 && wrote == 0 && !out->quiet) {
        print_foot(out);
        wrote = ovl_output_printed(err);
    }
    json_decref(out->run.head);
    json_decref(out->run.end);
    out->run.head = out->run.end = NULL;
    free(out->cells);
    out->cells = NULL;
    return rc ? rc : wrote;
}
