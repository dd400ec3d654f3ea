/* Reading record files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record.h"
#include "base/input_file.h"
#include "base/json_line.h"
#include "base/json_whole.h"
#include "base/printable.h"
#include "record/offload/lines.h"
#include "record/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int damaged(struct ovl_error *err, const char *path, size_t number, const char *why)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: %s", path, number, why);
}

enum { FOREIGN_MOST = 4096 };  /* what is no JSON is not worth as much */
enum { BLANK_MOST = 1000000 }; /* so many blank lines, and none before: it need not end */

struct line {
    char *text;
    size_t length, room;
    bool blank;
};

/* What was read ahead. */
struct input {
    FILE *file;
    char text[1 << 16];
    size_t at, end;
};

/* How many bytes the next piece of a line has: up to its end, or to the end of what was read. 0 at the file's end. */
static size_t next_piece(struct input *in)
{
    if (in->at == in->end) {
        in->at = 0;
        in->end = fread(in->text, 1, sizeof in->text, in->file);
    }
    const char *from = in->text + in->at, *end = memchr(from, '\n', in->end - in->at);
    return end ? (size_t)(end - from) + 1 : in->end - in->at;
}

/* The first byte that is no space decides what the line may hold. */
static void look(struct line *line, const char *piece, size_t n, size_t *most)
{
    size_t space = 0;
    while (space < n && strchr(" \t\r\n", piece[space]) && piece[space])
        space++;
    line->blank = space == n;
    *most = line->blank || piece[space] == '{' ? OVL_RECORD_LINE_MOST : FOREIGN_MOST;
}

/* Reads a line, its newline included, as getline does, but never more than is above. 0 with length 0 at the end. */
static int read_line(struct input *in, struct line *line, const char *path, struct ovl_error *err)
{
    size_t most = OVL_RECORD_LINE_MOST, n;
    line->length = 0;
    line->blank = true;
    while (line->length < most && (n = next_piece(in)) > 0) {
        if (line->blank)
            look(line, in->text + in->at, n, &most);
        n = n < most - line->length ? n : most - line->length;
        if (line->length + n > line->room) {
            size_t room = 2 * line->room > line->length + n ? 2 * line->room : line->length + n + FOREIGN_MOST;
            line->text = ovl_grow(line->text, room, 1);
            line->room = room;
        }
        memcpy(line->text + line->length, in->text + in->at, n);
        line->length += n;
        in->at += n;
        if (line->text[line->length - 1] == '\n')
            break;
    }
    if (ferror(in->file))
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    return 0;
}

/* How the lines of a file went so far. */
struct lines {
    const char *path;
    bool brief; /* without the samples */
    size_t number, parsed;
    struct ovl_error cut; /* a line that cannot be parsed, until it is known whether a job was killed there */
};

/* Takes the samples out of a cell's line as drivers write it; any other is left as it is, and so is one of an older
   driver, which does not tell their sum. */
static void cut_samples(struct line *line)
{
    static const char name[] = ",\"samples\":{", told[] = "\"samples_crc32\":\"";
    char *from = memmem(line->text, line->length, name, strlen(name)), *end = line->text + line->length;
    size_t depth = 1;
    if (!from || !memmem(line->text, line->length, told, strlen(told)) ||
        line->text[0] != '{') /* what is left must not be empty */
        return;
    char *to = from + strlen(name);
    for (; to < end && depth > 0; to++) {
        if (*to == '"') { /* a name, which may hold anything */
            for (to++; to < end && *to != '"'; to++)
                to += *to == '\\';
            if (to >= end)
                return;
        }
        if (*to == '[') /* numbers, the bulk of it */
            to = memchr(to, ']', (size_t)(end - to));
        if (!to)
            return;
        depth += *to == '{';
        depth -= *to == '}';
    }
    if (depth > 0)
        return;
    memmove(from, to, (size_t)(end - to));
    line->length -= (size_t)(to - from);
}

/* Parses a line into *json, NULL where it has none. 1 when no further line can mend what is wrong. */
static int parse_line(struct lines *l, const struct line *line, json_t **json)
{
    json_error_t at;
    bool opens = line->text[0] == '{', ends = line->text[line->length - 1] == '\n';
    bool too_long = line->length >= OVL_RECORD_LINE_MOST && !ends;
    *json = too_long ? NULL : ovl_json_line(line->text, line->length, &at);
    const char *kind = json_string_value(json_object_get(*json, "record"));
    if (l->cut.code != OVL_OK && !(kind && (strcmp(kind, "run") == 0 || ovl_offload_owns(kind)))) {
        json_decref(*json);
        *json = NULL;
        return 1;
    }
    l->cut.code = OVL_OK;
    if (*json) {
        l->parsed++;
        return 0;
    }
    if (too_long) {
        damaged(&l->cut, l->path, l->number, "not a record line: longer than 512 MB");
        return 1;
    }
    char why[256];
    snprintf(why, sizeof why, "not a record line: %s (column %d)", at.text, at.column);
    damaged(&l->cut, l->path, l->number, why);
    if (opens && l->parsed > 0 && !ends) { /* the last line, cut short by the end of the job */
        l->cut.code = OVL_OK;
        *json = json_null();
    }
    return !opens || l->parsed == 0;
}

static int read_lines(const char *path, bool brief,
                      int (*visit)(void *to, json_t *line, size_t number, struct ovl_error *err), void *to,
                      struct ovl_error *err)
{
    struct lines l = {.path = path, .brief = brief};
    struct line line = {NULL, 0, 0, true};
    struct input in = {.file = ovl_input_file_open(path)};
    int rc = 0, over = 0;
    if (!in.file)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, ovl_input_file_why(errno));
    while (rc == 0 && !over && (rc = read_line(&in, &line, path, err)) == 0 && line.length > 0) {
        json_t *json = NULL;
        l.number++;
        if (l.brief)
            cut_samples(&line);
        over = line.blank ? l.parsed == 0 && l.number >= BLANK_MOST : parse_line(&l, &line, &json);
        ovl_printable(json);
        if (json)
            rc = visit(to, json, l.number, err);
        json_decref(json);
    }
    if (rc == 0 && l.cut.code != OVL_OK) {
        *err = l.cut;
        rc = -1;
    } else if (rc == 0 && l.parsed == 0)
        rc = damaged(err, path, 1, "empty: no record line in it");
    free(line.text);
    fclose(in.file);
    return rc;
}

int ovl_record_lines(const char *path, int (*visit)(void *to, json_t *line, size_t number, struct ovl_error *err),
                     void *to, struct ovl_error *err)
{
    return read_lines(path, false, visit, to, err);
}

struct reading {
    struct ovl_record *record;
    const char *path;
    bool brief;
    json_t *runs; /* of this file: the place in the record by run_id */
};

static struct ovl_run *run_of(const struct reading *r, const json_t *line)
{
    const char *id = json_string_value(json_object_get(line, "run_id"));
    const json_t *place = id ? json_object_get(r->runs, id) : NULL;
    return place ? &r->record->runs[json_integer_value(place)] : NULL;
}

/* Reads a line of cells or nodes into the next place of its run. */
static int take_part(const struct reading *r, struct ovl_run *run, const char *kind, json_t *line, size_t number,
                     struct ovl_error *err)
{
    struct ovl_error field = {.text = ""};
    bool cell = strcmp(kind, "cell") == 0;
    size_t *count = cell ? &run->cell_count : &run->node_count;
    if (cell)
        run->cells = ovl_grow_one(run->cells, *count, sizeof *run->cells);
    else
        run->nodes = ovl_grow_one(run->nodes, *count, sizeof *run->nodes);
    int rc = cell ? ovl_cell_from_json(line, !r->brief, &run->cells[run->cell_count], &field)
                  : ovl_node_from_json(line, &run->nodes[run->node_count], &field);
    if (rc != 0)
        return damaged(err, r->path, number, field.text);
    if (cell)
        ovl_cell_forget_overlap(&run->cells[run->cell_count]);
    ++*count;
    return 0;
}

static int take_line(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    struct reading *r = to;
    struct ovl_error field;
    const char *kind = json_string_value(json_object_get(line, "record"));
    if (json_is_null(line))
        return 0;
    if (!kind)
        return damaged(err, r->path, number, "not a record line: it has no field record");
    const char *foreign = ovl_record_foreign(line);
    if (foreign)
        return damaged(err, r->path, number, foreign);
    if (ovl_offload_owns(kind))
        return ovl_offload_keep(&r->record->offloads, line, &field) == 0 ? 0
                                                                         : damaged(err, r->path, number, field.text);
    if (strcmp(kind, "cell") != 0)
        ovl_json_make_whole(line, "options"); /* whose real ones tell settings apart as they stand */
    if (strcmp(kind, "run") == 0) {
        if (!json_string_value(json_object_get(line, "run_id")) ||
            !json_string_value(json_object_get(line, "benchmark")))
            return damaged(err, r->path, number, "run_id and benchmark are wanted in a run line");
        if (run_of(r, line))
            return damaged(err, r->path, number, "run_id: this run is in the file twice");
        r->record->runs = ovl_grow_one(r->record->runs, r->record->run_count, sizeof *r->record->runs);
        json_object_set_new(r->runs, json_string_value(json_object_get(line, "run_id")),
                            json_integer((json_int_t)r->record->run_count));
        r->record->runs[r->record->run_count++] = (struct ovl_run){.file = r->path, .head = json_incref(line)};
        return 0;
    }

    struct ovl_run *run = run_of(r, line);
    if (!run)
        return damaged(err, r->path, number, "run_id: no run line with it before this line");
    if (strcmp(kind, "end") == 0) {
        json_decref(run->end);
        run->end = json_incref(line);
    } else if (strcmp(kind, "cell") == 0 || strcmp(kind, "node") == 0)
        return take_part(r, run, kind, line, number, err);
    return 0;
}

/* An end that tells of other cells than there are ends nothing in good order: lines were lost, or added. */
static void check_end(struct ovl_run *run)
{
    const json_t *cells = json_object_get(run->end, "cells");
    const char *status = json_string_value(json_object_get(run->end, "status"));
    if (!status || strcmp(status, "complete") != 0 || !json_is_integer(cells) ||
        json_integer_value(cells) == (json_int_t)run->cell_count)
        return;
    json_t *end = json_copy(run->end);
    json_object_set_new(end, "status", json_string("damaged"));
    json_object_set_new(end, "reason",
                        json_sprintf("its end tells %lld cells, and the record has %zu",
                                     (long long)json_integer_value(cells), run->cell_count));
    json_decref(run->end);
    run->end = end;
}

static int read_record(struct ovl_record *record, const char *path, bool brief, struct ovl_error *err)
{
    struct reading r = {record, path, brief, json_object()};
    size_t first = record->run_count;
    int rc = read_lines(path, brief, take_line, &r, err);
    for (size_t i = first; i < record->run_count; i++)
        check_end(&record->runs[i]);
    json_decref(r.runs);
    return rc;
}

int ovl_record_read(struct ovl_record *record, const char *path, struct ovl_error *err)
{
    return read_record(record, path, false, err);
}

int ovl_record_read_brief(struct ovl_record *record, const char *path, struct ovl_error *err)
{
    return read_record(record, path, true, err);
}

void ovl_record_cut(struct ovl_record *record, size_t count)
{
    for (size_t i = count; i < record->run_count; i++) {
        for (size_t c = 0; c < record->runs[i].cell_count; c++)
            ovl_cell_free(&record->runs[i].cells[c]);
        for (size_t n = 0; n < record->runs[i].node_count; n++)
            ovl_node_free(&record->runs[i].nodes[n]);
        free(record->runs[i].cells);
        free(record->runs[i].nodes);
        json_decref(record->runs[i].head);
        json_decref(record->runs[i].end);
    }
    record->run_count = count < record->run_count ? count : record->run_count;
}

void ovl_record_free(struct ovl_record *record)
{
    ovl_record_cut(record, 0);
    for (size_t i = 0; i < record->unwritten_count; i++)
        free(record->unwritten[i].benchmark);
    free(record->unwritten);
    free(record->runs);
    json_decref(record->offloads);
    *record = (struct ovl_record){.runs = NULL};
}
