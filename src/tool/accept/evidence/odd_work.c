/* The launch that sets the work of all, held against the others of its job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/evidence/odd_work.h"
#include "base/error.h"
#include "base/utf8.h"
#include "tool/accept/evidence/evidence.h"
#include "tool/accept/planned/work.h"
#include "tool/cells/odd_ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Does another launch of the sweep take the work of this run's job? */
static bool is_taken(const struct ovl_jobs *j, size_t run)
{
    const struct ovl_job *of = &j->job[j->run[run].job];
    const struct ovl_plan *p = of->sweep == OVL_NO_SWEEP ? NULL : &j->sweep[of->sweep].plan;
    const json_t *jobs = p ? json_object_get(p->json, "jobs") : NULL, *mine = json_array_get(jobs, of->of_plan);
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        struct ovl_launch second = {.job = json_array_get(jobs, i), .number = 2};
        if (j->run[run].launch == 0 && ovl_work_source(p, &second) == mine)
            return true;
    }
    return false;
}

static double communication(const struct ovl_cell *cell)
{
    return ovl_stats_summarise(cell->samples.max[OVL_COMM], cell->samples.blocks).median;
}

/* C of the source, as a part of the median of the other launches of its job, which some that were disturbed like it do
   not move; NAN where that is not odd. */
static double odd_part(const struct ovl_group *g, const struct ovl_jobs *j, const struct ovl_member *source)
{
    size_t job = j->run[source->run - j->record->runs].job, n = 0;
    double *c = ovl_alloc(g->count, sizeof *c), mine = communication(source->cell), part = NAN;
    for (size_t i = 0; i < g->count; i++) {
        double one = communication(g->member[i].cell);
        if (j->run[g->member[i].run - j->record->runs].job == job && &g->member[i] != source && isfinite(one))
            c[n++] = one;
    }
    if (n > 0)
        part = mine / ovl_stats_summarise(c, n).median;
    free(c);
    return part > OVL_ODD_WORK || part < 1 / OVL_ODD_WORK ? part : NAN;
}

static void judge_sweep(const struct ovl_groups *groups, const struct ovl_jobs *j, int sweep, json_t *verdicts)
{
    char label[48], reason[400];
    const struct ovl_member *worst = NULL;
    double most = 1;
    size_t n = 0, cells = 0;
    for (size_t g = 0; g < groups->count; g++)
        for (size_t i = 0; i < groups->group[g].count; i++) {
            const struct ovl_member *m = &groups->group[g].member[i];
            size_t run = (size_t)(m->run - j->record->runs);
            if (j->job[j->run[run].job].sweep != sweep || !is_taken(j, run))
                continue;
            double part = odd_part(&groups->group[g], j, m);
            cells++;
            n += !isnan(part);
            if (fabs(log(part)) > fabs(log(most))) {
                worst = m;
                most = part;
            }
        }
    if (!worst)
        return;
    snprintf(label, sizeof label, "sweep %d", sweep + 1);
    ovl_utf8_print(
        reason, sizeof reason,
        "%.100s, whose work all take, has %.3g times the communication of the other launches of its job at "
        "%.0f bytes, so all have other work than the plan asks for: measure again, or take the work of a record",
        ovl_work_tail(worst->run->file), most, worst->cell->size_bytes);
    ovl_evidence_add(verdicts, label, "work", n, cells, "INCONCLUSIVE", reason);
}

/* What may be odd of a job's launches, by their medians over launches. */
struct odd {
    const char *metric, *before, *after;
    double (*of)(const struct ovl_cell *const *cells, size_t n);
};

/* Of a job's launches in a group; NAN where it is not odd. *all counts the groups that the job has a cell in. */
static double odd_in(const struct odd *odd, const struct ovl_group *g, const struct ovl_jobs *j, size_t job,
                     size_t *all)
{
    const struct ovl_cell **cells = ovl_alloc(g->count, sizeof(struct ovl_cell *));
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++)
        if (j->run[g->member[i].run - j->record->runs].job == job)
            cells[n++] = g->member[i].cell;
    double times = n > 0 ? odd->of(cells, n) : NAN;
    *all += n > 0;
    free(cells);
    return times;
}

static void judge_odd(const struct odd *odd, const struct ovl_groups *groups, const struct ovl_jobs *j, int sweep,
                      json_t *verdicts)
{
    char label[48], reason[400];
    size_t n = 0, all = 0;
    for (size_t job = 0; job < j->count; job++)
        for (size_t g = 0; g < groups->count && j->job[job].sweep == sweep; g++) {
            double times = odd_in(odd, &groups->group[g], j, job, &all);
            if (isnan(times) || n++ > 0)
                continue;
            ovl_utf8_print(reason, sizeof reason, "the work %s %.3g times the %s, in %.100s: measure again",
                           odd->before, times, odd->after, groups->group[g].label);
        }
    snprintf(label, sizeof label, "sweep %d", sweep + 1);
    if (n > 0)
        ovl_evidence_add(verdicts, label, odd->metric, n, all, "INCONCLUSIVE", reason);
}

void ovl_odd_work_judge(const struct ovl_groups *groups, const struct ovl_jobs *j, json_t *verdicts)
{
    static const struct odd ratio = {"ratio", "is", "multiple of the communication that the plan asks for",
                                     ovl_odd_ratio},
                            alone = {"alone", "by itself took longer than beside the communication, by",
                                     "communication", ovl_odd_alone};
    for (int i = 0; i < (int)j->sweep_count; i++) {
        judge_sweep(groups, j, i, verdicts);
        judge_odd(&ratio, groups, j, i, verdicts);
        judge_odd(&alone, groups, j, i, verdicts);
    }
}
