/* Blocks of samples: taken, reduced over the ranks, kept. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/loop_state.h"
#include "bench/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum ovl_quantity late_of(const struct ovl_loop_slot *slot)
{
    return (enum ovl_quantity)ovl_quantity_late((int)slot->kind);
}

/* A sample that starts later than this does not count in the mode's cell. */
static double late_limit(const struct ovl_loop_state *s, int mode)
{
    return fmax(s->l->late_seconds, fmax(0.1 * s->comm[mode], 3 * s->l->clock_read));
}

/* A mode that only sets the work is not measured. */
static bool left_out(const struct ovl_loop_state *s, const struct ovl_loop_slot *slot)
{
    return s->l->pilot && s->measuring && slot->mode == 0 && slot->kind != OVL_COMPUTE;
}

static double *numbers_of(struct ovl_loop_state *s, size_t slot)
{
    return s->largest + slot * OVL_LOOP_NUMBERS;
}

/* A rank's T less the median of its own last W: no maximum over ranks of unlike things, as max T - max W is. */
static void fill_exposed(struct ovl_loop_state *s)
{
    for (size_t k = 0; k < s->kinds; k++) {
        const struct ovl_loop_slot *slot = &s->slots[k];
        if (slot->kind != OVL_COMPUTE)
            continue;
        struct ovl_loop_work *w = &s->work[slot->mode];
        if (w->units != s->units)
            *w = (struct ovl_loop_work){.units = s->units};
        w->seconds[w->taken++ % OVL_LOOP_RECENT] = numbers_of(s, k)[OVL_N_VALUE];
    }
    for (size_t k = 0; k < s->kinds; k++) {
        const struct ovl_loop_slot *slot = &s->slots[k];
        double *numbers = numbers_of(s, k), sorted[OVL_LOOP_RECENT];
        if (slot->kind != OVL_TOTAL)
            continue;
        const struct ovl_loop_work *w = &s->work[s->l->work_of[slot->mode]];
        size_t n = w->taken < OVL_LOOP_RECENT ? w->taken : OVL_LOOP_RECENT;
        memcpy(sorted, w->seconds, n * sizeof *sorted);
        numbers[OVL_N_EXPOSED] = numbers[OVL_N_VALUE] - ovl_stats_median(sorted, n);
    }
}

/* What this rank keeps for itself of a block that counts. */
static void keep_own(struct ovl_loop_state *s)
{
    for (size_t k = 0; k < s->kinds; k++) {
        const double *numbers = numbers_of(s, k);
        const struct ovl_loop_slot *slot = &s->slots[k];
        if (!isnan(numbers[OVL_N_LATE]))
            s->own_late += numbers[OVL_N_LATE];
        if (slot->kind == OVL_TOTAL) {
            s->last[slot->mode].total = numbers[OVL_N_VALUE];
            s->last[slot->mode].inner = numbers[OVL_N_INNER];
        } else if (slot->kind == OVL_COMM) {
            s->last[slot->mode].comm = numbers[OVL_N_VALUE];
        }
        if (s->own) {
            size_t most = s->l->stop.most;
            s->own[2 * k * most + s->own_blocks] = numbers[OVL_N_VALUE];
            s->own[(2 * k + 1) * most + s->own_blocks] = numbers[OVL_N_LATE];
        }
    }
    s->own_blocks++;
}

/* Slots keep their places in the reduction whatever the order was. */
void ovl_loop_take_block(struct ovl_loop_state *s)
{
    const struct ovl_stage_ops *ops = s->l->ops;
    size_t order[OVL_LOOP_KINDS], numbers = s->kinds * OVL_LOOP_NUMBERS;
    s->block_begin = ops->now(s->l->stage);
    for (size_t i = 0; i < s->kinds; i++) {
        size_t k = ovl_rng_below(&s->order, (uint32_t)i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (size_t i = 0; i < s->kinds; i++) {
        const struct ovl_loop_slot *slot = &s->slots[order[i]];
        double *out = numbers_of(s, order[i]);
        if (left_out(s, slot)) {
            for (int n = 0; n < OVL_LOOP_NUMBERS; n++)
                out[n] = NAN;
            continue;
        }
        struct ovl_sample x = ovl_sample_take(s->l, slot->kind, slot->mode, s->units);
        const double all[OVL_LOOP_NUMBERS] = {
            [OVL_N_VALUE] = x.seconds,
            [OVL_N_LATE] = x.start_late,
            [OVL_N_EARLY] = -x.start_late,
            [OVL_N_ANNOUNCED] = x.announced,
            [OVL_N_INIT] = x.init,
            [OVL_N_TEST] = x.test,
            [OVL_N_WAIT] = x.wait,
            [OVL_N_INNER] = x.inner,
            [OVL_N_THREAD] = x.burnt.thread,
            [OVL_N_PROCESS] = x.burnt.process,
            [OVL_N_WORKERS] = x.burnt.workers,
        };
        memcpy(out, all, sizeof all);
    }
    fill_exposed(s);
    if (s->measuring)
        keep_own(s);
    s->largest[numbers] = ops->interrupted(s->l->stage);
    memcpy(s->sum, s->largest, (numbers + 1) * sizeof *s->sum);
    ops->reduce(s->l->stage, s->largest, s->sum, numbers + 1);
    if (ops->took)
        ops->took(s->l->stage, s->measuring ? s->own_blocks - 1 : OVL_LOOP_NOT_KEPT);
    if (!s->l->decides)
        return;
    s->signal = (int)s->largest[numbers];
    for (size_t k = 0; k < s->kinds; k++)
        if (!isnan(numbers_of(s, k)[OVL_N_ANNOUNCED]))
            ops->announced(s->l->stage, numbers_of(s, k)[OVL_N_ANNOUNCED]);
}

/* Are the slot's samples those of this mode? */
static bool serves(const struct ovl_loop *l, const struct ovl_loop_slot *slot, int mode)
{
    return slot->kind == OVL_BLOCKING || slot->mode == (slot->kind == OVL_COMPUTE ? l->work_of[mode] : mode);
}

static void keep_value(struct ovl_samples *to, enum ovl_quantity q, size_t block, double largest, double mean)
{
    to->max[q][block] = largest;
    to->mean[q][block] = mean;
}

void ovl_loop_keep_block(struct ovl_loop_state *s)
{
    const struct ovl_loop *l = s->l;
    s->result->began[s->blocks] = 1e-9 * (double)s->block_begin;
    for (size_t k = 0; k < s->kinds; k++) {
        const double *largest = numbers_of(s, k), *sum = s->sum + k * OVL_LOOP_NUMBERS;
        const struct ovl_loop_slot *slot = &s->slots[k];
        s->spread[s->blocks * s->kinds + k] = largest[OVL_N_LATE] + largest[OVL_N_EARLY];
        if (left_out(s, slot))
            continue;
        for (int m = 0; m < l->modes; m++) {
            struct ovl_samples *to = &s->result->samples[m];
            if (!serves(l, slot, m))
                continue;
            keep_value(to, late_of(slot), s->blocks, largest[OVL_N_LATE], sum[OVL_N_LATE] / l->ranks);
            if (largest[OVL_N_LATE] > late_limit(s, m))
                continue;
            keep_value(to, slot->kind, s->blocks, largest[OVL_N_VALUE], sum[OVL_N_VALUE] / l->ranks);
            if (slot->kind != OVL_TOTAL)
                continue;
            for (int part = OVL_INIT; part <= OVL_OWN_EXPOSED; part++) {
                int n = OVL_N_INIT + part - OVL_INIT;
                keep_value(to, (enum ovl_quantity)part, s->blocks, largest[n], sum[n] / l->ranks);
            }
            s->cpu[OVL_LOOP_CPU * m][s->blocks] = sum[OVL_N_THREAD] / l->ranks;
            s->cpu[OVL_LOOP_CPU * m + 1][s->blocks] = sum[OVL_N_PROCESS] / l->ranks;
            s->cpu[OVL_LOOP_CPU * m + 2][s->blocks] = sum[OVL_N_WORKERS];
        }
    }
    s->blocks++;
    for (int m = 0; m < l->modes; m++)
        s->result->samples[m].blocks = s->blocks;
}

unsigned ovl_loop_complete(const struct ovl_loop_state *s)
{
    unsigned complete = 0;
    for (int m = 0; m < s->l->modes; m++) {
        double *const *max = s->result->samples[m].max;
        size_t b = s->blocks - 1;
        complete |= isnan(max[OVL_TOTAL][b] + max[OVL_INNER][b] + max[OVL_COMM][b]) ? 0 : 1U << m;
    }
    return complete;
}

void ovl_loop_add_terms(struct ovl_loop_state *s, unsigned complete)
{
    for (int m = 0; m < s->l->modes; m++)
        if (complete & 1U << m) {
            s->terms[m].blocks++;
            s->terms[m].total += s->last[m].total;
            s->terms[m].inner += s->last[m].inner;
            s->terms[m].comm += s->last[m].comm;
        }
}

void ovl_loop_forget_blocks(struct ovl_loop_state *s)
{
    if (s->l->decides)
        for (int m = 0; m < s->l->modes; m++)
            for (int q = 0; q < OVL_QUANTITIES; q++)
                for (size_t b = 0; b < s->blocks; b++)
                    keep_value(&s->result->samples[m], (enum ovl_quantity)q, b, NAN, NAN);
    for (int i = 0; s->l->decides && i < OVL_LOOP_CPU * s->l->modes; i++)
        for (size_t b = 0; b < s->blocks; b++)
            s->cpu[i][b] = NAN;
    s->blocks = s->own_blocks = 0;
    s->own_late = 0;
    memset(s->terms, 0, sizeof s->terms);
    for (int m = 0; m < s->l->modes; m++)
        s->result->samples[m].blocks = 0;
}

/* Collective: the rank whose value is the largest, of equal ones the highest; -1: none is over 0. */
static int rank_of_largest(const struct ovl_loop *l, double mine)
{
    double largest = mine, sum = mine, place;
    l->ops->reduce(l->stage, &largest, &sum, 1);
    l->ops->share(l->stage, &largest, sizeof largest);
    place = sum = mine == largest ? l->rank : -1;
    l->ops->reduce(l->stage, &place, &sum, 1);
    l->ops->share(l->stage, &place, sizeof place);
    return largest > 0 ? (int)place : -1;
}

/* Collective. */
static struct ovl_slowest find_slowest(const struct ovl_loop *l, const struct ovl_loop_terms *mine)
{
    int rank = rank_of_largest(l, mine->total);
    double unused[3], its[3] = {0}, n = mine->blocks;
    if (l->rank == rank)
        memcpy(its, (double[]){mine->total / n, mine->inner / n, mine->comm / n}, sizeof its);
    memcpy(unused, its, sizeof its);
    l->ops->reduce(l->stage, unused, its, 3);
    return rank < 0 ? (struct ovl_slowest){NAN, NAN, NAN, NAN} : (struct ovl_slowest){rank, its[0], its[1], its[2]};
}

/* The kept values of one slot at all ranks, as NaN where the sample does not count. `all` is NULL where nothing is
   decided. */
static void gather_slot(struct ovl_loop_state *s, size_t k, size_t blocks, double *all)
{
    const struct ovl_loop *l = s->l;
    const struct ovl_loop_slot *slot = &s->slots[k];
    for (int late = 0; late < 2; late++) {
        l->ops->gather(l->stage, s->own + (2 * k + (size_t)late) * l->stop.most, all, blocks);
        for (int m = 0; m < l->modes && all; m++) {
            enum ovl_quantity q = late ? late_of(slot) : slot->kind;
            double *to = s->result->rank_samples[m][q];
            if (!serves(l, slot, m))
                continue;
            memcpy(to, all, (size_t)l->ranks * blocks * sizeof *to);
            for (size_t i = 0; i < (size_t)l->ranks * blocks; i++)
                if (isnan(s->result->samples[m].max[q][i % blocks]))
                    to[i] = NAN;
        }
    }
}

/* At the deciding rank. */
static int make_rank_samples(struct ovl_loop_state *s, size_t values)
{
    double *(*all)[OVL_QUANTITIES] = s->result->rank_samples;
    for (size_t k = 0; k < s->kinds; k++)
        for (int m = 0; m < s->l->modes; m++) {
            const struct ovl_loop_slot *slot = &s->slots[k];
            if (serves(s->l, slot, m) && (!(all[m][slot->kind] = malloc(values * sizeof(double))) ||
                                          !(all[m][late_of(slot)] = malloc(values * sizeof(double)))))
                return -1;
        }
    return 0;
}

int ovl_loop_tell_ranks(struct ovl_loop_state *s)
{
    const struct ovl_loop *l = s->l;
    size_t blocks = s->own_blocks, all = (size_t)l->ranks * (blocks ? blocks : 1);
    double *gathered = NULL;
    int rc = 0;
    s->result->latest_rank = rank_of_largest(l, s->own_late);
    for (int m = 0; m < l->modes; m++)
        s->result->slowest[m] = find_slowest(l, &s->terms[m]);
    if (!l->per_rank)
        return 0;
    if (l->decides)
        rc = make_rank_samples(s, all) == 0 && (gathered = malloc(all * sizeof *gathered)) ? 0 : -1;
    l->ops->share(l->stage, &rc, sizeof rc);
    for (size_t k = 0; k < s->kinds && rc == 0; k++)
        gather_slot(s, k, blocks, gathered);
    free(gathered);
    return rc;
}

static double *values(size_t n)
{
    double *all = ovl_alloc(n, sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = NAN;
    return all;
}

void ovl_loop_make_room(struct ovl_loop_state *s)
{
    const struct ovl_loop *l = s->l;
    size_t most = l->stop.most;
    if (l->per_rank)
        s->own = values(2 * s->kinds * most);
    if (!l->decides)
        return;
    s->spread = values(most * s->kinds);
    s->result->began = values(most);
    for (int m = 0; m < l->modes; m++) {
        ovl_samples_make(&s->result->samples[m], most);
        for (int i = 0; i < OVL_LOOP_CPU; i++)
            s->cpu[OVL_LOOP_CPU * m + i] = values(most);
    }
}

void ovl_loop_free_room(struct ovl_loop_state *s)
{
    free(s->spread);
    free(s->own);
    for (int i = 0; i < OVL_LOOP_CPU * OVL_LOOP_MODES; i++)
        free(s->cpu[i]);
}
