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

struct block {
    double total, comm, compute;
};

static int by_values(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (size_t i = 0; i < sizeof(struct block) / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] > y[i] ? 1 : -1;
    return 0;
}

/* -1 where it was dropped: NaN has no place in an order. */
static double known(double x)
{
    return isnan(x) ? -1 : x;
}

/* Its blocks in an order of their values. The caller frees them. */
static struct block *sorted(const struct ovl_cell *cell)
{
    double *const *max = cell->samples.max;
    struct block *x = ovl_alloc(cell->samples.blocks + 1, sizeof *x);
    for (size_t k = 0; k < cell->samples.blocks; k++)
        x[k] = (struct block){known(max[OVL_TOTAL][k]), known(max[OVL_COMM][k]), known(max[OVL_COMPUTE][k])};
    qsort(x, cell->samples.blocks, sizeof *x, by_values);
    return x;
}

/* Have they the same blocks, in whatever order? */
static bool same_samples(const struct ovl_cell *a, const struct ovl_cell *b)
{
    size_t n = a->samples.blocks;
    if (n != b->samples.blocks || a->summary[OVL_TOTAL].n <= BLOCKS)
        return false;
    struct block *x = sorted(a), *y = sorted(b);
    bool same = memcmp(x, y, n * sizeof *x) == 0;
    free(x);
    free(y);
    return same;
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
