/* `ovl rank`: which of several sides is best on the same work, and by how much? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "base/utf8.h"
#include "tool/cells/filter.h"
#include "tool/cells/setting.h"
#include "tool/compare/launches.h"
#include "tool/rank/rank.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 80 }; /* bytes of a value, such as the binding of many ranks */

struct rank_options {
    int help, paired, any_work, across;
    const char *metric, *reference, *json;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct rank_options, member)

static const struct ovl_option options[] = {
    {'m', "metric", "NAME", "what is ranked, a field of the record (default total_seconds)", OVL_OPTION_TEXT,
     AT(metric), 0, 0, NULL, NULL},
    {0, "reference", "SIDE", "the side that all others are held against (default the best one)", OVL_OPTION_TEXT,
     AT(reference), 0, 0, NULL, NULL},
    {0, "paired", NULL, "launches of one number were taken in turns, as those of one sweep are: compare them in pairs",
     OVL_OPTION_ON, AT(paired), 0, 0, NULL, NULL},
    {0, "any-work", NULL, "rank totals though the launches did not the same work", OVL_OPTION_ON, AT(any_work), 0, 0,
     NULL, NULL},
    {0, "across", NULL, "rank several folders although machine, library, binding or variables differ", OVL_OPTION_ON,
     AT(across), 0, 0, NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static int rank(const struct ovl_launches *l, const struct ovl_rank_how *how, const struct rank_options *o,
                char *const *paths, size_t count, struct ovl_error *err)
{
    struct ovl_rank r;
    int code = -1;
    if (ovl_rank_make(&r, &l->groups, how, paths, count, err) == 0) {
        ovl_rank_print(stdout, &r);
        code = ovl_inputs_exit(&l->inputs, ovl_rank_exit(&r));
        json_t *found = ovl_rank_answer(&r);
        json_object_set_new(found, "untold", ovl_inputs_untold(&l->inputs, 1));
        if (ovl_answer_write(o->json, "rank", code, found, err) != 0)
            code = -1;
    }
    ovl_rank_free(&r);
    return code;
}

static void print_head(const struct ovl_launches *l, const struct ovl_rank_how *how)
{
    printf("# ovl rank: %s, %s is better\n", how->metric->name, how->metric->more_is_better ? "more" : "less");
    printf("# launches %zu in %zu file%s\n", l->record.run_count, l->inputs.count, l->inputs.count == 1 ? "" : "s");
    ovl_launches_note(l);
    if (*l->groups.common)
        printf("# common   %s\n", l->groups.common);
}

/* Prints in which settings launches differ, and returns how many there are of those that compare asks --across for; how
   many of these are of machines, which no plan sets, becomes *machines. */
static size_t tell_settings(const struct ovl_record *record, size_t *machines)
{
    static const char told_only[] = "note: "; /* tool/cells/setting.h */
    json_t *setting = ovl_setting_of(record), *values, *n;
    const char *name, *text;
    size_t differ = 0;
    json_object_foreach(setting, name, values) {
        bool note = strncmp(name, told_only, strlen(told_only)) == 0;
        const char *gap = ": ";
        if (json_object_size(values) < 2)
            continue;
        printf("# %s  %s", note ? "note   " : "differs", note ? name + strlen(told_only) : name);
        json_object_foreach(values, text, n) {
            printf("%s%.*s (%lld)", gap, (int)ovl_utf8_cut(text, SHOWN), text, (long long)json_integer_value(n));
            gap = ", ";
        }
        printf("\n");
        differ += !note;
        *machines += !note && strncmp(name, "hosts[]", strlen("hosts[]")) == 0;
    }
    json_decref(setting);
    return differ;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct rank_options o = {.metric = "total_seconds"};
    struct ovl_launches l = {0};
    int first, code = -1;
    if (ovl_command_parse(&ovl_command_rank, argc, argv, &o, &first, err) != 0)
        return -1;
    char *const *paths = argv + first;
    size_t count = (size_t)(argc - first);
    struct ovl_rank_how how = {ovl_metric_find(o.metric, err), o.reference, o.paired, o.any_work, o.filter.n > 0};
    if (how.metric && ovl_launches_open(&l, paths, count, how.metric, &o.filter, err) == 0 &&
        ovl_atomic_file_check(o.json, err) == 0) {
        print_head(&l, &how);
        size_t machines = 0, differ = tell_settings(&l.record, &machines);
        if ((machines > 0 || (differ > 0 && count > 1)) && !o.across)
            ovl_error_set(err, OVL_ENVIRONMENT,
                          "launches were measured in different settings, as listed; give --across to rank them all the "
                          "same");
        else
            code = rank(&l, &how, &o, paths, count, err);
    }
    ovl_launches_close(&l);
    return code;
}

const struct ovl_tool_command ovl_command_rank = {
    .name = "rank",
    .arguments = "DIR|FILE... [options]",
    .summary = "say which of several sides, such as the jobs of a sweep, is best, and by how much",
    .options = options,
    .run = run,
};
