/* `ovl site`: is a system as its site expects it? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "tool/cells/filter.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/site/site.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"

#include <stdlib.h>

struct site_options {
    int help;
    const char *system, *json;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct site_options, member)

static const struct ovl_option options[] = {
    {0, "system", "NAME", "the system that all launches are of (default by the names of their hosts)", OVL_OPTION_TEXT,
     AT(system), 0, 0, NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* Samples are wanted where a rule is about a percentile. */
static bool brief(const json_t *references)
{
    json_t *system, *rule;
    size_t i, k;
    struct ovl_error none;
    bool all = true;
    json_array_foreach(json_object_get(references, "systems"), i, system) {
        json_array_foreach(json_object_get(system, "rules"), k, rule) {
            all = all && ovl_metric_brief(ovl_metric_find(json_string_value(json_object_get(rule, "metric")), &none));
        }
    }
    return all;
}

static int judge(const json_t *references, const struct ovl_inputs *inputs, const struct ovl_record *record,
                 const struct site_options *o, struct ovl_error *err)
{
    struct ovl_site s;
    int code = -1;
    if (ovl_site_make(&s, references, o->system, record, o->filter.n > 0, err) == 0) {
        ovl_site_print(stdout, &s);
        code = ovl_inputs_exit(inputs, ovl_site_exit(&s));
        json_t *found = ovl_site_answer(&s);
        json_object_set_new(found, "untold", ovl_inputs_untold(inputs, 1));
        if (ovl_answer_write(o->json, "site", code, found, err) != 0)
            code = -1;
    }
    ovl_site_free(&s);
    return code;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct site_options o = {0};
    struct ovl_inputs inputs = {.failed = true};
    struct ovl_record record = {.runs = NULL};
    size_t copies = 0;
    int first, code = -1;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (argc - first < 2)
        return ovl_error_set(err, OVL_USAGE, "give a file of references, and one record file or folder or more");
    json_t *references = ovl_site_load(argv[first], err);
    int rc = references ? 0 : -1;
    for (int i = first + 1; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&inputs, argv[i], err);
    inputs.filtered = o.filter.n > 0;
    if (rc == 0 && ovl_inputs_read(&inputs, brief(references), &record, &copies, err) == 0 &&
        ovl_filter_launches(&o.filter, &record, "these launches", err) == 0 &&
        ovl_atomic_file_check(o.json, err) == 0) {
        printf("# ovl site: %zu launch%s in %zu file%s\n", record.run_count, record.run_count == 1 ? "" : "es",
               inputs.count, inputs.count == 1 ? "" : "s");
        ovl_inputs_note_unended(stdout, &record, "");
        ovl_inputs_note_disturbed(stdout, &record, "");
        ovl_inputs_note_unchecked(stdout, &record);
        ovl_inputs_note_beside(stdout, &inputs);
        code = judge(references, &inputs, &record, &o, err);
    }
    ovl_record_free(&record);
    ovl_inputs_free(&inputs);
    json_decref(references);
    return code;
}

const struct ovl_tool_command ovl_command_site = {
    .name = "site",
    .arguments = "REFERENCES DIR|FILE... [options]",
    .summary = "hold launches against what a site expects of the system that they ran on",
    .options = options,
    .run = run,
};
