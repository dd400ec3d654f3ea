/* `ovl validate`: names of a line that the table of fields does not have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "record/field.h"
#include "tool/validate/state.h"

#include <stdio.h>
#include <string.h>

/* How the table knows the path: not at all, as a value, or as the begin of longer paths. */
enum known { UNKNOWN, VALUE, INNER };

static enum known known_as(enum ovl_field_line line, const char *path)
{
    const struct ovl_field *f;
    size_t n = strlen(path);
    enum known known = UNKNOWN;
    for (size_t i = 0; (f = ovl_field_row(i)); i++) {
        if (!(f->line & line) || strncmp(f->path, path, n) != 0)
            continue;
        if (f->path[n] == '\0' || strcmp(f->path + n, "[]") == 0)
            known = known == INNER ? INNER : VALUE;
        else if (strncmp(f->path + n, ".*", 2) == 0)
            return VALUE; /* any name may stand in it */
        else if (f->path[n] == '.' || f->path[n] == '[')
            known = INNER;
    }
    return known;
}

/* The same, looked up once a file: all lines of a kind have the same few paths. */
static enum known known_before(struct ovl_checking *c, enum ovl_field_line line, const char *path)
{
    char kind[24];
    snprintf(kind, sizeof kind, "%d", (int)line);
    json_t *paths = json_object_get(c->known, kind);
    if (!paths)
        json_object_set_new(c->known, kind, paths = json_object());
    json_t *known = json_object_get(paths, path);
    if (!known)
        json_object_set_new(paths, path, known = json_integer(known_as(line, path)));
    return (enum known)json_integer_value(known);
}

static void look(struct ovl_checking *c, enum ovl_field_line line, const json_t *object, const char *prefix);

/* An object, or each object of an array. */
static void look_inside(struct ovl_checking *c, enum ovl_field_line line, const json_t *value, char path[256])
{
    if (!json_is_array(value)) {
        look(c, line, value, path);
        return;
    }
    strcat(path, "[]");
    for (size_t i = 0; i < json_array_size(value); i++)
        look(c, line, json_array_get(value, i), path);
}

static void look(struct ovl_checking *c, enum ovl_field_line line, const json_t *object, const char *prefix)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        char path[256];
        ovl_utf8_print(path, sizeof path - 2, "%s%s%s", prefix, *prefix ? "." : "", name);
        switch (strchr(name, '.') ? UNKNOWN : known_before(c, line, path)) {
        case UNKNOWN:
            json_object_set_new(c->unknown, path, json_true());
            break;
        case INNER:
            look_inside(c, line, value, path);
            break;
        case VALUE:
            break;
        }
    }
}

void ovl_checking_unknown(struct ovl_checking *c, const json_t *line)
{
    const char *kind = json_string_value(json_object_get(line, "record"));
    enum ovl_field_line at = !kind || strcmp(kind, "run") == 0 ? OVL_LINE_RUN
                             : strcmp(kind, "cell") == 0       ? OVL_LINE_CELL
                             : strcmp(kind, "node") == 0       ? OVL_LINE_NODE
                             : strcmp(kind, "offload") == 0    ? OVL_LINE_OFFLOAD
                             : strcmp(kind, "launch") == 0     ? OVL_LINE_LAUNCH
                                                               : OVL_LINE_END;
    look(c, at, line, "");
}

void ovl_checking_print_unknown(const struct ovl_checking *c, FILE *out)
{
    const char *name, *gap = "";
    json_t *value;
    size_t n = json_object_size(c->unknown);
    if (n == 0)
        return;
    fprintf(out, "%s: note: %zu field%s that this ovl does not know: ", c->file, n, n == 1 ? "" : "s");
    json_object_foreach(c->unknown, name, value) {
        fprintf(out, "%s%s", gap, name);
        gap = ", ";
    }
    fprintf(out, "\n");
}
