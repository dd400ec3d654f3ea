/* JSON files that people write. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/json_file.h"
#include "base/input_file.h"
#include "base/json_whole.h"
#include "base/sha256.h"
#include "tool/util/command.h"
#include "tool/util/schema.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void skip_space(const char **at, size_t *line)
{
    while (isspace((unsigned char)**at)) {
        *line += **at == '\n';
        ++*at;
    }
}

static void skip_string(const char **at)
{
    ++*at;
    while (**at && **at != '"')
        *at += **at == '\\' && (*at)[1] ? 2 : 1;
    *at += **at == '"';
}

static void skip_value(const char **at, size_t *line)
{
    size_t depth = 0;
    do {
        skip_space(at, line);
        if (**at == '"') {
            skip_string(at);
        } else if (**at == '{' || **at == '[') {
            depth++;
            ++*at;
        } else if (**at == '}' || **at == ']') {
            depth--;
            ++*at;
        } else if (depth > 0 && (**at == ',' || **at == ':')) {
            ++*at;
        } else {
            while (**at && !strchr(",]}: \t\r\n\"", **at))
                ++*at;
        }
        skip_space(at, line);
    } while (depth > 0 && **at);
}

/* Goes to the member or item that the next part of the pointer names. false when it is not there. */
static bool enter(const char **at, size_t *line, const char *part, size_t n)
{
    bool object = **at == '{';
    size_t item = 0;
    if (!object && **at != '[')
        return false;
    ++*at;
    for (;; item++) {
        skip_space(at, line);
        bool found = !object && item == strtoul(part, NULL, 10);
        if (object && **at == '"') {
            const char *name = *at + 1;
            skip_string(at);
            found = (size_t)(*at - name) == n + 1 && strncmp(name, part, n) == 0;
            skip_space(at, line);
            *at += **at == ':';
            skip_space(at, line);
        }
        if (**at == '}' || **at == ']' || **at == '\0')
            return false;
        if (found)
            return true;
        skip_value(at, line);
        if (**at != ',')
            return false;
        ++*at;
    }
}

size_t ovl_json_file_line(const char *text, const char *pointer)
{
    size_t line = 1;
    const char *at = text;
    skip_space(&at, &line);
    while (*pointer == '/') {
        size_t n = strcspn(++pointer, "/"), before = line;
        if (!enter(&at, &line, pointer, n))
            return before;
        pointer += n;
    }
    return line;
}

int ovl_json_file_fault(const char *path, const char *pointer, const char *wanted, struct ovl_error *err)
{
    char *text = ovl_input_text(path, path, err);
    size_t line = text ? ovl_json_file_line(text, pointer) : 0;
    free(text);
    return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: %s: %s", path, line, *pointer ? pointer : "/", wanted);
}

struct checking {
    const char *path, *text;
    struct ovl_error *err;
    size_t told;
};

static void first_problem(void *to, const char *pointer, const char *wanted)
{
    struct checking *c = to;
    if (c->told++ == 0)
        ovl_error_set(c->err, OVL_WRONG_DATA, "%s:%zu: %s: %s", c->path, ovl_json_file_line(c->text, pointer),
                      *pointer ? pointer : "/", wanted);
}

static int check(const char *path, const char *text, json_t *json, const char *name, struct ovl_error *err)
{
    struct ovl_path file;
    struct checking c = {path, text, err, 0};
    if (ovl_command_share(name, &file, err) != 0)
        return -1;
    struct ovl_schema *schema = ovl_schema_load(file.text, err);
    if (!schema)
        return -1;
    size_t problems = ovl_schema_check(schema, json, first_problem, &c);
    ovl_schema_free(schema);
    return problems == 0 ? 0 : -1;
}

json_t *ovl_json_file_parse(const char *path, char **text, struct ovl_error *err)
{
    json_error_t at;
    if (!(*text = ovl_input_text(path, path, err)))
        return NULL;
    json_t *json = json_loads(*text, JSON_REJECT_DUPLICATES, &at);
    if (!json) {
        ovl_error_set(err, OVL_WRONG_DATA, "%s:%d: no JSON: %s (column %d)", path, at.line, at.text, at.column);
        free(*text);
    }
    return json;
}

int ovl_json_file_check(const char *path, const char *text, json_t *json, const char *schema, struct ovl_error *err)
{
    if (check(path, text, json, schema, err) != 0)
        return -1;
    ovl_json_make_whole(json, NULL);
    return 0;
}

json_t *ovl_json_file_load(const char *path, const char *schema, struct ovl_error *err)
{
    char *text;
    json_t *json = ovl_json_file_parse(path, &text, err);
    if (!json)
        return NULL;
    if (schema && ovl_json_file_check(path, text, json, schema, err) != 0) {
        json_decref(json);
        json = NULL;
    }
    free(text);
    return json;
}

/* What cannot be read twice with the same result, or is not worth its hours: text has no holes, which a file of any
   size can be made of. */
static const char *no_file(FILE *in)
{
    struct stat file;
    if (fstat(fileno(in), &file) != 0)
        return strerror(errno);
    if (S_ISDIR(file.st_mode))
        return strerror(EISDIR);
    if (!S_ISREG(file.st_mode))
        return "not a regular file, and it is read more than once";
    off_t hole = file.st_size > 0 ? lseek(fileno(in), 0, SEEK_HOLE) : -1;
    return hole >= 0 && hole < file.st_size ? "it has a hole, and so is no text" : NULL;
}

int ovl_json_file_sha256(const char *path, char text[65], struct ovl_error *err)
{
    FILE *in = ovl_input_file_open(path);
    const char *why = in ? no_file(in) : ovl_input_file_why(errno);
    if (why) {
        if (in)
            fclose(in);
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, why);
    }
    rewind(in);
    int rc = ovl_sha256_stream(in, text);
    if (rc != 0)
        ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    fclose(in);
    return rc;
}

void ovl_json_sha256(const json_t *json, char text[65])
{
    char *dump = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(12));
    ovl_sha256_bytes(dump, strlen(dump), text);
    free(dump);
}

bool ovl_json_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
    }
    if (json_is_array(a) && json_is_array(b)) {
        bool all = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; all && i < json_array_size(a); i++)
            all = ovl_json_same(json_array_get(a, i), json_array_get(b, i));
        return all;
    }
    if (json_is_object(a) && json_is_object(b)) {
        const char *name;
        json_t *value;
        bool all = json_object_size(a) == json_object_size(b);
        json_object_foreach((json_t *)a, name, value) {
            all = all && ovl_json_same(value, json_object_get(b, name));
        }
        return all;
    }
    return json_equal(a, b);
}

bool ovl_json_file_has_line(const char *path, bool (*is)(const json_t *line, const char *text))
{
    FILE *file = ovl_input_file_open(path);
    char *text = NULL;
    size_t room = 0;
    bool has = false;
    while (file && !has && getline(&text, &room, file) > 0) {
        json_t *line = *text == '{' ? json_loads(text, 0, NULL) : NULL;
        has = is(line, text);
        json_decref(line);
    }
    free(text);
    if (file)
        fclose(file);
    return has;
}

bool ovl_json_lists(const json_t *array, const char *text)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *one = json_string_value(json_array_get(array, i));
        if (one && strcmp(one, text) == 0)
            return true;
    }
    return false;
}
