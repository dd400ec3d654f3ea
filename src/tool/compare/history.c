/* Where metrics changed over launches. history_table.c prints it, history_chart.c draws it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/history.h"
#include "base/utf8.h"

#include <ctype.h>
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

/* Leaves out launches whose units are not those of the last one: their values are of another problem. */
static void keep_work(struct ovl_history_point *p)
{
    double units = p->count > 0 ? p->launch[p->count - 1]->cell->units : NAN;
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        double own = p->launch[i]->cell->units;
        if (own == units || (isnan(own) && isnan(units)))
            p->launch[kept++] = p->launch[i];
    }
    p->other_work = p->count - kept;
    p->count = kept;
}

static int take_launches(struct ovl_history_point *p, const struct ovl_history_how *how)
{
    size_t n = p->group->count;
    p->launch = calloc(n + 1, sizeof(struct ovl_member *));
    p->value = calloc(n + 1, sizeof *p->value);
    p->change = calloc(n / OVL_CHANGE_LEAST + 1, sizeof *p->change);
    if (!p->launch || !p->value || !p->change)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct ovl_member *m = &p->group->member[i];
        if (ovl_cell_claims(m->cell) && isfinite(ovl_metric_stored(how->metric, m->cell).value))
            p->launch[p->count++] = m;
    }
    p->unusable = n - p->count;
    qsort(p->launch, p->count, sizeof(struct ovl_member *), in_order);
    if (how->metric->of_work && !how->any_work)
        keep_work(p);
    for (size_t i = 0; i < p->count; i++)
        p->value[i] = ovl_metric_stored(how->metric, p->launch[i]->cell).value;
    return 0;
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

static double median_of(const double *x, size_t n)
{
    struct ovl_summary s;
    return ovl_stats_summarise(x, n, &s) == 0 ? s.median : NAN;
}

static void judge_change(struct ovl_history *h, const struct ovl_history_point *p, struct ovl_history_change *c,
                         size_t from, size_t to)
{
    const struct ovl_field *m = h->how.metric;
    c->before = median_of(p->value + from, c->at - from);
    c->after = median_of(p->value + c->at, to - c->at);
    double difference = c->after - c->before, size = fabs(difference);
    c->value = difference;
    if (m->scale == OVL_METRIC_RATIO) {
        bool positive = c->before > 0 && c->after > 0; /* else there is no ratio, and a change from 0 is large */
        c->value = positive ? c->after / c->before : NAN;
        size = positive ? fmax(c->value, 1 / c->value) - 1 : size > 0 ? size / fabs(c->before) : 0;
    }
    c->worse = m->more_is_better ? difference < 0 : difference > 0;
    c->within = size <= h->how.delta;
    c->fresh = *h->since && strcmp(ovl_run_text(p->launch[c->last]->run, "started"), h->since) >= 0;
    h->worse += c->worse && !c->within;
    h->better += !c->worse && !c->within;
    h->new_worse += c->worse && !c->within && c->fresh;
}

static int look_at(struct ovl_history *h, struct ovl_history_point *p)
{
    struct ovl_change_point *found = calloc(p->count / OVL_CHANGE_LEAST + 1, sizeof *found);
    int rc = found ? ovl_change_points_find(p->value, p->count, OVL_CHANGE_ALPHA / (double)h->looked_at, seed, found,
                                            &p->change_count)
                   : -1;
    for (size_t i = 0; i < p->change_count && rc == 0; i++) {
        p->change[i] = (struct ovl_history_change){.at = found[i].at, .first = found[i].first, .last = found[i].last};
        judge_change(h, p, &p->change[i], i > 0 ? found[i - 1].at : 0,
                     i + 1 < p->change_count ? found[i + 1].at : p->count);
    }
    free(found);
    return rc;
}

static bool is_date(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    size_t n = strlen(text);
    if (n != 10 && n != sizeof form - 1)
        return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
            return false;
    return true;
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
        if (strncmp(ovl_run_text(run, "git"), since, strlen(since)) == 0 ||
            strcmp(ovl_run_text(run, "ovl_version"), since) == 0)
            if (!*h->since || strcmp(started, h->since) < 0)
                ovl_utf8_print(h->since, sizeof h->since, "%s", started);
    }
    return *h->since ? 0
                     : ovl_error_set(err, OVL_USAGE,
                                     "--since %s: no date such as 2026-01-31 or 2026-01-31T23:59:59Z, and no launch "
                                     "is of a revision that begins so",
                                     since);
}

int ovl_history_make(struct ovl_history *h, const struct ovl_groups *groups, const struct ovl_history_how *how,
                     struct ovl_error *err)
{
    *h = (struct ovl_history){.how = *how, .count = groups->count};
    h->point = calloc(groups->count + 1, sizeof *h->point);
    bool memory = h->point;
    int rc = memory ? find_since(h, groups, err) : 0;
    for (size_t i = 0; i < h->count && rc == 0 && memory; i++) {
        h->point[i].group = &groups->group[i];
        memory = take_launches(&h->point[i], how) == 0;
    }
    if (rc == 0 && memory)
        choose_points(h);
    for (size_t i = 0; i < h->count && rc == 0 && memory; i++)
        memory = !h->point[i].looked_at || look_at(h, &h->point[i]) == 0;
    if (rc == 0 && !memory)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the history");
    if (rc != 0)
        ovl_history_free(h);
    return rc;
}

void ovl_history_free(struct ovl_history *h)
{
    for (size_t i = 0; h->point && i < h->count; i++) {
        free(h->point[i].launch);
        free(h->point[i].value);
        free(h->point[i].change);
    }
    free(h->point);
    *h = (struct ovl_history){.point = NULL};
}

int ovl_history_exit(const struct ovl_history *h)
{
    return h->new_worse > 0 ? OVL_MISSED : h->looked_at == 0 ? OVL_INCONCLUSIVE : OVL_OK;
}

void ovl_history_verdict(const struct ovl_history *h, const struct ovl_history_change *c, char text[48])
{
    int n = snprintf(text, 48, "%s%s", c->fresh ? "new " : "", c->worse ? "WORSE" : "BETTER");
    if (c->within)
        snprintf(text + n, 48 - (size_t)n, ", within %g", h->how.delta);
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
