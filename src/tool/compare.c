/* `ovl compare`: did cells get worse from old launches to new ones, and is that more than noise? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/atomic_file.h"
#include "tool/command.h"
#include "tool/compare_chart.h"
#include "tool/inputs.h"
#include "tool/junit.h"
#include "tool/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    int help, across, paired, any_work;
    double delta;
    const char *metric, *chart, *junit, *inconclusive;
};

#define AT(member) offsetof(struct compare_options, member)

static const struct ovl_option options[] = {
    {'d', "delta", "D",
     "how much worse is still well: a part of the old value, a difference for fractions (default 0.05)",
     OVL_OPTION_NUMBER, AT(delta), 0, 10, NULL, NULL},
    {'m', "metric", "NAME", "what is compared, a field of the record (default total_seconds)", OVL_OPTION_TEXT,
     AT(metric), 0, 0, NULL, NULL},
    {0, "paired", NULL, "launches were taken in turns, old, new, old, new: compare them pair by pair", OVL_OPTION_ON,
     AT(paired), 0, 0, NULL, NULL},
    {0, "any-work", NULL, "compare totals though the launches did not the same work", OVL_OPTION_ON, AT(any_work), 0, 0,
     NULL, NULL},
    {0, "inconclusive", "HOW",
     "for pipelines that know only two outcomes: pass or fail, what INCONCLUSIVE is taken for (exit 0 or 1; default 2)",
     OVL_OPTION_WORD, AT(inconclusive), 0, 0, "pass|fail", NULL},
    {0, "across", NULL, "compare although machine, library, binding or variables differ", OVL_OPTION_ON, AT(across), 0,
     0, NULL, NULL},
    {0, "chart", "FILE", "draw the changes too, as .svg, .png or .pdf", OVL_OPTION_TEXT, AT(chart), 0, 0, NULL, NULL},
    {0, "junit", "FILE", "write the verdicts for a CI server too, as JUnit's XML", OVL_OPTION_TEXT, AT(junit), 0, 0,
     NULL, NULL},
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
    if (ovl_inputs_add(&c->sources[side], c->path[side], err) != 0 ||
        ovl_inputs_read(&c->sources[side], true, &c->record[side], &copies, err) != 0)
        return -1;
    size_t n = c->record[side].run_count, files = c->sources[side].count;
    printf("# %s      %s: %zu launch%s in %zu file%s\n", names[side], c->path[side], n, n == 1 ? "" : "es", files,
           files == 1 ? "" : "s");
    if (copies > 0)
        printf("# note     %zu cop%s of a launch passed over\n", copies, copies == 1 ? "y" : "ies");
    return 0;
}

static int refuse_same(const struct comparing *c, struct ovl_error *err)
{
    json_t *old = json_object();
    int rc = old ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    for (size_t i = 0; i < c->record[0].run_count && rc == 0; i++)
        json_object_set_new(old, ovl_run_text(&c->record[0].runs[i], "run_id"), json_integer((json_int_t)i));
    for (size_t j = 0; j < c->record[1].run_count && rc == 0; j++) {
        const struct ovl_run *run = &c->record[1].runs[j];
        const json_t *same = json_object_get(old, ovl_run_text(run, "run_id"));
        if (same)
            rc =
                ovl_error_set(err, OVL_USAGE, "launch %s is on both sides (%s, %s): that compares nothing",
                              ovl_run_text(run, "run_id"), c->record[0].runs[json_integer_value(same)].file, run->file);
    }
    json_decref(old);
    return rc;
}

static int show_settings(const struct comparing *c, struct ovl_error *err)
{
    json_t *old = ovl_setting_of(&c->record[0]), *new = ovl_setting_of(&c->record[1]);
    size_t n = old && new ? ovl_setting_differences(stdout, old, new) : 0;
    int rc = old && new ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    json_decref(old);
    json_decref(new);
    if (rc == 0 && n > 0 && !c->options.across)
        return ovl_error_set(
            err, OVL_ENVIRONMENT,
            "old and new were measured in different settings, as listed; give --across to compare them "
            "all the same");
    return rc;
}

static void put_value(char text[32], const struct ovl_metric *m, double x)
{
    if (!isfinite(x))
        strcpy(text, "-");
    else if (strcmp(m->unit, "s") == 0)
        snprintf(text, 32, "%.2f", 1e6 * x);
    else
        snprintf(text, 32, "%.4f", x);
}

/* "1.043", or "+0.043" for a difference. */
static void put_change(char text[32], const struct ovl_metric *m, double x)
{
    if (!isfinite(x))
        strcpy(text, "-");
    else
        snprintf(text, 32, m->scale == OVL_METRIC_RATIO ? "%.3f" : "%+.3f", x);
}

static void print_row(const struct ovl_change *c, const struct ovl_metric *m, int width)
{
    char before[32], now[32], value[32], low[32], high[32], interval[72] = "-", p[32] = "-", launches[64], mde[32];
    put_value(before, m, c->before);
    put_value(now, m, c->now);
    put_change(value, m, c->value);
    put_change(low, m, c->low);
    put_change(high, m, c->high);
    if (!isnan(c->low))
        snprintf(interval, sizeof interval, "%s .. %s", low, high);
    if (!isnan(c->p))
        snprintf(p, sizeof p, c->p < 0.001 ? "%.1e" : "%.3f", c->p);
    snprintf(launches, sizeof launches, "%zu v %zu", c->old, c->new);
    put_change(mde, m, c->detectable);
    printf("  %-*s %12s %12s %8s %18s %8s %8s %8s  %s", width, c->group->label, before, now, value, interval, p,
           launches, mde, ovl_verdict_names[c->verdict]);
    if (*c->reason)
        printf(": %s", c->reason);
    if (c->left_out > 0)
        printf(" (%zu launch%s left out)", c->left_out, c->left_out == 1 ? "" : "es");
    printf("\n");
}

static void print_unlike_work(const struct comparing *c)
{
    const struct ovl_changes *all = &c->changes;
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < all->count; i++)
        if (!all->change[i].same_work) {
            least = fmin(least, all->change[i].work);
            greatest = fmax(greatest, all->change[i].work);
        }
    printf("# in %zu cell%s the launches did not the same work (new / old %.3f .. %.3f): %s\n", all->unlike,
           all->unlike == 1 ? "" : "s", least, greatest,
           c->gate.any_work ? "a change of the total may be one of the work"
                            : "give all launches the units of one\n# record by --work-from FILE, or compare all the "
                              "same by --any-work");
}

static void print_foot(const struct comparing *c)
{
    const struct ovl_changes *all = &c->changes;
    bool blunt = false;
    for (size_t i = 0; i < all->count; i++)
        blunt |= !isnan(all->change[i].p) && isinf(all->change[i].detectable);
    printf("#\n# %zu REGRESSED, %zu INCONCLUSIVE, %zu OK, %zu IMPROVED", all->verdicts[OVL_VERDICT_REGRESSED],
           all->verdicts[OVL_VERDICT_INCONCLUSIVE], all->verdicts[OVL_VERDICT_OK], all->verdicts[OVL_VERDICT_IMPROVED]);
    if (all->added > 0)
        printf("; %zu on the new side only", all->added);
    printf("\n# p: of \"at most %g worse\", one-sided, adjusted by Holm over %zu cell%s\n"
           "# MDE: the minimum detectable effect, a true change that so many launches call REGRESSED in\n"
           "# 80 %% of cases at Holm's strictest step\n",
           c->gate.delta, all->tested, all->tested == 1 ? "" : "s");
    if (blunt)
        printf("# for that step %zu launches a side are needed\n", all->needed);
    if (all->unlike > 0 && c->gate.metric->of_work)
        print_unlike_work(c);
}

static void print_changes(const struct comparing *c)
{
    int width = 4;
    const struct ovl_metric *m = c->gate.metric;
    bool seconds = strcmp(m->unit, "s") == 0, ratio = m->scale == OVL_METRIC_RATIO;
    for (size_t i = 0; i < c->changes.count; i++) {
        int n = (int)strlen(c->changes.change[i].group->label);
        width = n > width ? n : width;
    }
    printf("# common   %s\n", c->groups.common);
    printf("# gate     %s, %s is better; REGRESSED when worse than %.4g %s\n", m->name,
           m->more_is_better ? "more" : "less", ovl_gate_line(&c->gate), ratio ? "times the old value" : "apart");
    if (c->groups.repeated > 0)
        printf("# note     %zu cells that a launch has twice passed over\n", c->groups.repeated);
    printf("#\n# %-*s %12s %12s %8s %18s %8s %8s %8s  verdict\n", width, "cell", seconds ? "old us" : "old",
           seconds ? "new us" : "new", ratio ? "new/old" : "new-old", "95 % interval", "p", "launches", "MDE");
    for (size_t i = 0; i < c->changes.count; i++)
        print_row(&c->changes.change[i], m, width);
    print_foot(c);
}

static int write_junit(const struct comparing *c, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    const struct ovl_changes *all = &c->changes;
    size_t failed = all->verdicts[OVL_VERDICT_REGRESSED], skipped = all->verdicts[OVL_VERDICT_INCONCLUSIVE];
    if (ovl_atomic_file_open(&o, c->options.junit, err) != 0)
        return -1;
    ovl_junit_begin(o.file, all->count, failed, skipped);
    ovl_junit_suite(o.file, "ovl compare", all->count, failed, skipped);
    for (size_t i = 0; i < all->count; i++) {
        const struct ovl_change *change = &all->change[i];
        char message[512], value[32], low[32], high[32];
        put_change(value, c->gate.metric, change->value);
        put_change(low, c->gate.metric, change->low);
        put_change(high, c->gate.metric, change->high);
        snprintf(message, sizeof message, "%s: %s %s (%s .. %s), %zu against %zu launches%s%s",
                 ovl_verdict_names[change->verdict], c->gate.metric->name, value, low, high, change->new, change->old,
                 *change->reason ? ": " : "", change->reason);
        bool seconds = strcmp(c->gate.metric->unit, "s") == 0;
        ovl_junit_case(o.file, "ovl compare", change->group->label, seconds ? change->now : 0,
                       change->verdict == OVL_VERDICT_REGRESSED      ? OVL_JUNIT_FAILED
                       : change->verdict == OVL_VERDICT_INCONCLUSIVE ? OVL_JUNIT_SKIPPED
                                                                     : OVL_JUNIT_PASSED,
                       message);
    }
    ovl_junit_suite_end(o.file);
    ovl_junit_end(o.file);
    return ovl_atomic_file_close(&o, err);
}

static int compare(struct comparing *c, struct ovl_error *err)
{
    const struct ovl_record *const sides[] = {&c->record[0], &c->record[1]};
    printf("# ovl compare: %s\n", c->gate.metric->name);
    if (read_side(c, 0, err) != 0 || read_side(c, 1, err) != 0 || refuse_same(c, err) != 0 ||
        show_settings(c, err) != 0 || ovl_groups_make(&c->groups, sides, 2, err) != 0 ||
        ovl_changes_make(&c->changes, &c->groups, &c->gate, err) != 0)
        return -1;
    print_changes(c);
    if (c->options.junit && write_junit(c, err) != 0)
        return -1;
    char subtitle[2400];
    snprintf(subtitle, sizeof subtitle, "old: %s; new: %s; %s", c->path[0], c->path[1], c->groups.common);
    if (c->options.chart && ovl_compare_chart(&c->changes, &c->gate, subtitle, c->options.chart, err) != 0)
        return -1;
    int code = ovl_changes_exit(&c->changes);
    if (code != OVL_INCONCLUSIVE || !c->options.inconclusive)
        return code;
    return strcmp(c->options.inconclusive, "pass") == 0 ? OVL_OK : OVL_MISSED;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct comparing c = {.options = {.delta = 0.05, .metric = "total_seconds"}};
    int first, rc = -1;
    if (ovl_options_parse(options, argc, argv, &c.options, &first, err) != 0)
        return -1;
    if (argc - first != 2)
        return ovl_error_set(err, OVL_USAGE, "give two: OLD and NEW, each a record file or a folder of them");
    c.path[0] = argv[first];
    c.path[1] = argv[first + 1];
    c.gate = (struct ovl_gate){ovl_metric_find(c.options.metric, err), c.options.delta, c.options.paired,
                               c.options.any_work};
    if (c.gate.metric)
        rc = compare(&c, err);
    ovl_changes_free(&c.changes);
    ovl_groups_free(&c.groups);
    for (int side = 0; side < 2; side++) {
        ovl_record_free(&c.record[side]);
        ovl_inputs_free(&c.sources[side]);
    }
    return rc;
}

const struct ovl_command ovl_command_compare = {
    .name = "compare",
    .arguments = "OLD NEW [options]",
    .summary = "say which cells got worse from old launches to new ones, beyond noise",
    .exits =
        "0 nothing worse, 1 a cell REGRESSED, 2 a cell INCONCLUSIVE and none REGRESSED (--inconclusive pass\n"
        "makes it 0, fail 1), 3 wrong call, 4 damaged record, 5 file not usable, or settings differ and no --across",
    .options = options,
    .run = run,
};
