/* The key of a point. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/point.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char ovl_point_way[] = "";

const struct ovl_field *ovl_point_find(const char *name)
{
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes " NAME=VALUE" for each part of the problem that has no row, in the order of the names. */
static void write_unknown(FILE *out, const struct ovl_cell *cell)
{
    const char *name;
    json_t *value;
    size_t n = 0;
    const char **names = ovl_alloc(json_object_size(cell->problem), sizeof *names);
    json_object_foreach(cell->problem, name, value) {
        const struct ovl_field *f = ovl_point_find(name);
        if (!(f && strncmp(f->path, "problem.", 8) == 0))
            names[n++] = name;
    }
    if (n > 0)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        value = json_object_get(cell->problem, names[i]);
        if (json_is_number(value))
            fprintf(out, " %s=%.12g", names[i], json_number_value(value));
        else
            fprintf(out, " %s=%s", names[i],
                    json_is_string(value) ? json_string_value(value)
                    : json_is_true(value) ? "yes"
                                          : "");
    }
    free(names);
}

void ovl_point_unknown(char *text, size_t room, const struct ovl_cell *cell)
{
    char *all = NULL;
    size_t length = 0, n = strlen(text);
    if (!cell->problem)
        return;
    FILE *out = ovl_check_alloc(open_memstream(&all, &length));
    write_unknown(out, cell);
    fclose(out);
    if (room > n)
        ovl_utf8_print(text + n, room - n, "%s", all);
    free(all);
}

char *ovl_point_key(const struct ovl_run *run, const struct ovl_cell *cell, const char *but)
{
    char text[OVL_FIELD_TEXT_ROOM], *key = NULL;
    size_t length = 0;
    FILE *out = ovl_check_alloc(open_memstream(&key, &length));
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        if (but && (but == ovl_point_way ? f->way : strcmp(f->name, but) == 0))
            continue;
        ovl_field_text(text, f, run, cell);
        if (f->line == OVL_LINE_RUN && f->usual && strcmp(text, f->usual) == 0)
            *text = '\0'; /* records from before there was such an option have the usual value of it */
        fprintf(out, "%s\t", text);
    }
    if (cell->problem)
        write_unknown(out, cell);
    fclose(out);
    return ovl_check_alloc(key);
}
