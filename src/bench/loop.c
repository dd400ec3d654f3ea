/* The measuring loop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/loop.h"
#include "base/rng.h"
#include "bench/sample.h"
#include "record/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block holds B, and W, C and T of each mode, but one W for modes that share it. */
enum { KINDS = 1 + 3 * OVL_LOOP_MODES };

struct slot {
    enum ovl_quantity kind;
    int mode;
};

/* What one slot contributes to the reduction of a block. */
enum { VALUE, LATE, EARLY, ANNOUNCED, INIT, TEST, WAIT, INNER, THREAD, PROCESS, NUMBERS };

struct state {
    const struct ovl_loop *l;
    struct ovl_loop_result *result;
    struct slot slots[KINDS];
    size_t kinds, first_comm; /* the slot of mode 0's C */
    struct ovl_rng order;
    uint64_t units;
    bool measuring; /* the warm-up is over */
    int64_t begin;  /* of the cell */
    double comm;    /* median C of mode 0 in the warm-up: for the work and for what counts as late */
    double *spread; /* of every sample */
    double *cpu[2 * OVL_LOOP_MODES];
    size_t blocks;                                                 /* taken and kept */
    int signal;                                                    /* that some rank got */
    bool looked;                                                   /* past the first look */
    double largest[KINDS * NUMBERS + 1], sum[KINDS * NUMBERS + 1]; /* the last: a signal */
};

/* What the deciding rank tells the others after a block. */
struct directive {
    enum { GO_ON, ENOUGH, AGAIN, TOO_SHORT, INTERRUPTED, NO_MEMORY } next;
    int signal;
    uint64_t units;
};

static double elapsed(const struct state *s)
{
    return 1e-9 * (double)(s->l->ops->now(s->l->stage) - s->begin);
}

/* A sample that starts later than this does not count. */
static double late_limit(const struct state *s)
{
    return s->l->shared_cores ? INFINITY : fmax(s->l->late_seconds, fmax(0.1 * s->comm, 3 * s->l->clock_read));
}

/* A mode that only sets the work is not measured. */
static bool left_out(const struct state *s, const struct slot *slot)
{
    return s->l->pilot && s->measuring && slot->mode == 0 && slot->kind != OVL_COMPUTE;
}

static bool work_is_fixed(const struct ovl_loop *l)
{
    return !isnan(l->fixed_seconds) || l->fixed_units > 0;
}

/* Takes a block in a new order and reduces it. Slots keep their places in the reduction whatever the order was. */
static void take_block(struct state *s)
{
    size_t order[KINDS];
    for (size_t i = 0; i < s->kinds; i++) {
        size_t k = ovl_rng_below(&s->order, (uint32_t)i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (size_t i = 0; i < s->kinds; i++) {
        const struct slot *slot = &s->slots[order[i]];
        if (left_out(s, slot)) {
            for (int n = 0; n < NUMBERS; n++)
                s->largest[order[i] * NUMBERS + (size_t)n] = NAN;
            continue;
        }
        struct ovl_sample x = ovl_sample_take(s->l, slot->kind, slot->mode, s->units);
        double *out = s->largest + order[i] * NUMBERS;
        out[VALUE] = x.seconds;
        out[LATE] = x.start_late;
        out[EARLY] = -x.start_late;
        out[ANNOUNCED] = x.announced;
        out[INIT] = x.init;
        out[TEST] = x.test;
        out[WAIT] = x.wait;
        out[INNER] = x.inner;
        out[THREAD] = x.cpu_thread;
        out[PROCESS] = x.cpu_process;
    }
    size_t numbers = s->kinds * NUMBERS;
    s->largest[numbers] = s->l->ops->interrupted(s->l->stage);
    memcpy(s->sum, s->largest, (numbers + 1) * sizeof *s->sum);
    s->l->ops->reduce(s->l->stage, s->largest, s->sum, numbers + 1);
    if (s->l->decides)
        s->signal = (int)s->largest[numbers];

    double longest = 0;
    for (size_t k = 0; k < s->kinds; k++)
        longest = fmax(longest, s->largest[k * NUMBERS + ANNOUNCED]);
    if (s->l->decides)
        s->l->ops->announced(s->l->stage, longest);
    if (s->l->ops->renew)
        s->l->ops->renew(s->l->stage);
}

/* At the deciding rank: puts the reduced block behind the others. A sample that started too late somewhere stays NaN.
 */
static void keep_block(struct state *s)
{
    const struct ovl_loop *l = s->l;
    double limit = late_limit(s);
    for (size_t k = 0; k < s->kinds; k++) {
        const double *largest = s->largest + k * NUMBERS, *sum = s->sum + k * NUMBERS;
        const struct slot *slot = &s->slots[k];
        s->spread[s->blocks * s->kinds + k] = largest[LATE] + largest[EARLY];
        if (largest[LATE] > limit || left_out(s, slot))
            continue;
        for (int m = 0; m < l->modes; m++) {
            struct ovl_samples *to = &s->result->samples[m];
            if (slot->kind != OVL_BLOCKING && slot->mode != (slot->kind == OVL_COMPUTE ? l->work_of[m] : m))
                continue;
            to->max[slot->kind][s->blocks] = largest[VALUE];
            to->mean[slot->kind][s->blocks] = sum[VALUE] / l->ranks;
            if (slot->kind != OVL_TOTAL)
                continue;
            for (int part = OVL_INIT; part <= OVL_INNER; part++) {
                to->max[part][s->blocks] = largest[INIT + part - OVL_INIT];
                to->mean[part][s->blocks] = sum[INIT + part - OVL_INIT] / l->ranks;
            }
            s->cpu[2 * m][s->blocks] = sum[THREAD] / l->ranks;
            s->cpu[2 * m + 1][s->blocks] = sum[PROCESS] / l->ranks;
        }
    }
    s->blocks++;
    for (int m = 0; m < l->modes; m++)
        s->result->samples[m].blocks = s->blocks;
}

/* Median over the kept blocks of mode 0. */
static double median_of(const struct state *s, enum ovl_quantity q)
{
    struct ovl_summary summary;
    return ovl_stats_summarise(s->result->samples[0].max[q], s->blocks, &summary) == 0 ? summary.median : NAN;
}

static struct directive share(const struct state *s, struct directive d)
{
    s->l->ops->share(s->l->stage, &d, sizeof d);
    return d;
}

static uint64_t units_for(const struct state *s, double comm)
{
    if (s->l->fixed_units)
        return s->l->fixed_units;
    double seconds = isnan(s->l->fixed_seconds) ? s->l->ratio * comm : s->l->fixed_seconds;
    return s->l->ops->units(s->l->stage, seconds);
}

/* Forgets the kept blocks: NaN everywhere. */
static void forget_blocks(struct state *s)
{
    if (s->l->decides)
        for (int m = 0; m < s->l->modes; m++)
            for (int q = 0; q < OVL_QUANTITIES; q++)
                for (size_t b = 0; b < s->blocks; b++)
                    s->result->samples[m].max[q][b] = s->result->samples[m].mean[q][b] = NAN;
    s->blocks = 0;
    for (int m = 0; m < s->l->modes; m++)
        s->result->samples[m].blocks = 0;
}

/* Pilots and warm-up blocks: sets the work from the median C of interleaved blocks. Whole blocks, since C alone in a
   row is much quicker than between computations. */
static struct directive warm_up(struct state *s)
{
    enum { PILOTS = 2, BLOCKS_LEAST = 3 };
    const struct ovl_loop *l = s->l;
    double comms[64], pilot = 0;
    size_t count = 0, blocks = !work_is_fixed(l) && l->warmup < BLOCKS_LEAST ? BLOCKS_LEAST : l->warmup;

    for (int i = 0; i < PILOTS; i++) { /* the first one also opens connections */
        double sum = pilot = ovl_sample_take(l, OVL_COMM, 0, 0).seconds;
        l->ops->reduce(l->stage, &pilot, &sum, 1);
    }
    s->comm = pilot;
    struct directive d = {.next = GO_ON};
    for (size_t b = 0;; b++) {
        if (l->decides) {
            d.units = units_for(s, s->comm);
            d.next = b >= blocks || (b > 0 && elapsed(s) > l->stop.max_seconds / 2) ? ENOUGH : GO_ON;
            if (d.next == ENOUGH && d.units == 0)
                d.next = TOO_SHORT;
            if (s->signal)
                d = (struct directive){.next = INTERRUPTED, .signal = s->signal};
        }
        d = share(s, d);
        s->units = d.units;
        if (d.next != GO_ON)
            return d;
        take_block(s);
        if (l->decides) {
            const double *values = s->largest;
            comms[count++ % 64] = values[s->first_comm * NUMBERS + VALUE];
            double sorted[64];
            size_t n = count < 64 ? count : 64;
            memcpy(sorted, comms, n * sizeof *sorted);
            s->comm = ovl_stats_median(sorted, n);
        }
    }
}

/* At the deciding rank, after a block: what next? */
static struct directive decide(struct state *s, size_t *look)
{
    const struct ovl_loop *l = s->l;
    struct directive d = {.next = GO_ON, .units = s->units};
    if (s->signal)
        return (struct directive){.next = INTERRUPTED, .signal = s->signal};
    bool timed_out = s->blocks >= OVL_STOP_BLOCKS_AT_LEAST && elapsed(s) > l->stop.max_seconds;
    if (s->blocks < *look && !timed_out)
        return d;

    if (!work_is_fixed(l) && !s->looked && !l->pilot) {
        double w = median_of(s, OVL_COMPUTE), c = median_of(s, OVL_COMM), wanted = l->ratio * c;
        if (fabs(w / wanted - 1) > 0.1) {
            s->looked = s->result->restarted = true;
            s->comm = c;
            if (timed_out) /* the work must be right all the same: the second try has its own time */
                s->begin = l->ops->now(l->stage);
            d.units = (uint64_t)llround((double)s->units * wanted / w);
            d.next = l->ops->units(l->stage, wanted) ? AGAIN : TOO_SHORT;
            return d;
        }
    }
    s->looked = true; /* only the first look may set the work again */

    int reached = 1;
    for (int m = l->pilot; m < l->modes && reached == 1; m++)
        reached = ovl_stop_reached(&l->stop, &s->result->samples[m], 20 * l->clock_read, l->seed);
    if (reached < 0)
        d.next = NO_MEMORY;
    else if (reached || timed_out || s->blocks >= l->stop.most) {
        d.next = ENOUGH;
        s->result->status = reached ? OVL_LOOP_OK : OVL_LOOP_CI_NOT_REACHED;
        if (!reached)
            snprintf(s->result->reason, sizeof s->result->reason, "interval wider than --ci %g after %zu blocks (%s)",
                     l->stop.percent, s->blocks, timed_out ? "--max-time" : "--iterations");
    } else
        *look = ovl_stop_next_look(&l->stop, s->blocks);
    return d;
}

static double *values(size_t n)
{
    double *all = malloc(n * sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        all[i] = NAN;
    return all;
}

static int make_room(struct state *s)
{
    const struct ovl_loop *l = s->l;
    size_t most = l->stop.most, spreads = most * s->kinds;
    s->spread = malloc((spreads ? spreads : 1) * sizeof *s->spread);
    int rc = s->spread ? 0 : -1;
    for (int m = 0; m < l->modes; m++) {
        if (ovl_samples_make(&s->result->samples[m], most) != 0)
            rc = -1;
        for (int i = 0; i < 2; i++)
            if (!(s->cpu[2 * m + i] = values(most)))
                rc = -1;
    }
    return rc;
}

/* More than half of one kind invalid: no cell. */
static void check_nulls(struct state *s)
{
    struct ovl_summary summary;
    for (int m = s->l->pilot; m < s->l->modes; m++)
        for (int q = OVL_COMM; q <= OVL_TOTAL; q++)
            if ((q != OVL_BLOCKING || s->l->ops->blocking) &&
                ovl_stats_summarise(s->result->samples[m].max[q], s->blocks, &summary) == 0 &&
                2 * summary.n < s->blocks) {
                s->result->status = OVL_LOOP_INVALID;
                snprintf(s->result->reason, sizeof s->result->reason,
                         "%zu of %zu %s samples started late: the cores are shared with something else",
                         s->blocks - summary.n, s->blocks, ovl_field_of_quantity((enum ovl_quantity)q)->name);
            }
}

static void finish(struct state *s, struct directive d)
{
    const struct ovl_loop *l = s->l;
    struct ovl_loop_result *r = s->result;
    r->units = d.units;
    r->signal = d.signal;
    if (d.next == INTERRUPTED)
        r->status = OVL_LOOP_INTERRUPTED;
    if (!l->decides || d.next == INTERRUPTED)
        return;
    if (d.next == TOO_SHORT) {
        forget_blocks(s);
        r->status = OVL_LOOP_INVALID;
        snprintf(r->reason, sizeof r->reason,
                 "the work (%.3g us) is too short for this kernel's units; give --compute-us, a larger message or "
                 "--compute fma",
                 1e6 * (isnan(l->fixed_seconds) ? l->ratio * s->comm : l->fixed_seconds));
    } else
        check_nulls(s);
    struct ovl_summary summary;
    r->start_spread = ovl_stats_summarise(s->spread, s->blocks * s->kinds, &summary) == 0 ? summary.median : NAN;
    for (int m = 0; m < l->modes; m++) {
        r->cpu_thread[m] = ovl_stats_summarise(s->cpu[2 * m], s->blocks, &summary) == 0 ? summary.median : NAN;
        r->cpu_process[m] = ovl_stats_summarise(s->cpu[2 * m + 1], s->blocks, &summary) == 0 ? summary.median : NAN;
    }
}

int ovl_loop_run(const struct ovl_loop *loop, struct ovl_loop_result *result, struct ovl_error *err)
{
    struct state s = {.l = loop, .result = result, .order = ovl_rng_seeded(loop->seed)};
    memset(result, 0, sizeof *result);
    for (int m = 0; m < loop->modes; m++)
        if (loop->work_of[m] == m)
            s.slots[s.kinds++] = (struct slot){OVL_COMPUTE, m};
    if (loop->ops->blocking)
        s.slots[s.kinds++] = (struct slot){OVL_BLOCKING, -1};
    s.first_comm = s.kinds;
    for (int m = 0; m < loop->modes; m++) {
        s.slots[s.kinds++] = (struct slot){OVL_COMM, m};
        s.slots[s.kinds++] = (struct slot){OVL_TOTAL, m};
    }
    struct directive d = {.next = GO_ON};
    if (loop->decides && make_room(&s) != 0)
        d.next = NO_MEMORY;
    d = share(&s, d);
    s.begin = loop->ops->now(loop->stage);
    if (d.next == GO_ON) {
        d = warm_up(&s);
        size_t look = ovl_stop_next_look(&loop->stop, 0);
        if (d.next == ENOUGH)
            d.next = GO_ON;
        s.measuring = true;
        while (d.next == GO_ON || d.next == AGAIN) {
            if (d.next == AGAIN)
                forget_blocks(&s);
            s.units = d.units;
            take_block(&s);
            if (loop->decides) {
                keep_block(&s);
                d = decide(&s, &look);
            }
            d = share(&s, d);
        }
    }
    if (d.next != NO_MEMORY)
        finish(&s, d);
    free(s.spread);
    for (int i = 0; i < 2 * OVL_LOOP_MODES; i++)
        free(s.cpu[i]);
    return d.next == NO_MEMORY ? ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu blocks", loop->stop.most) : 0;
}

void ovl_loop_result_free(struct ovl_loop_result *result)
{
    for (int m = 0; m < OVL_LOOP_MODES; m++)
        ovl_samples_free(&result->samples[m]);
}
