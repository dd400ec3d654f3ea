/* Launches that owe a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/owed.h"
#include "base/error.h"
#include "base/path.h"
#include "tool/cells/apart.h"

#include <stdlib.h>
#include <string.h>

static size_t folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* Which launches of the side have a cell of the group, and which have one that none of these has; but for launches of a
   job that has the cell, whose command is the same: another cell is none in its place. */
static void mark(const struct ovl_groups *groups, const struct ovl_group *g, size_t side, bool *has, bool *other)
{
    const struct ovl_run *runs = groups->record[side]->runs;
    const struct ovl_member *m;
    size_t n = ovl_group_side(g, side, &m);
    json_t *jobs = json_object();
    for (size_t i = 0; i < n; i++) {
        has[m[i].run - runs] = true;
        if (*m[i].job)
            json_object_set_new_nocheck(jobs, ovl_path("%.*s", (int)folder_of(m[i].run->file), m[i].run->file).text,
                                        json_true());
    }
    for (size_t k = 0; k < groups->count; k++) {
        bool shared = false;
        n = ovl_group_side(&groups->group[k], side, &m);
        for (size_t i = 0; i < n && !shared; i++)
            shared = has[m[i].run - runs];
        for (size_t i = 0; i < n && !shared; i++)
            other[m[i].run - runs] =
                !*m[i].job ||
                !json_object_get(jobs, ovl_path("%.*s", (int)folder_of(m[i].run->file), m[i].run->file).text);
    }
    json_decref(jobs);
}

/* Are they of several jobs, each of which is this point? */
static bool is_pooled(const struct ovl_member *m, size_t n)
{
    bool pooled = false;
    for (size_t i = 1; i < n; i++)
        pooled = pooled || strcmp(m[i].job, m[0].job) != 0;
    return pooled;
}

static bool is_of(const struct ovl_member *m, size_t n, const struct ovl_run *run)
{
    char job[OVL_MEMBER_JOB];
    bool unended = ovl_run_unended(run);
    if (n == 0 || strcmp(ovl_run_text(run, "benchmark"), m->cell->benchmark) != 0)
        return false;
    ovl_apart_job(job, run->file);
    for (size_t i = 0; i < n; i++)
        if (strcmp(m[i].job, job) == 0 &&
            (unended || json_equal(json_object_get(m[i].run->head, "ranks"), json_object_get(run->head, "ranks"))))
            return true;
    return unended && is_pooled(m, n);
}

bool ovl_group_unwritten(const struct ovl_group *g, size_t side, const struct ovl_unwritten *u)
{
    const struct ovl_member *m;
    char job[OVL_MEMBER_JOB];
    size_t n = ovl_group_side(g, side, &m), length = folder_of(u->file);
    ovl_apart_job(job, u->file);
    for (size_t i = 0; i < n; i++) {
        bool here = folder_of(m[i].run->file) == length && strncmp(m[i].run->file, u->file, length) == 0;
        bool same = !*u->benchmark || strcmp(m[i].cell->benchmark, u->benchmark) == 0;
        if (*job ? strcmp(m[i].job, job) == 0 && same : here)
            return true;
    }
    return *job && n > 0 && strcmp(m->cell->benchmark, u->benchmark) == 0 && is_pooled(m, n);
}

bool *ovl_groups_lost(const struct ovl_groups *groups, const struct ovl_group *g, size_t side)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(g, side, &m), count = groups->record[side]->run_count;
    bool *lost = ovl_alloc(count, sizeof *lost), *has = ovl_alloc(count, sizeof *has),
         *other = ovl_alloc(count, sizeof *other);
    mark(groups, g, side, has, other);
    for (size_t r = 0; r < count; r++) {
        const struct ovl_run *run = &groups->record[side]->runs[r];
        lost[r] = (ovl_run_unended(run) || (!has[r] && !other[r])) && is_of(m, n, run);
    }
    free(has);
    free(other);
    return lost;
}

/* Is it of one launch, which came to its end, and were no others lost? */
static bool is_one_whole(const struct ovl_groups *groups, const struct ovl_group *g)
{
    bool whole = g->count == 1 && !ovl_run_unended(g->member->run) && g->member->cell->validated != 0;
    for (size_t u = 0; whole && u < groups->record[0]->unwritten_count; u++)
        whole = !ovl_group_unwritten(g, 0, &groups->record[0]->unwritten[u]);
    return whole;
}

/* The key of a job's own group has its name behind it (apart.h). */
static bool same_point(const struct ovl_member *a, const struct ovl_member *b)
{
    size_t n = strlen(a->key) - strlen(a->job);
    return n == strlen(b->key) - strlen(b->job) && strncmp(a->key, b->key, n) == 0;
}

bool ovl_group_gave_work(const struct ovl_groups *groups, const struct ovl_group *g)
{
    bool one = g->member->apart && is_one_whole(groups, g);
    for (size_t i = 0; i < groups->count && one; i++) {
        const struct ovl_group *o = &groups->group[i];
        if (o->count > 1 && o->member->apart && same_point(o->member, g->member))
            return ovl_apart_gives_work(g->member->run->file);
    }
    return false;
}
