/* `ovl validate`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/validate/validate.h"
#include "base/printable.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/util/answer.h"
#include "tool/util/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct validate_options {
    int help;
    const char *json;
};

#define AT(member) offsetof(struct validate_options, member)

static const struct ovl_option options[] = {
    OVL_ANSWER_OPTION(AT(json)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* One line names all that cannot be read. */
static void add_unread(struct ovl_error *err, const char *why)
{
    char before[OVL_ERROR_TEXT + 2];
    snprintf(before, sizeof before, "%s%s", err->text, *err->text ? "; " : "");
    ovl_error_set(err, OVL_ENVIRONMENT, "%s%s", before, why);
}

/* The lines that were printed of a file. */
static json_t *lines_of(char *text)
{
    json_t *lines = json_array();
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        json_array_append_new(lines, ovl_printable_json(line));
    return lines;
}

/* Prints what is found in one file, and adds it to the list. */
static int validate(const char *path, const struct ovl_schema *schema, json_t *files, struct ovl_validity *v,
                    struct ovl_error *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return ovl_error_set(err, OVL_ENVIRONMENT, "not enough memory");
    int rc = ovl_validate_file(path, schema, out, v, err);
    fclose(out);
    fwrite(text, 1, n, stdout);
    if (rc == 0)
        json_array_append_new(files, json_pack("{s:o, s:b, s:I, s:o}", "file", ovl_printable_json(path), "ok",
                                               (int)(v->problems == 0), "problems", (json_int_t)v->problems, "lines",
                                               lines_of(text)));
    else
        json_array_append_new(files, json_pack("{s:o, s:b, s:n, s:[o]}", "file", ovl_printable_json(path), "ok", 0,
                                               "problems", "lines", ovl_printable_json(err->text)));
    free(text);
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct validate_options o = {0};
    int first, code = OVL_OK, rc = 0;
    if (ovl_command_parse(&ovl_command_validate, argc, argv, &o, &first, err) != 0)
        return -1;
    struct ovl_schema *schema = ovl_validate_schema(err);
    if (!schema)
        return -1;
    struct ovl_error unread = {OVL_ENVIRONMENT, ""}, why;
    struct ovl_inputs files = {.path = NULL};
    struct ovl_validity v;
    json_t *found = json_array();
    for (int i = first; i < argc; i++)
        if (ovl_inputs_add(&files, argv[i], &why) != 0) {
            add_unread(&unread, why.text);
            rc = -1;
        }
    for (size_t i = 0; i < files.count; i++) {
        if (validate(files.path[i], schema, found, &v, &why) != 0) {
            add_unread(&unread, why.text);
            rc = -1;
        } else if (v.problems > 0) {
            code = OVL_WRONG_DATA;
        }
    }
    ovl_inputs_free(&files);
    ovl_schema_free(schema);
    if (ovl_answer_write(o.json, "validate", rc == 0 ? code : OVL_ENVIRONMENT, json_pack("{s:o}", "files", found),
                         &why) != 0) {
        *err = why;
        return -1;
    }
    if (rc != 0)
        *err = unread;
    return rc == 0 ? code : -1;
}

const struct ovl_tool_command ovl_command_validate = {
    .name = "validate",
    .arguments = "FILE...",
    .summary = "check record files: fields, counts, and derived values against the samples",
    .options = options,
    .run = run,
};
