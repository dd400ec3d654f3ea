/* Sizes of each operation, from the largest down, until workers lose; of all operations the largest such size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/offload/least.h"
#include "cli/sizes.h"
#include "stats/stats.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/lost.h"
#include "tool/cells/point.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The operations to which --min applies. A driver's size is that of the whole vector, or of each rank's part, and so is
   --min's. */
static const struct {
    const char *benchmark;
    bool whole, min_whole;
} rows[] = {
    {"ialltoall", false, false},     {"iallgather", false, false},
    {"igather", false, false},       {"iscatter", false, false},
    {"iallgatherv", false, true},    {"ibcast", true, true},
    {"iallreduce", true, true},      {"ireduce", true, true},
    {"ireduce_scatter", true, true}, {"ireduce_scatter_block", true, false},
};

/* Of one cell, or of the cells of all launches. */
struct point {
    size_t row;
    double bytes, ratio; /* as --min has them; time with workers / without them, NaN where the cell says nothing */
    char *key; /* what else identifies the cell's point, as its ranks and its work; owned until launches are joined */
};

struct points {
    struct point *at;
    size_t count;
    const struct ovl_run *run; /* of the first cell, whose workers and machine all others have */
    double workers;
    const char *odd; /* why a cell is not of these */
    bool wrong;      /* a launch has wrong data with workers */
    bool emulated;   /* some are of a cluster that was emulated, */
    bool elsewhere;  /* or of hosts of which this is none */
};

/* By the T of both cells: what the line calls offload_efficiency is a number of its own. */
static double ratio_of(const struct ovl_member *m)
{
    const struct ovl_cell *host = ovl_member_claims(m) ? ovl_run_host_beside(m->run, m->cell) : NULL;
    double with = m->cell->summary[OVL_TOTAL].median, without = host ? host->summary[OVL_TOTAL].median : NAN;
    return with > 0 && without > 0 && ovl_same_units(m->cell, host) ? with / without : NAN;
}

static bool usable(const struct ovl_member *m, const void *with)
{
    (void)with;
    return !isnan(ratio_of(m));
}

static const char *cpu_of(const struct ovl_run *run)
{
    const char *cpu = json_string_value(json_object_get(json_array_get(json_object_get(run->head, "hosts"), 0), "cpu"));
    return cpu ? cpu : "";
}

static bool is_here(const struct ovl_run *run)
{
    char name[256] = "";
    const json_t *hosts = json_object_get(run->head, "hosts");
    gethostname(name, sizeof name - 1);
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const char *host = json_string_value(json_object_get(json_array_get(hosts, i), "name"));
        if (host && strcmp(host, name) == 0)
            return true;
    }
    return false;
}

/* One answer is of one machine, and of so many workers. */
static void hold(struct points *p, const struct ovl_run *run, const struct ovl_cell *cell)
{
    if (!p->run) {
        p->run = run;
        p->workers = cell->workers;
    }
    if (cell->workers != p->workers)
        p->odd = "cells have other numbers of workers";
    else if (!ovl_share_machine(run, p->run) || strcmp(cpu_of(run), cpu_of(p->run)) != 0)
        p->odd = "launches are of other machines";
    p->elsewhere = p->elsewhere || !is_here(run);
    p->emulated = p->emulated || json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER");
}

/* A cell of which too many launches are `lost` says nothing: what is left may be the lucky ones. */
static void add(struct points *p, const struct ovl_member *m, bool lost)
{
    const struct ovl_run *run = m->run;
    const struct ovl_cell *cell = m->cell;
    size_t row = 0, rows_count = sizeof rows / sizeof *rows;
    while (row < rows_count && strcmp(rows[row].benchmark, cell->benchmark) != 0)
        row++;
    if (row == rows_count || strcmp(cell->mode, "dpu") != 0 || strcmp(cell->placement, "host-core") != 0 ||
        !(cell->size_bytes > 0))
        return;
    double scale = rows[row].whole == rows[row].min_whole ? 1 : rows[row].whole ? 1 / cell->ranks : cell->ranks;
    hold(p, run, cell);
    p->wrong = p->wrong || cell->validated == 0;
    p->at = ovl_grow_one(p->at, p->count, sizeof *p->at);
    p->at[p->count++] =
        (struct point){row, floor(cell->size_bytes * scale), lost ? NAN : ratio_of(m), ovl_point_key(run, cell, NULL)};
}

static void add_all(struct points *p, const struct ovl_record *record)
{
    struct ovl_groups groups;
    ovl_groups_make(&groups, &record, 1);
    for (size_t g = 0; g < groups.count; g++) {
        const struct ovl_group *group = &groups.group[g];
        bool lost = ovl_lost_many(&groups, group, 0, usable, NULL);
        for (size_t i = 0; i < group->count; i++)
            add(p, &group->member[i], lost);
    }
    ovl_groups_free(&groups);
}

static int by_size(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int in_order(const void *a, const void *b)
{
    int order = by_size(a, b);
    return order ? order : strcmp(((const struct point *)a)->key, ((const struct point *)b)->key);
}

/* Of several points of a size, of other ranks or work, the one where workers gain least: none of them may lose, or say
   nothing. */
static void keep_worst(struct points *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        struct point *last = kept > 0 && by_size(&p->at[kept - 1], &p->at[i]) == 0 ? &p->at[kept - 1] : NULL;
        if (!last)
            p->at[kept++] = p->at[i];
        else if (isnan(p->at[i].ratio) || p->at[i].ratio > last->ratio)
            *last = p->at[i];
    }
    p->count = kept;
}

/* One point for the cells of all launches, by size within each operation. */
static void join_launches(struct points *p)
{
    double *ratio = ovl_alloc(p->count + 1, sizeof *ratio);
    size_t kept = 0;
    if (p->count > 0)
        qsort(p->at, p->count, sizeof *p->at, in_order);
    for (size_t i = 0, n; i < p->count; i += n) {
        size_t told = 0;
        for (n = 0; i + n < p->count && in_order(&p->at[i], &p->at[i + n]) == 0; n++)
            if (!isnan(p->at[i + n].ratio))
                ratio[told++] = p->at[i + n].ratio;
        for (size_t k = i; k < i + n; k++)
            free(p->at[k].key);
        p->at[kept] = p->at[i];
        p->at[kept++].ratio = told > 0 ? ovl_stats_median(ratio, told) : NAN;
    }
    p->count = kept;
    free(ratio);
    keep_worst(p);
}

/* Of the row whose points end before `end` the first from which on none takes longer; `end`: not even its last. */
static size_t first_worth(const struct points *p, size_t end)
{
    size_t i = end;
    while (i > 0 && p->at[i - 1].row == p->at[end - 1].row && p->at[i - 1].ratio <= 1)
        i--;
    return i;
}

static const char *size_text(char text[24], double bytes)
{
    ovl_options_size_text((uint64_t)bytes, text);
    return text;
}

/* The point from which on all of them gain. */
static int find(const struct points *p, const char *path, size_t *found, struct ovl_error *err)
{
    char text[24];
    *found = p->count;
    if (p->odd)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: %s, and one size holds for one: leave the others out", path,
                             p->odd);
    if (p->wrong)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: a launch has wrong data with workers: no size is worth that",
                             path);
    for (size_t end = 1; end <= p->count; end++) {
        if (end < p->count && p->at[end].row == p->at[end - 1].row)
            continue;
        size_t first = first_worth(p, end);
        if (isnan(p->at[end - 1].ratio))
            return ovl_error_set(err, OVL_WRONG_DATA,
                                 "%s: at %s, its largest size there, %s has no valid cell with workers and without "
                                 "them in the same blocks, or lost too many launches: measure it again, or give --min",
                                 path, size_text(text, p->at[end - 1].bytes), rows[p->at[end - 1].row].benchmark);
        if (first == end)
            return ovl_error_set(err, OVL_WRONG_DATA,
                                 "%s: at %s, its largest size there, %s takes %.3g of the host's time with workers: "
                                 "measure larger sizes, or give --min",
                                 path, size_text(text, p->at[end - 1].bytes), rows[p->at[end - 1].row].benchmark,
                                 p->at[end - 1].ratio);
        if (*found == p->count || p->at[first].bytes > p->at[*found].bytes)
            *found = first;
    }
    return *found < p->count
               ? 0
               : ovl_error_set(err, OVL_WRONG_DATA,
                               "%s: no operation in it was measured with workers on host cores and without them in the "
                               "same blocks: run a driver with --mode host,dpu there",
                               path);
}

/* A text that stands in a variable and a report, whatever the name of the file is. */
static void tell(const struct points *p, size_t i, const char *path, struct ovl_offload_least *least)
{
    char text[24];
    const char *name = strrchr(path, '/');
    const struct point *at = &p->at[i];
    least->bytes = (uint64_t)at->bytes;
    int n = snprintf(least->why, sizeof least->why,
                     "by %.100s, where %s takes %.3g of the host's time with workers at that size",
                     name && name[1] ? name + 1 : path, rows[at->row].benchmark, at->ratio);
    if (i > 0 && p->at[i - 1].row == at->row && !isnan(p->at[i - 1].ratio))
        snprintf(least->why + n, sizeof least->why - (size_t)n, " and %.3g at %s", p->at[i - 1].ratio,
                 size_text(text, p->at[i - 1].bytes));
    else
        snprintf(least->why + n, sizeof least->why - (size_t)n, "%s",
                 i > 0 && p->at[i - 1].row == at->row ? ", the smallest that is valid there" : ", the smallest there");
    for (char *c = least->why; *c; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
}

/* One line where the cells may say nothing of what is to be run. */
static void warn(const struct points *p, const char *path, double workers)
{
    double nodes = json_number_value(json_object_get(p->run->head, "nodes"));
    bool others = nodes > 0 && p->workers != workers * nodes;
    if (p->elsewhere || p->emulated || others)
        fprintf(stderr, "ovl offload: --min-from %s: its cells are%s%s%s: is the size right here?\n", path,
                p->elsewhere ? " of another host" : "", p->emulated ? " of an emulated cluster (OVL_CLUSTER)" : "",
                others ? " with other numbers of workers than --workers" : "");
}

int ovl_offload_least_from(const char *path, double workers, struct ovl_offload_least *least, struct ovl_error *err)
{
    struct ovl_inputs inputs = {.failed = true};
    struct ovl_record record = {.run_count = 0};
    struct points p = {.count = 0};
    size_t copies = 0, found;
    int rc = ovl_inputs_add(&inputs, path, err);
    if (rc == 0)
        rc = ovl_inputs_read(&inputs, true, &record, &copies, err);
    if (rc == 0 && inputs.owed.untold)
        rc = ovl_error_set(err, OVL_WRONG_DATA, "--min-from: %.400s", inputs.owed.untold);
    if (rc == 0)
        add_all(&p, &record);
    join_launches(&p);
    if (rc == 0)
        rc = find(&p, path, &found, err);
    if (rc == 0) {
        tell(&p, found, path, least);
        warn(&p, path, workers);
    }
    free(p.at);
    ovl_record_free(&record);
    ovl_inputs_free(&inputs);
    return rc;
}
