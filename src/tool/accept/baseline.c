/* Baselines of acceptance. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/baseline.h"
#include "base/name.h"
#include "tool/cells/metric.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_place(const struct ovl_field *f)
{
    return strcmp(f->name, "nodes") == 0 || strcmp(f->name, "cluster") == 0;
}

/* The point but for the way: who progresses the communication, and how it is cut; of places only where they are, or all
   but these. */
static bool same_problem(const struct ovl_member *a, const struct ovl_member *b, bool places)
{
    char x[OVL_FIELD_TEXT_ROOM], y[OVL_FIELD_TEXT_ROOM];
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        if (f->way || is_place(f) != places)
            continue;
        ovl_field_text(x, f, a->run, a->cell);
        ovl_field_text(y, f, b->run, b->cell);
        if (strcmp(x, y) != 0)
            return false;
    }
    return true;
}

static bool is_blocking(const struct ovl_baseline *b)
{
    return strcmp(b->name, "blocking") == 0;
}

/* Is it the name that a plan gives to a job? */
static bool is_label(const char *name)
{
    return strcmp(name, "blocking") != 0 && strcmp(name, "host") != 0 && strcmp(name, "host -t") != 0;
}

static bool may_hold(const struct ovl_baseline *b, const struct ovl_group *g, const struct ovl_group *judged)
{
    const struct ovl_cell *cell = g->member->cell;
    if (strcmp(cell->mode, is_blocking(b) ? "blocking" : "host") != 0 ||
        !same_problem(g->member, judged->member, false))
        return false;
    if (is_label(b->name))
        return true;
    if (is_blocking(b))
        return g != judged;
    return g != judged && ovl_cell_tests(cell) == (strcmp(b->name, "host -t") == 0);
}

static size_t run_of(const struct ovl_baseline *b, const struct ovl_member *m)
{
    return (size_t)(m->run - b->jobs->record->runs);
}

/* Is the member of a job with the baseline's label, in the sweep of the judged one? */
static bool is_labelled(const struct ovl_baseline *b, const struct ovl_member *m, const struct ovl_member *judged)
{
    const struct ovl_jobs *j = b->jobs;
    size_t run = run_of(b, m), mine = run_of(b, judged);
    return j->job[j->run[run].job].sweep == j->job[j->run[mine].job].sweep &&
           strcmp(ovl_jobs_baseline(j, run), b->name) == 0;
}

/* Is it beside cells of a job that is judged itself, so that another one is held against it? */
static bool is_for_another(const struct ovl_baseline *b, const struct ovl_groups *groups, const struct ovl_member *m)
{
    for (size_t g = 0; g < groups->count; g++) {
        const struct ovl_member *other = groups->group[g].member;
        if (!*ovl_jobs_baseline(b->jobs, run_of(b, other)) && same_problem(other, m, false))
            return true;
    }
    return false;
}

/* Tells of a job whose cells of that benchmark and size are of a point, such as by --rotate, that no judged cell has:
   nobody is held against it. */
static void find_passed(struct ovl_baseline *b, const struct ovl_groups *groups, const struct ovl_group *judged)
{
    const struct ovl_member *it = judged->member;
    for (size_t g = 0; g < groups->count && !*b->passed; g++) {
        const struct ovl_member *one = groups->group[g].member;
        bool alike = strcmp(one->cell->mode, "host") == 0 && strcmp(one->cell->benchmark, it->cell->benchmark) == 0 &&
                     (ovl_cell_solves(it->cell) || one->cell->size_bytes == it->cell->size_bytes);
        if (alike && is_labelled(b, one, it) && !is_for_another(b, groups, one))
            snprintf(b->passed, sizeof b->passed,
                     "but it was not compared with job %.100s of that baseline, whose cells are of another point",
                     one->job);
    }
}

void ovl_baseline_open(struct ovl_baseline *b, const char *name, const struct ovl_groups *groups,
                       const struct ovl_group *judged, const struct ovl_alike *alike)
{
    *b = (struct ovl_baseline){.name = name,
                               .jobs = alike->jobs,
                               .alike = alike,
                               .seen = ovl_alloc(alike->jobs->count * groups->count, 1),
                               .group = ovl_alloc(groups->count, sizeof *b->group)};
    for (size_t g = 0; g < groups->count; g++)
        if (may_hold(b, &groups->group[g], judged))
            b->group[b->count++] = &groups->group[g];
    if (is_label(name))
        find_passed(b, groups, judged);
}

void ovl_baseline_close(struct ovl_baseline *b)
{
    free(b->group);
    free(b->seen);
    *b = (struct ovl_baseline){.name = NULL};
}

static double median(const struct ovl_cell *cell, enum ovl_quantity q)
{
    return ovl_stats_summarise(cell->samples.max[q], cell->samples.blocks).median;
}

/* Is the cell one of the baseline's, of the sweep of the judged one, or of no sweep as that? */
static bool is_of(const struct ovl_baseline *b, size_t run, size_t judged)
{
    const struct ovl_jobs *j = b->jobs;
    return j->job[j->run[run].job].sweep == j->job[j->run[judged].job].sweep &&
           strcmp(ovl_jobs_baseline(j, run), is_label(b->name) ? b->name : "") == 0;
}

/* By units, where there are any, and by the time that they, or the same way of the same problem, took alone: the same
   in both but for noise. */
static bool same_work(const struct ovl_cell *a, const struct ovl_cell *b)
{
    const double factor = 1.25;
    double x = median(a, OVL_COMPUTE), y = median(b, OVL_COMPUTE);
    bool set = !isnan(a->units) || !isnan(b->units) || json_equal(a->problem, b->problem);
    return ovl_same_units(a, b) && !(set && (x > factor * y || y > factor * x));
}

enum { HAS_CELLS = 1, HAS_ONE_HERE = 2 };

static const struct ovl_cell *host_of(const struct ovl_member *m)
{
    return strcmp(m->cell->mode, "host") == 0 ? m->cell : ovl_run_host_beside(m->run, m->cell);
}

/* Do the library's blocking calls take far longer than its own non-blocking ones alone? Kept records have up to 1.75.
   Without mode host beside either cell the judged one's own count, which are up to 1.95 there. */
static bool is_slowed(const struct ovl_member *judged, const struct ovl_member *blocking)
{
    const double factor = 2.5;
    const struct ovl_cell *host = host_of(judged);
    host = host || !blocking ? host : host_of(blocking);
    host = host ? host : judged->cell;
    return (blocking ? median(blocking->cell, OVL_COMM) : median(host, OVL_BLOCKING)) > factor * median(host, OVL_COMM);
}

/* The scheme with blocking calls in the same blocks; without one the calls are a driver's own. */
static bool is_slowed_here(const struct ovl_member *judged)
{
    for (size_t c = 0; c < judged->run->cell_count; c++) {
        const struct ovl_member m = {.run = judged->run, .cell = &judged->run->cells[c]};
        if (strcmp(m.cell->mode, "blocking") == 0 && ovl_cell_beside(m.cell, judged->cell))
            return is_slowed(judged, &m);
    }
    return is_slowed(judged, NULL);
}

size_t ovl_baseline_slowed(const struct ovl_group *group, const char *metric)
{
    size_t n = 0;
    struct ovl_error none;
    const struct ovl_field *f = ovl_metric_find(metric, &none);
    bool ratio = f && f->derived > 0 && (ovl_derived_rows[f->derived - 1].terms & 1U << OVL_BLOCKING);
    bool part = ratio || strstr(metric, "_blocking"); /* of a scheme's calls, such as gain_vs_blocking */
    for (size_t i = 0; i < group->count && part; i++)
        n += ovl_member_claims_again(&group->member[i]) && is_slowed_here(&group->member[i]);
    return n;
}

/* What was seen of the cells beside a judged one. */
struct beside {
    double least; /* T */
    bool unlike, apart, later, slowed;
};

/* Compares with a valid cell of the same launch. */
static void compare(struct ovl_baseline *b, const struct ovl_member *m, const struct ovl_member *judged,
                    struct beside *s)
{
    char what[OVL_ALIKE_WHAT];
    if (!same_work(m->cell, judged->cell)) {
        s->unlike = true;
        return;
    }
    if (!ovl_alike(b->alike, run_of(b, judged), run_of(b, m), what)) {
        if (b->apart == 0 && !s->apart)
            memcpy(b->what, what, sizeof what);
        s->apart = true;
    }
    s->later |= m->run != judged->run && !ovl_jobs_in_turns(b->jobs, run_of(b, judged), run_of(b, m));
    s->slowed |= is_blocking(b) && is_slowed(judged, m);
    s->least = fmin(s->least, median(m->cell, OVL_TOTAL));
}

/* The least T of all its cells beside the judged one, whether of the same run or of a job of its own; INFINITY where
   none can be compared, or a job lacks one of its cells in this launch. */
static double quickest(struct ovl_baseline *b, const struct ovl_member *judged)
{
    const struct ovl_jobs *j = b->jobs;
    struct beside s = {.least = INFINITY};
    bool lacks = false;
    size_t launch = j->run[run_of(b, judged)].launch;
    memset(b->seen, 0, j->count * b->count);
    for (size_t g = 0; g < b->count; g++)
        for (size_t i = 0; i < b->group[g]->count; i++) {
            const struct ovl_member *m = &b->group[g]->member[i];
            size_t run = run_of(b, m);
            bool elsewhere = !same_problem(m, judged, true);
            if (!is_of(b, run, run_of(b, judged)) ||
                (elsewhere && !ovl_alike_planned_there(b->alike, run, run_of(b, judged))))
                continue;
            unsigned char *seen = &b->seen[g * j->count + j->run[run].job];
            *seen |= elsewhere ? 0 : HAS_CELLS;
            if ((m->run != judged->run && j->run[run].launch != launch) || !ovl_member_claims_again(m))
                continue;
            if (elsewhere && b->apart == 0 && !s.apart)
                snprintf(b->what, sizeof b->what, "nodes, or OVL_CLUSTER");
            s.apart = s.apart || elsewhere;
            if (elsewhere)
                continue;
            *seen |= HAS_ONE_HERE;
            compare(b, m, judged, &s);
        }
    for (size_t k = 0; k < j->count * b->count; k++)
        lacks = lacks || (b->seen[k] == HAS_CELLS && launch < j->job[k % j->count].launches);
    b->unlike += s.unlike;
    b->apart += s.apart;
    b->later += s.later;
    b->slowed += s.slowed;
    return lacks || (isinf(s.least) && !s.unlike) ? INFINITY : s.unlike ? NAN : s.least;
}

double ovl_baseline_ratio(struct ovl_baseline *b, const struct ovl_member *judged)
{
    double total = INFINITY, mine = median(judged->cell, OVL_TOTAL);
    if (is_blocking(b) && b->count == 0 && !ovl_cell_solves(judged->cell)) {
        total = median(judged->cell, OVL_COMPUTE) + median(judged->cell, OVL_BLOCKING);
        total = isnan(total) ? INFINITY : total;
        b->slowed += is_slowed(judged, NULL);
    } else {
        total = quickest(b, judged);
    }
    b->lacking += isinf(total) || isnan(mine);
    return isfinite(total) ? mine / total : NAN;
}

const char *ovl_baseline_fault(const char *name)
{
    bool label = *name && strlen(name) <= 100 && ovl_name_is_plain(name);
    return !is_label(name) || label
               ? NULL
               : "blocking, host, host -t, or the \"baseline\" of a job of the plan is wanted here";
}
