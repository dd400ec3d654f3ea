/* Names of sides, their works, and the numbers of their launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/rank/sides.h"
#include "stats/stats.h"
#include "tool/cells/apart.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/lost.h"
#include "tool/cells/owed.h"
#include "tool/cells/point.h"
#include "tool/cells/turns.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cell while its side is still told by texts. */
struct told {
    struct ovl_rank_cell cell;
    char *place, *side; /* path or job; with the mode, and more where that is not enough */
    long number;
};

static bool is_in(const char *file, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return strncmp(file, path, n) == 0 && (file[n] == '/' || file[n] == '\0');
}

/* The longest path that the file is in. */
static const char *path_of(const char *file, char *const *paths, size_t count)
{
    const char *best = "";
    for (size_t i = 0; i < count; i++)
        if (is_in(file, paths[i]) && strlen(paths[i]) >= strlen(best))
            best = paths[i];
    return best;
}

/* Has the path a job besides that one? */
static bool has_jobs(const struct ovl_groups *groups, const char *path, const char *job)
{
    const struct ovl_run *before = NULL;
    for (size_t i = 0; i < groups->member_count; i++) {
        const struct ovl_member *m = &groups->members[i];
        if (m->run != before && is_in(m->run->file, path) && strcmp(m->job, job) != 0)
            return true;
        before = m->run;
    }
    return false;
}

char *ovl_rank_place_of(const struct ovl_groups *groups, const char *file, char *const *paths, size_t count)
{
    const char *path = path_of(file, paths, count);
    char job[OVL_MEMBER_JOB];
    ovl_apart_job(job, file);
    if (count == 1)
        return ovl_text("%s", *job ? job : path);
    return *job && has_jobs(groups, path, job) ? ovl_text("%s/%s", path, job) : ovl_text("%s", path);
}

/* Has the place another mode? */
static bool has_modes(const struct told *const *t, size_t n, const struct told *of)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(t[i]->place, of->place) == 0 &&
            strcmp(t[i]->cell.member->cell->mode, of->cell.member->cell->mode) != 0)
            return true;
    return false;
}

/* Another point of the same work and mode: what they differ in belongs to the name, behind the place. */
static void add_way(char **side, size_t place, const struct ovl_member *m, const struct ovl_member *other)
{
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        char mine[OVL_FIELD_TEXT_ROOM], theirs[OVL_FIELD_TEXT_ROOM];
        if (!f->way || strcmp(f->name, "mode") == 0)
            continue;
        ovl_field_text(mine, f, m->run, m->cell);
        ovl_field_text(theirs, f, other->run, other->cell);
        char word[80];
        snprintf(word, sizeof word, " %s=", f->name);
        if (strcmp(mine, theirs) == 0 || strstr(*side + place, word))
            continue;
        char *more = ovl_text("%s %s=%s", *side, f->name, *mine ? mine : "-");
        free(*side);
        *side = more;
    }
}

/* One cell of each point and place, by index: the cells are sorted by points. Returns how many. */
static size_t find_first(const struct told *t, size_t n, const struct told **first, size_t *first_of)
{
    size_t found = 0, begin = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(t[i].cell.member->key, t[i - 1].cell.member->key) != 0)
            begin = found;
        size_t k = begin;
        while (k < found && strcmp(first[k]->place, t[i].place) != 0)
            k++;
        if (k == found)
            first[found++] = &t[i];
        first_of[i] = k;
    }
    return found;
}

static char *side_of(const struct told *const *first, size_t n, const struct told *t)
{
    const struct ovl_member *m = t->cell.member;
    char *side = has_modes(first, n, t) ? ovl_text("%s %s", t->place, m->cell->mode) : ovl_text("%s", t->place);
    for (size_t k = 0; k < n; k++) {
        const struct ovl_member *other = first[k]->cell.member;
        if (strcmp(first[k]->place, t->place) == 0 && strcmp(other->cell->mode, m->cell->mode) == 0 &&
            strcmp(first[k]->cell.work, t->cell.work) == 0)
            add_way(&side, strlen(t->place), m, other);
    }
    return side;
}

static void name_sides(struct told *t, size_t n)
{
    const struct told **first = ovl_alloc(n + 1, sizeof *first);
    size_t *first_of = ovl_alloc(n + 1, sizeof *first_of), found = find_first(t, n, first, first_of);
    char **side = ovl_alloc(found + 1, sizeof *side);
    for (size_t k = 0; k < found; k++)
        side[k] = side_of(first, found, first[k]);
    for (size_t i = 0; i < n; i++)
        t[i].side = ovl_text("%s", side[first_of[i]]);
    for (size_t k = 0; k < found; k++)
        free(side[k]);
    free(side);
    free(first_of);
    free(first);
}

static int by_text(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Different names, sorted. */
static void list_names(struct ovl_rank_sides *s, const struct told *t)
{
    const char **all = ovl_alloc(s->count + 1, sizeof *all);
    for (size_t i = 0; i < s->count; i++)
        all[i] = t[i].side;
    qsort(all, s->count, sizeof *all, by_text);
    s->name = ovl_alloc(s->count + 1, sizeof *s->name);
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || strcmp(all[i], all[i - 1]) != 0)
            s->name[s->names++] = ovl_text("%s", all[i]);
    free(all);
}

static int in_order(const void *a, const void *b)
{
    const struct told *x = a, *y = b;
    int by_work = strverscmp(x->cell.work, y->cell.work);
    if (by_work || x->cell.side != y->cell.side)
        return by_work ? by_work : x->cell.side < y->cell.side ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    int by_time = strcmp(ovl_run_text(x->cell.member->run, "started"), ovl_run_text(y->cell.member->run, "started"));
    return by_time ? by_time : strcmp(x->cell.member->run->file, y->cell.member->run->file);
}

/* The first launch without a number, or with one that another of its side and work has; NULL: there is none. What a
   failed attempt left has none, and no value. */
static const struct told *unnumbered(const struct told *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool again = i > 0 && t[i].number == t[i - 1].number && t[i].cell.side == t[i - 1].cell.side &&
                     strcmp(t[i].cell.work, t[i - 1].cell.work) == 0;
        if (!ovl_inputs_partial(t[i].cell.member->run->file) && (t[i].number < 0 || again))
            return &t[i];
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The index of each number among all that there are. */
static void index_numbers(struct ovl_rank_sides *s, struct told *t)
{
    long *all = ovl_alloc(s->count + 1, sizeof *all);
    for (size_t i = 0; i < s->count; i++)
        all[i] = t[i].number;
    qsort(all, s->count, sizeof *all, by_number);
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[s->launches++] = all[i];
    for (size_t i = 0; i < s->count; i++)
        t[i].cell.launch = (size_t)((long *)bsearch(&t[i].number, all, s->launches, sizeof *all, by_number) - all);
    free(all);
}

static void index_places(struct ovl_rank_sides *s, struct told *t)
{
    for (size_t i = 0; i < s->count; i++) {
        bool same = i > 0 && t[i].cell.side == t[i - 1].cell.side && strcmp(t[i].cell.work, t[i - 1].cell.work) == 0;
        t[i].cell.launch = same ? t[i - 1].cell.launch + 1 : 0;
        s->launches = t[i].cell.launch + 1 > s->launches ? t[i].cell.launch + 1 : s->launches;
    }
}

static bool usable(const struct ovl_member *m, const void *metric)
{
    return isfinite(ovl_metric_of(metric, m).value);
}

/* What was lost of a place, by its launches alone: cells of which too many are, by one of each. `at`: the place of each
   run, and then of each launch that left nothing. */
static void mark_lost(struct told *t, size_t n, const char *place, const struct ovl_groups *groups, char *const *at,
                      const struct ovl_field *metric)
{
    const struct ovl_record *all = groups->record[0];
    struct ovl_record own = {.runs = ovl_alloc(all->run_count + 1, sizeof *own.runs),
                             .unwritten = ovl_alloc(all->unwritten_count + 1, sizeof *own.unwritten)};
    const struct ovl_record *const one[] = {&own};
    struct ovl_groups g;
    for (size_t r = 0; r < all->run_count; r++)
        if (strcmp(at[r], place) == 0)
            own.runs[own.run_count++] = all->runs[r]; /* its lines stay the record's */
    for (size_t u = 0; u < all->unwritten_count; u++)
        if (strcmp(at[all->run_count + u], place) == 0)
            own.unwritten[own.unwritten_count++] = all->unwritten[u];
    ovl_groups_make(&g, one, 1);
    for (size_t k = 0; k < g.count; k++) {
        bool lost = ovl_lost_many(&g, &g.group[k], 0, usable, metric);
        for (size_t i = 0; i < n && lost; i++)
            if (t[i].cell.member->cell == g.group[k].member->cell)
                t[i].cell.lost_many = true;
    }
    ovl_groups_free(&g);
    free(own.runs);
    free(own.unwritten);
}

static void mark_all_lost(struct told *t, size_t n, const struct ovl_groups *groups, char *const *paths, size_t count,
                          const struct ovl_field *metric)
{
    const struct ovl_record *all = groups->record[0];
    size_t launches = all->run_count + all->unwritten_count;
    char **at = ovl_alloc(launches + 1, sizeof *at);
    json_t *done = json_object();
    for (size_t i = 0; i < launches; i++) {
        const char *file = i < all->run_count ? all->runs[i].file : all->unwritten[i - all->run_count].file;
        at[i] = ovl_rank_place_of(groups, file, paths, count);
    }
    for (size_t i = 0; i < n; i++) {
        if (json_object_get(done, t[i].place))
            continue;
        mark_lost(t, n, t[i].place, groups, at, metric);
        json_object_set_new_nocheck(done, t[i].place, json_true());
    }
    json_decref(done);
    for (size_t i = 0; i < launches; i++)
        free(at[i]);
    free(at);
}

/* The cells of those groups that are sides, by group. Returns how many. */
static size_t tell(struct ovl_rank_sides *s, struct told *t, const struct ovl_groups *groups, char *const *paths,
                   size_t path_count)
{
    size_t n = 0;
    for (const struct ovl_group *g = groups->group; g < groups->group + groups->count; g++) {
        bool gave = ovl_group_gave_work(groups, g);
        s->left_out += gave;
        for (const struct ovl_member *m = g->member; m < g->member + g->count && !gave; m++)
            t[n++] = (struct told){.cell = {.member = m, .work = ovl_point_key(m->run, m->cell, ovl_point_way)},
                                   .place = ovl_rank_place_of(groups, m->run->file, paths, path_count),
                                   .number = ovl_launch_number(m->run->file)};
    }
    return n;
}

int ovl_rank_sides_make(struct ovl_rank_sides *s, const struct ovl_groups *groups, char *const *paths,
                        size_t path_count, const struct ovl_field *metric, bool *paired, struct ovl_error *err)
{
    struct told *t = ovl_alloc(groups->member_count + 1, sizeof *t);
    *s = (struct ovl_rank_sides){.cell = ovl_alloc(groups->member_count + 1, sizeof *s->cell)};
    size_t n = s->count = tell(s, t, groups, paths, path_count);
    mark_all_lost(t, n, groups, paths, path_count, metric);
    name_sides(t, n);
    list_names(s, t);
    for (size_t i = 0; i < n; i++)
        t[i].cell.side = (size_t)((char **)bsearch(&t[i].side, s->name, s->names, sizeof *s->name, by_text) - s->name);
    qsort(t, n, sizeof *t, in_order);
    const struct told *stray = unnumbered(t, n);
    bool can = !stray, asked = *paired;
    *paired = can && (asked || path_count == 1);
    if (stray && path_count == 1 && *stray->cell.member->job)
        ovl_error_set(err, OVL_USAGE,
                      "%.300s: no launch of its sweep, or one of a number that another has: take it out of the folder, "
                      "whose launches of one number are pairs",
                      stray->cell.member->run->file);
    else
        stray = NULL;
    if (*paired)
        index_numbers(s, t);
    else
        index_places(s, t);
    for (size_t i = 0; i < n; i++) {
        s->cell[i] = t[i].cell;
        free(t[i].place);
        free(t[i].side);
    }
    free(t);
    if (stray)
        return -1;
    return can || !asked ? 0
                         : ovl_error_set(err, OVL_USAGE,
                                         "--paired pairs launches by the number of their files (001.jsonl), which some "
                                         "lack or a side has twice");
}

void ovl_rank_sides_free(struct ovl_rank_sides *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->cell[i].work);
    free(s->cell);
    *s = (struct ovl_rank_sides){.count = 0};
}

bool ovl_rank_sides_beside_unlike(const struct ovl_rank_cell *c, size_t count)
{
    double *beside = ovl_alloc(count + 1, sizeof *beside), least = INFINITY, most = 0;
    const struct ovl_cell *one = NULL;
    bool units = false;
    for (size_t i = 0, n; i < count; i += n) {
        size_t told = 0;
        for (n = 0; i + n < count && c[i + n].side == c[i].side; n++) {
            const struct ovl_cell *cell = c[i + n].member->cell;
            if (!ovl_member_claims(c[i + n].member))
                continue;
            one = one ? one : cell;
            units = units || !ovl_same_units(cell, one);
            beside[told++] = ovl_work_beside(cell);
        }
        double mine = ovl_stats_median(beside, told);
        least = isfinite(mine) ? fmin(least, mine) : least;
        most = isfinite(mine) ? fmax(most, mine) : most;
    }
    free(beside);
    return units && most > 0 && isfinite(most / least) && !ovl_work_beside_like(most / least);
}
