/* One pass of the transform as a stream of exchanges. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/flow.h"

#include <stdlib.h>
#include <string.h>

int ovl_flow_make(struct ovl_flow *flow, int variables, int chunks, int window, const bool carried[2],
                  struct ovl_error *err)
{
    *flow = (struct ovl_flow){.window = window, .carried = {carried[0], carried[1]}};
    flow->steps = malloc((size_t)(2 * variables * chunks) * sizeof *flow->steps);
    if (!flow->steps)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the order of %d exchanges", 2 * variables * chunks);
    int ahead = carried[0] && window > 0;
    for (int v = 0; v < variables + ahead; v++) {
        for (int k = 0; k < chunks && v < variables; k++)
            flow->steps[flow->count++] = (struct ovl_flow_step){v, 0, k};
        for (int k = 0; k < chunks && v >= ahead; k++)
            flow->steps[flow->count++] = (struct ovl_flow_step){v - ahead, 1, k};
    }
    return 0;
}

void ovl_flow_free(struct ovl_flow *flow)
{
    free(flow->steps);
    memset(flow, 0, sizeof *flow);
}

/* The exchanges in flight, from the step `first` on; those of steps that are not carried never are. */
struct flight {
    const struct ovl_flow *flow;
    const struct ovl_flow_ops *ops;
    void *self;
    size_t first, posted; /* counted over the carried steps */
    size_t step[64];      /* ring: the step of each */
};

enum { RING = sizeof((struct flight *)0)->step / sizeof(size_t) };

static int slot_of(const struct flight *f, size_t exchange)
{
    return (int)(exchange % (size_t)(f->flow->window + 1));
}

static void land(struct flight *f)
{
    if (f->ops->wait)
        f->ops->wait(f->self, slot_of(f, f->first));
}

static void take_in(struct flight *f)
{
    if (f->ops->consume)
        f->ops->consume(f->self, &f->flow->steps[f->step[f->first % RING]], slot_of(f, f->first));
    f->first++;
}

/* Is a slab of that variable's first transpose still in flight? */
static bool needs(const struct flight *f, int variable)
{
    for (size_t e = f->first; e < f->posted; e++) {
        const struct ovl_flow_step *s = &f->flow->steps[f->step[e % RING]];
        if (s->variable == variable && s->turn == 0)
            return true;
    }
    return false;
}

static void carry(struct flight *f, size_t step)
{
    const struct ovl_flow_step *s = &f->flow->steps[step];
    int slot = slot_of(f, f->posted);
    if (f->ops->produce)
        f->ops->produce(f->self, s, slot);
    size_t window = (size_t)f->flow->window;
    bool full = window > 0 && f->posted - f->first == window;
    if (full)
        land(f);
    if (f->ops->post)
        f->ops->post(f->self, s, slot);
    f->step[f->posted++ % RING] = step;
    if (window == 0)
        land(f);
    if (full || window == 0)
        take_in(f);
}

void ovl_flow_run(const struct ovl_flow *flow, const struct ovl_flow_ops *ops, void *self)
{
    struct flight f = {.flow = flow, .ops = ops, .self = self};
    for (size_t i = 0; i < flow->count; i++) {
        const struct ovl_flow_step *s = &flow->steps[i];
        while (s->turn == 1 && needs(&f, s->variable)) {
            land(&f);
            take_in(&f);
        }
        if (flow->carried[s->turn]) {
            carry(&f, i);
            continue;
        }
        if (ops->produce)
            ops->produce(self, s, 0);
        if (ops->consume)
            ops->consume(self, s, 0);
    }
    while (f.first < f.posted) {
        land(&f);
        take_in(&f);
    }
}
