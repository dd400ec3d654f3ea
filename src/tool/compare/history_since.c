/* What is known of cells since a date: launches that show nothing must not pass for launches in which nothing changed.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "tool/compare/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A launch from `since` on, and whether it shows something of the cell. */
struct seen {
    const char *started;
    bool shows;
};

static const char *started(const struct ovl_run *run)
{
    return ovl_run_text(run, "started");
}

static bool is_new(const struct ovl_history *h, const struct ovl_run *run)
{
    return strcmp(started(run), h->since) >= 0;
}

/* Those that show something come last where several began in the same second. */
static int in_order(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    int by_time = strcmp(x->started, y->started);
    return by_time ? by_time : x->shows - y->shows;
}

/* Has the cell values enough before `since` that a change could be seen against, at whatever work? */
static bool has_past(const struct ovl_history *h, const struct ovl_group *g)
{
    size_t old = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct ovl_member *m = &g->member[i];
        old += !is_new(h, m->run) && ovl_member_claims(m) && isfinite(ovl_field_estimate(h->how.metric, m->cell).value);
    }
    return old >= OVL_CHANGE_LEAST;
}

static bool shows(const struct ovl_history *h, const struct ovl_history_point *point, size_t n, bool past,
                  const struct ovl_member *m)
{
    for (size_t i = 0; i < n; i++) {
        const struct ovl_history_point *p = &point[i];
        if (!p->looked_at || (past && is_new(h, p->launch[0]->run)))
            continue;
        for (size_t k = p->count; k-- > 0 && is_new(h, p->launch[k]->run);)
            if (p->launch[k] == m)
                return true;
    }
    return false;
}

/* The launches of a cell from `since` on, in order of time; *n is how many. */
static struct seen *gather(const struct ovl_history *h, const struct ovl_groups *groups,
                           const struct ovl_history_point *point, size_t points, size_t *n)
{
    const struct ovl_group *g = point->group;
    const struct ovl_record *record = groups->record[0];
    struct seen *all = ovl_alloc(g->count + (record ? record->run_count + record->unwritten_count : 0), sizeof *all);
    bool past = has_past(h, g);
    *n = 0;
    for (size_t i = 0; i < g->count; i++)
        if (is_new(h, g->member[i].run) && !ovl_run_unended(g->member[i].run))
            all[(*n)++] = (struct seen){started(g->member[i].run), shows(h, point, points, past, &g->member[i])};
    bool *lost = record ? ovl_groups_lost(groups, g, 0) : NULL;
    for (size_t r = 0; record && r < record->run_count; r++)
        if (is_new(h, &record->runs[r]) && lost[r])
            all[(*n)++] = (struct seen){started(&record->runs[r]), false};
    free(lost);
    for (size_t u = 0; record && u < record->unwritten_count; u++)
        if (strcmp(record->unwritten[u].started, h->since) >= 0 && ovl_group_unwritten(g, 0, &record->unwritten[u]))
            all[(*n)++] = (struct seen){record->unwritten[u].started, false};
    qsort(all, *n, sizeof *all, in_order);
    return all;
}

static bool is_blind(const struct seen *all, size_t n)
{
    size_t shown = 0, silent = 0; /* at the end */
    for (size_t i = 0; i < n; i++) {
        shown += all[i].shows;
        silent = all[i].shows ? 0 : silent + 1;
    }
    return shown == 0 || n - shown > shown || silent >= OVL_HISTORY_SILENT;
}

static bool is_wrong(const struct ovl_history *h, const struct ovl_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->member[i].cell->validated == 0 && is_new(h, g->member[i].run))
            return true;
    return false;
}

void ovl_history_look_since(struct ovl_history *h, const struct ovl_groups *groups)
{
    for (size_t i = 0, points; i < h->count; i += points) {
        const struct ovl_history_point *point = &h->point[i];
        size_t n;
        for (points = 1; i + points < h->count && point[points].group == point->group;)
            points++;
        struct seen *all = gather(h, groups, point, points, &n);
        h->blind += point->group->count >= h->needed && is_blind(all, n);
        h->wrong += is_wrong(h, point->group);
        free(all);
    }
}
