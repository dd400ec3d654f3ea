/* `ovl export`: records for other tools; a row per form. csv is here, the others are in files of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/export/export.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "record/derived/percentile.h"
#include "record/derived/settle.h"
#include "record/derived/show.h"
#include "tool/cells/filter.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/setting.h"
#include "tool/cells/unlike.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The names of the forms below. */
#define FORMS(and, or) "csv" and "junit" and "bmf" and "gha" and "markdown" and "latex" and "openmetrics" or "extrap"

struct export_options {
    int help, timestamps;
    const char *to, *output, *metric;
    struct ovl_numbers percentiles;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct export_options, member)

static const struct ovl_option options[] = {
    {0, "to", "FORM", FORMS(", ", " or "), OVL_OPTION_WORD, AT(to), 0, 0, FORMS("|", "|"), NULL},
    {'o', "output", "FILE", "where to write it, whole or not at all (default standard output)", OVL_OPTION_TEXT,
     AT(output), 0, 0, NULL, NULL},
    {'m', "metric", "NAME",
     "a field of the record: the one of gha (default total_seconds), the only one of the others but csv and junit",
     OVL_OPTION_TEXT, AT(metric), 0, 0, NULL, NULL},
    {'z', "percentiles", "LIST", "these of C, B and T too; -z alone: 50,90,99 (default those that runs were asked for)",
     OVL_OPTION_NUMBERS, AT(percentiles), 1, 99.99, "50,90,99", NULL},
    {0, "timestamps", NULL, "for openmetrics: when the last launch of each cell began", OVL_OPTION_ON, AT(timestamps),
     0, 0, NULL, NULL},
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* Single values of a cell that are neither its point nor metrics, and do not stand in the first columns. */
static const struct ovl_field *next_rest(const struct ovl_field *before)
{
    const struct ovl_field *f = before ? before + 1 : ovl_fields_cell;
    while (f->path &&
           (f->metric || f->size == 0 || f->kind == OVL_FIELD_SUMMARY || f->kind == OVL_FIELD_ESTIMATE ||
            strcmp(f->name, "status") == 0 || strcmp(f->name, "blocks") == 0 || strcmp(f->name, "run_id") == 0))
        f++;
    return f->path ? f : NULL;
}

static void put_rest(struct ovl_table *t, const struct ovl_field *f, const struct ovl_cell *cell)
{
    const void *member = (const char *)cell + f->offset;
    if (f->kind == OVL_FIELD_TRUTH)
        ovl_table_text(t, "%s", *(const int *)member < 0 ? "" : *(const int *)member ? "true" : "false");
    else if (f->kind == OVL_FIELD_TEXT)
        ovl_table_text(t, "%s", (const char *)member);
    else
        ovl_table_number(t, *(const double *)member);
}

/* As in the record, with blanks between. */
static void put_marks(struct ovl_table *t, const struct ovl_cell *cell)
{
    const char *word = ovl_field_named(ovl_fields_cell, "marks[]")->words;
    char text[160] = "";
    for (int mark = 0, n = 0; mark < OVL_MARKS; mark++, word += strcspn(word, "|") + 1)
        if (ovl_cell_marks(cell) & 1U << mark)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%.*s", n ? " " : "", (int)strcspn(word, "|"), word);
    ovl_table_text(t, "%s", text);
}

/* All fields of a point, and all values. The status says what the blocks are like, and not whether values may be taken
   for a measurement: the claim does. */
static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_exporting *e = of;
    const struct ovl_member *member = &e->groups->members[i];
    const struct ovl_cell *cell = member->cell;
    char *file = ovl_printable_copy(member->run->file), text[OVL_FIELD_TEXT_ROOM];
    const char *why = ovl_member_no_claim(member);
    ovl_table_text(t, "%s", cell->run_id);
    ovl_table_text(t, "%s", ovl_run_text(member->run, "started"));
    ovl_table_text(t, "%s", cell->status);
    ovl_table_number(t, cell->blocks);
    ovl_table_text(t, "%s", file ? file : "?");
    free(file);
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        ovl_field_text(text, f, member->run, cell);
        char *end = text; /* an option that should be a number may be a text in a damaged record */
        double x = f->kind == OVL_FIELD_WHOLE || f->kind == OVL_FIELD_NUMBER ? strtod(text, &end) : NAN;
        if (end > text && *end == '\0')
            ovl_table_number(t, x);
        else
            ovl_table_text(t, "%s", text);
    }
    for (size_t k = 0; e->metrics[k]; k++) {
        const struct ovl_field *m = e->metrics[k];
        ovl_table_estimate(t, m->percent > 0 ? ovl_percentile_of(m, cell) : ovl_field_estimate(m, cell));
    }
    for (const struct ovl_field *f = NULL; (f = next_rest(f));)
        put_rest(t, f, cell);
    put_marks(t, cell);
    ovl_table_text(t, "%s%s",
                   why                        ? "no: "
                   : ovl_cell_unchecked(cell) ? "yes: data not checked"
                                              : "yes",
                   why ? why : "");
    ovl_table_row_end(t);
}

static void add(struct ovl_column **columns, size_t *count, const char *head, bool interval)
{
    *columns = ovl_grow_one(*columns, *count, sizeof **columns);
    (*columns)[(*count)++] = (struct ovl_column){.show.head = head, .interval = interval};
}

static int write_csv(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    static const char *const first[] = {"run_id", "started", "status", "blocks", "file"};
    struct ovl_column *columns = NULL;
    size_t n = 0;
    (void)err;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add(&columns, &n, first[i], false);
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++)
        add(&columns, &n, f->name, false);
    for (size_t k = 0; e->metrics[k]; k++)
        add(&columns, &n, e->metrics[k]->name, e->metrics[k]->kind != OVL_FIELD_NUMBER);
    for (const struct ovl_field *f = NULL; (f = next_rest(f));)
        add(&columns, &n, f->name, false);
    add(&columns, &n, "marks", false);
    add(&columns, &n, "claim", false);
    add(&columns, &n, NULL, false);
    ovl_table_print(ovl_table_to(out, &ovl_table_csv, columns, 0, false), e->groups->member_count, put_row, e);
    free(columns);
    return 0;
}

static const struct ovl_export_form csv = {.name = "csv", .keeps_all = true, .write = write_csv};
static const struct ovl_export_form *const forms[] = {&csv,
                                                      &ovl_export_junit,
                                                      &ovl_export_bmf,
                                                      &ovl_export_gha,
                                                      &ovl_export_markdown,
                                                      &ovl_export_latex,
                                                      &ovl_export_openmetrics,
                                                      &ovl_export_extrap};

static const struct ovl_export_form *find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i]->name, name) == 0)
            return forms[i];
    return NULL;
}

/* Totals follow the work, which differs where it was calibrated anew. Few per cent are told nowhere. */
static void tell_work(const struct ovl_exporting *e)
{
    const double told = 1.1;
    double most = 1;
    size_t n = 0;
    for (size_t g = 0; g < e->groups->count; g++) {
        double ratio = ovl_members_work_ratio(e->groups->group[g].member, e->groups->group[g].count);
        n += ratio > told;
        most = fmax(most, ratio);
    }
    if (n > 0 && (!e->metric || e->metric->of_work))
        fprintf(stderr,
                "ovl export: note: launches of %zu cell%s differ in work by up to %.3g times, and so do their totals: "
                "give all the units of one record (--work-from)\n",
                n, n == 1 ? "" : "s", most);
}

/* Cells of several launches that have no value over them. */
static void tell_unlike(const struct ovl_exporting *e, const struct ovl_export_form *form)
{
    bool any = false;
    for (size_t g = 0; g < e->groups->count && form != &csv && form != &ovl_export_junit; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        const char *unlike = ovl_members_unlike(group->member, group->count);
        if (unlike && any)
            fprintf(stderr, ", %s", group->label);
        else if (unlike)
            fprintf(stderr, "ovl export: no median over launches of unlike %s: %s", unlike, group->label);
        any = any || unlike;
    }
    if (any)
        fputs("\n", stderr);
    else if (form != &csv && form != &ovl_export_junit)
        tell_work(e);
    if (!any)
        ovl_setting_note_mixed(stderr, "ovl export: note:", e->groups);
}

/* Most forms have no place for it. */
static void tell_unchecked(const struct ovl_exporting *e)
{
    size_t n = 0;
    for (size_t g = 0; g < e->groups->count; g++)
        n += ovl_group_unchecked(&e->groups->group[g]);
    if (n > 0)
        fprintf(stderr, "ovl export: note: data not checked in %zu cell%s: wrong data can be quick\n", n,
                n == 1 ? "" : "s");
}

/* The cells that are not there at all. */
static void name_silent(const struct ovl_exporting *e)
{
    const char *gap = "; of no launch: ";
    size_t n;
    for (size_t g = 0; g < e->groups->count; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        if (e->metric ? isfinite(ovl_metric_over(e->metric, group->member, group->count, &n).value)
                      : ovl_group_claims(group) > 0)
            continue;
        fprintf(stderr, "%s%s", gap, group->label);
        gap = ", ";
    }
}

/* Nothing is left out without a word. OVL_INCONCLUSIVE where nothing else is there. */
static int tell_left_out(const struct ovl_exporting *e, const struct ovl_export_form *form)
{
    size_t silent = 0, n;
    bool any = form->keeps_all || form == &ovl_export_extrap; /* a value over launches; that one has those of each */
    for (size_t i = 0; i < e->groups->member_count && !form->keeps_all; i++) {
        const struct ovl_member *m = &e->groups->members[i];
        silent += !ovl_member_claims(m) || (e->metric && !isfinite(ovl_metric_of(e->metric, m).value));
    }
    size_t lost = ovl_inputs_lost(e->record);
    if (lost > 0 && e->groups->member_count > 0)
        fprintf(stderr, "ovl export: %zu launch%s of a sweep left no record, or none with a cell\n", lost,
                lost == 1 ? "" : "es");
    if (e->groups->member_count == 0)
        fprintf(stderr, "ovl export: no cell is in these files: nothing was exported\n");
    for (size_t g = 0; g < e->groups->count && !any; g++)
        any = isfinite(ovl_metric_over(e->metric, e->groups->group[g].member, e->groups->group[g].count, &n).value);
    int code = silent == e->groups->member_count || !any ? OVL_INCONCLUSIVE : OVL_OK;
    if (silent + e->groups->repeated == 0)
        return code;
    fprintf(stderr, "ovl export: left out:");
    if (e->groups->repeated > 0)
        fprintf(stderr, " %zu cell%s that a launch has twice%s", e->groups->repeated,
                e->groups->repeated == 1 ? "" : "s", silent > 0 ? "," : "");
    if (silent > 0) {
        fprintf(stderr,
                " %zu cell%s without a claim (invalid, unshaped, emulated, of one rank, wrong, cut short, repeated or "
                "impossible)%s",
                silent, silent == 1 ? "" : "s", e->metric ? " or that value" : "");
        name_silent(e);
    }
    fputs("\n", stderr);
    return code;
}

static int write_form(const char *path, const struct ovl_export_form *form, const struct ovl_exporting *e,
                      struct ovl_error *err)
{
    struct ovl_atomic_file output;
    if (ovl_atomic_file_open(&output, path, err) != 0)
        return -1;
    if (form->write(output.file, e, err) == 0)
        return ovl_atomic_file_close(&output, err);
    ovl_atomic_file_abandon(&output);
    return -1;
}

static int check_call(const struct export_options *o, struct ovl_error *err)
{
    if (!o->to)
        return ovl_error_set(err, OVL_USAGE, "give --to " FORMS(", ", " or "));
    if (o->timestamps && strcmp(o->to, "openmetrics") != 0)
        return ovl_error_set(err, OVL_USAGE, "--timestamps goes with --to openmetrics");
    return 0;
}

static void add_metric(const struct ovl_field ***all, size_t *n, const struct ovl_field *m)
{
    *all = ovl_grow_one(*all, *n, sizeof **all);
    (*all)[(*n)++] = m;
}

/* The caller frees the list. */
static const struct ovl_field **metrics_of(const struct ovl_record *record, const struct ovl_field *only)
{
    const struct ovl_field **all = NULL, *m = NULL;
    struct ovl_numbers asked;
    size_t n = 0;
    ovl_percentiles_asked(record->runs, record->run_count, &asked);
    while (!only && (m = ovl_metric_next(m))) {
        add_metric(&all, &n, m);
        for (size_t i = 0; i < asked.n && ovl_percentile_shown(m); i++)
            add_metric(&all, &n, ovl_percentile_field_of(m, asked.value[i]));
    }
    if (only)
        add_metric(&all, &n, only);
    add_metric(&all, &n, NULL);
    return all;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct export_options o = {0};
    struct ovl_inputs sources = {.failed = true};
    struct ovl_record record = {.runs = NULL};
    struct ovl_groups groups = {0};
    int first, rc = 0;
    size_t copies = 0;
    if (ovl_command_parse(&ovl_command_export, argc, argv, &o, &first, err) != 0 || check_call(&o, err) != 0)
        return -1;
    const struct ovl_export_form *form = find_form(o.to);
    const char *metric = o.metric ? o.metric : form->metric;
    struct ovl_exporting e = {&sources, &record,     &groups, metric ? ovl_metric_find(metric, err) : NULL,
                              NULL,     o.timestamps};
    if (metric && !e.metric)
        return -1;
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&sources, argv[i], err);
    if (rc == 0)
        rc = ovl_inputs_read(&sources, ovl_metric_brief(e.metric) && o.percentiles.n == 0, &record, &copies, err);
    for (size_t r = 0; r < record.run_count && o.percentiles.n > 0; r++)
        ovl_percentiles_ask(&record.runs[r], &o.percentiles);
    if (rc == 0)
        rc = ovl_filter_launches(&o.filter, &record, "these files", err);
    ovl_groups_make(&groups, &e.record, 1);
    const struct ovl_field **metrics = metrics_of(&record, form == &csv ? NULL : e.metric);
    e.metrics = metrics;
    if (rc == 0)
        rc = write_form(o.output, form, &e, err);
    if (rc == 0) {
        ovl_inputs_note_beside(stderr, &sources);
        ovl_groups_note_again(stderr, &groups);
    }
    int code = rc == 0 ? tell_left_out(&e, form) : -1;
    if (rc == 0)
        tell_unlike(&e, form);
    if (rc == 0)
        tell_unchecked(&e);
    free(metrics);
    ovl_groups_free(&groups);
    ovl_record_free(&record);
    ovl_inputs_free(&sources);
    return code;
}

const struct ovl_tool_command ovl_command_export = {
    .name = "export",
    .arguments = "--to FORM FILE... [options]",
    .summary = "write records for spreadsheets, CI servers, papers, trackers and modelling tools",
    .options = options,
    .run = run,
};
