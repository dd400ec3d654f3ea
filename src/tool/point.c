/* The key of a point. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ovl_field *ovl_point_find(const char *name)
{
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

void ovl_point_unknown(char *text, size_t room, const struct ovl_cell *cell)
{
    const char *name;
    json_t *value;
    json_object_foreach(cell->problem, name, value) {
        const struct ovl_field *f = ovl_point_find(name);
        size_t n = strlen(text);
        char *said = f && strncmp(f->path, "problem.", 8) == 0
                         ? NULL
                         : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
        if (said)
            snprintf(text + n, room - n, " %s=%s", name, said);
        free(said);
    }
}

char *ovl_point_key(const struct ovl_run *run, const struct ovl_cell *cell, const char *but)
{
    char text[OVL_FIELD_TEXT_ROOM], unknown[1024] = "", *key = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&key, &length);
    if (!out)
        return NULL;
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        if (but && strcmp(f->name, but) == 0)
            continue;
        ovl_field_text(text, f, run, cell);
        fprintf(out, "%s\t", text);
    }
    ovl_point_unknown(unknown, sizeof unknown, cell);
    fputs(unknown, out);
    if (fclose(out) != 0) {
        free(key);
        return NULL;
    }
    return key;
}
