/* Choosing cells by regular expressions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/filter.h"
#include "tool/cells/apart.h"
#include "tool/cells/point.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    const struct ovl_field *field;
    regex_t expression;
};

static int refuse_field(const char *text, size_t length, struct ovl_error *err)
{
    char all[OVL_ERROR_TEXT] = "";
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", f->name);
    }
    return ovl_error_set(
        err, OVL_USAGE,
        "--filter %.60s: %s; give one of %s, or what compare tells of settings, such as hosts[].cpu, before the =",
        text, text[length] == '=' ? "no such field" : "give FIELD=REGEX", all);
}

/* Of the run line what says where and by what it was measured: hosts[].cpu, mpi.library. */
static const struct ovl_field *find_setting(const char *name)
{
    const struct ovl_field *f = ovl_field_named(ovl_fields_run, name);
    return f && f->part != OVL_PART_NONE && !strchr(f->path, '*') ? f : NULL;
}

static int compile(struct filter *f, const char *text, struct ovl_error *err)
{
    char name[64], why[128];
    size_t n = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    if (text[n] == '=' && !(f->field = ovl_point_find(name)))
        f->field = find_setting(name);
    if (!f->field)
        return refuse_field(text, n, err);
    int rc = regcomp(&f->expression, text + n + 1, REG_EXTENDED | REG_NOSUB);
    if (rc == 0)
        return 0;
    regerror(rc, &f->expression, why, sizeof why);
    return ovl_error_set(err, OVL_USAGE, "--filter %.200s: no POSIX extended regular expression: %s", text, why);
}

/* `cell` is NULL for the fields of the run line alone. */
static bool matches(const struct filter *f, size_t count, const struct ovl_run *run, const struct ovl_cell *cell)
{
    static const struct ovl_cell none;
    for (size_t i = 0; i < count; i++) {
        char text[OVL_FIELD_TEXT_ROOM];
        if (!cell && (f[i].field->line != OVL_LINE_RUN || ovl_field_is_partial(f[i].field)))
            continue;
        ovl_field_text(text, f[i].field, run, cell ? cell : &none);
        if (regexec(&f[i].expression, text, 0, NULL, 0) != 0)
            return false;
    }
    return true;
}

static void keep_cells(struct ovl_run *run, const struct filter *f, size_t count)
{
    size_t kept = 0;
    for (size_t c = 0; c < run->cell_count; c++)
        if (matches(f, count, run, &run->cells[c]))
            run->cells[kept++] = run->cells[c];
        else
            ovl_cell_free(&run->cells[c]);
    run->cell_count = kept;
}

static bool has_match(const struct filter *f, size_t count, const struct ovl_run *run)
{
    for (size_t c = 0; c < run->cell_count; c++)
        if (matches(f, count, run, &run->cells[c]))
            return true;
    return false;
}

/* All cells of the runs of which one is kept, and the jobs of sweeps that have such a run. */
static json_t *known_points(const struct ovl_record *record, const struct filter *f, size_t count)
{
    json_t *known = json_object();
    for (size_t r = 0; r < record->run_count; r++) {
        const struct ovl_run *run = &record->runs[r];
        for (size_t c = 0; has_match(f, count, run) && c < run->cell_count; c++) {
            char *key = ovl_point_key(run, &run->cells[c], NULL);
            json_object_set_new(known, key, json_true());
            free(key);
        }
        if (has_match(f, count, run))
            json_object_set_new_nocheck(known, ovl_apart_folder(run->file).text, json_true());
    }
    json_object_del(known, ""); /* no job */
    return known;
}

/* Did it not come to its end, or came there without a cell that others are kept for? One that has a cell of which none
   of these knows is another measurement, unless it is of a job that has the cell, whose command is the same. */
static bool is_lost(const struct ovl_run *run, const json_t *known)
{
    bool lost = true, other = !ovl_run_unended(run) && !json_object_get(known, ovl_apart_folder(run->file).text);
    for (size_t c = 0; c < run->cell_count && lost && other; c++) {
        char *key = ovl_point_key(run, &run->cells[c], NULL);
        lost = json_object_get(known, key);
        free(key);
    }
    return lost;
}

/* Runs in their order; those without a cell go to the end and away, but for lost ones. */
static void keep_runs(struct ovl_record *record, const struct filter *f, size_t count, bool lost)
{
    size_t kept = 0;
    json_t *known = lost ? known_points(record, f, count) : NULL;
    for (size_t r = 0; r < record->run_count; r++) {
        struct ovl_run run = record->runs[r];
        bool owes = lost && is_lost(&run, known) && matches(f, count, &run, NULL);
        keep_cells(&run, f, count);
        record->runs[r] = record->runs[kept];
        record->runs[kept] = run;
        kept += run.cell_count > 0 || owes;
    }
    json_decref(known);
    ovl_record_cut(record, kept);
}

static size_t count_cells(const struct ovl_record *record)
{
    size_t cells = 0;
    for (size_t r = 0; r < record->run_count; r++)
        cells += record->runs[r].cell_count;
    return cells;
}

static int filter(const struct ovl_texts *filters, struct ovl_record *record, const char *what, bool lost,
                  struct ovl_error *err)
{
    struct filter f[sizeof filters->text / sizeof *filters->text] = {{.field = NULL}};
    size_t made = 0, cells = count_cells(record);
    if (filters->n == 0)
        return 0;
    while (made < filters->n && compile(&f[made], filters->text[made], err) == 0)
        record->ways_chosen |= f[made++].field->way;
    if (made == filters->n)
        keep_runs(record, f, made, lost);
    for (size_t i = 0; i < made; i++)
        regfree(&f[i].expression);
    if (made < filters->n)
        return -1;
    return count_cells(record) > 0
               ? 0
               : ovl_error_set(err, OVL_USAGE, "--filter %.200s: none of the %zu cell%s of %s is left",
                               filters->text[filters->n - 1], cells, cells == 1 ? "" : "s", what);
}

int ovl_filter_record(const struct ovl_texts *filters, struct ovl_record *record, const char *what,
                      struct ovl_error *err)
{
    return filter(filters, record, what, false, err);
}

int ovl_filter_launches(const struct ovl_texts *filters, struct ovl_record *record, const char *what,
                        struct ovl_error *err)
{
    return filter(filters, record, what, true, err);
}
