/* Where metrics changed over launches. history_table.c prints it, history_chart.c draws it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/history.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "record/derived/show.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed = 1;

static int in_order(const void *a, const void *b)
{
    const struct ovl_member *x = *(const struct ovl_member *const *)a, *y = *(const struct ovl_member *const *)b;
    int by_time = strcmp(ovl_run_text(x->run, "started"), ovl_run_text(y->run, "started"));
    if (by_time)
        return by_time;
    int by_revision = strverscmp(ovl_run_text(x->run, "git"), ovl_run_text(y->run, "git"));
    return by_revision ? by_revision : (x > y) - (x < y);
}

static const json_t *model_of(const struct ovl_member *m)
{
    return json_object_get(json_object_get(m->run->head, "input_files"), "model");
}

static const char *cpu_of(const struct ovl_member *m)
{
    const json_t *host = json_array_get(json_object_get(m->run->head, "hosts"), 0);
    const char *cpu = json_string_value(json_object_get(host, "cpu"));
    return cpu ? cpu : "-";
}

/* Another model file under the same name is another problem, and another processor another machine, whatever the
   metric; other units are one to some. */
static bool same_work(const struct ovl_history *h, const struct ovl_member *a, const struct ovl_member *b)
{
    double beside = ovl_work_beside(a->cell) / ovl_work_beside(b->cell);
    bool like = !isfinite(beside) || ovl_work_beside_like(beside);
    bool any = h->how.any_work || (!h->how.metric->of_work && (h->how.metric->derived == 0 || like));
    return ovl_same_model(a->run, b->run) && strcmp(cpu_of(a), cpu_of(b)) == 0 &&
           (any || ovl_same_units(a->cell, b->cell));
}

/* Of each launch the first one of its work: what one has in common with two others these need not have with each other.
   To be freed. */
static size_t *find_works(const struct ovl_history *h, const struct ovl_member **launch, size_t n)
{
    size_t *work = ovl_alloc(n + 1, sizeof *work);
    for (size_t i = 0; i < n; i++) {
        work[i] = 0;
        while (work[i] < i && (work[work[i]] != work[i] || !same_work(h, launch[i], launch[work[i]])))
            work[i]++;
    }
    return work;
}

/* Adds a point of those of the launches that did that work. */
static void add_point(struct ovl_history *h, const struct ovl_group *group, const struct ovl_member **launch, size_t n,
                      const size_t *work, size_t of)
{
    struct ovl_history_point *p = &h->point[h->count++];
    p->group = group;
    snprintf(p->label, sizeof p->label, "%s", group->label);
    p->launch = ovl_alloc(n, sizeof(struct ovl_member *));
    p->value = ovl_alloc(n, sizeof *p->value);
    p->change = ovl_alloc(3 * n / OVL_CHANGE_LEAST, sizeof *p->change);
    for (size_t i = 0; i < n; i++)
        if (work[i] == of) {
            p->value[p->count] = ovl_field_estimate(h->how.metric, launch[i]->cell).value;
            p->launch[p->count++] = launch[i];
        }
}

static size_t count_work(const size_t *work, size_t n, size_t of)
{
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        same += work[i] == of;
    return same;
}

/* Behind the labels of the points of a cell, from the first on: what tells them apart. */
static void tell_work(struct ovl_history *h, size_t first)
{
    bool models = false, cpus = false, several = h->count > first + 1;
    for (size_t i = first; i < h->count && several; i++) {
        const struct ovl_member *a = h->point[i].launch[0], *b = h->point[first].launch[0];
        models = models || !ovl_same_model(a->run, b->run);
        cpus = cpus || strcmp(cpu_of(a), cpu_of(b)) != 0;
    }
    for (size_t i = first; i < h->count && several; i++) {
        struct ovl_history_point *p = &h->point[i];
        const char *model = json_string_value(model_of(p->launch[0]));
        size_t n = ovl_utf8_print(p->label, sizeof p->label, "%s", p->group->label);
        if (models)
            n += (size_t)ovl_utf8_print(p->label + n, sizeof p->label - n, " model_sha256=%.12s", model ? model : "-");
        if (cpus)
            n += (size_t)ovl_utf8_print(p->label + n, sizeof p->label - n, " cpu=%.40s", cpu_of(p->launch[0]));
        snprintf(p->label + n, sizeof p->label - n, " units=%.12g", p->launch[0]->cell->units);
    }
}

/* Values of other work are of another problem: a point for each work that has launches enough, so that none
   hides what another shows, and where none has, one of the last launch's. */
static void add_points_by_work(struct ovl_history *h, const struct ovl_group *group, const struct ovl_member **launch,
                               size_t n)
{
    size_t least = ovl_change_points_needed(OVL_CHANGE_ALPHA), first = h->count, kept = 0;
    size_t *work = find_works(h, launch, n);
    for (size_t i = 0; i < n; i++)
        if (count_work(work, n, i) >= least)
            add_point(h, group, launch, n, work, i);
    if (h->count == first)
        add_point(h, group, launch, n, work, n > 0 ? work[n - 1] : 0);
    free(work);
    for (size_t i = first; i < h->count; i++)
        kept += h->point[i].count;
    tell_work(h, first);
    h->point[first].other_work = n - kept;
}

/* A cell's points. */
static void add_points(struct ovl_history *h, const struct ovl_group *group)
{
    const struct ovl_member **launch = ovl_alloc(group->count, sizeof(struct ovl_member *));
    size_t n = 0, first = h->count;
    for (size_t i = 0; i < group->count; i++) {
        const struct ovl_member *m = &group->member[i];
        if (isfinite(ovl_metric_of(h->how.metric, m).value) && ovl_history_dated(m->run))
            launch[n++] = m;
    }
    qsort(launch, n, sizeof(struct ovl_member *), in_order);
    add_points_by_work(h, group, launch, n);
    h->point[first].unusable = group->count - n;
    free(launch);
}

/* A change needs the more launches the more points are looked at, and the more it needs the fewer are: the least need
   that those who meet it do not raise. It is met at the latest where no point is left. */
static void choose_points(struct ovl_history *h)
{
    h->needed = ovl_change_points_needed(OVL_CHANGE_ALPHA);
    for (;; h->needed++) {
        h->looked_at = 0;
        for (size_t i = 0; i < h->count; i++)
            h->looked_at += h->point[i].looked_at = h->point[i].count >= h->needed;
        if (h->looked_at == 0 || ovl_change_points_needed(OVL_CHANGE_ALPHA / (double)h->looked_at) <= h->needed)
            return;
    }
}

static void look_at(struct ovl_history *h, struct ovl_history_point *p)
{
    size_t since = 0;
    while (since < p->count && *h->since && strcmp(ovl_run_text(p->launch[since]->run, "started"), h->since) < 0)
        since++;
    struct ovl_change_point *found = ovl_alloc(3 * p->count / OVL_CHANGE_LEAST, sizeof *found);
    p->change_count =
        ovl_change_points_find_since(p->value, p->count, since, OVL_CHANGE_ALPHA / (double)h->looked_at, seed, found);
    for (size_t i = 0; i < p->change_count; i++)
        p->change[i] = (struct ovl_history_change){.at = found[i].at, .first = found[i].first, .last = found[i].last};
    ovl_history_judge(h, p);
    free(found);
}

/* A day that there is, with a time or without one. */
static bool is_date(const char *text)
{
    char whole[32];
    snprintf(whole, sizeof whole, "%.21s%s", text, strlen(text) == 10 ? "T00:00:00Z" : "");
    return !isnan(ovl_clock_utc_seconds(whole));
}

/* A revision is new from its first launch on. */
static int find_since(struct ovl_history *h, const struct ovl_groups *groups, struct ovl_error *err)
{
    const char *since = h->how.since;
    if (!since)
        return 0;
    if (is_date(since)) {
        snprintf(h->since, sizeof h->since, "%s", since);
        return 0;
    }
    for (size_t i = 0; i < groups->member_count && *since; i++) {
        const struct ovl_run *run = groups->members[i].run;
        const char *started = ovl_run_text(run, "started");
        if (ovl_history_dated(run) && (strncmp(ovl_run_text(run, "git"), since, strlen(since)) == 0 ||
                                       strcmp(ovl_run_text(run, "ovl_version"), since) == 0))
            if (!*h->since || strcmp(started, h->since) < 0)
                ovl_utf8_print(h->since, sizeof h->since, "%s", started);
    }
    return *h->since ? 0
                     : ovl_error_set(err, OVL_USAGE,
                                     "--since %s: no date such as 2026-01-31 or 2026-01-31T23:59:59Z, and no launch "
                                     "is of a revision that begins so",
                                     since);
}

static void count_undated(struct ovl_history *h, const struct ovl_record *record)
{
    for (size_t r = 0; r < record->run_count; r++)
        if (!ovl_history_dated(&record->runs[r]) && h->undated++ == 0)
            h->undated_first = &record->runs[r];
}

int ovl_history_make(struct ovl_history *h, const struct ovl_groups *groups, const struct ovl_history_how *how,
                     struct ovl_error *err)
{
    *h = (struct ovl_history){.how = *how, .order = ovl_history_order(groups)};
    if (find_since(h, groups, err) != 0)
        return -1;
    count_undated(h, groups->record[0]);
    h->point = ovl_alloc(groups->count + groups->member_count, sizeof *h->point);
    for (size_t g = 0; g < groups->count; g++)
        add_points(h, &groups->group[g]);
    choose_points(h);
    for (size_t i = 0; i < h->count; i++)
        if (h->point[i].looked_at)
            look_at(h, &h->point[i]);
    if (*h->since)
        ovl_history_look_since(h, groups);
    return 0;
}

void ovl_history_free(struct ovl_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        free(h->point[i].launch);
        free(h->point[i].value);
        free(h->point[i].change);
    }
    free(h->point);
    *h = (struct ovl_history){.point = NULL};
}

int ovl_history_exit(const struct ovl_history *h)
{
    bool unordered = *h->since && (h->order.odd || h->undated > 0);
    return h->new_worse + h->wrong > 0                                  ? OVL_MISSED
           : h->looked_at == 0 || h->blind + h->silent > 0 || unordered ? OVL_INCONCLUSIVE
                                                                        : OVL_OK;
}

void ovl_history_places(const struct ovl_history_change *c, char text[48])
{
    int n = snprintf(text, 48, "%zu", c->first + 1);
    if (c->last > c->first)
        snprintf(text + n, 48 - (size_t)n, "-%zu", c->last + 1);
}

void ovl_history_revisions(const struct ovl_history_point *p, const struct ovl_history_change *c, char text[96])
{
    const char *old = ovl_run_text(p->launch[c->first - 1]->run, "git");
    const char *new = ovl_run_text(p->launch[c->last]->run, "git");
    if (strcmp(old, new) == 0)
        ovl_utf8_print(text, 96, "%s", *new ? new : "-");
    else
        ovl_utf8_print(text, 96, "%.40s -> %.40s", old, new);
}
