/* Plays the plan of one rank, in time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/run.h"
#include "base/clock.h"

#include <string.h>

int64_t ovl_app_now(void *self)
{
    (void)self;
    return ovl_clock_ns();
}

static void load(struct ovl_app_run *r, enum ovl_app_lane lane)
{
    struct ovl_app_cursor *c = &r->lanes[lane];
    c->at = 0;
    c->count = c->group < r->plan->groups[lane] ? r->plan->group(r->plan->of, r->rank, lane, c->group, c->steps) : 0;
}

/* The next step of a lane; NULL behind the last one. */
static const struct ovl_app_step *present(struct ovl_app_run *r, enum ovl_app_lane lane)
{
    struct ovl_app_cursor *c = &r->lanes[lane];
    while (c->at == c->count && c->group < r->plan->groups[lane]) {
        c->group++;
        load(r, lane);
    }
    return c->at < c->count ? &c->steps[c->at] : NULL;
}

/* The same where its gate is open. */
static const struct ovl_app_step *ready(struct ovl_app_run *r, enum ovl_app_lane lane)
{
    const struct ovl_app_step *t = present(r, lane);
    present(r, 1 - lane); /* so that its group is that of its next step */
    return t && t->after <= r->lanes[1 - lane].group ? t : NULL;
}

static void book(struct ovl_app_run *r, enum ovl_app_lane lane, const struct ovl_app_step *t, enum ovl_app_phase phase,
                 int64_t ns)
{
    const struct ovl_app_cursor *c = &r->lanes[lane];
    r->ns[phase] += ns;
    if (r->seconds[lane] && c->index < r->room[lane] && phase != OVL_PHASE_TEST)
        r->seconds[lane][c->index] += 1e-9 * (double)ns;
    if (r->exposed && t->mark >= 0 && (size_t)t->mark < r->marks && phase != OVL_PHASE_COMPUTE)
        r->exposed[t->mark] += 1e-9 * (double)ns;
}

/* What a computation has told to be communication is that of the SYNC before it, of which it is a part. */
static void book_aside(struct ovl_app_run *r, enum ovl_app_lane lane)
{
    const struct ovl_app_cursor *c = &r->lanes[lane];
    r->ns[OVL_PHASE_SYNC] += r->aside_ns;
    if (r->seconds[lane] && c->at > 0 && c->steps[c->at - 1].kind == OVL_APP_SYNC && c->index <= r->room[lane])
        r->seconds[lane][c->index - 1] += 1e-9 * (double)r->aside_ns;
}

static void next(struct ovl_app_run *r, enum ovl_app_lane lane)
{
    r->lanes[lane].at++;
    r->lanes[lane].index++;
    r->lanes[lane].unit = 0;
}

void ovl_app_poll(struct ovl_app_run *r)
{
    int i = 0;
    if (r->posted > 0) {
        int64_t begin = r->hooks->now(r->self);
        while (i < r->posted && r->hooks->test(r->self, r->outstanding[i]))
            i++;
        r->polled_ns += r->hooks->now(r->self) - begin;
    }
    r->pending = i < r->posted;
}

void ovl_app_aside(struct ovl_app_run *r, int64_t ns)
{
    r->aside_ns += ns;
}

void ovl_app_polled(struct ovl_app_run *r, int64_t ns)
{
    r->polled_ns += ns;
}

/* Units of a COMPUTE up to `to`. */
static void compute(struct ovl_app_run *r, enum ovl_app_lane lane, const struct ovl_app_step *t, int to)
{
    struct ovl_app_cursor *c = &r->lanes[lane];
    r->polled_ns = r->aside_ns = 0;
    int64_t begin = r->hooks->now(r->self);
    for (int end; c->unit < to; c->unit = end) {
        bool polls = r->polls && r->pending && r->mask == OVL_MASK_TOTAL;
        end = polls ? c->unit + 1 : to;
        r->hooks->compute(r->self, t, c->unit, end);
        if (polls && end < to)
            ovl_app_poll(r);
    }
    book(r, lane, t, OVL_PHASE_COMPUTE, r->hooks->now(r->self) - begin - r->polled_ns - r->aside_ns);
    r->ns[OVL_PHASE_TEST] += r->polled_ns;
    book_aside(r, lane);
    if (to == t->units)
        next(r, lane);
}

static void post(struct ovl_app_run *r, const struct ovl_app_step *t)
{
    int64_t begin = r->hooks->now(r->self);
    r->hooks->post(r->self, t);
    if (r->mask == OVL_MASK_APART)
        r->hooks->wait(r->self, t->slot);
    else
        r->outstanding[r->posted++] = t->slot;
    r->pending = r->posted > 0;
    book(r, OVL_LANE_CHAIN, t, OVL_PHASE_POST, r->hooks->now(r->self) - begin);
}

static void landed(struct ovl_app_run *r, int slot)
{
    int i = 0;
    while (r->outstanding[i] != slot)
        i++;
    memmove(r->outstanding + i, r->outstanding + i + 1, (size_t)(--r->posted - i) * sizeof *r->outstanding);
}

/* True when the operation has ended; while there is bulk to do it is only tested. */
static bool wait(struct ovl_app_run *r, const struct ovl_app_step *t, bool bulk)
{
    bool complete = true;
    int64_t begin = r->hooks->now(r->self);
    if (bulk) {
        complete = r->hooks->test(r->self, t->slot);
        complete = r->hooks->agree ? r->hooks->agree(r->self, complete) : complete;
    } else
        r->hooks->wait(r->self, t->slot);
    book(r, OVL_LANE_CHAIN, t, bulk ? OVL_PHASE_TEST : OVL_PHASE_WAIT, r->hooks->now(r->self) - begin);
    if (complete)
        landed(r, t->slot);
    return complete;
}

static bool left_out(const struct ovl_app_run *r, const struct ovl_app_step *t)
{
    return t->kind == OVL_APP_COMPUTE
               ? r->mask == OVL_MASK_COMM
               : r->mask == OVL_MASK_WORK || (t->kind == OVL_APP_WAIT && r->mask == OVL_MASK_APART);
}

static void sync_step(struct ovl_app_run *r, enum ovl_app_lane lane, const struct ovl_app_step *t)
{
    int64_t begin = r->hooks->now(r->self);
    r->hooks->sync(r->self, t);
    book(r, lane, t, OVL_PHASE_SYNC, r->hooks->now(r->self) - begin);
}

/* The chain's next step; false where it has to wait and there is bulk. */
static bool chain(struct ovl_app_run *r, const struct ovl_app_step *t, bool bulk)
{
    if (left_out(r, t)) {
        next(r, OVL_LANE_CHAIN);
        return true;
    }
    switch (t->kind) {
    case OVL_APP_COMPUTE:
        compute(r, OVL_LANE_CHAIN, t, t->units);
        return true;
    case OVL_APP_POST:
        post(r, t);
        break;
    case OVL_APP_WAIT:
        if (!wait(r, t, bulk))
            return false;
        break;
    default:
        sync_step(r, OVL_LANE_CHAIN, t);
    }
    next(r, OVL_LANE_CHAIN);
    return true;
}

/* Some units, or, where the chain waits for no operation, all that is left of the step. */
static void bulk(struct ovl_app_run *r, const struct ovl_app_step *t, bool some)
{
    int unit = r->lanes[OVL_LANE_BULK].unit, stride = r->stride > 1 ? r->stride : 1;
    if (left_out(r, t))
        next(r, OVL_LANE_BULK);
    else if (t->kind == OVL_APP_SYNC) {
        sync_step(r, OVL_LANE_BULK, t);
        next(r, OVL_LANE_BULK);
    } else
        compute(r, OVL_LANE_BULK, t, some && t->units - unit > stride ? unit + stride : t->units);
}

void ovl_app_run(struct ovl_app_run *r)
{
    memset(r->ns, 0, sizeof r->ns);
    for (int lane = 0; lane < OVL_LANES; lane++) {
        r->lanes[lane].group = r->lanes[lane].index = 0;
        r->lanes[lane].unit = 0;
        load(r, (enum ovl_app_lane)lane);
        if (r->seconds[lane])
            memset(r->seconds[lane], 0, r->room[lane] * sizeof *r->seconds[lane]);
    }
    if (r->exposed)
        memset(r->exposed, 0, r->marks * sizeof *r->exposed);
    r->posted = 0;
    r->pending = false;
    for (;;) {
        const struct ovl_app_step *c = ready(r, OVL_LANE_CHAIN), *b = ready(r, OVL_LANE_BULK);
        if (!c && !b)
            return;
        bool fills = b && r->mask != OVL_MASK_COMM;
        if (!c || !chain(r, c, fills))
            bulk(r, b, c);
    }
}

double ovl_app_run_seconds(const struct ovl_app_run *r)
{
    int64_t ns = 0;
    for (int phase = 0; phase < OVL_PHASES; phase++)
        ns += r->ns[phase];
    return 1e-9 * (double)ns;
}
