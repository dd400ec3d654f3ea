/* A scheme: how the exchanges of a transform are carried. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/scheme.h"
#include "base/clock.h"

#include <string.h>

int ovl_scheme_make(struct ovl_scheme *s, struct ovl_transform *transform, struct ovl_carrier *carrier,
                    const struct ovl_mode *mode, int chunks, int window, struct ovl_error *err)
{
    memset(s, 0, sizeof *s);
    s->transform = transform;
    s->carrier = carrier;
    s->mode = mode;
    s->chunks = chunks;
    s->window = mode ? window : 0;
    for (int back = 0; back < 2; back++) {
        bool carried[2];
        for (int turn = 0; turn < 2; turn++) {
            struct ovl_flow_step step = {.turn = turn};
            carried[turn] = ovl_carrier_needed(&transform->pencil, ovl_transform_transpose(&step, back));
        }
        if (ovl_flow_make(&s->flow[back], transform->variables, chunks, s->window, carried, err) != 0)
            return -1;
    }
    return 0;
}

void ovl_scheme_free(struct ovl_scheme *s)
{
    ovl_flow_free(&s->flow[0]);
    ovl_flow_free(&s->flow[1]);
}

static struct ovl_range slab_of(const struct ovl_scheme *s, const struct ovl_flow_step *step)
{
    return ovl_pencil_slab(&s->transform->pencil, ovl_transform_transpose(step, s->back), s->chunks, step->chunk);
}

static bool carried(const struct ovl_scheme *s, const struct ovl_flow_step *step)
{
    return s->flow[s->back].carried[step->turn];
}

static void produce(void *self, const struct ovl_flow_step *step, int slot)
{
    struct ovl_scheme *s = self;
    ovl_transform_produce(s->transform, s->back, step, slab_of(s, step),
                          carried(s, step) ? s->carrier->slots[slot].send : NULL);
}

static void consume(void *self, const struct ovl_flow_step *step, int slot)
{
    struct ovl_scheme *s = self;
    ovl_transform_consume(s->transform, s->back, step, slab_of(s, step),
                          carried(s, step) ? s->carrier->slots[slot].recv : NULL);
}

static void post(void *self, const struct ovl_flow_step *step, int slot)
{
    struct ovl_scheme *s = self;
    struct ovl_exchange *x = &s->carrier->slots[slot].exchange;
    ovl_carrier_describe(s->carrier, slot, ovl_transform_transpose(step, s->back), s->back, slab_of(s, step).count);
    int64_t begin = ovl_clock_ns();
    if (s->mode)
        s->mode->post(x);
    else
        x->collective->blocking(x);
    *(s->mode ? &s->post_ns : &s->wait_ns) += ovl_clock_ns() - begin; /* a blocking call is all waiting */
    s->posted++;
}

static void wait(void *self, int slot)
{
    struct ovl_scheme *s = self;
    if (s->mode) {
        int64_t begin = ovl_clock_ns();
        s->mode->wait(&s->carrier->slots[slot].exchange);
        s->wait_ns += ovl_clock_ns() - begin;
    }
    s->landed++;
}

/* One test call on each exchange in flight, the oldest first, up to one that is not complete: that one makes progress
   on all of them. */
static void poll(void *self)
{
    struct ovl_scheme *s = self;
    if (s->landed == s->posted)
        return;
    int64_t begin = ovl_clock_ns();
    for (int e = s->landed; e < s->posted; e++)
        if (!s->mode->test(&s->carrier->slots[e % (s->window + 1)].exchange))
            break;
    s->test_ns += ovl_clock_ns() - begin;
}

void ovl_scheme_pass(struct ovl_scheme *s, bool back, enum ovl_doing doing)
{
    const struct ovl_flow_ops ops = {
        .produce = doing & OVL_DO_COMPUTE ? produce : NULL,
        .post = doing & OVL_DO_EXCHANGE ? post : NULL,
        .wait = doing & OVL_DO_EXCHANGE ? wait : NULL,
        .consume = doing & OVL_DO_COMPUTE ? consume : NULL,
    };
    s->back = back;
    s->posted = s->landed = 0;
    s->transform->poll = poll;
    s->transform->poller = s;
    ovl_flow_run(&s->flow[back], &ops, s);
}

void ovl_scheme_pair(struct ovl_scheme *s, enum ovl_doing doing, struct ovl_parts *parts)
{
    s->post_ns = s->test_ns = s->wait_ns = 0;
    int64_t begin = ovl_clock_ns();
    ovl_scheme_pass(s, false, doing);
    ovl_scheme_pass(s, true, doing);
    int64_t rest = ovl_clock_ns() - begin - s->post_ns - s->test_ns - s->wait_ns;
    parts->init += 1e-9 * (double)s->post_ns;
    parts->test += 1e-9 * (double)s->test_ns;
    parts->wait += 1e-9 * (double)s->wait_ns;
    parts->inner += 1e-9 * (double)rest;
}
