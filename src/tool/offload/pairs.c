/* Pairs of launches with and without the library, judged by the statistics of `ovl compare`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/offload/pairs.h"
#include "base/utf8.h"
#include "record/derived/comparison.h"
#include "record/offload/lines.h"
#include "stats/family.h"
#include "stats/stalls.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WITHOUT, WITH, SIDES, REPORT = SIDES, LINES };

static const char wall[] = "wall time, s";

static const char *text_of(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));
    return text ? text : "";
}

static bool is_line(const json_t *line, const char *kind, const char *id)
{
    return strcmp(text_of(line, "record"), kind) == 0 && (!id || strcmp(text_of(line, "comparison"), id) == 0);
}

json_t *ovl_offload_pairs_ids(const struct ovl_record *record)
{
    json_t *ids = json_array(), *seen = json_object();
    for (size_t i = 0; i < json_array_size(record->offloads); i++) {
        const json_t *line = json_array_get(record->offloads, i);
        const char *id = text_of(line, "comparison");
        if (!is_line(line, "launch", NULL) || json_object_get(seen, id))
            continue;
        json_object_set_new(seen, id, json_true());
        json_array_append_new(ids, json_string(id));
    }
    json_decref(seen);
    return ids;
}

/* Lines by pair: of each launch one and of the library's report, or NULL. One that is there twice, as in a copy of its
   file, counts once. */
struct launches {
    const json_t *(*of)[LINES];
    bool *unlike; /* two lines of one kind tell different things */
    size_t count;
    json_int_t last, planned;      /* the largest number of a pair; 0: not told */
    bool plans_differ, plan_taken; /* taken: this version tells it, and a launch does not */
};

/* 0: none, or one that more lines than there are would have. */
static size_t pair_of(const json_t *line, size_t lines)
{
    json_int_t pair = json_integer_value(json_object_get(line, "pair"));
    return pair < 1 || (size_t)pair > lines ? 0 : (size_t)pair;
}

static void add_line(struct launches *l, const json_t *line, size_t pair, int kind)
{
    const json_t **at = &l->of[pair - 1][kind];
    l->unlike[pair - 1] = l->unlike[pair - 1] || (*at && !json_equal(*at, line));
    *at = line;
    l->count = pair > l->count && kind != REPORT ? pair : l->count;
}

static void add_plan(struct launches *l, const json_t *line, bool first)
{
    const json_t *pairs = json_object_get(line, "pairs");
    json_int_t planned = json_integer_value(pairs), pair = json_integer_value(json_object_get(line, "pair"));
    l->plans_differ = l->plans_differ || (!first && planned != l->planned);
    l->plan_taken = l->plan_taken || (!pairs && ovl_version_is_known(text_of(line, "ovl_version")));
    l->planned = planned > l->planned ? planned : l->planned;
    l->last = pair > l->last ? pair : l->last;
}

static bool is_whole(const struct launches *l, size_t i)
{
    return i < l->count && l->of[i][WITHOUT] && l->of[i][WITH] && l->of[i][REPORT] && !l->unlike[i];
}

/* Why the pair is not whole. */
static const char *fault_of(const struct launches *l, size_t i)
{
    return i >= l->count || !l->of[i][WITH] || !l->of[i][WITHOUT] ? "is lacking"
           : l->unlike[i]                                         ? "is there twice"
                                                                  : "lacks the library's report";
}

/* "5 of 6 pairs: pair 3 is lacking". Who takes a pair out or adds one, or stops when it looks good, chooses the
   verdict. */
static void tell_lacking(struct ovl_offload_pairs *p, const struct launches *l)
{
    size_t all = (size_t)(l->planned > l->last ? l->planned : l->last), first = l->count;
    for (size_t i = 0; i < l->count; i++) {
        p->pairs += is_whole(l, i);
        first = first == l->count && !is_whole(l, i) ? i : first;
    }
    if (l->plan_taken || l->plans_differ) {
        snprintf(p->lacking, sizeof p->lacking, "%s",
                 l->plan_taken ? "how many pairs were planned is taken out" : "launches tell of different plans");
    } else if (l->planned > 0 && l->last > l->planned) {
        snprintf(p->lacking, sizeof p->lacking, "pair %lld is there, and %lld were planned", (long long)l->last,
                 (long long)l->planned);
    } else if (p->pairs < all) {
        size_t n = ovl_utf8_print(p->lacking, sizeof p->lacking, "%zu of %zu pairs: pair %zu %s", p->pairs, all,
                                  first + 1, fault_of(l, first));
        if (all - p->pairs > 1)
            snprintf(p->lacking + n, sizeof p->lacking - n, ", and %zu more", all - p->pairs - 1);
    }
}

static void find_launches(struct launches *l, const struct ovl_record *record, const char *id)
{
    size_t lines = json_array_size(record->offloads);
    bool first = true;
    *l = (struct launches){.of = ovl_alloc(lines, sizeof *l->of), .unlike = ovl_alloc(lines, sizeof *l->unlike)};
    for (size_t i = 0; i < lines; i++) {
        const json_t *line = json_array_get(record->offloads, i);
        size_t pair = pair_of(line, lines);
        bool launch = is_line(line, "launch", id),
             report = is_line(line, "offload", id) && !json_object_get(line, "refused");
        if (launch) {
            add_plan(l, line, first);
            first = false;
        }
        if (pair > 0 && (launch || report))
            add_line(l, line, pair, report ? REPORT : strcmp(text_of(line, "side"), "with") == 0 ? WITH : WITHOUT);
    }
}

/* Leaves the whole pairs. */
static void keep_whole(struct launches *l)
{
    size_t whole = 0;
    for (size_t i = 0; i < l->count; i++)
        if (is_whole(l, i))
            memmove(l->of[whole++], l->of[i], sizeof *l->of);
    l->count = whole;
}

/* The whole pairs: are they launches of one thing, and do the library's reports belong to them? */
static void refute(struct ovl_offload_pairs *p, const struct launches *l)
{
    const char *why = NULL;
    for (size_t i = 0; i < l->count && !why; i++) {
        for (int side = 0; side < SIDES && !why; side++)
            why = ovl_comparison_unlike(l->of[0][WITHOUT], l->of[i][side]);
        why = why ? why : ovl_comparison_unproven(l->of[i][WITH], l->of[i][REPORT]);
    }
    p->refuted = why != NULL;
    if (why)
        snprintf(p->lacking, sizeof p->lacking, "%s", why);
}

static void free_launches(struct launches *l)
{
    free(l->of);
    free(l->unlike);
}

static double value_of(const json_t *launch, const char *name)
{
    const json_t *value = name == wall ? json_object_get(launch, "wall_seconds")
                                       : json_object_get(json_object_get(launch, "values"), name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double median_of(const double *x, size_t n)
{
    return ovl_stats_summarise(x, n).median;
}

/* What is judged: logarithms, turned so that more is worse. */
struct judging {
    struct ovl_family_tests tests;
    struct ovl_family_cell *cell;
    struct ovl_offload_row **row;
    double *sign, *losses;
    size_t count;
};

static void fill(struct ovl_offload_row *row, const struct launches *l, bool more_is_better, const char *lacking,
                 struct judging *j)
{
    size_t n = l->count;
    double *x = j->losses + 2 * n * j->count, sign = more_is_better ? -1 : 1;
    for (size_t i = 0; i < n; i++)
        for (int side = 0; side < SIDES; side++)
            x[(size_t)side * n + i] = value_of(l->of[i][side], row->name);
    row->without = median_of(x, n);
    row->with = median_of(x + n, n);
    row->ratio = row->low = row->high = NAN;
    row->verdict = "not shown";
    for (size_t i = 0; i < 2 * n; i++) {
        row->reason = isnan(x[i]) ? "not every launch printed it" : !(x[i] > 0) ? "not above 0" : row->reason;
        x[i] = sign * log(x[i]);
    }
    row->reason = *lacking ? lacking : n < 2 ? "one pair of launches cannot tell" : row->reason;
    if (row->reason)
        return;
    j->cell[j->count] = (struct ovl_family_cell){.old = x, .new = x + n, .n = n};
    j->sign[j->count] = sign;
    j->row[j->count++] = row;
}

/* The margin is 0: an end of an interval that a test did not refute holds "equal". Nothing is better of which some
   launches are far worse, beyond chance: the middle of the pairs says nothing of these. */
static void take_over(const struct judging *j, size_t i)
{
    const struct ovl_shift *s = &j->cell[i].shift;
    const struct ovl_family_cell *cell = &j->cell[i];
    struct ovl_offload_row *row = j->row[i];
    size_t stalls = s->high < 0 ? ovl_stalls_count(cell->old, cell->new, cell->n, log1p(OVL_STALLS_MARGIN)) : 0;
    double a = exp(j->sign[i] * s->low), b = exp(j->sign[i] * s->high);
    row->ratio = exp(j->sign[i] * s->value);
    row->low = j->sign[i] > 0 ? a : b;
    row->high = j->sign[i] > 0 ? b : a;
    if (s->high < 0)
        row->verdict = "better";
    if (s->low > 0)
        row->verdict = "worse";
    if (!isfinite(s->low) || !isfinite(s->high))
        row->reason = "too few launches";
    if (stalls == 0)
        return;
    snprintf(row->stalls, sizeof row->stalls, "%zu launches stall", stalls);
    row->verdict = "not shown";
    row->reason = row->stalls;
}

/* Launches in which workers did nothing are none with workers: what is better there is so by chance, or by the
   library's own doing. What is worse is what the library costs. */
static size_t count_idle(const struct launches *l)
{
    size_t idle = 0;
    for (size_t i = 0; i < l->count; i++)
        idle += json_integer_value(json_object_get(l->of[i][REPORT], "posted")) == 0;
    return idle;
}

static void judge(struct ovl_offload_pairs *p, const struct launches *l)
{
    size_t n = p->count;
    struct judging j = {.tests = {.paired = true},
                        .cell = ovl_alloc(n, sizeof *j.cell),
                        .row = ovl_alloc(n, sizeof(struct ovl_offload_row *)),
                        .sign = ovl_alloc(n, sizeof *j.sign),
                        .losses = ovl_alloc(2 * n * l->count, sizeof *j.losses)};
    for (size_t i = 0; i < n; i++)
        fill(&p->row[i], l, i > 0 && p->more_is_better, p->lacking, &j);
    ovl_family_judge(&j.tests, j.cell, j.count);
    for (size_t i = 0; i < j.count; i++)
        take_over(&j, i);
    size_t idle = count_idle(l);
    for (size_t i = 0; i < j.count; i++)
        if (idle > 0 && strcmp(j.row[i]->verdict, "better") == 0) {
            j.row[i]->verdict = "not shown";
            j.row[i]->reason = idle == l->count ? "no operation went to the workers"
                                                : "in some launches no operation went to the workers";
        }
    ovl_family_tests_free(&j.tests);
    free(j.cell);
    free(j.row);
    free(j.sign);
    free(j.losses);
}

/* Wall time, and each value that any launch printed: what one side alone prints is told, and not left out. */
static void make_rows(struct ovl_offload_pairs *p, const struct launches *l)
{
    json_t *seen = json_object(), *value;
    const char *name;
    p->row = ovl_alloc(1, sizeof *p->row);
    p->row[p->count++].name = wall;
    for (size_t i = 0; i < l->count; i++)
        for (int side = 0; side < 2; side++)
            json_object_foreach(json_object_get(l->of[i][side], "values"), name, value) {
                if (json_object_get(seen, name))
                    continue;
                json_object_set_new_nocheck(seen, name, json_true());
                p->row = ovl_grow_one(p->row, p->count, sizeof *p->row);
                memset(&p->row[p->count], 0, sizeof *p->row);
                p->row[p->count++].name = name;
            }
    json_decref(seen);
}

struct timed {
    double seconds;
    const json_t *report;
};

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static const json_t *median_report(const struct launches *l)
{
    struct timed *t = ovl_alloc(l->count, sizeof *t);
    for (size_t i = 0; i < l->count; i++)
        t[i] = (struct timed){value_of(l->of[i][WITH], wall), l->of[i][REPORT]};
    if (l->count > 0)
        qsort(t, l->count, sizeof *t, by_time);
    const json_t *report = l->count > 0 ? t[l->count / 2].report : NULL;
    free(t);
    return report;
}

void ovl_offload_pairs_make(struct ovl_offload_pairs *p, const struct ovl_record *record, const char *id)
{
    struct launches l;
    *p = (struct ovl_offload_pairs){.id = id};
    find_launches(&l, record, id);
    tell_lacking(p, &l);
    p->planned = (size_t)l.planned;
    keep_whole(&l);
    refute(p, &l);
    if (l.count > 0) {
        const json_t *first = l.of[0][WITHOUT];
        p->metric = json_string_value(json_object_get(first, "metric"));
        p->command = json_object_get(first, "command");
        p->more_is_better = json_is_true(json_object_get(first, "more_is_better"));
    }
    make_rows(p, &l);
    judge(p, &l);
    p->report = median_report(&l);
    free_launches(&l);
}

void ovl_offload_pairs_free(struct ovl_offload_pairs *p)
{
    free(p->row);
    *p = (struct ovl_offload_pairs){.row = NULL};
}

bool ovl_offloads_refuted(const struct ovl_record *record)
{
    bool refuted = false;
    json_t *ids = ovl_offload_pairs_ids(record);
    for (size_t i = 0; i < json_array_size(ids); i++) {
        struct ovl_offload_pairs p;
        ovl_offload_pairs_make(&p, record, json_string_value(json_array_get(ids, i)));
        refuted = refuted || p.refuted;
        ovl_offload_pairs_free(&p);
    }
    json_decref(ids);
    for (size_t i = 0; i < json_array_size(record->offloads); i++) {
        const json_t *line = json_array_get(record->offloads, i);
        refuted = refuted || (is_line(line, "offload", NULL) && ovl_offload_unproven(line));
    }
    return refuted;
}
