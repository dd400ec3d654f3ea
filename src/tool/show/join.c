/* Joining launches into one table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/show/join.h"
#include "record/status.h"
#include "table/columns.h"
#include "table/table.h"
#include "tool/cells/group.h"
#include "tool/cells/point.h"
#include "tool/show/join_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ovl_join_possible(const struct ovl_record *record)
{
    for (size_t r = 0; r < record->run_count; r++)
        if ((record->runs[r].cell_count > 0 && ovl_cell_solves(&record->runs[r].cells[0])) ||
            ovl_run_is_noise(&record->runs[r]) ||
            strcmp(ovl_run_text(&record->runs[r], "benchmark"), ovl_run_text(&record->runs[0], "benchmark")) != 0)
            return false;
    return record->run_count > 1;
}

/* a .. z, aa, ab ... */
static void put_key(char key[8], size_t n)
{
    char reversed[8];
    size_t length = 0;
    for (n++; n > 0 && length + 1 < sizeof reversed; n = (n - 1) / 26)
        reversed[length++] = (char)('a' + (n - 1) % 26);
    for (size_t i = 0; i < length; i++)
        key[i] = reversed[length - 1 - i];
    key[length] = '\0';
}

static double size_of(const struct ovl_cell *cell)
{
    return isnan(cell->size_bytes) ? -1 : cell->size_bytes;
}

static bool has_size(const struct ovl_join *j, size_t launch, double size)
{
    for (size_t e = j->first_entry; e < j->entry_count; e++)
        if (j->entries[e].launch == launch && j->entries[e].size == size)
            return true;
    return false;
}

/* The launch that this cell belongs to, a new one when there is none; the same point measured twice makes two. */
static size_t launch_of(struct ovl_join *j, const struct ovl_run *run, const struct ovl_cell *cell)
{
    size_t l;
    char *point = ovl_point_key(run, cell, "size_bytes");
    for (l = j->first_launch; l < j->launch_count; l++)
        if (strcmp(j->launches[l].point, point) == 0 && !has_size(j, l, size_of(cell))) {
            free(point);
            return l;
        }
    struct ovl_join_launch *new = &j->launches[j->launch_count++];
    new->run = run;
    new->sample = cell;
    new->point = point;
    put_key(new->key, l);
    for (size_t f = 0; f < j->facets; f++)
        ovl_facet_text(new->text[f], j->facet[f], j->environment, run, cell);
    return l;
}

static int by_size(const void *a, const void *b)
{
    const struct ovl_join_entry *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static void gather(struct ovl_join *j)
{
    size_t most = 0;
    for (size_t r = 0; r < j->record->run_count; r++)
        most += j->record->runs[r].cell_count;
    j->launches = ovl_alloc(most + j->record->run_count, sizeof *j->launches);
    j->entries = ovl_alloc(most, sizeof *j->entries);
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_run *run = &j->record->runs[r];
        j->first_launch = j->launch_count;
        j->first_entry = j->entry_count;
        for (size_t c = 0; c < run->cell_count; c++) {
            size_t l = launch_of(j, run, &run->cells[c]);
            j->entries[j->entry_count++] = (struct ovl_join_entry){l, size_of(&run->cells[c]), &run->cells[c]};
        }
        if (run->cell_count == 0) { /* named all the same: all its sizes are missing */
            put_key(j->launches[j->launch_count].key, j->launch_count);
            j->launches[j->launch_count++].run = run;
        }
    }
}

/* An entry without a cell wherever a launch lacks a size that another has. */
static void add_missing(struct ovl_join *j)
{
    size_t sizes = 0;
    qsort(j->entries, j->entry_count, sizeof *j->entries, by_size);
    for (size_t e = 0; e < j->entry_count; e++)
        sizes += e == 0 || j->entries[e].size != j->entries[e - 1].size;
    struct ovl_join_entry *all = ovl_alloc(sizes * j->launch_count, sizeof *all);
    size_t n = 0, at = 0;
    while (at < j->entry_count) {
        double size = j->entries[at].size;
        for (size_t l = 0; l < j->launch_count; l++)
            if (at < j->entry_count && j->entries[at].size == size && j->entries[at].launch == l)
                all[n++] = j->entries[at++];
            else
                all[n++] = (struct ovl_join_entry){l, size, NULL};
    }
    free(j->entries);
    j->entries = all;
    j->entry_count = n;
}

static bool valid(const struct ovl_join *j, size_t launch, const struct ovl_cell *cell)
{
    return cell && ovl_member_claims(&(struct ovl_member){.run = j->launches[launch].run, .cell = cell});
}

#define PLAIN(head_, width_) .show = {head_, 1, 3, width_, false}

const struct ovl_column ovl_join_columns[] = {
    {PLAIN("size", 10)},
    {PLAIN("key", 5)},
    {PLAIN("mode", 5)},
    {.field = "comm_seconds", .percentiles = true},
    {.field = "compute_seconds", .full = true},
    {.field = "blocking_seconds"},
    {.field = "total_seconds", .percentiles = true},
    {PLAIN("total/a", 9)},
    {PLAIN("comm/a", 9)},
    {PLAIN("work/a", 9)},
    {.field = "hidden_fraction"},
    {.field = "hidden_fraction", .interval = 17},
    {.field = "hideable_fraction", .full = true},
    {.field = "efficiency_vs_blocking", .full = true},
    {.field = "speedup_vs_blocking", .full = true},
    {.field = "compute_slowdown_ratio", .full = true},
    {.field = "omb_overlap_percent", .full = true},
    {.field = "work_per_core", .full = true},
    {.show = {"blocks", 1, 0, 7, false}, .full = true},
    {PLAIN("status", 0), .left = 2},
    {.field = NULL},
};

static void put_ratio(struct ovl_table *t, double of, double to)
{
    ovl_table_number(t, to > 0 ? of / to : NAN);
}

static void print_entry(struct ovl_table *t, const struct ovl_join *j, const struct ovl_join_entry *e,
                        const struct ovl_cell *first)
{
    const struct ovl_join_launch *launch = &j->launches[e->launch];
    const struct ovl_cell *cell = e->cell;
    bool both = valid(j, e->launch, cell) && valid(j, 0, first);
    bool same_kernel = both && strcmp(cell->compute_kind, first->compute_kind) == 0;
    char status[OVL_STATUS_TEXT] = "missing";
    if (e->size >= 0)
        ovl_table_text(t, "%.0f", e->size);
    else
        ovl_table_text(t, "%s", "-");
    ovl_table_text(t, "%s", launch->key);
    ovl_table_text(t, "%s", launch->sample ? launch->sample->mode : "-");
    ovl_table_cell(t, launch->run, cell);
    for (int q = 0; q < 2; q++) {
        enum ovl_quantity of = q == 0 ? OVL_TOTAL : OVL_COMM;
        put_ratio(t, both ? cell->summary[of].median : NAN, both ? first->summary[of].median : NAN);
    }
    put_ratio(t, same_kernel ? cell->units : NAN, same_kernel ? first->units : NAN);
    ovl_table_cell(t, launch->run, cell);
    ovl_table_number(t, cell ? (double)cell->samples.blocks : NAN);
    if (cell)
        ovl_status_text(cell, status);
    ovl_table_text(t, "%s", status);
    ovl_table_row_end(t);
}

static void print_table(FILE *out, struct ovl_join *j, bool full)
{
    const struct ovl_cell *first = NULL;
    struct ovl_column *columns = ovl_columns_asked(ovl_join_columns, j->record->runs, j->record->run_count);
    struct ovl_table t = ovl_table_to(out, &ovl_table_plain, columns, 0, full);
    ovl_join_head(out, j);
    fputs("#\n", out);
    ovl_table_begin(&t);
    for (size_t e = 0; e < j->entry_count; e++) {
        if (j->entries[e].launch == 0)
            first = j->entries[e].cell;
        print_entry(&t, j, &j->entries[e], first);
    }
    free(columns);
    fputs("# /a: divided by launch a's at the same size. Totals compare like with like only where work/a is 1.000; "
          "ovl-sweep(1)\n# says how to give launches the same work. One launch a side shows no more than this pair of "
          "launches.\n",
          out);
}

void ovl_join_print(FILE *out, const struct ovl_record *record, bool full)
{
    struct ovl_join j = {.record = record,
                         .environment = ovl_facet_differing(record, NULL, "environment"),
                         .options = ovl_facet_differing(record, NULL, "options")};
    while (j.facets < OVL_FACETS && (j.facet[j.facets] = ovl_facet(j.facets)))
        j.facets++;
    gather(&j);
    add_missing(&j);
    print_table(out, &j, full);
    for (size_t l = 0; l < j.launch_count; l++)
        free(j.launches[l].point);
    json_decref(j.environment);
    json_decref(j.options);
    free(j.launches);
    free(j.entries);
}
