/* Guidelines and their launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/guidelines/guidelines.h"
#include "record/field.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/metric.h"
#include "tool/cells/owed.h"
#include "tool/cells/point.h"
#include "tool/cells/setting.h"
#include "tool/cells/turns.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 2 };

/* Of a message of n bytes over p ranks, `right` does what `left` does, with messages of n p^power bytes each. */
static const struct rule {
    const char *text, *left;
    struct term {
        const char *benchmark;
        int power;
    } right[TERMS];
} rules[] = {
    {"iallreduce <= ireduce + ibcast", "iallreduce", {{"ireduce", 0}, {"ibcast", 0}}},
    {"iallgather <= igather + ibcast", "iallgather", {{"igather", 0}, {"ibcast", 1}}},
    {"iallgather <= ialltoall", "iallgather", {{"ialltoall", 0}}},
    {"igather <= iallgather", "igather", {{"iallgather", 0}}},
    {"ireduce <= iallreduce", "ireduce", {{"iallreduce", 0}}},
    {"iscatter <= ibcast", "iscatter", {{"ibcast", 1}}},
    {"ibcast <= iscatter + iallgather", "ibcast", {{"iscatter", -1}, {"iallgather", -1}}},
    {"ireduce_scatter_block <= ireduce + iscatter", "ireduce_scatter_block", {{"ireduce", 0}, {"iscatter", -1}}},
    {"ireduce <= ireduce_scatter_block + igather", "ireduce", {{"ireduce_scatter_block", 0}, {"igather", -1}}},
};
static const char of_blocking[] = "non-blocking alone <= blocking", of_workers[] = "dpu <= host";

/* Members are sorted by what both sides of a guideline share, then by benchmark, size and number. */
struct launch {
    const struct ovl_member *member;
    char *setting, *work; /* the point without benchmark and size; without what says who carries it */
    long number;
};

struct sides {
    struct ovl_guidelines *g;
    const struct ovl_record *record;
    struct launch *launch;
    size_t count;
    json_t **place; /* of each run of the record, once it was asked for: where it was measured */
};

static int in_order(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    int order = strcmp(x->setting, y->setting);
    if (order == 0)
        order = strcmp(x->member->cell->benchmark, y->member->cell->benchmark);
    double p = x->member->cell->size_bytes, q = y->member->cell->size_bytes;
    if (order == 0 && p != q)
        order = p < q ? -1 : 1;
    return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* Has each side of a guideline its own? */
static bool is_of_a_side(const struct ovl_field *f)
{
    return strcmp(f->name, "benchmark") == 0 || strcmp(f->name, "size_bytes") == 0 || strcmp(f->name, "algorithm") == 0;
}

/* All but benchmark, size and the workers' algorithm. */
static char *setting_of(const struct ovl_member *m)
{
    char *all = ovl_text("%s", "");
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        char text[OVL_FIELD_TEXT_ROOM];
        if (is_of_a_side(f))
            continue;
        ovl_field_text(text, f, m->run, m->cell);
        char *longer = ovl_text("%s%s\t", all, text);
        free(all);
        all = longer;
    }
    return all;
}

static const struct launch *find(const struct sides *s, const struct launch *like, const char *benchmark, double size)
{
    struct ovl_cell cell = *like->member->cell;
    struct ovl_member member = {.cell = &cell};
    struct launch wanted = {.member = &member, .setting = like->setting, .number = like->number};
    snprintf(cell.benchmark, sizeof cell.benchmark, "%s", benchmark);
    cell.size_bytes = size;
    return bsearch(&wanted, s->launch, s->count, sizeof *s->launch, in_order);
}

static double seconds(const char *metric, const struct ovl_member *m)
{
    struct ovl_error none;
    return ovl_metric_of(ovl_metric_find(metric, &none), m).value;
}

static json_t *place_of(const struct sides *s, const struct ovl_run *run)
{
    json_t **place = &s->place[run - s->record->runs];
    *place = *place ? *place : ovl_setting_of_run(run, false);
    return *place;
}

/* On one machine, with the same libraries and variables? What differs is told of the first pair. */
static bool same_setting(const struct sides *s, const struct ovl_run *a, const struct ovl_run *b)
{
    const char *what = a == b                     ? NULL
                       : !ovl_share_machine(a, b) ? "hosts[].machine"
                                                  : ovl_setting_apart(place_of(s, a), place_of(s, b));
    if (what && s->g->apart++ == 0)
        snprintf(s->g->apart_in, sizeof s->g->apart_in, "%s", what);
    return !what;
}

/* The run of the launch before or behind one, of the same point; NULL: there is none. */
static const struct ovl_run *beside(const struct sides *s, const struct launch *l, int step)
{
    ptrdiff_t at = l - s->launch + step;
    if (at < 0 || at >= (ptrdiff_t)s->count)
        return NULL;
    struct launch other = s->launch[at];
    other.number = l->number;
    return in_order(&other, l) == 0 ? other.member->run : NULL;
}

static bool in_turns(const struct sides *s, const struct launch *a, const struct launch *b)
{
    const struct ovl_run *near[] = {beside(s, a, -1), beside(s, a, 1), beside(s, b, -1), beside(s, b, 1)};
    return a->member->run == b->member->run || !ovl_began_between(a->member->run, b->member->run, near, 4);
}

/* Bytes of each message of that term, where those of the launch are on the left. */
static double right_size(const struct launch *l, const struct term *t)
{
    double ranks = ovl_run_operation_ranks(l->member->run, l->member->cell), size = l->member->cell->size_bytes;
    return t->power < 0 ? size / pow(ranks, -t->power) : size * pow(ranks, t->power);
}

/* What stands on the right in the launch of that number; NaN: it lacks some of it. *later is raised where some was not
   measured in turns. */
static double right_of(const struct sides *s, const struct launch *l, const struct rule *r, size_t *later)
{
    double sum = 0;
    bool turns = true;
    for (size_t t = 0; t < TERMS && r->right[t].benchmark; t++) {
        double size = right_size(l, &r->right[t]);
        const struct launch *other = find(s, l, r->right[t].benchmark, size);
        bool here = other && same_setting(s, l->member->run, other->member->run);
        turns = turns && (!here || in_turns(s, l, other));
        sum += here ? seconds("comm_seconds", other->member) : NAN;
    }
    *later += !turns && !isnan(sum);
    return turns ? sum : NAN;
}

/* Is each term of the right side there, in a launch of any number and the same setting? */
static bool has_right(const struct sides *s, const struct launch *l, const struct rule *r)
{
    for (size_t t = 0; t < TERMS && r->right[t].benchmark; t++) {
        struct launch any = *l;
        double size = right_size(l, &r->right[t]);
        bool there = false;
        for (size_t i = 0; i < s->count && !there; i++) {
            any.number = s->launch[i].number;
            there = find(s, &any, r->right[t].benchmark, size) != NULL;
        }
        if (!there)
            return false;
    }
    return true;
}

/* Only one of the two sides may have it at all: a gather has a root, and an allgather none. */
static bool is_of_one_side(const struct ovl_field *f)
{
    return strcmp(f->name, "root") == 0 || strcmp(f->name, "in_place") == 0 || strcmp(f->name, "op") == 0;
}

/* The first field in which two differ that a guideline holds alike, and that both can have; NULL: there is none. */
static const char *apart_in(const struct ovl_member *a, const struct ovl_member *b)
{
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        char one[OVL_FIELD_TEXT_ROOM], two[OVL_FIELD_TEXT_ROOM];
        ovl_field_text(one, f, a->run, a->cell);
        ovl_field_text(two, f, b->run, b->cell);
        if (!is_of_a_side(f) && !is_of_one_side(f) && strcmp(one, two) != 0)
            return f->name;
    }
    return NULL;
}

/* In what all launches of a term of the right side differ, in that mode, such as in the nodes; NULL: some are in the
   same setting, or there are none, or none can be. */
static const char *elsewhere(const struct sides *s, const struct launch *l, const struct rule *r)
{
    const char *in = NULL;
    for (size_t t = 0; t < TERMS && r->right[t].benchmark; t++) {
        const struct launch *other = NULL;
        bool here = false;
        for (size_t i = 0; i < s->count && !here; i++) {
            const struct launch *x = &s->launch[i];
            if (strcmp(x->member->cell->benchmark, r->right[t].benchmark) != 0 ||
                strcmp(x->member->cell->mode, l->member->cell->mode) != 0)
                continue;
            here = strcmp(x->setting, l->setting) == 0;
            other = x;
        }
        if (!here && !other)
            return NULL;
        in = here || in ? in : apart_in(l->member, other->member);
    }
    return in;
}

/* The host's launch of the same run, at the same work. */
static const struct ovl_member *host_of(const struct sides *s, const struct launch *l)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ovl_member *m = s->launch[i].member;
        if (m->run == l->member->run && strcmp(m->cell->mode, "host") == 0 && strcmp(s->launch[i].work, l->work) == 0)
            return m;
    }
    return NULL;
}

/* The launches from `first` on that are of one point. */
static size_t alike(const struct sides *s, size_t first)
{
    size_t n = 1;
    for (; first + n < s->count; n++) {
        struct launch next = s->launch[first + n];
        next.number = s->launch[first].number;
        if (in_order(&next, &s->launch[first]) != 0)
            break;
    }
    return n;
}

/* `unknown`: why what the pairs that are left say is none, or NULL. */
static void add(struct ovl_guidelines *g, const char *text, const struct launch *l, size_t n, const double *left,
                const double *right, const char *unknown)
{
    double *old = ovl_alloc(2 * n + 1, sizeof *old), *new = old + n;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (left[i] > 0 && right[i] > 0) {
            old[kept] = log(right[i]);
            new[kept++] = log(left[i]);
        }
    if (kept == 0) {
        free(old);
        return;
    }
    g->row = ovl_grow_one(g->row, g->count, sizeof *g->row);
    g->test = ovl_grow_one(g->test, g->count, sizeof *g->test);
    g->row[g->count] = (struct ovl_guideline){.text = text, .member = l->member, .unknown = unknown};
    g->test[g->count++] = (struct ovl_family_cell){.old = old, .new = new, .n = kept};
}

/* All guidelines whose left side these launches of a point are. */
static void try_point(const struct sides *s, const struct launch *l, size_t n)
{
    double *left = ovl_alloc(2 * n + 1, sizeof *left), *right = left + n;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        if (strcmp(l->member->cell->benchmark, rules[r].left) != 0)
            continue;
        size_t later = 0, pairs = 0;
        for (size_t i = 0; i < n; i++) {
            left[i] = seconds("comm_seconds", l[i].member);
            right[i] = right_of(s, &l[i], &rules[r], &later);
            pairs += left[i] > 0 && right[i] > 0;
        }
        bool late = ovl_turns_missed(later, pairs + later), there = pairs + later > 0 || has_right(s, l, &rules[r]);
        bool lacking = !late && there && 2 * (n - pairs - later) > pairs;
        s->g->later += late;
        s->g->unmatched += lacking;
        const char *in = there ? NULL : elsewhere(s, l, &rules[r]);
        if (in && s->g->elsewhere++ == 0)
            s->g->elsewhere_in = in;
        add(s->g, rules[r].text, l, n, left, right,
            late      ? "not taken in turns"
            : lacking ? "too many launches have no partner"
                      : NULL);
    }
    bool worker = strcmp(l->member->cell->mode, "dpu") == 0;
    for (size_t i = 0; i < n && !worker; i++) {
        left[i] = seconds("comm_seconds", l[i].member);
        right[i] = seconds("blocking_seconds", l[i].member);
    }
    bool unlike = false;
    for (size_t i = 0; i < n && worker; i++) {
        const struct ovl_member *host = host_of(s, &l[i]);
        bool same = host && ovl_same_units(l[i].member->cell, host->cell);
        unlike = unlike || (host && !same);
        left[i] = seconds("total_seconds", l[i].member);
        right[i] = same ? seconds("total_seconds", host) : NAN;
    }
    s->g->unlike += unlike;
    add(s->g, worker ? of_workers : of_blocking, l, n, left, right, NULL);
    free(left);
}

static int fill_from(struct sides *s, const struct ovl_group *g, struct ovl_error *err)
{
    for (const struct ovl_member *m = g->member; m < g->member + g->count; m++) {
        long number = ovl_launch_number(m->run->file);
        if (m->cell->problem || isnan(m->cell->size_bytes)) /* an application, or a barrier */
            continue;
        if (number < 0 && ovl_inputs_partial(m->run->file)) /* a failed attempt */
            continue;
        if (number < 0)
            return ovl_error_set(err, OVL_USAGE,
                                 "%.200s: this launch has no number; give the folder of a sweep, whose launches of one "
                                 "number were taken in turns",
                                 m->run->file);
        s->launch[s->count++] =
            (struct launch){m, setting_of(m), ovl_point_key(m->run, m->cell, ovl_point_way), number};
    }
    return 0;
}

static int fill(struct sides *s, const struct ovl_groups *groups, struct ovl_error *err)
{
    for (size_t i = 0; i < groups->count; i++) {
        bool gave = ovl_group_gave_work(groups, &groups->group[i]);
        s->g->left_out += gave;
        if (!gave && fill_from(s, &groups->group[i], err) != 0)
            return -1;
    }
    qsort(s->launch, s->count, sizeof *s->launch, in_order);
    for (size_t i = 1; i < s->count; i++)
        if (in_order(&s->launch[i - 1], &s->launch[i]) == 0)
            return ovl_error_set(
                err, OVL_USAGE,
                "%.200s: another cell of a launch of this number measured the same; give one sweep, of its "
                "jobs that measure the same the folder of one, and by --filter one algorithm",
                s->launch[i].member->run->file);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    const struct ovl_guideline *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    double p = x->member->cell->size_bytes, q = y->member->cell->size_bytes;
    return order ? order : p < q ? -1 : p > q ? 1 : x->member < y->member ? -1 : x->member > y->member;
}

int ovl_guidelines_make(struct ovl_guidelines *g, const struct ovl_groups *groups, double margin, bool filtered,
                        struct ovl_error *err)
{
    struct ovl_family_tests tests = {.paired = true};
    const struct ovl_record *record = groups->record[0];
    struct sides s = {g, record, ovl_alloc(groups->member_count + 1, sizeof *s.launch), 0,
                      ovl_alloc(record->run_count + 1, sizeof *s.place)};
    *g = (struct ovl_guidelines){.count = 0};
    int rc = fill(&s, groups, err);
    ovl_guidelines_find_lost(g, groups, filtered);
    for (size_t i = 0, n; i < s.count && rc == 0; i += n) {
        n = alike(&s, i);
        try_point(&s, &s.launch[i], n);
    }
    for (size_t i = 0; i < g->count; i++) {
        g->row[i].test = &g->test[i];
        g->test[i].margin = log1p(margin);
    }
    if (g->count > 0) {
        ovl_family_judge(&tests, g->test, g->count);
        for (size_t i = 0; i < g->count; i++)
            g->row[i].stalls = ovl_stalls_count(g->test[i].old, g->test[i].new, g->test[i].n, g->test[i].margin);
        g->needed = ovl_launch_test_needed(ovl_family_first_level(g->count), true);
        qsort(g->row, g->count, sizeof *g->row, by_text);
    }
    ovl_family_tests_free(&tests);
    for (size_t i = 0; i < s.count; i++) {
        free(s.launch[i].setting);
        free(s.launch[i].work);
    }
    for (size_t r = 0; r < record->run_count; r++)
        json_decref(s.place[r]);
    free(s.place);
    free(s.launch);
    return rc;
}

void ovl_guidelines_free(struct ovl_guidelines *g)
{
    for (size_t i = 0; i < g->count; i++)
        free((double *)(uintptr_t)g->test[i].old);
    free(g->row);
    free(g->test);
}
