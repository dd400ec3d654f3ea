/* Do workers win, draw or lose against the quickest other way, and do the launches suffice to say so? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"
#include "tool/cells/apart.h"
#include "tool/cells/lost.h"
#include "tool/cells/owed.h"
#include "tool/show/ways.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ovl_way_who(const struct ovl_way *r, char text[OVL_WAY_WHO])
{
    const char *job = r->twin ? r->group->member->job : "";
    snprintf(text, OVL_WAY_WHO, "%s%s%.100s%s", r->name, *job ? " (job " : "", job, *job ? ")" : "");
    return text;
}

bool ovl_ways_same_work(const struct ovl_ways *t, size_t i, size_t k)
{
    return k < t->count && strcmp(t->way[i].work, t->way[k].work) == 0;
}

/* Is way k no worker, of the set and like that worker's machine, and without wrong data? */
static bool is_rival(const struct ovl_ways *t, size_t i, size_t k)
{
    const struct ovl_way *r = &t->way[k];
    return ovl_ways_same_work(t, i, k) && strcmp(r->name, "dpu") != 0 && r->wrong == 0 && !ovl_way_apart(&t->way[i], r);
}

/* Is it of workers, and may it win or lose? */
static bool may_end(const struct ovl_way *r)
{
    return strcmp(r->name, "dpu") == 0 && r->launches > 0 && r->wrong == 0 && !ovl_cell_lone(r->group->member->cell);
}

static bool is_quicker(const struct ovl_way *mine, const struct ovl_way *r, const struct ovl_way *best)
{
    double ratio = ovl_way_ratio(r, best).value;
    return isnan(ratio) ? ovl_way_ratio(mine, r).value > ovl_way_ratio(mine, best).value : ratio < 1;
}

/* Of the set of a worker, who of those who did its work is quickest without one. NULL: nobody on its machine did it. */
static const struct ovl_way *best_other(const struct ovl_ways *t, size_t i)
{
    const struct ovl_way *best = NULL, *mine = &t->way[i];
    for (size_t k = 0; k < t->count; k++) {
        const struct ovl_way *r = &t->way[k];
        if (r->launches > 0 && is_rival(t, i, k) && !isnan(ovl_way_ratio(mine, r).value) &&
            (!best || is_quicker(mine, r, best)))
            best = r;
    }
    return best;
}

#define NO_PARTNER "%s has no launch of the same work (work_of, --work-from) and number"

/* Of the set, one of whose launches none is a partner of that worker's, as where each calibrated its own work. NULL:
   all have one. */
static const struct ovl_way *lone_one(const struct ovl_ways *t, size_t i)
{
    for (size_t k = 0; k < t->count; k++)
        if (t->way[k].launches > 0 && is_rival(t, i, k) && isnan(ovl_way_ratio(&t->way[i], &t->way[k]).value))
            return &t->way[k];
    return NULL;
}

/* Of the set of that worker, one that is several ways; NULL: none is. */
static const struct ovl_way *mixed_one(const struct ovl_ways *t, size_t i)
{
    for (size_t k = 0; k < t->count; k++)
        if (ovl_ways_same_work(t, i, k) && *t->way[k].mixed)
            return &t->way[k];
    return NULL;
}

/* Is a launch of that file, which left no cell, of a job, or of a folder where no plan is, that has none at all of that
   benchmark ("": not known which)? */
static bool left_none(const struct ovl_ways *t, const char *file, const char *benchmark, const char *wanted)
{
    const struct ovl_unwritten u = {.file = file, .benchmark = (char *)benchmark};
    bool none = !*benchmark || strcmp(benchmark, wanted) == 0;
    for (size_t g = 0; g < t->groups.count && none; g++)
        none = !ovl_group_unwritten(&t->groups.group[g], 0, &u);
    return none;
}

static bool has_job(const struct ovl_ways *t, const char *job)
{
    for (size_t i = 0; i < t->groups.member_count; i++)
        if (strcmp(t->groups.members[i].job, job) == 0)
            return true;
    return false;
}

/* A job of the same program that the plan has as a baseline and of which no launch is given. "": there is none. */
static void find_left_out(const struct ovl_ways *t, size_t i, char text[OVL_WAY_WHO])
{
    const struct ovl_member *m = t->way[i].group->member;
    json_t *plan = ovl_apart_plan(m->run->file), *jobs = json_object_get(plan, "jobs"), *job;
    const char *program = "";
    size_t k;
    *text = '\0';
    json_array_foreach(jobs, k, job) {
        const char *name = json_string_value(json_object_get(job, "name")),
                   *own = json_string_value(json_object_get(job, "program"));
        program = name && own && strcmp(name, m->job) == 0 ? own : program;
    }
    json_array_foreach(jobs, k, job) {
        const char *name = json_string_value(json_object_get(job, "name")),
                   *own = json_string_value(json_object_get(job, "program"));
        if (name && own && strcmp(own, program) == 0 && json_object_get(job, "baseline") && !has_job(t, name))
            snprintf(text, OVL_WAY_WHO, "job %.140s", name);
    }
    json_decref(plan);
}

static bool has_size(const struct ovl_run *run, double size)
{
    const json_t *sizes = json_object_get(run->head, "sizes_bytes");
    bool asked = false, has = false;
    for (size_t i = 0; i < json_array_size(sizes); i++)
        asked = asked || json_number_value(json_array_get(sizes, i)) == size;
    for (size_t c = 0; c < run->cell_count; c++)
        has = has || run->cells[c].size_bytes == size;
    return has || !asked;
}

static bool has_job_of(const struct ovl_ways *t, size_t i, const char *job)
{
    for (size_t k = 0; k < t->count; k++)
        for (size_t m = 0; ovl_ways_same_work(t, i, k) && m < t->way[k].group->count; m++)
            if (strcmp(t->way[k].group->member[m].job, job) == 0)
                return true;
    return false;
}

/* A job of the same benchmark whose launches had that size by their options, and of which none left a cell of it. */
static void find_without_size(const struct ovl_ways *t, size_t i, char text[OVL_WAY_WHO])
{
    const struct ovl_record *all = t->groups.record[0];
    const struct ovl_cell *cell = t->way[i].group->member->cell;
    for (size_t r = 0; r < all->run_count && !all->ways_chosen && !*text; r++) {
        char job[OVL_MEMBER_JOB];
        ovl_apart_job(job, all->runs[r].file);
        if (*job && strcmp(ovl_run_text(&all->runs[r], "benchmark"), cell->benchmark) == 0 &&
            !has_size(&all->runs[r], cell->size_bytes) && !has_job_of(t, i, job))
            snprintf(text, OVL_WAY_WHO, "job %.140s", job);
    }
}

/* Who may be quicker than the best other way, as too few or none of its launches left a valid cell: a way of the set,
   or a job without cells of that benchmark. "": nobody. */
static void find_unknown(const struct ovl_ways *t, size_t i, char text[OVL_WAY_WHO])
{
    const struct ovl_record *all = t->groups.record[0];
    const char *wanted = t->way[i].group->member->cell->benchmark, *file = NULL;
    char job[OVL_MEMBER_JOB];
    *text = '\0';
    for (size_t k = 0; k < t->count; k++)
        if ((t->way[k].launches == 0 || t->way[k].lost) && is_rival(t, i, k)) {
            ovl_way_who(&t->way[k], text);
            return;
        }
    for (size_t u = 0; u < all->unwritten_count && !file; u++)
        if (left_none(t, all->unwritten[u].file, all->unwritten[u].benchmark, wanted))
            file = all->unwritten[u].file;
    for (size_t r = 0; r < all->run_count && !file; r++)
        if (all->runs[r].cell_count == 0 && ovl_run_unended(&all->runs[r]) &&
            left_none(t, all->runs[r].file, ovl_run_text(&all->runs[r], "benchmark"), wanted))
            file = all->runs[r].file;
    for (size_t k = 0; k < t->count && !file && !*text; k++)
        if (ovl_ways_same_work(t, i, k))
            ovl_lost_mode(&t->groups, t->way[k].group, text);
    if (!file && !*text)
        find_without_size(t, i, text);
    if (!file && !*text)
        find_left_out(t, i, text);
    if (!file)
        return;
    ovl_apart_job(job, file);
    snprintf(text, OVL_WAY_WHO, "%s%.140s", *job ? "job " : "", *job ? job : file);
}

static enum ovl_way_end by_interval(struct ovl_estimate ratio)
{
    return isnan(ratio.ci_low) ? OVL_WAY_OPEN
           : ratio.ci_high < 1 ? OVL_WAY_WINS
           : ratio.ci_low > 1  ? OVL_WAY_LOSES
                               : OVL_WAY_DRAWS;
}

/* Decimals with which no end of an interval reads 1.00 that is on one side of it. */
static int decimals(struct ovl_estimate ratio)
{
    double nearest = fmin(fabs(ratio.ci_low - 1), fabs(ratio.ci_high - 1));
    int n = 2;
    for (double half = 0.005; n < 5 && nearest > 0 && nearest < half; half /= 10)
        n++;
    return n;
}

/* Why launches of these do not say what their interval does; "" where they do. */
static void find_doubt(const struct ovl_ways *t, size_t i, const struct ovl_way *best, enum ovl_way_end end,
                       char why[OVL_WAY_END_TEXT])
{
    const struct ovl_way *r = &t->way[i], *mixed = mixed_one(t, i), *slow = end == OVL_WAY_WINS ? r : best;
    size_t unmatched, pairs = ovl_way_pairs(r, best, &unmatched),
                      stalls = end == OVL_WAY_WINS    ? ovl_way_stalls(r, best)
                               : end == OVL_WAY_LOSES ? ovl_way_stalls(best, r)
                                                      : 0;
    char who[OVL_WAY_WHO];
    *why = '\0';
    if (r->lost || best->lost)
        snprintf(why, OVL_WAY_END_TEXT, "too many launches of %s are lost or invalid", r->lost ? r->name : best->name);
    else if (mixed)
        snprintf(why, OVL_WAY_END_TEXT, "launches of %s differ in %.80s", mixed->name, mixed->mixed);
    else if (2 * unmatched > pairs)
        snprintf(why, OVL_WAY_END_TEXT, "%zu launches have no partner beside %zu pair%s", unmatched, pairs,
                 pairs == 1 ? "" : "s");
    else if (!ovl_way_in_turns(r, best))
        snprintf(why, OVL_WAY_END_TEXT, "their launches were not taken in turns");
    else if (stalls > 0)
        snprintf(why, OVL_WAY_END_TEXT, "%zu launches of %s are far slower: they stall", stalls, slow->name);
    else if (end == OVL_WAY_OPEN)
        snprintf(why, OVL_WAY_END_TEXT, "an interval needs 6 pairs of launches");
    else if (end != OVL_WAY_LOSES) {
        const struct ovl_way *other = lone_one(t, i);
        find_unknown(t, i, who);
        if (*who)
            snprintf(why, OVL_WAY_END_TEXT, "too few launches of %s are valid to say that it is no quicker", who);
        else if (other)
            snprintf(why, OVL_WAY_END_TEXT, NO_PARTNER ", and may be quicker", ovl_way_who(other, who));
    }
}

enum ovl_way_end ovl_way_end(const struct ovl_ways *t, size_t i, char text[OVL_WAY_END_TEXT])
{
    const struct ovl_way *r = &t->way[i], *best, *other;
    char why[OVL_WAY_END_TEXT], who[OVL_WAY_WHO], of_pairs[48] = "";
    if (!may_end(r))
        return OVL_WAY_NO_END;
    best = best_other(t, i);
    if (!best) {
        other = lone_one(t, i);
        if (!other)
            return OVL_WAY_NO_END;
        snprintf(text, OVL_WAY_END_TEXT, NO_PARTNER, ovl_way_who(other, who));
        return OVL_WAY_OPEN;
    }
    struct ovl_estimate ratio = ovl_way_ratio(r, best);
    enum ovl_way_end end = by_interval(ratio);
    ovl_way_who(best, who);
    find_doubt(t, i, best, end, why);
    if (*why) {
        snprintf(text, OVL_WAY_END_TEXT, "%.2f of the total of %s; %.240s", ratio.value, who, why);
        return OVL_WAY_OPEN;
    }
    size_t unmatched, pairs = ovl_way_pairs(r, best, &unmatched);
    if (unmatched > 0)
        snprintf(of_pairs, sizeof of_pairs, " in %zu pairs of launches", pairs);
    snprintf(text, OVL_WAY_END_TEXT, "%.2f of the total of %s (%.*f to %.*f)%s", ratio.value, who, decimals(ratio),
             ratio.ci_low, decimals(ratio), ratio.ci_high, of_pairs);
    return end;
}
