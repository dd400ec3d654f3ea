/* Values of fields, by their rows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "base/checksum.h"
#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ovl_field *const tables[] = {ovl_fields_point, ovl_fields_run, ovl_fields_cell, ovl_fields_node,
                                                 ovl_fields_offload};

static size_t lengths[sizeof tables / sizeof *tables];

/* When the program starts: rows are looked for by the thousand, and threads read them. */
__attribute__((constructor)) static void measure_tables(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        while (tables[t][lengths[t]].path)
            lengths[t]++;
}

const struct ovl_field *ovl_field_row(size_t i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (i < lengths[t])
            return &tables[t][i];
        i -= lengths[t];
    }
    return NULL;
}

const struct ovl_field *ovl_field_of_quantity(enum ovl_quantity q)
{
    const struct ovl_field *f = ovl_fields_cell;
    while (f->path && f->quantity != 1 + (int)q)
        f++;
    return f;
}

const struct ovl_field *ovl_field_of_derived(enum ovl_derived d)
{
    const struct ovl_field *f = ovl_fields_cell;
    while (f->path && f->derived != 1 + (int)d)
        f++;
    return f;
}

const json_t *ovl_field_at(const json_t *line, const char *path)
{
    const char *dot;
    while ((dot = strchr(path, '.'))) { /* paths of rows are short */
        char name[64];
        size_t n = (size_t)(dot - path);
        memcpy(name, path, n);
        name[n] = '\0';
        line = json_object_get(line, name);
        path = dot + 1;
    }
    return json_object_get(line, path);
}

double ovl_field_round(double x)
{
    return ovl_number_round(x);
}

const char *const *ovl_field_parts(enum ovl_field_kind kind)
{
    static const char *const summary[] = {"median", "ci_low", "ci_high", "min", "max", "p99", NULL};
    static const char *const estimate[] = {"value", "ci_low", "ci_high", NULL};
    static const char *const none[] = {NULL};
    return kind == OVL_FIELD_SUMMARY ? summary : kind == OVL_FIELD_ESTIMATE ? estimate : none;
}

void ovl_field_clear(const struct ovl_field *f, void *of)
{
    void *at = (char *)of + f->offset;
    if (f->size > 0 && (f->kind == OVL_FIELD_NUMBER || f->kind == OVL_FIELD_WHOLE))
        *(double *)at = NAN;
    else if (f->size > 0 && f->kind == OVL_FIELD_TRUTH)
        *(int *)at = -1;
    else if (f->size > 0 && f->kind == OVL_FIELD_ESTIMATE)
        *(struct ovl_estimate *)at = (struct ovl_estimate){NAN, NAN, NAN};
}

void ovl_field_round_member(const struct ovl_field *f, void *of)
{
    double *at = (double *)((char *)of + f->offset);
    if (f->size > 0 && f->kind == OVL_FIELD_NUMBER)
        *at = ovl_field_round(*at);
    for (size_t i = 0; f->size > 0 && ovl_field_parts(f->kind)[i]; i++)
        at[i] = ovl_field_round(at[i]);
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *ovl_field_json(const struct ovl_field *f, const void *of)
{
    const void *at = (const char *)of + f->offset;
    const double *x = at;
    json_t *object;
    switch (f->kind) {
    case OVL_FIELD_TEXT:
        return f->null && !*(const char *)at ? json_null() : json_string(at);
    case OVL_FIELD_NUMBER:
        return number(*x);
    case OVL_FIELD_WHOLE:
        return isfinite(*x) ? json_integer((json_int_t)*x) : json_null();
    case OVL_FIELD_TRUTH:
        return *(const int *)at < 0 ? json_null() : json_boolean(*(const int *)at);
    case OVL_FIELD_SUMMARY:
    case OVL_FIELD_ESTIMATE:
        object = json_object();
        for (size_t i = 0; ovl_field_parts(f->kind)[i]; i++)
            json_object_set_new(object, ovl_field_parts(f->kind)[i], number(x[i]));
        if (f->kind == OVL_FIELD_SUMMARY)
            json_object_set_new(object, "outliers",
                                json_integer((json_int_t)((const struct ovl_summary *)at)->outliers));
        return object;
    default:
        return NULL;
    }
}

int ovl_field_put(json_t *line, const char *path, json_t *value)
{
    for (size_t n; path[n = strcspn(path, ".")]; path += n + 1) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        if (!json_object_get(line, name))
            json_object_set_new(line, name, json_object());
        line = json_object_get(line, name);
    }
    return json_object_set_new(line, path, value);
}

void ovl_field_shorten(char text[OVL_FIELD_TEXT_ROOM], const char *value)
{
    size_t length = strlen(value);
    if (length < OVL_FIELD_TEXT_ROOM) {
        memcpy(text, value, length + 1);
        return;
    }
    ovl_utf8_print(text, OVL_FIELD_TEXT_ROOM - 9, "%s", value);
    length = strlen(text);
    snprintf(text + length, OVL_FIELD_TEXT_ROOM - length, "~%08x",
             (unsigned)ovl_checksum_crc32(0, value, strlen(value)));
}

static void put_number(char text[OVL_FIELD_TEXT_ROOM], double x)
{
    if (isfinite(x))
        snprintf(text, OVL_FIELD_TEXT_ROOM, x == rint(x) && fabs(x) < 0x1p53 ? "%.0f" : "%.12g", x);
}

static void put_json(char text[OVL_FIELD_TEXT_ROOM], const json_t *value)
{
    if (json_is_string(value))
        ovl_field_shorten(text, json_string_value(value));
    else if (json_is_number(value))
        put_number(text, json_number_value(value));
    else if (json_is_true(value))
        strcpy(text, "yes");
}

/* Walks a path in which [] stands for each element and * for each member; calls visit with each value. */
static void walk(const json_t *at, const char *path, void (*visit)(void *to, const char *name, const json_t *value),
                 void *to)
{
    size_t n = strcspn(path, ".[");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    if (strcmp(name, "*") == 0) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)at, key, value) {
            visit(to, key, value);
        }
        return;
    }
    at = json_object_get(at, name);
    path += n;
    bool each = strncmp(path, "[]", 2) == 0;
    path += each ? 2 : 0;
    for (size_t i = 0; i < (each ? json_array_size(at) : 1); i++) {
        const json_t *value = each ? json_array_get(at, i) : at;
        if (*path == '.')
            walk(value, path + 1, visit, to);
        else if (value)
            visit(to, NULL, value);
    }
}

void ovl_field_each(const json_t *line, const struct ovl_field *f,
                    void (*visit)(void *to, const char *name, const json_t *value), void *to)
{
    walk(line, f->path, visit, to);
}

/* Adds a value's text to an array, or as a name to an object, which counts each. */
static void collect(void *to, const char *name, const json_t *value)
{
    char text[OVL_FIELD_TEXT_ROOM] = "";
    (void)name;
    put_json(text, value);
    if (json_is_array((json_t *)to))
        json_array_append_new(to, json_string(text));
    else
        json_object_set_new(to, text, json_integer(json_integer_value(json_object_get(to, text)) + 1));
}

static int by_text(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of an object its names in order; of an array its texts as they stand. Lent by `texts`. */
static const char **sorted(const json_t *texts, size_t *n)
{
    const char *name;
    json_t *value;
    size_t i = 0;
    *n = json_is_array(texts) ? json_array_size(texts) : json_object_size(texts);
    const char **all = ovl_alloc(*n, sizeof *all);
    for (; json_is_array(texts) && i < *n; i++)
        all[i] = json_string_value(json_array_get(texts, i));
    if (json_is_object(texts)) {
        json_object_foreach((json_t *)texts, name, value) {
            all[i++] = name;
        }
        qsort(all, *n, sizeof *all, by_text);
    }
    return all;
}

char *ovl_field_list(const struct ovl_field *f, const json_t *line)
{
    size_t end = strlen(f->path), n = 0, length = 0;
    bool ordered = end > 2 && strcmp(f->path + end - 2, "[]") == 0;
    json_t *found = ordered ? json_array() : json_object();
    char *all = NULL;
    ovl_field_each(line, f, collect, found);
    const char **texts = sorted(found, &n);
    FILE *out = ovl_check_alloc(open_memstream(&all, &length));
    for (size_t i = 0; i < n; i++) {
        json_int_t times = n > 1 ? json_integer_value(json_object_get(found, texts[i])) : 1;
        fprintf(out, "%s%s", i == 0 ? "" : ordered ? " " : "; ", texts[i]);
        if (times > 1)
            fprintf(out, " x %" JSON_INTEGER_FORMAT, times);
    }
    fclose(out);
    free(texts);
    json_decref(found);
    return all;
}

void ovl_field_text(char text[OVL_FIELD_TEXT_ROOM], const struct ovl_field *f, const struct ovl_run *run,
                    const struct ovl_cell *cell)
{
    static const char problem[] = "problem.";
    const void *member = (const char *)cell + f->offset;
    text[0] = '\0';
    if ((f->worker_only && strcmp(cell->engine, "worker") != 0) ||
        (f->thread_only && strcmp(cell->mode, "thread") != 0))
        return;
    if (f->line == OVL_LINE_RUN && strchr(f->path, '[')) {
        char *all = ovl_field_list(f, run->head);
        ovl_field_shorten(text, all);
        free(all);
    } else if (f->line == OVL_LINE_RUN)
        put_json(text, ovl_field_at(run->head, f->path));
    else if (f->size == 0 && strncmp(f->path, problem, strlen(problem)) == 0)
        put_json(text, json_object_get(cell->problem, f->path + strlen(problem)));
    else if (f->size == 0)
        return;
    else if (f->kind == OVL_FIELD_TEXT)
        ovl_field_shorten(text, member);
    else if (f->kind == OVL_FIELD_TRUTH)
        strcpy(text, *(const int *)member > 0 ? "yes" : "");
    else if (f->kind == OVL_FIELD_NUMBER || f->kind == OVL_FIELD_WHOLE)
        put_number(text, *(const double *)member);
}

void ovl_field_say(char *said, size_t room, const struct ovl_field *f, const char *text)
{
    size_t n = 0;
    said[0] = '\0';
    for (const char *at = f->phrase; at && *at && n + 1 < room; at++) {
        if (strncmp(at, "%s", 2) == 0) {
            if (f->say)
                f->say(said + n, room - n, text);
            else
                snprintf(said + n, room - n, "%s", text);
            n += strlen(said + n);
            at++;
        } else if (strncmp(at, "(s)", 3) == 0) {
            if (strcmp(text, "1") != 0)
                said[n++] = 's';
            at += 2;
        } else
            said[n++] = *at;
        said[n] = '\0';
    }
}

const struct ovl_field *ovl_field_named(const struct ovl_field *table, const char *name)
{
    while (table->path && strcmp(table->name, name) != 0)
        table++;
    return table->path ? table : NULL;
}
