/* The measuring loop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/loop.h"
#include "bench/loop_state.h"
#include "bench/sample.h"
#include "record/derived/settle.h"
#include "record/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ovl_loop_status_words[OVL_LOOP_INTERRUPTED] = {[OVL_LOOP_OK] = "ok", [OVL_LOOP_INVALID] = "invalid"};

/* What the deciding rank tells the others after a block. */
struct directive {
    enum { GO_ON, ENOUGH, AGAIN, TOO_SHORT, INTERRUPTED, NO_MEMORY } next;
    bool renew;        /* compare the clocks first */
    unsigned complete; /* modes, 1 << m, whose terms in the block before all count */
    int signal;
    uint64_t units;
};

static double elapsed(const struct ovl_loop_state *s)
{
    return 1e-9 * (double)(s->l->ops->now(s->l->stage) - s->begin);
}

static bool work_is_fixed(const struct ovl_loop *l)
{
    return !isnan(l->fixed_seconds) || l->fixed_units > 0;
}

/* Median over the kept blocks. */
static double median_of(const struct ovl_loop_state *s, int mode, enum ovl_quantity q)
{
    return ovl_stats_summarise(s->result->samples[mode].max[q], s->blocks).median;
}

/* Collective: up to so many times, until it works. A later comparison looks at the same prediction. */
static bool compare_clocks(struct ovl_loop_state *s, int tries)
{
    double off = INFINITY;
    for (int i = 0; i < tries && s->l->ops->renew && off == INFINITY; i++)
        off = s->l->ops->renew(s->l->stage);
    if (!s->l->ops->renew)
        off = NAN;
    if (off == INFINITY)
        return false;
    s->result->residual = fmax(s->result->residual, off);
    s->renewed = s->l->ops->now(s->l->stage);
    return true;
}

/* Collective: the deciding rank's word, and the clocks compared where it is time. */
static struct directive share(struct ovl_loop_state *s, struct directive d)
{
    const double renew_seconds = 0.25;
    d.renew = 1e-9 * (double)(s->l->ops->now(s->l->stage) - s->renewed) > renew_seconds;
    s->l->ops->share(s->l->stage, &d, sizeof d);
    if (d.renew)
        compare_clocks(s, 1);
    return d;
}

static uint64_t units_for(const struct ovl_loop_state *s, double comm)
{
    if (s->l->fixed_units)
        return s->l->fixed_units;
    double seconds = isnan(s->l->fixed_seconds) ? s->l->ratio * comm : s->l->fixed_seconds;
    return s->l->ops->units(s->l->stage, seconds);
}

bool ovl_loop_too_long(const struct ovl_stop *stop, double block_seconds)
{
    const double twice = 2, patience = 10; /* less is no surprise to a user */
    size_t fewest = stop->most < OVL_STOP_BLOCKS_AT_LEAST ? stop->most : OVL_STOP_BLOCKS_AT_LEAST;
    double seconds = (double)(fewest + 1) * block_seconds;
    return seconds > twice * stop->max_seconds && seconds > stop->max_seconds + patience;
}

/* At the deciding rank: `comm` is C of mode 0, or 0 as long as it is not known. */
static void foresee(const struct ovl_loop *l, size_t works, double comm)
{
    double work = work_is_fixed(l) ? 0 : l->ratio * comm, block = l->block_seconds;
    block = fmax(block, (double)works * work + (2 + (double)l->stream) * l->modes * comm);
    if (l->ops->too_long && ovl_loop_too_long(&l->stop, block))
        l->ops->too_long(l->stage, block, l->stop.max_seconds);
}

enum { RECENT = 64 };

/* After a warm-up block, of which `count` were before. */
static void keep_comm(struct ovl_loop_state *s, double recent[][RECENT], size_t count)
{
    for (int m = 0; m < s->l->modes; m++) {
        double sorted[RECENT];
        size_t n = count < RECENT ? count + 1 : RECENT, slot = s->first_comm + 2 * (size_t)m; /* C and T of each mode */
        recent[m][count % RECENT] = s->largest[slot * OVL_LOOP_NUMBERS + OVL_N_VALUE];
        memcpy(sorted, recent[m], n * sizeof *sorted);
        s->comm[m] = ovl_stats_median(sorted, n);
    }
}

/* Pilots and warm-up blocks: sets the work from the median C of interleaved blocks. Whole blocks, since C alone in a
   row is much quicker than between computations. */
static struct directive warm_up(struct ovl_loop_state *s)
{
    enum { PILOTS = 2, BLOCKS_LEAST = 3 };
    const struct ovl_loop *l = s->l;
    double recent[OVL_LOOP_MODES][RECENT], pilot = 0;
    /* Each mode's C says how late its samples may be, where nothing else does. */
    size_t least = !work_is_fixed(l) ? BLOCKS_LEAST : l->late_seconds > 0 ? 0 : 1;
    size_t blocks = l->warmup < least ? least : l->warmup;
    size_t others = (size_t)l->modes * (l->stream > 0 ? 2 : 1) + (l->ops->blocking != NULL);
    size_t works = s->kinds - others; /* samples of W and of T in a block */

    if (l->decides)
        foresee(l, works, 0);
    for (int i = 0; i < PILOTS; i++) { /* the first one also opens connections */
        double sum = pilot = ovl_sample_take(l, OVL_COMM, 0, 0).seconds;
        l->ops->reduce(l->stage, &pilot, &sum, 1);
    }
    for (int m = 0; m < l->modes; m++)
        s->comm[m] = pilot;
    if (l->decides)
        foresee(l, works, pilot);
    struct directive d = {.next = GO_ON};
    for (size_t b = 0;; b++) {
        if (l->decides) {
            d.units = units_for(s, s->comm[0]);
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
        ovl_loop_take_block(s);
        if (l->decides)
            keep_comm(s, recent, b);
    }
}

/* At the deciding rank: do ranks start so far apart in every mode, ten times what a status allows, that no further
   block makes one of the cells valid? Asked of 8, 16, 32... blocks that took a tenth of the cell's time: what disturbs
   for a moment goes by. */
static bool is_hopeless(const struct ovl_loop_state *s)
{
    const double times = 10, share = 0.1;
    const struct ovl_loop *l = s->l;
    bool asked = s->blocks >= 8 && (s->blocks & (s->blocks - 1)) == 0 && l->ranks > 1;
    if (!asked || elapsed(s) < share * l->stop.max_seconds)
        return false;
    for (int m = l->pilot; m < l->modes; m++) {
        double against = fmax(s->comm[m], ovl_settle_least_of_total * median_of(s, m, OVL_TOTAL));
        double late = fmax(median_of(s, m, OVL_COMM_LATE), median_of(s, m, OVL_TOTAL_LATE));
        if (!(late > times * ovl_settle_late_most(against, l->clock_read)))
            return false;
    }
    return true;
}

/* At the deciding rank, after a block: what next? */
static struct directive decide(struct ovl_loop_state *s, size_t *look)
{
    const struct ovl_loop *l = s->l;
    struct directive d = {.next = GO_ON, .units = s->units};
    if (s->signal)
        return (struct directive){.next = INTERRUPTED, .signal = s->signal};
    bool timed_out = s->blocks >= OVL_STOP_BLOCKS_AT_LEAST && elapsed(s) > l->stop.max_seconds;
    bool hopeless = is_hopeless(s);
    if (s->blocks < *look && !timed_out && !hopeless)
        return d;
    if (hopeless) {
        d.next = ENOUGH;
        return d;
    }

    if (!work_is_fixed(l) && !s->looked && !l->pilot) {
        double w = median_of(s, 0, OVL_COMPUTE), c = median_of(s, 0, OVL_COMM), wanted = l->ratio * c;
        if (fabs(w / wanted - 1) > 0.1) {
            s->looked = s->result->restarted = true;
            for (int m = 0; m < l->modes; m++)
                s->comm[m] = median_of(s, m, OVL_COMM);
            if (timed_out) /* the work must be right all the same: the second try has its own time */
                s->begin = l->ops->now(l->stage);
            d.units = (uint64_t)llround((double)s->units * wanted / w);
            d.next = l->ops->units(l->stage, wanted) ? AGAIN : TOO_SHORT;
            return d;
        }
    }
    s->looked = true; /* only the first look may set the work again */

    bool reached = true;
    for (int m = l->pilot; m < l->modes && reached; m++)
        reached = ovl_stop_reached(&l->stop, &s->result->samples[m], 20 * l->clock_read, l->seed);
    if (reached || timed_out || s->blocks >= l->stop.most)
        d.next = ENOUGH;
    else
        *look = ovl_stop_next_look(&l->stop, s->blocks);
    return d;
}

static void finish(struct ovl_loop_state *s, struct directive d)
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
        ovl_loop_forget_blocks(s);
        r->status = OVL_LOOP_INVALID;
        snprintf(r->reason, sizeof r->reason,
                 "the work (%.3g us) is too short for this kernel's units; give --compute-us, a larger message or "
                 "--compute fma",
                 1e6 * (isnan(l->fixed_seconds) ? l->ratio * s->comm[0] : l->fixed_seconds));
    }
    r->start_spread = ovl_stats_summarise(s->spread, s->blocks * s->kinds).median;
    for (int m = 0; m < l->modes; m++) {
        double *const *of = &s->cpu[OVL_LOOP_CPU * m];
        r->burnt[m] = (struct ovl_burnt){ovl_stats_summarise(of[0], s->blocks).median,
                                         ovl_stats_summarise(of[1], s->blocks).median,
                                         ovl_stats_summarise(of[2], s->blocks).median};
    }
}

static void list_slots(struct ovl_loop_state *s)
{
    const struct ovl_loop *l = s->l;
    for (int m = 0; m < l->modes; m++)
        if (l->work_of[m] == m)
            s->slots[s->kinds++] = (struct ovl_loop_slot){OVL_COMPUTE, m};
    if (l->ops->blocking)
        s->slots[s->kinds++] = (struct ovl_loop_slot){OVL_BLOCKING, -1};
    s->first_comm = s->kinds;
    for (int m = 0; m < l->modes; m++) {
        s->slots[s->kinds++] = (struct ovl_loop_slot){OVL_COMM, m};
        s->slots[s->kinds++] = (struct ovl_loop_slot){OVL_TOTAL, m};
    }
    for (int m = 0; m < l->modes && l->stream > 0; m++) /* behind C and T, whose places keep_comm counts */
        s->slots[s->kinds++] = (struct ovl_loop_slot){OVL_STREAM, m};
}

enum { FINAL_TRIES = 20 };

/* Collective: warm-up and blocks. */
static struct directive measure(struct ovl_loop_state *s)
{
    size_t look = ovl_stop_next_look(&s->l->stop, 0);
    compare_clocks(s, FINAL_TRIES); /* what was predicted long before is no matter of the cell */
    s->result->residual = NAN;
    compare_clocks(s, FINAL_TRIES);
    struct directive d = warm_up(s);
    if (d.next == ENOUGH)
        d.next = GO_ON;
    s->measuring = true;
    while (d.next == GO_ON || d.next == AGAIN) {
        if (d.next == AGAIN)
            ovl_loop_forget_blocks(s);
        s->units = d.units;
        ovl_loop_take_block(s);
        if (s->l->decides) {
            ovl_loop_keep_block(s);
            d = decide(s, &look);
            d.complete = ovl_loop_complete(s);
        }
        d = share(s, d);
        ovl_loop_add_terms(s, d.complete);
    }
    if (d.next == ENOUGH) {
        if (!compare_clocks(s, FINAL_TRIES))
            s->result->residual = INFINITY;
        if (ovl_loop_tell_ranks(s) != 0)
            d.next = NO_MEMORY;
    }
    return d;
}

int ovl_loop_run(const struct ovl_loop *loop, struct ovl_loop_result *result, struct ovl_error *err)
{
    struct ovl_loop_state s = {.l = loop, .result = result, .order = ovl_rng_seeded(loop->seed)};
    memset(result, 0, sizeof *result);
    result->residual = NAN;
    result->latest_rank = -1;
    for (int m = 0; m < OVL_LOOP_MODES; m++)
        result->slowest[m] = (struct ovl_slowest){NAN, NAN, NAN, NAN};
    list_slots(&s);
    ovl_loop_make_room(&s);
    s.begin = s.renewed = loop->ops->now(loop->stage);
    struct directive d = measure(&s);
    if (d.next != NO_MEMORY)
        finish(&s, d);
    ovl_loop_free_room(&s);
    return d.next == NO_MEMORY ? ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu blocks of %d ranks",
                                               loop->stop.most, loop->per_rank ? loop->ranks : 1)
                               : 0;
}

void ovl_loop_result_free(struct ovl_loop_result *result)
{
    free(result->began);
    for (int m = 0; m < OVL_LOOP_MODES; m++) {
        ovl_samples_free(&result->samples[m]);
        for (int q = 0; q < OVL_QUANTITIES; q++)
            free(result->rank_samples[m][q]);
    }
}
