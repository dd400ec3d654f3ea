/* `ovl nodes`: which nodes, or pairs of them, are slow in a sweep that has the same launch on each? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "tool/cells/filter.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/nodes/nodes.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"
#include "tool/util/lock.h"

#include <stdlib.h>
#include <string.h>

struct nodes_options {
    int help, any_work;
    double within;
    const char *metric, *json;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct nodes_options, member)

static const struct ovl_option options[] = {
    {'m', "metric", "NAME", "what is compared, a field of the record (default comm_seconds)", OVL_OPTION_TEXT,
     AT(metric), 0, 0, NULL, NULL},
    {'w', "within", "F", "how much worse than the median of all is still well (default 0.1)", OVL_OPTION_NUMBER,
     AT(within), 0, 0.99, NULL, NULL},
    {0, "any-work", NULL, "compare totals though the launches did not the same work", OVL_OPTION_ON, AT(any_work), 0, 0,
     NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static int read_all(const char *folder, struct ovl_inputs *inputs, const struct nodes_options *o,
                    struct ovl_record *record, json_t **there, struct ovl_error *err)
{
    size_t copies = 0;
    inputs->filtered = o->filter.n > 0;
    inputs->owed.attempts = true;
    if (ovl_inputs_add(inputs, folder, err) != 0 || ovl_inputs_read(inputs, true, record, &copies, err) != 0)
        return -1;
    *there = ovl_nodes_there(record);
    return ovl_filter_launches(&o->filter, record, folder, err) == 0 ? ovl_atomic_file_check(o->json, err) : -1;
}

static int judge(const struct ovl_plan *plan, const struct ovl_sweep_log *log, const json_t *there,
                 const struct ovl_inputs *inputs, const struct ovl_record *record, const struct ovl_nodes_how *how,
                 const struct nodes_options *o, struct ovl_error *err)
{
    struct ovl_nodes n;
    int code = -1;
    if (ovl_nodes_make(&n, plan, log, there, record, how, err) == 0) {
        ovl_nodes_print(stdout, &n);
        code = ovl_inputs_exit(inputs, ovl_nodes_exit(&n));
        json_t *found = ovl_nodes_answer(&n);
        json_object_set_new(found, "untold", ovl_inputs_untold(inputs, 1));
        if (ovl_answer_write(o->json, "nodes", code, found, err) != 0)
            code = -1;
    }
    ovl_nodes_free(&n);
    return code;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct nodes_options o = {.metric = "comm_seconds", .within = 0.1};
    struct ovl_inputs inputs = {.failed = true};
    struct ovl_record record = {.runs = NULL};
    struct ovl_plan plan;
    struct ovl_sweep_log log = {.launch = NULL};
    json_t *there = NULL;
    int first, code = -1;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (argc - first != 1)
        return ovl_error_set(err, OVL_USAGE, "give one folder of a sweep whose plan has \"each\"");
    struct ovl_nodes_how how = {ovl_metric_find(o.metric, err), o.within, o.any_work, false};
    if (!how.metric)
        return -1;
    if (how.metric->scale != OVL_METRIC_RATIO || how.metric->percent > 0)
        return ovl_error_set(err, OVL_USAGE,
                             "-m %.60s: a metric that is compared by ratio is wanted, such as "
                             "comm_seconds",
                             o.metric);
    if (ovl_plan_load(&plan, ovl_path("%s/plan.json", argv[first]).text, NULL, err) != 0)
        return -1;
    const struct ovl_path log_path = ovl_path("%s/sweep.log", argv[first]);
    how.working = ovl_sweep_lock_is_held(argv[first], log_path.text);
    if (ovl_sweep_log_read(&log, &plan, log_path.text, err) == 0 &&
        read_all(argv[first], &inputs, &o, &record, &there, err) == 0) {
        printf("# ovl nodes: %s, %s is better; %zu launches\n", how.metric->name,
               how.metric->more_is_better ? "more" : "less", record.run_count);
        ovl_inputs_note_unended(stdout, &record, "");
        ovl_inputs_note_disturbed(stdout, &record, "");
        ovl_inputs_note_unchecked(stdout, &record);
        ovl_inputs_note_beside(stdout, &inputs);
        code = judge(&plan, &log, there, &inputs, &record, &how, &o, err);
    }
    json_decref(there);
    ovl_record_free(&record);
    ovl_inputs_free(&inputs);
    ovl_sweep_log_free(&log);
    ovl_plan_free(&plan);
    return code;
}

const struct ovl_tool_command ovl_command_nodes = {
    .name = "nodes",
    .arguments = "DIR [options]",
    .summary = "name the slow nodes, or pairs, of a sweep that has one launch on each of them",
    .options = options,
    .run = run,
};
