/* `ovl history`: how did cells go over many launches, and where did they change? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "base/clock.h"
#include "base/printable.h"
#include "tool/cells/filter.h"
#include "tool/compare/answer.h"
#include "tool/compare/history.h"
#include "tool/compare/launches.h"
#include "tool/history/last.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"

#include <string.h>
#include <time.h>

struct history_options {
    int help, any_work, last;
    double delta, within;
    const char *metric, *since, *chart, *json;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct history_options, member)

static const struct ovl_option options[] = {
    {'m', "metric", "NAME", "what is looked at, a field of the record (default total_seconds)", OVL_OPTION_TEXT,
     AT(metric), 0, 0, NULL, NULL},
    {0, "since", "WHEN", "a date or a revision: fail on a change for the worse from there on", OVL_OPTION_TEXT,
     AT(since), 0, 0, NULL, NULL},
    {0, "last", NULL, "ask only whether the last launch of each cell is unlike all before, of which there must be 20",
     OVL_OPTION_ON, AT(last), 0, 0, NULL, NULL},
    {0, "within", "DAYS",
     "how old the newest launch may be (default with --last twice the longest of its last pauses, with --since any)",
     OVL_OPTION_NUMBER, AT(within), 0.01, 1e6, NULL, NULL},
    {'d', "delta", "D", "smaller changes do not fail: a part of the value, a difference for fractions (default 0)",
     OVL_OPTION_NUMBER, AT(delta), 0, 0.99, NULL, NULL},
    {0, "any-work", NULL, "look at totals though the launches did not the same work", OVL_OPTION_ON, AT(any_work), 0, 0,
     NULL, NULL},
    {0, "chart", "FILE", "draw the history too, as .svg, .png or .pdf", OVL_OPTION_TEXT, AT(chart), 0, 0, NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static void print_head(const struct ovl_launches *l, const char *metric)
{
    const char *first = "", *last = "";
    for (size_t r = 0; r < l->record.run_count; r++) {
        const char *started = ovl_run_text(&l->record.runs[r], "started");
        first = !*first || strcmp(started, first) < 0 ? started : first;
        last = strcmp(started, last) > 0 ? started : last;
    }
    printf("# ovl history: %s\n", metric);
    printf("# launches %zu in %zu file%s, %s .. %s\n", l->record.run_count, l->inputs.count,
           l->inputs.count == 1 ? "" : "s", first, last);
    ovl_launches_note(l);
    ovl_inputs_note_warnings(stdout, &l->record, false);
    if (*l->groups.common)
        printf("# all      %s\n", l->groups.common);
}

static int show(struct ovl_launches *of, const struct ovl_history_how *how, const struct history_options *o,
                struct ovl_error *err)
{
    struct ovl_history h;
    if (ovl_history_make(&h, &of->groups, how, err) != 0)
        return -1;
    ovl_history_print(&h);
    if (o->since)
        ovl_inputs_look_since(&of->inputs, &of->record, h.since, stdout);
    struct ovl_error undrawn;
    int drawn = o->chart ? ovl_history_chart(&h, of->groups.common, o->chart, &undrawn) : 0;
    int code = ovl_history_exit(&h);
    code = o->since ? ovl_inputs_exit(&of->inputs, code) : code;
    json_t *found = ovl_history_answer(&h);
    json_object_set_new(found, "untold", ovl_inputs_untold(&of->inputs, 1));
    if (o->within > 0) {
        struct ovl_last l = {.count = 0};
        ovl_last_find_newest(&l, &of->record, o->within);
        ovl_last_print_newest(stdout, &l);
        json_object_set_new(found, "newest", ovl_last_newest_answer(&l));
        code = l.stale && code == OVL_OK ? OVL_INCONCLUSIVE : code;
    }
    bool lost = drawn != 0 && undrawn.code != OVL_INCONCLUSIVE;
    if (drawn != 0)
        code = code == OVL_OK ? OVL_INCONCLUSIVE : code;
    int rc = ovl_answer_write(o->json, "history", lost ? (int)undrawn.code : code, found, err);
    ovl_history_free(&h);
    if (rc == 0 && lost) {
        *err = undrawn;
        return -1;
    }
    if (rc == 0 && drawn != 0) /* nothing to draw: that is no verdict */
        fprintf(stderr, "ovl history: %s\n", undrawn.text);
    return rc == 0 ? code : -1;
}

/* Launches of the last night must not be those that were chosen. */
static void look_at_night(struct ovl_launches *of, const char *newest)
{
    time_t begin = (time_t)ovl_clock_utc_seconds(newest) - OVL_LAST_NIGHT;
    char since[32];
    strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", gmtime(&begin));
    ovl_inputs_look_since(&of->inputs, &of->record, since, stdout);
}

static int show_last(struct ovl_launches *of, const struct ovl_history_how *how, const struct history_options *o,
                     struct ovl_error *err)
{
    struct ovl_history h;
    struct ovl_last l;
    if (ovl_history_make(&h, &of->groups, how, err) != 0)
        return -1;
    ovl_last_make(&l, &h, &of->groups, o->within);
    ovl_last_print(stdout, &l, &h);
    if (*l.newest)
        look_at_night(of, l.newest);
    bool unordered = h.order.odd || h.undated > 0;
    int code = ovl_inputs_exit(&of->inputs, ovl_last_exit(&l));
    code = unordered && code == OVL_OK ? OVL_INCONCLUSIVE : code;
    if (h.order.odd) {
        printf("# note     the order of launches is not known: %s: ", h.order.why);
        ovl_printable_put(stdout, h.order.odd->file);
        printf("\n");
    } else if (unordered) {
        printf("# note     the order of launches is not known: a launch tells no start\n");
    }
    json_t *found = ovl_history_answer(&h);
    json_object_set_new(found, "untold", ovl_inputs_untold(&of->inputs, 1));
    json_object_set_new(found, "last", ovl_last_answer(&l));
    json_object_set_new(found, "newest", ovl_last_newest_answer(&l));
    if (ovl_answer_write(o->json, "history", code, found, err) != 0)
        code = -1;
    ovl_last_free(&l);
    ovl_history_free(&h);
    return code;
}

static int check_last(const struct history_options *o, struct ovl_error *err)
{
    const char *with = o->since ? "--since" : o->chart ? "--chart" : o->delta > 0 ? "--delta" : NULL;
    if (o->within > 0 && !o->last && !o->since)
        return ovl_error_set(err, OVL_USAGE, "--within goes with --last and --since");
    return o->last && with ? ovl_error_set(err, OVL_USAGE, "--last looks at no changes: it goes without %s", with) : 0;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct history_options o = {.metric = "total_seconds"};
    struct ovl_launches l = {0};
    int first, code = -1;
    if (ovl_command_parse(&ovl_command_history, argc, argv, &o, &first, err) != 0 || check_last(&o, err) != 0)
        return -1;
    struct ovl_history_how how = {ovl_metric_find(o.metric, err), o.since, o.delta, o.any_work};
    if (how.metric && ovl_launches_open(&l, argv + first, (size_t)(argc - first), how.metric, &o.filter, err) == 0 &&
        ovl_atomic_file_check(o.chart, err) == 0 && ovl_atomic_file_check(o.json, err) == 0) {
        print_head(&l, how.metric->name);
        code = (o.last ? show_last : show)(&l, &how, &o, err);
    }
    ovl_launches_close(&l);
    return code;
}

const struct ovl_tool_command ovl_command_history = {
    .name = "history",
    .arguments = "DIR|FILE... [options]",
    .summary = "say where cells changed over many launches, by date and revision",
    .options = options,
    .run = run,
};
