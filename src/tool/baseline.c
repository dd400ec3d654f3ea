/* Baselines of acceptance. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/baseline.h"
#include "tool/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The point but for the way: who progresses the communication, and how it is cut. */
static bool same_problem(const struct ovl_member *a, const struct ovl_member *b)
{
    char x[OVL_FIELD_TEXT_ROOM], y[OVL_FIELD_TEXT_ROOM];
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        if (f->way)
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
    if (strcmp(cell->mode, is_blocking(b) ? "blocking" : "host") != 0 || !same_problem(g->member, judged->member))
        return false;
    if (is_blocking(b) || is_label(b->name))
        return true;
    return g != judged && ovl_cell_tests(cell) == (strcmp(b->name, "host -t") == 0);
}

int ovl_baseline_open(struct ovl_baseline *b, const char *name, const struct ovl_groups *groups,
                      const struct ovl_group *judged, const struct ovl_jobs *jobs)
{
    *b = (struct ovl_baseline){.name = name, .jobs = jobs, .group = calloc(groups->count + 1, sizeof *b->group)};
    for (size_t g = 0; b->group && g < groups->count; g++)
        if (may_hold(b, &groups->group[g], judged))
            b->group[b->count++] = &groups->group[g];
    return b->group ? 0 : -1;
}

void ovl_baseline_close(struct ovl_baseline *b)
{
    free(b->group);
    *b = (struct ovl_baseline){.name = NULL};
}

static double median(const struct ovl_cell *cell, enum ovl_quantity q)
{
    struct ovl_summary s;
    return ovl_stats_summarise(cell->samples.max[q], cell->samples.blocks, &s) == 0 ? s.median : NAN;
}

static size_t run_of(const struct ovl_baseline *b, const struct ovl_member *m)
{
    return (size_t)(m->run - b->jobs->record->runs);
}

/* Is the cell one of the baseline's, of a launch that the judged one is compared with? */
static bool beside(const struct ovl_baseline *b, const struct ovl_member *m, const struct ovl_member *judged,
                   bool same_run)
{
    size_t run = run_of(b, m);
    if (strcmp(ovl_jobs_baseline(b->jobs, run), is_label(b->name) ? b->name : "") != 0)
        return false;
    return same_run ? m->run == judged->run : b->jobs->run[run].launch == b->jobs->run[run_of(b, judged)].launch;
}

static bool same_work(const struct ovl_cell *a, const struct ovl_cell *b)
{
    return a->units == b->units || (isnan(a->units) && isnan(b->units));
}

/* The least T; INFINITY where no cell of the baseline is there, NaN where none did the same work. */
static double quickest(const struct ovl_baseline *b, const struct ovl_member *judged, bool same_run)
{
    double least = INFINITY;
    bool unlike = false;
    for (size_t g = 0; g < b->count; g++)
        for (size_t i = 0; i < b->group[g]->count; i++) {
            const struct ovl_member *m = &b->group[g]->member[i];
            if (!beside(b, m, judged, same_run) || !ovl_cell_claims(m->cell))
                continue;
            if (same_work(m->cell, judged->cell))
                least = fmin(least, median(m->cell, OVL_TOTAL));
            else
                unlike = true;
        }
    return isinf(least) && unlike ? NAN : least;
}

double ovl_baseline_ratio(struct ovl_baseline *b, const struct ovl_member *judged)
{
    double total = INFINITY;
    if (is_blocking(b) && b->count == 0) {
        total = median(judged->cell, OVL_COMPUTE) + median(judged->cell, OVL_BLOCKING);
        total = isnan(total) ? INFINITY : total;
    } else {
        for (int same_run = 1; same_run >= 0 && isinf(total); same_run--)
            total = quickest(b, judged, same_run);
    }
    double mine = median(judged->cell, OVL_TOTAL);
    b->lacking += isinf(total) || isnan(mine);
    b->unlike += isnan(total) != 0;
    return isfinite(total) ? mine / total : NAN;
}

const char *ovl_baseline_fault(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    bool label = *name && strlen(name) <= 100 && strspn(name, letters) == strlen(name);
    return !is_label(name) || label
               ? NULL
               : "blocking, host, host -t, or the \"baseline\" of a job of the plan is wanted here";
}
