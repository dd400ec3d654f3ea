/* What is known of cells since a date: launches that show nothing must not pass for launches in which nothing changed.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "tool/cells/apart.h"
#include "tool/cells/owed.h"
#include "tool/compare/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A launch of a cell, and whether it is from `since` on and shows something of it. */
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

/* Has the cell a value before `since`, at whatever work? */
static bool has_past(const struct ovl_history *h, const struct ovl_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (!is_new(h, g->member[i].run) && isfinite(ovl_metric_of(h->how.metric, &g->member[i]).value))
            return true;
    return false;
}

/* Had it a cell there, of no claim then? Nothing after it is held against that. */
static bool was_there(const struct ovl_history *h, const struct ovl_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (!is_new(h, g->member[i].run))
            return true;
    return false;
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

/* A launch from `since` on at settings (ranks, modes and so on) that none had before: it measures no cell that a launch
   before measured. `to`: a cell of it, which tells its settings from others. */
struct moved {
    const struct ovl_run *run;
    const struct ovl_group *to;
    bool held; /* against a cell of its benchmark and job */
};

static bool is_moved(const struct ovl_history *h, const struct ovl_groups *groups, struct moved *m)
{
    m->to = NULL;
    for (size_t g = 0; g < groups->count; g++) {
        const struct ovl_group *group = &groups->group[g];
        bool here = false, before = false;
        for (size_t i = 0; i < group->count; i++) {
            here = here || group->member[i].run == m->run;
            before = before || !is_new(h, group->member[i].run);
        }
        if (here && before)
            return false;
        m->to = m->to || !here ? m->to : group;
    }
    return m->to;
}

static struct moved *find_moved(const struct ovl_history *h, const struct ovl_groups *groups, size_t *n)
{
    const struct ovl_record *record = groups->record[0];
    struct moved *all = ovl_alloc(record->run_count + 1, sizeof *all);
    *n = 0;
    for (size_t r = 0; r < record->run_count; r++) {
        all[*n] = (struct moved){.run = &record->runs[r]};
        *n += is_new(h, &record->runs[r]) && !ovl_run_unended(&record->runs[r]) && is_moved(h, groups, &all[*n]);
    }
    return all;
}

/* Is it of the cell's benchmark and job, so that it may stand in its place? */
static bool stands_for(const struct moved *m, const struct ovl_group *g)
{
    char job[OVL_MEMBER_JOB];
    if (strcmp(ovl_run_text(m->run, "benchmark"), g->member->cell->benchmark) != 0)
        return false;
    ovl_apart_job(job, m->run->file);
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->member[i].job, job) == 0)
            return true;
    return false;
}

/* The settings at which most launches stand in the place of the cell's: other ones beside it, each measured as often as
   the cell, say nothing against it. */
static const struct ovl_group *most_moved(const struct moved *moved, size_t n, const struct ovl_group *g)
{
    const struct ovl_group *to = NULL;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        if (moved[i].to == to || !stands_for(&moved[i], g))
            continue;
        for (size_t k = 0; k < n; k++)
            same += moved[k].to == moved[i].to;
        to = same > most ? moved[i].to : to;
        most = same > most ? same : most;
    }
    return to;
}

/* How much of the key the point is, without the job. */
static size_t point_length(const struct ovl_member *m)
{
    return strlen(m->key) - (m->apart ? strlen(m->job) + 1 : 0);
}

/* Another job of the point that goes on, after its own last launch, may be the job by another name. */
static size_t add_others(const struct ovl_history *h, const struct ovl_groups *groups, const struct ovl_group *g,
                         struct seen *all)
{
    const struct ovl_member *mine = g->member;
    size_t length = point_length(mine), n = 0;
    for (size_t o = 0; o < groups->count && mine->apart; o++) {
        const struct ovl_group *other = &groups->group[o];
        bool same =
            other != g && point_length(other->member) == length && strncmp(other->member->key, mine->key, length) == 0;
        for (size_t i = 0; i < other->count && same; i++)
            if (is_new(h, other->member[i].run) &&
                strcmp(started(other->member[i].run), started(mine[g->count - 1].run)) > 0)
                all[n++] = (struct seen){started(other->member[i].run), false};
    }
    return n;
}

/* The launches of a cell, with those that stand in their place from `since` on, in order of time; *n is how many. */
static struct seen *gather(const struct ovl_history *h, const struct ovl_groups *groups,
                           const struct ovl_history_point *point, size_t points, struct moved *moved, size_t moves,
                           size_t *n)
{
    const struct ovl_group *g = point->group;
    const struct ovl_record *record = groups->record[0];
    struct seen *all =
        ovl_alloc(groups->member_count + g->count + moves + (record ? record->run_count + record->unwritten_count : 0),
                  sizeof *all);
    const struct ovl_group *to = has_past(h, g) ? most_moved(moved, moves, g) : NULL;
    bool past = has_past(h, g);
    *n = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct ovl_member *m = &g->member[i];
        if (!ovl_run_unended(m->run))
            all[(*n)++] = (struct seen){started(m->run), is_new(h, m->run) && shows(h, point, points, past, m)};
    }
    bool *lost = record ? ovl_groups_lost(groups, g, 0) : NULL;
    for (size_t r = 0; record && r < record->run_count; r++)
        if (lost[r])
            all[(*n)++] = (struct seen){started(&record->runs[r]), false};
    free(lost);
    for (size_t u = 0; record && u < record->unwritten_count; u++)
        if (ovl_group_unwritten(g, 0, &record->unwritten[u]))
            all[(*n)++] = (struct seen){record->unwritten[u].started, false};
    for (size_t i = 0; to && i < moves; i++)
        if (moved[i].to == to && stands_for(&moved[i], g)) {
            moved[i].held = true;
            all[(*n)++] = (struct seen){started(moved[i].run), false};
        }
    *n += past ? add_others(h, groups, g, all + *n) : 0;
    qsort(all, *n, sizeof *all, in_order);
    return all;
}

/* How many of the launches, in order of time, began before. */
static size_t count_before(const struct seen *all, size_t n, const char *when)
{
    size_t before = 0;
    for (size_t end = n; before < end;) {
        size_t middle = before + (end - before) / 2;
        if (strcmp(all[middle].started, when) < 0)
            before = middle + 1;
        else
            end = middle;
    }
    return before;
}

/* Of those from `since` on. */
static bool is_blind(const struct seen *all, size_t n)
{
    size_t shown = 0, silent = 0; /* at the end */
    for (size_t i = 0; i < n; i++) {
        shown += all[i].shows;
        silent = all[i].shows ? 0 : silent + 1;
    }
    return shown == 0 || n - shown > shown || silent >= OVL_HISTORY_SILENT;
}

/* Is the other cell measured so often after the last of these launches that they are missing OVL_HISTORY_SILENT times
   or more?
   `between`: room for n + 1. */
static bool goes_on(const struct ovl_group *other, const struct seen *all, size_t n, size_t *between)
{
    size_t most = 1; /* of its launches between two of these */
    memset(between, 0, (n + 1) * sizeof *between);
    for (size_t i = 0; i < other->count; i++)
        between[count_before(all, n, started(other->member[i].run))]++;
    for (size_t i = 1; i < n; i++)
        most = between[i] > most ? between[i] : most;
    return between[n] > OVL_HISTORY_SILENT * most;
}

static bool is_silent(const struct ovl_groups *groups, const struct seen *all, size_t n)
{
    size_t *between = ovl_alloc(n + 1, sizeof *between), after = 0;
    bool silent = false;
    for (size_t r = 0; r < groups->record[0]->run_count; r++)
        after += strcmp(started(&groups->record[0]->runs[r]), all[n - 1].started) > 0;
    for (size_t o = 0; o < groups->count && after > OVL_HISTORY_SILENT && !silent; o++)
        silent = goes_on(&groups->group[o], all, n, between);
    free(between);
    return silent;
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
    size_t moves;
    struct moved *moved = find_moved(h, groups, &moves);
    h->pastless = h->count > 0;
    for (size_t i = 0; i < h->count; i++)
        h->pastless = h->pastless && !has_past(h, h->point[i].group);
    for (size_t i = 0, points; i < h->count; i += points) {
        const struct ovl_history_point *point = &h->point[i];
        size_t n;
        for (points = 1; i + points < h->count && point[points].group == point->group;)
            points++;
        struct seen *all = gather(h, groups, point, points, moved, moves, &n);
        size_t old = count_before(all, n, h->since);
        bool asked = point->group->count >= h->needed,
             alone = h->pastless || (!has_past(h, point->group) && was_there(h, point->group)),
             blind = asked && (alone || is_blind(all + old, n - old));
        h->blind += blind;
        if (asked && !blind && is_silent(groups, all, n) && h->silent++ == 0) {
            h->silent_first = point->group;
            h->silent_last = all[n - 1].started;
        }
        h->wrong += is_wrong(h, point->group);
        free(all);
    }
    for (size_t i = 0; i < moves; i++) {
        h->moved += moved[i].held;
        h->moved_to = h->moved_to || !moved[i].held ? h->moved_to : moved[i].run;
    }
    free(moved);
}
