/* `ovl validate`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/validate/validate.h"
#include "tool/cells/inputs.h"
#include "tool/util/command.h"

#include <stdio.h>

static const struct ovl_option options[] = {
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, 0, 0, 0, NULL, NULL},
    {.name = NULL},
};

/* One line names all that cannot be read. */
static void add_unread(struct ovl_error *err, const char *why)
{
    char before[OVL_ERROR_TEXT + 2];
    snprintf(before, sizeof before, "%s%s", err->text, *err->text ? "; " : "");
    ovl_error_set(err, OVL_ENVIRONMENT, "%s%s", before, why);
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    int first, help, code = OVL_OK, rc = 0;
    if (ovl_command_parse(&ovl_command_validate, argc, argv, &help, &first, err) != 0)
        return -1;
    struct ovl_schema *schema = ovl_validate_schema(err);
    if (!schema)
        return -1;
    struct ovl_error unread = {OVL_ENVIRONMENT, ""}, why;
    struct ovl_inputs files = {.path = NULL};
    struct ovl_validity v;
    for (int i = first; i < argc; i++)
        if (ovl_inputs_add(&files, argv[i], &why) != 0) {
            add_unread(&unread, why.text);
            rc = -1;
        }
    for (size_t i = 0; i < files.count; i++) {
        if (ovl_validate_file(files.path[i], schema, stdout, &v, &why) != 0) {
            add_unread(&unread, why.text);
            rc = -1;
        } else if (v.problems > 0) {
            code = OVL_WRONG_DATA;
        }
    }
    ovl_inputs_free(&files);
    if (rc != 0)
        *err = unread;
    ovl_schema_free(schema);
    return rc == 0 ? code : -1;
}

const struct ovl_tool_command ovl_command_validate = {
    .name = "validate",
    .arguments = "FILE...",
    .summary = "check record files: fields, counts, and derived values against the samples",
    .exits = "0 fine, 3 wrong call, 4 something is wrong in a file, 5 file not readable",
    .options = options,
    .run = run,
};
