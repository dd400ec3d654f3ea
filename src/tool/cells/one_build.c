/* Which build measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/one_build.h"
#include "base/utf8.h"
#include "record/field.h"
#include "tool/util/json_file.h"

#include <string.h>

static const char *text_at(const json_t *head, const struct ovl_field *f)
{
    const char *text = json_string_value(ovl_field_at(head, f->path));
    return text ? text : "not told";
}

bool ovl_one_build(const json_t *one, const json_t *other, const json_t *may_differ, char what[OVL_ONE_BUILD_WHAT])
{
    for (const struct ovl_field *f = ovl_fields_run; f->path; f++) {
        if (f->part != OVL_PART_BUILD || ovl_json_lists(may_differ, f->name))
            continue;
        const char *a = text_at(one, f), *b = text_at(other, f);
        if (strcmp(a, b) == 0)
            continue;
        ovl_utf8_print(what, OVL_ONE_BUILD_WHAT, "%.40s: %.60s, and %.60s", f->name, a, b);
        return false;
    }
    return true;
}

/* Stops at the first run line, which it keeps. */
static int keep_run(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    json_t **head = to;
    const char *record = json_string_value(json_object_get(line, "record"));
    (void)number;
    if (!record || strcmp(record, "run") != 0)
        return 0;
    *head = json_incref(line);
    return ovl_error_set(err, OVL_OK, "that is all");
}

bool ovl_one_build_files(const char *one, const char *other, char what[OVL_ONE_BUILD_WHAT])
{
    const char *const path[] = {one, other};
    json_t *head[] = {NULL, NULL};
    struct ovl_error err;
    for (int i = 0; i < 2; i++)
        ovl_record_lines(path[i], keep_run, &head[i], &err);
    bool same = !head[0] || !head[1] || ovl_one_build(head[0], head[1], NULL, what);
    json_decref(head[0]);
    json_decref(head[1]);
    return same;
}

size_t ovl_one_build_count(const struct ovl_record *record)
{
    char what[OVL_ONE_BUILD_WHAT];
    size_t n = 0;
    for (size_t r = 0; r < record->run_count; r++) {
        size_t other = 0;
        while (other < r && !ovl_one_build(record->runs[other].head, record->runs[r].head, NULL, what))
            other++;
        n += other == r;
    }
    return n;
}
