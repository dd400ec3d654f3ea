/* Samples that two launches have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/replayed.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/accept/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4 /* so many may be the same by chance where a clock is coarse */ };

static bool same_samples(const struct ovl_cell *a, const struct ovl_cell *b)
{
    static const enum ovl_quantity of[] = {OVL_TOTAL, OVL_COMM, OVL_COMPUTE};
    size_t taken = 0; /* blocks whose T was not dropped */
    if (a->samples.blocks != b->samples.blocks)
        return false;
    for (size_t k = 0; k < a->samples.blocks; k++)
        taken += !isnan(a->samples.max[OVL_TOTAL][k]);
    if (taken <= BLOCKS)
        return false;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (memcmp(a->samples.max[of[i]], b->samples.max[of[i]], a->samples.blocks * sizeof(double)) != 0)
            return false;
    return true;
}

static int sweep_of(const struct ovl_jobs *j, const struct ovl_member *m)
{
    return j->job[j->run[m->run - j->record->runs].job].sweep;
}

/* Another launch of the sweep before member i with the samples of that, or NULL. */
static const struct ovl_member *earlier(const struct ovl_group *g, const struct ovl_jobs *j, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (sweep_of(j, &g->member[k]) == sweep_of(j, &g->member[i]) &&
            strcmp(g->member[k].run->file, g->member[i].run->file) != 0 &&
            same_samples(g->member[k].cell, g->member[i].cell))
            return &g->member[k];
    return NULL;
}

static void add(json_t *verdicts, int sweep, size_t n, size_t cells, const char *one, const char *two)
{
    char label[48] = "no sweep", reason[400];
    char *shown = ovl_printable_copy(one), *other = ovl_printable_copy(two);
    if (sweep != OVL_NO_SWEEP)
        snprintf(label, sizeof label, "sweep %d", sweep + 1);
    ovl_utf8_print(reason, sizeof reason,
                   "%zu of %zu cells have every sample of another launch: %.120s those of %.120s", n, cells, shown,
                   other);
    free(shown);
    free(other);
    ovl_evidence_add(verdicts, label, "samples", n, cells, "FAIL", reason);
}

static void judge_sweep(const struct ovl_groups *groups, const struct ovl_jobs *j, int sweep, json_t *verdicts)
{
    const struct ovl_member *first = NULL, *of = NULL;
    size_t n = 0, cells = 0;
    for (size_t g = 0; g < groups->count; g++)
        for (size_t i = 0; i < groups->group[g].count; i++) {
            const struct ovl_member *m = &groups->group[g].member[i];
            if (sweep_of(j, m) != sweep)
                continue;
            const struct ovl_member *other = earlier(&groups->group[g], j, i);
            cells++;
            n += other != NULL;
            of = first ? of : other;
            first = first || !other ? first : m;
        }
    if (n > 0)
        add(verdicts, sweep, n, cells, first->run->file, of->run->file);
}

void ovl_replayed_judge(const struct ovl_groups *groups, const struct ovl_jobs *j, json_t *verdicts)
{
    for (int i = OVL_NO_SWEEP; i < (int)j->sweep_count; i++)
        judge_sweep(groups, j, i, verdicts);
}
