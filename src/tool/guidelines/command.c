/* `ovl guidelines`: is an operation slower than what does the same by others? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "tool/cells/filter.h"
#include "tool/compare/launches.h"
#include "tool/guidelines/guidelines.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"

struct guidelines_options {
    int help;
    double delta;
    const char *json;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct guidelines_options, member)

static const struct ovl_option options[] = {
    {'d', "delta", "D", "how much slower is still kept, a part of the other side (default 0.05)", OVL_OPTION_NUMBER,
     AT(delta), 0, 0.99, NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct guidelines_options o = {.delta = 0.05};
    struct ovl_launches l = {0};
    struct ovl_guidelines g = {.count = 0};
    int first, code = -1;
    if (ovl_command_parse(&ovl_command_guidelines, argc, argv, &o, &first, err) != 0)
        return -1;
    if (ovl_launches_open(&l, argv + first, (size_t)(argc - first), NULL, &o.filter, err) == 0 &&
        ovl_atomic_file_check(o.json, err) == 0 &&
        ovl_guidelines_make(&g, &l.groups, o.delta, o.filter.n > 0, err) == 0) {
        printf("# ovl guidelines: %zu launches in %zu files\n", l.record.run_count, l.inputs.count);
        ovl_launches_note(&l);
        code = ovl_inputs_exit(&l.inputs, ovl_guidelines_print(&g, o.delta));
        json_t *found = ovl_guidelines_answer(&g, o.delta);
        json_object_set_new(found, "untold", ovl_inputs_untold(&l.inputs, 1));
        if (ovl_answer_write(o.json, "guidelines", code, found, err) != 0)
            code = -1;
    }
    ovl_guidelines_free(&g);
    ovl_launches_close(&l);
    return code;
}

const struct ovl_tool_command ovl_command_guidelines = {
    .name = "guidelines",
    .arguments = "DIR... [options]",
    .summary = "say which operations are slower than what does the same by others",
    .options = options,
    .run = run,
};
