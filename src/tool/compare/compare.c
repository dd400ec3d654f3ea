/* `ovl compare`: did cells get worse from old launches to new ones, and is that more than noise? compare/table.c prints
   the verdicts, compare/power.c says how many launches they need. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/derived/show.h"
#include "tool/cells/filter.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/chart/file.h"
#include "tool/compare/answer.h"
#include "tool/compare/chart.h"
#include "tool/compare/gate.h"
#include "tool/compare/power.h"
#include "tool/compare/table.h"
#include "tool/export/junit.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    int help, plan;
    struct ovl_gate_options gate;
    uint64_t launches;
    const char *metric, *chart, *junit, *json, *inconclusive;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct compare_options, member)

static const struct ovl_option options[] = {
    OVL_GATE_COUNTS_ROWS(compare_options, gate, "", "default 0.05"),
    OVL_GATE_SIDES_ROWS(compare_options, gate, ""),
    {'m', "metric", "NAME", "what is compared, a field of the record (default total_seconds)", OVL_OPTION_TEXT,
     AT(metric), 0, 0, NULL, NULL},
    {0, "plan", NULL, "say from OLD alone how many launches of both sides, and how much time, a verdict will need here",
     OVL_OPTION_ON, AT(plan), 0, 0, NULL, NULL},
    {0, "launches", "N", "with --plan: say what so many launches a side will find", OVL_OPTION_COUNT, AT(launches), 2,
     1000, NULL, NULL},
    {0, "inconclusive", "HOW",
     "for pipelines that know only two outcomes: pass or fail, what INCONCLUSIVE is taken for (exit 0 or 1; default 2)",
     OVL_OPTION_WORD, AT(inconclusive), 0, 0, "pass|fail", NULL},
    {0, "chart", "FILE", "draw the changes too, as .svg, .png or .pdf", OVL_OPTION_TEXT, AT(chart), 0, 0, NULL, NULL},
    {0, "junit", "FILE", "write the verdicts for a CI server too, as JUnit's XML", OVL_OPTION_TEXT, AT(junit), 0, 0,
     NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct comparing {
    struct compare_options options;
    struct ovl_gate gate;
    struct ovl_inputs sources[2];
    struct ovl_record record[2];
    struct ovl_groups groups;
    struct ovl_changes changes;
    const char *path[2];
};

static int read_side(struct comparing *c, int side, struct ovl_error *err)
{
    static const char *const names[] = {"old", "new"};
    size_t copies = 0;
    c->sources[side].failed = true;
    c->sources[side].filtered = c->options.filter.n > 0;
    if (ovl_inputs_add(&c->sources[side], c->path[side], err) != 0 ||
        ovl_inputs_read(&c->sources[side], ovl_metric_brief(c->gate.metric), &c->record[side], &copies, err) != 0 ||
        ovl_filter_launches(&c->options.filter, &c->record[side], c->path[side], err) != 0)
        return -1;
    size_t n = c->record[side].run_count, files = c->sources[side].count;
    printf("# %s      ", names[side]);
    ovl_printable_put(stdout, c->path[side]);
    printf(": %zu launch%s in %zu file%s\n", n, n == 1 ? "" : "es", files, files == 1 ? "" : "s");
    if (copies > 0)
        printf("# note     %zu cop%s of a launch passed over\n", copies, copies == 1 ? "y" : "ies");
    ovl_inputs_note_beside(stdout, &c->sources[side]);
    return 0;
}

static int write_junit(const struct comparing *c, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    const struct ovl_changes *all = &c->changes;
    const struct ovl_show show = ovl_show_of_change(c->gate.metric);
    size_t failed = all->verdicts[OVL_VERDICT_REGRESSED], skipped = all->verdicts[OVL_VERDICT_INCONCLUSIVE];
    size_t untold = (c->sources[0].owed.untold != NULL) + (c->sources[1].owed.untold != NULL) + (all->count == 0);
    if (ovl_atomic_file_open(&o, c->options.junit, err) != 0)
        return -1;
    ovl_junit_begin(o.file, all->count + untold, failed, skipped + untold);
    ovl_junit_suite(o.file, "ovl compare", all->count + untold, failed, skipped + untold);
    for (size_t i = 0; i < all->count; i++) {
        const struct ovl_change *change = &all->change[i];
        char message[768], value[32], low[32], high[32], note[200];
        ovl_show_text(value, &show, change->value);
        ovl_show_text(low, &show, change->low);
        ovl_show_text(high, &show, change->high);
        ovl_change_note(change, note);
        snprintf(message, sizeof message, "%s: %s %s (%s .. %s), %zu against %zu launches%s%s%s%s",
                 ovl_verdict_names[change->verdict], c->gate.metric->name, value, low, high, change->launches,
                 change->launches, *change->reason ? ": " : "", change->reason, *note ? "; " : "", note);
        bool seconds = strcmp(c->gate.metric->unit, "s") == 0;
        ovl_junit_case(o.file, "ovl compare", change->group->label, seconds ? change->now : 0,
                       change->verdict == OVL_VERDICT_REGRESSED      ? OVL_JUNIT_FAILED
                       : change->verdict == OVL_VERDICT_INCONCLUSIVE ? OVL_JUNIT_SKIPPED
                                                                     : OVL_JUNIT_PASSED,
                       message);
    }
    for (int side = 0; side < 2; side++)
        if (c->sources[side].owed.untold)
            ovl_junit_case(o.file, "ovl compare", side ? "records of the new side" : "records of the old side", 0,
                           OVL_JUNIT_SKIPPED, c->sources[side].owed.untold);
    if (all->count == 0)
        ovl_junit_case(o.file, "ovl compare", "cells", 0, OVL_JUNIT_SKIPPED,
                       "the old side has no cell, and nothing was compared");
    ovl_junit_suite_end(o.file);
    ovl_junit_end(o.file);
    return ovl_atomic_file_close(&o, err);
}

/* A gate must not let through what it did not look at. */
static int refuse_blind_pass(const struct comparing *c, struct ovl_error *err)
{
    const struct ovl_member *first;
    size_t unlike = c->gate.metric->of_work && !c->gate.any_work ? c->changes.unlike : 0, lost = 0, unfit = 0,
           untested = 0, stalls = 0, slower = 0;
    for (size_t i = 0; i < c->changes.count; i++) {
        const struct ovl_change *change = &c->changes.change[i];
        bool measured = ovl_group_side(change->group, 1, &first) > 0;
        lost += !measured;
        unfit += measured && change->launches == 0;
        stalls += change->stalls > 0;
        slower += change->slower && change->verdict == OVL_VERDICT_INCONCLUSIVE;
        untested += change->verdict == OVL_VERDICT_INCONCLUSIVE && (isnan(change->p) || isinf(change->detectable));
    }
    for (int side = 0; side < 2; side++)
        if (c->sources[side].owed.untold)
            return ovl_error_set(err, OVL_USAGE, "--inconclusive pass: %.400s", c->sources[side].owed.untold);
    if (c->changes.count == 0)
        return ovl_error_set(err, OVL_USAGE, "--inconclusive pass: the old side has no cell, and nothing was compared");
    if (lost > 0)
        return ovl_error_set(
            err, OVL_USAGE,
            "--inconclusive pass: the new side lacks %zu of the %zu cells of the old one; measure them, or "
            "leave them out of the old side",
            lost, c->changes.count);
    if (unfit > 0)
        return ovl_error_set(
            err, OVL_USAGE,
            "--inconclusive pass: in %zu of the %zu cells no launch of one side is fit to be compared (invalid, "
            "unshaped, wrong, without a value or without its pair); measure them again, or leave them out of the old "
            "side",
            unfit, c->changes.count);
    if (stalls > 0)
        return ovl_error_set(
            err, OVL_USAGE,
            "--inconclusive pass: in %zu of the %zu cells some new launches stall, which is shown and no "
            "doubt; find out why, or leave the cells out of the old side",
            stalls, c->changes.count);
    if (slower > 0)
        return ovl_error_set(
            err, OVL_USAGE,
            "--inconclusive pass: in %zu of the %zu cells the total is worse, which is shown, and so is the work "
            "alone, "
            "by the machine or by what is compared; take launches in turns (--paired), which tells these apart",
            slower, c->changes.count);
    if (unlike > 0)
        return ovl_error_set(
            err, OVL_USAGE,
            "--inconclusive pass: in %zu cell%s the launches did not the same work, and nothing was "
            "compared; give all launches the units of one record by --work-from, or compare all the same "
            "by --any-work",
            unlike, unlike == 1 ? "" : "s");
    if (untested > 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--inconclusive pass: in %zu of the %zu cells no change, however large, could be called "
                             "REGRESSED; it takes "
                             "%zu %s that can be compared, and lost launches measured again",
                             untested, c->changes.count, c->changes.needed,
                             c->gate.paired ? "pairs of launches" : "launches a side");
    return 0;
}

/* -1: told. */
static int exit_code(const struct comparing *c, struct ovl_error *err)
{
    int code = ovl_inputs_exit(&c->sources[1], ovl_inputs_exit(&c->sources[0], ovl_changes_exit(&c->changes)));
    if (code != OVL_INCONCLUSIVE || !c->options.inconclusive)
        return code;
    if (strcmp(c->options.inconclusive, "pass") != 0)
        return OVL_MISSED;
    return refuse_blind_pass(c, err) == 0 ? OVL_OK : -1;
}

static int compare(struct comparing *c, struct ovl_error *err)
{
    const struct ovl_record *const sides[] = {&c->record[0], &c->record[1]};
    size_t differ;
    printf("# ovl compare: %s\n", c->gate.metric->name);
    if (read_side(c, 0, err) != 0 || read_side(c, 1, err) != 0 || ovl_atomic_file_check(c->options.junit, err) != 0 ||
        ovl_chart_file_check(c->options.chart, err) != 0 || ovl_atomic_file_check(c->options.chart, err) != 0 ||
        ovl_atomic_file_check(c->options.json, err) != 0)
        return -1;
    ovl_groups_make(&c->groups, sides, 2);
    if (ovl_gate_check(stdout, sides[0], sides[1], &c->groups, &c->options.gate, &differ, err) != 0)
        return -1;
    ovl_changes_make(&c->changes, &c->groups, &c->gate);
    ovl_compare_print(&c->changes, &c->groups, &c->gate);
    int code = exit_code(c, err); /* a refused call has no answer */
    if (code < 0 || (c->options.junit && write_junit(c, err) != 0))
        return -1;
    char subtitle[2400];
    const char *untold = c->sources[0].owed.untold ? c->sources[0].owed.untold : c->sources[1].owed.untold;
    snprintf(subtitle, sizeof subtitle, "%s%.400s%sold: %s; new: %s; %s", untold ? "NOT KNOWN: " : "",
             untold ? untold : "", untold ? "; " : "", c->path[0], c->path[1], c->groups.common);
    struct ovl_error undrawn;
    json_t *found = ovl_changes_answer(&c->changes, &c->groups, &c->gate);
    json_object_set_new(found, "untold", ovl_inputs_untold(c->sources, 2));
    int drawn = c->options.chart ? ovl_compare_chart(&c->changes, &c->gate, subtitle, c->options.chart, &undrawn) : 0;
    if (drawn != 0 && undrawn.code != OVL_INCONCLUSIVE) { /* with nothing to draw there is none, which is no verdict */
        *err = undrawn;
        code = -1;
    }
    if (ovl_answer_write(c->options.json, "compare", code < 0 ? (int)err->code : code, found, err) != 0 || code < 0)
        return -1;
    if (drawn != 0)
        fprintf(stderr, "ovl compare: %s\n", undrawn.text);
    return code;
}

/* The plan of a comparison has one side. */
static int plan(struct comparing *c, struct ovl_error *err)
{
    const struct ovl_record *const side[] = {&c->record[0]};
    printf("# ovl compare --plan: %s\n", c->gate.metric->name);
    if (read_side(c, 0, err) != 0)
        return -1;
    ovl_groups_make(&c->groups, side, 1);
    ovl_inputs_note_unended(stdout, &c->record[0], "");
    return ovl_compare_plan(&c->groups, &c->record[0], &c->gate, (size_t)c->options.launches, err);
}

static int check_call(const struct comparing *c, int sides, struct ovl_error *err)
{
    if (sides != (c->options.plan ? 1 : 2))
        return ovl_error_set(err, OVL_USAGE,
                             c->options.plan ? "--plan takes one: OLD, a record file or a folder of them"
                                             : "give two: OLD and NEW, each a record file or a folder of them");
    if (c->options.plan && c->options.json)
        return ovl_error_set(err, OVL_USAGE, "--plan judges nothing: --json goes with a comparison");
    if (c->options.launches > 0 && !c->options.plan)
        return ovl_error_set(err, OVL_USAGE,
                             "--launches N goes with --plan: a comparison takes the launches it is given");
    return 0;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct comparing c = {.options = {.gate = {.delta = OVL_GATE_DELTA}, .metric = "total_seconds"}};
    int first, rc = -1;
    if (ovl_options_parse(options, argc, argv, &c.options, &first, err) != 0 || check_call(&c, argc - first, err) != 0)
        return -1;
    c.path[0] = argv[first];
    c.path[1] = c.options.plan ? NULL : argv[first + 1];
    if (ovl_gate_make(&c.gate, &c.options.gate, c.options.metric, err) == 0)
        rc = c.options.plan ? plan(&c, err) : compare(&c, err);
    ovl_changes_free(&c.changes);
    ovl_groups_free(&c.groups);
    for (int side = 0; side < 2; side++) {
        ovl_record_free(&c.record[side]);
        ovl_inputs_free(&c.sources[side]);
    }
    return rc;
}

const struct ovl_tool_command ovl_command_compare = {
    .name = "compare",
    .arguments = "OLD NEW [options] | --plan OLD [options]",
    .summary = "say which cells got worse from old launches to new ones, beyond noise",
    .options = options,
    .run = run,
};
