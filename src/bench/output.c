/* A run's output at rank 0. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/output.h"
#include "base/build.h"
#include "base/clock.h"
#include "base/printable.h"
#include "bench/input_files.h"
#include "bench/interrupt.h"
#include "bench/provenance.h"
#include "machine/blas.h"
#include "version.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Held by the one thread that writes. */
static pthread_mutex_t pen = PTHREAD_MUTEX_INITIALIZER;

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
    json_t *files = ovl_input_files_json();
    if (files)
        json_object_set_new(line, "input_files", files);
    json_object_update_new(line, provenance);
    return line;
}

void ovl_output_run_blas(json_t *line)
{
    const char *warning = ovl_blas_warning();
    json_object_set_new(line, "blas", ovl_printable_json(ovl_blas_text()));
    if (warning)
        json_array_append_new(json_object_get(line, "warnings"), json_string(warning));
}

int ovl_output_printed(struct ovl_error *err)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write to standard output: %s", strerror(errno));
}

int ovl_output_open(struct ovl_output *out, json_t *line, const char *path, struct ovl_error *err)
{
    struct ovl_error ignored;
    pthread_mutex_lock(&pen);
    out->run = (struct ovl_run){.head = line};
    int rc = ovl_writer_open(&out->writer, path, err);
    if (rc == 0 && (rc = ovl_writer_line(&out->writer, json_incref(out->run.head), err)) != 0)
        ovl_writer_close(&out->writer, &ignored); /* an end line without its run would say nothing */
    /* The record has the texts as they are, a terminal gets them as `ovl show`. */
    ovl_printable(out->run.head);
    if (rc == 0 && !out->quiet)
        out->format->head(stdout, &out->run, out->full);
    if (rc == 0)
        rc = ovl_output_printed(err);
    pthread_mutex_unlock(&pen);
    return rc;
}

static void keep(struct ovl_output *out, const struct ovl_cell *cell)
{
    bool serves = strcmp(cell->benchmark, "serve") == 0;
    if (ovl_cell_solves(cell) && !serves)
        return;
    out->cells = ovl_grow_one(out->cells, out->cell_count, sizeof *out->cells);
    struct ovl_cell *kept = &out->cells[out->cell_count++];
    *kept = *cell;
    kept->samples = (struct ovl_samples){.blocks = 0};
    kept->others = kept->curve = kept->extra = kept->problem = NULL;
    if (serves) {
        kept->extra = json_incref(cell->extra);
        kept->problem = json_incref(cell->problem);
    }
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
    pthread_mutex_lock(&pen);
    int rc = ovl_writer_line(&out->writer, line, err);
    out->cell_lines += rc == 0;
    ovl_printable(cell->problem);
    ovl_printable(cell->extra);
    ovl_progress_clear(&out->progress);
    if (!out->quiet)
        out->format->row(stdout, &out->run, cell, out->full);
    if (rc == 0)
        keep(out, cell);
    if (rc == 0)
        rc = ovl_output_printed(err);
    pthread_mutex_unlock(&pen);
    return rc;
}

int ovl_output_line(struct ovl_output *out, json_t *line, struct ovl_error *err)
{
    pthread_mutex_lock(&pen);
    int rc = ovl_writer_line(&out->writer, line, err);
    pthread_mutex_unlock(&pen);
    return rc;
}

/* `why`: NULL, or what went wrong. */
static json_t *end_line(const struct ovl_output *out, const char *why, int signal)
{
    char finished[32];
    ovl_clock_utc(finished);
    json_t *end =
        json_pack("{s:s, s:s, s:s, s:I, s:s}", "record", "end", "run_id", ovl_run_text(&out->run, "run_id"), "status",
                  why      ? "failed"
                  : signal ? "interrupted"
                           : "complete",
                  "cells", (json_int_t)out->cell_lines, "finished", finished);
    if (why || signal)
        json_object_set_new(end, "reason", json_string(why ? why : ovl_interrupt_name(signal)));
    return end;
}

int ovl_output_close(struct ovl_output *out, int rc, int signal, struct ovl_error *err)
{
    struct ovl_error ignored = {0}, *told = rc == 0 ? err : &ignored; /* the first error is the one to tell */
    pthread_mutex_lock(&pen);
    ovl_progress_clear(&out->progress);
    json_t *end = end_line(out, rc != 0 ? err->text : NULL, signal);
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
    for (size_t i = 0; i < out->cell_count; i++) {
        json_decref(out->cells[i].extra);
        json_decref(out->cells[i].problem);
    }
    free(out->cells);
    out->cells = NULL;
    pthread_mutex_unlock(&pen);
    return rc ? rc : wrote;
}

void ovl_output_cut(struct ovl_output *out, int signal)
{
    struct ovl_error ignored;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&pen, &until) == 0 && out->run.head)
        ovl_writer_line(&out->writer, end_line(out, NULL, signal), &ignored);
}
