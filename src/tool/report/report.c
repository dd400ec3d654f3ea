/* `ovl report`: one page that needs nothing else: verdicts, charts, tables, set-up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/derived/percentile.h"
#include "tool/accept/judged.h"
#include "tool/cells/filter.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/setting.h"
#include "tool/compare/gate.h"
#include "tool/compare/table.h"
#include "tool/offload/pairs.h"
#include "tool/report/charts.h"
#include "tool/report/page.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_options {
    int help;
    struct ovl_gate_options gate;
    const char *output, *title, *limits, *old, *metric, *since;
    int history;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct report_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "FILE", "the page, whole or not at all (default report.html)", OVL_OPTION_TEXT, AT(output), 0, 0,
     NULL, NULL},
    {0, "title", "TEXT", "its title (default: Overlap report)", OVL_OPTION_TEXT, AT(title), 0, 0, NULL, NULL},
    {0, "limits", "LIMITS", "judge by this limits file too, as ovl accept does", OVL_OPTION_TEXT, AT(limits), 0, 0,
     NULL, NULL},
    {0, "old", "OLD", "compare with these launches too, as ovl compare does", OVL_OPTION_TEXT, AT(old), 0, 0, NULL,
     NULL},
    OVL_GATE_SIDES_ROWS(report_options, gate, "for --old: "),
    {0, "history", NULL, "show where cells changed over the launches too, as ovl history does", OVL_OPTION_ON,
     AT(history), 0, 0, NULL, NULL},
    {0, "since", "WHEN", "for --history: a date or a revision from which on changes are new", OVL_OPTION_TEXT,
     AT(since), 0, 0, NULL, NULL},
    {'m', "metric", "NAME", "for --old and --history: what is compared (default total_seconds)", OVL_OPTION_TEXT,
     AT(metric), 0, 0, NULL, NULL},
    OVL_GATE_COUNTS_ROWS(report_options, gate, "for --old and --history: ", "default 0.05, and 0 for --history"),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct reporting {
    struct report_options options;
    struct ovl_inputs sources, old_sources;
    struct ovl_record record, old;
    struct ovl_groups groups, both;
    struct ovl_changes changes;
    struct ovl_gate gate;
    struct ovl_history history;
    json_t *verdicts;
    char *head;     /* of the verdicts, lines that begin with "# " */
    char *settings; /* such lines: in what old and new differ */
    size_t differ;  /* how many of these make it a comparison of settings */
    size_t copies;
    FILE *out;
    int code; /* what the verdicts on the page say: OVL_OK, OVL_MISSED, OVL_INCONCLUSIVE */
};

/* Wrong data are told before a regression, or what was missed, and that before what is not known. */
static void note_exit(struct reporting *r, int code)
{
    bool kept = code == OVL_OK || r->code == OVL_WRONG_DATA || (r->code == OVL_MISSED && code != OVL_WRONG_DATA);
    r->code = kept ? r->code : code;
}

/* As `ovl accept` does, with its head. */
static int judge(struct reporting *r, struct ovl_error *err)
{
    struct ovl_judged j = {.limits = NULL};
    size_t length = 0;
    j.sources.path = ovl_alloc(r->sources.count, sizeof *j.sources.path); /* of lent ones */
    for (size_t i = 0; i < r->sources.count; i++)
        if (!ovl_inputs_partial(r->sources.path[i]))
            j.sources.path[j.sources.count++] = r->sources.path[i];
    ovl_jobs_order(&j.sources);
    int rc = ovl_judged_make(&j, r->options.limits, err);
    if (rc == 0) {
        FILE *head = ovl_check_alloc(open_memstream(&r->head, &length));
        ovl_judged_head(head, &j);
        fprintf(head, "# %s\n", ovl_judged_verdict(&j));
        fclose(head);
        r->verdicts = json_incref(j.verdicts);
        note_exit(r, ovl_judged_exit(&j));
    }
    free(j.sources.path);
    j.sources = (struct ovl_inputs){.path = NULL};
    ovl_judged_free(&j);
    return rc;
}

/* As `ovl compare` does; what differs is told on stdout where that is why there is no page. */
static int check_sides(struct reporting *r, struct ovl_error *err)
{
    size_t length = 0;
    FILE *out = ovl_check_alloc(open_memstream(&r->settings, &length));
    int rc = ovl_gate_check(out, &r->old, &r->record, &r->both, &r->options.gate, &r->differ, err);
    fclose(out);
    if (rc != 0)
        fputs(r->settings, stdout);
    return rc;
}

static int compare(struct reporting *r, struct ovl_error *err)
{
    const struct ovl_record *const sides[] = {&r->old, &r->record};
    struct ovl_gate_options o = r->options.gate;
    size_t copies = 0;
    o.delta = isnan(o.delta) ? OVL_GATE_DELTA : o.delta;
    r->old_sources.failed = true;
    r->old_sources.filtered = r->options.filter.n > 0;
    if (ovl_gate_make(&r->gate, &o, r->options.metric, err) != 0 ||
        ovl_inputs_add(&r->old_sources, r->options.old, err) != 0 ||
        ovl_inputs_read(&r->old_sources, ovl_metric_brief(r->gate.metric), &r->old, &copies, err) != 0 ||
        ovl_filter_launches(&r->options.filter, &r->old, r->options.old, err) != 0)
        return -1;
    ovl_groups_make(&r->both, sides, 2);
    if (check_sides(r, err) != 0)
        return -1;
    ovl_changes_make(&r->changes, &r->both, &r->gate);
    note_exit(r, ovl_inputs_exit(&r->old_sources, ovl_inputs_exit(&r->sources, ovl_changes_exit(&r->changes))));
    return 0;
}

static int look_back(struct reporting *r, struct ovl_error *err)
{
    const struct ovl_gate_options *o = &r->options.gate;
    struct ovl_history_how how = {.metric = ovl_metric_find(r->options.metric, err),
                                  .since = r->options.since,
                                  .delta = isnan(o->delta) ? 0 : o->delta,
                                  .any_work = o->any_work};
    if (!how.metric || ovl_history_make(&r->history, &r->groups, &how, err) != 0)
        return -1;
    int code = ovl_history_exit(&r->history);
    note_exit(r, r->options.since ? ovl_inputs_exit(&r->sources, code) : code);
    return 0;
}

/* In words as `ovl compare` prints them. */
static void write_changes(struct reporting *r)
{
    char *text = NULL;
    size_t length = 0;
    FILE *all = ovl_check_alloc(open_memstream(&text, &length));
    bool meet = ovl_page_sides_meet(&r->both);
    if (!meet)
        ovl_page_apart(r->out, &r->both);
    if (r->differ > 0 || meet)
        fprintf(r->out, "<p>%s</p>\n",
                r->differ > 0 ? "<strong class=\"FAIL\">Old and new were measured in different settings:</strong>"
                              : "Old and new were measured in the same setting.");
    ovl_page_lines(r->out, r->settings);
    ovl_compare_put_test(all, &r->changes, &r->gate);
    ovl_compare_put_outcome(all, &r->changes, &r->gate);
    fclose(all);
    ovl_page_lines(r->out, text);
    free(text);
    ovl_page_changes(r->out, &r->changes, &r->gate);
}

static void write_verdicts(struct reporting *r)
{
    fputs("<section id=\"verdicts\"><h2>Verdicts</h2>\n", r->out);
    ovl_page_lines(r->out, r->head);
    if (r->verdicts)
        ovl_table_verdicts(r->out, &ovl_table_html, r->verdicts);
    if (r->options.old)
        write_changes(r);
    fputs("</section>\n", r->out);
}

static int write_charts(struct reporting *r, struct ovl_error *err)
{
    struct ovl_page_charts charts = {.out = r->out,
                                     .sources = &r->sources,
                                     .filter = &r->options.filter,
                                     .record = &r->record,
                                     .groups = &r->groups,
                                     .changes = r->options.old ? &r->changes : NULL,
                                     .gate = &r->gate,
                                     .old = r->options.old,
                                     .common = r->both.common,
                                     .history = r->options.history ? &r->history : NULL};
    return ovl_page_charts(&charts, err);
}

static int write_page(struct reporting *r, struct ovl_error *err)
{
    json_t *setting = ovl_setting_of(&r->record);
    bool verdicts = r->verdicts || r->options.old;
    int rc = ovl_page_begin(r->out, r->options.title, verdicts, r->options.history, err);
    if (rc == 0) {
        ovl_page_summary(r->out, &r->record, &r->groups, r->copies);
        ovl_page_beside(r->out, &r->sources);
        ovl_page_beside(r->out, &r->old_sources);
        if (verdicts)
            write_verdicts(r);
        if (r->options.history)
            ovl_page_history(r->out, &r->history);
        ovl_page_offloads(r->out, &r->record);
        rc = write_charts(r, err);
    }
    if (rc == 0) {
        ovl_page_cells(r->out, &r->record, &r->groups);
        ovl_page_setup(r->out, setting, &r->record);
        ovl_page_fairness(r->out, &r->record, &r->groups);
        rc = ovl_page_end(r->out, err);
    }
    json_decref(setting);
    return rc;
}

static int report(struct reporting *r, struct ovl_error *err)
{
    const struct ovl_record *const one[] = {&r->record};
    struct ovl_atomic_file o;
    bool brief = !ovl_percentile_field(r->options.metric);
    if (ovl_inputs_read(&r->sources, brief, &r->record, &r->copies, err) != 0)
        return -1;
    if (ovl_filter_launches(&r->options.filter, &r->record, "these files", err) != 0)
        return -1;
    ovl_groups_make(&r->groups, one, 1);
    if ((r->options.limits && judge(r, err) != 0) || (r->options.old && compare(r, err) != 0) ||
        (r->options.history && look_back(r, err) != 0) || ovl_atomic_file_open(&o, r->options.output, err) != 0)
        return -1;
    r->out = o.file;
    note_exit(r, ovl_offloads_refuted(&r->record) ? OVL_WRONG_DATA : OVL_OK);
    if (write_page(r, err) == 0 && ovl_atomic_file_close(&o, err) == 0)
        return 0;
    ovl_atomic_file_abandon(&o);
    return -1;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct reporting r = {
        .options = {
            .output = "report.html", .title = "Overlap report", .gate = {.delta = NAN}, .metric = "total_seconds"}};
    int first, rc = 0;
    if (ovl_command_parse(&ovl_command_report, argc, argv, &r.options, &first, err) != 0)
        return -1;
    if (r.options.since && !r.options.history)
        return ovl_error_set(err, OVL_USAGE, "--since goes with --history");
    if ((r.options.gate.paired || r.options.gate.across) && !r.options.old)
        return ovl_error_set(err, OVL_USAGE, "--paired and --across go with --old OLD");
    r.sources.offloads = true;
    r.sources.failed = true;
    r.sources.filtered = r.options.filter.n > 0 || r.options.limits; /* whose verdict says which job lacks what */
    r.sources.within = r.options.limits != NULL;                     /* as ovl accept has it */
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&r.sources, argv[i], err);
    if (rc == 0)
        rc = report(&r, err);
    if (rc == 0)
        ovl_inputs_note_beside(stderr, &r.sources);
    if (rc == 0)
        ovl_inputs_note_beside(stderr, &r.old_sources);
    if (rc == 0 && strcmp(r.options.output, "-") != 0) {
        ovl_printable_put(stdout, r.options.output);
        printf("\n");
    }
    json_decref(r.verdicts);
    free(r.head);
    free(r.settings);
    ovl_changes_free(&r.changes);
    ovl_history_free(&r.history);
    ovl_groups_free(&r.groups);
    ovl_groups_free(&r.both);
    ovl_record_free(&r.record);
    ovl_record_free(&r.old);
    ovl_inputs_free(&r.sources);
    ovl_inputs_free(&r.old_sources);
    return rc == 0 ? r.code : -1;
}

const struct ovl_tool_command ovl_command_report = {
    .name = "report",
    .arguments = "FILE... [options]",
    .summary = "write one page with verdicts, charts, tables and set-up, which needs nothing else",
    .options = options,
    .run = run,
};
