/* Samples that two cells have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/evidence/replayed.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/accept/evidence/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, LONG_BLOCKS = 2 /* so many may be the same by chance where a clock is coarse */ };

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

/* A cell of a sweep, and a number that cells with the same blocks share, in whatever order these are. */
struct entry {
    const struct ovl_member *member;
    uint64_t digest;
    size_t at; /* its place among all */
};

/* Of a cell too short to tell 0: it is like none. */
static uint64_t digest_of(const struct ovl_cell *cell)
{
    uint64_t digest = 1 + cell->samples.blocks;
    struct block *x = sorted(cell);
    const unsigned char *bytes = (const unsigned char *)x;
    for (size_t i = 0; i < cell->samples.blocks * sizeof *x; i++)
        digest = (digest ^ bytes[i]) * 0x100000001b3; /* FNV-1a */
    free(x);
    return cell->summary[OVL_TOTAL].n <= (cell->summary[OVL_TOTAL].min >= 1e-3 ? LONG_BLOCKS : BLOCKS) ? 0 : digest;
}

static bool same_samples(const struct ovl_cell *a, const struct ovl_cell *b)
{
    size_t n = a->samples.blocks;
    if (n != b->samples.blocks)
        return false;
    struct block *x = sorted(a), *y = sorted(b);
    bool same = memcmp(x, y, n * sizeof *x) == 0;
    free(x);
    free(y);
    return same;
}

static int by_digest(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->digest != y->digest ? (x->digest > y->digest) - (x->digest < y->digest)
                                  : (x->at > y->at) - (x->at < y->at);
}

static int sweep_of(const struct ovl_jobs *j, const struct ovl_member *m)
{
    return j->job[j->run[m->run - j->record->runs].job].sweep;
}

/* A cell before entry i with its samples: in another launch of the sweep, or of one before it, of whatever job and
   point, or another cell of the launch itself, but not the same once more, of which the worse counts. NULL: none. */
static const struct ovl_member *earlier(const struct entry *all, size_t i)
{
    const struct ovl_member *mine = all[i].member;
    for (size_t k = i; all[i].digest > 0 && k-- > 0 && all[k].digest == all[i].digest;) {
        const struct ovl_member *other = all[k].member;
        bool twice = strcmp(other->run->file, mine->run->file) == 0 && strcmp(other->key, mine->key) == 0;
        if (!twice && same_samples(other->cell, mine->cell))
            return other;
    }
    return NULL;
}

static void add(json_t *verdicts, int sweep, size_t n, size_t cells, const char *one, const char *two)
{
    char label[48] = "no sweep", reason[400];
    char *shown = ovl_printable_copy(one), *other = ovl_printable_copy(two);
    if (sweep != OVL_NO_SWEEP)
        snprintf(label, sizeof label, "sweep %d", sweep + 1);
    ovl_utf8_print(reason, sizeof reason, "%zu of %zu cells have every sample of another: %.120s those of %.120s", n,
                   cells, shown, other);
    free(shown);
    free(other);
    ovl_evidence_add(verdicts, label, "samples", n, cells, "FAIL", reason);
}

static void judge_sweep(const struct ovl_groups *groups, const struct ovl_jobs *j, int sweep, json_t *verdicts)
{
    struct entry *all = ovl_alloc(groups->member_count + 1, sizeof *all);
    const struct entry *first = NULL;
    const struct ovl_member *of = NULL;
    size_t n = 0, count = 0, cells = 0;
    for (size_t g = 0; g < groups->count; g++)
        for (size_t i = 0; i < groups->group[g].count; i++) {
            const struct ovl_member *m = &groups->group[g].member[i];
            if (sweep_of(j, m) > sweep)
                continue;
            bool own = sweep_of(j, m) == sweep; /* behind those of the sweeps before */
            all[count] = (struct entry){m, digest_of(m->cell), own * groups->member_count + count};
            count++;
            cells += own;
        }
    qsort(all, count, sizeof *all, by_digest);
    for (size_t i = 0; i < count; i++) {
        const struct ovl_member *other = sweep_of(j, all[i].member) == sweep ? earlier(all, i) : NULL;
        n += other != NULL;
        if (!other || (first && all[i].at > first->at))
            continue;
        first = &all[i];
        of = other;
    }
    if (n > 0)
        add(verdicts, sweep, n, cells, first->member->run->file, of->run->file);
    free(all);
}

void ovl_replayed_judge(const struct ovl_groups *groups, const struct ovl_jobs *j, json_t *verdicts)
{
    for (int i = OVL_NO_SWEEP; i < (int)j->sweep_count; i++)
        judge_sweep(groups, j, i, verdicts);
}
