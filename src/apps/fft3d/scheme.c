/* The hooks by which the runner of plans (plan/run.c) computes, posts, tests and waits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/scheme.h"
#include "base/clock.h"

#include <string.h>

static struct ovl_range slab_of(const struct ovl_scheme *s, const struct ovl_slab_exchange *at, bool back)
{
    return ovl_pencil_slab(&s->transform->pencil, ovl_transform_plan_transpose(at, back), s->plan.chunks, at->chunk);
}

static void compute_all(struct ovl_scheme *s, const struct ovl_app_step *t, const struct ovl_slab_exchange *at,
                        bool back)
{
    double complex *messages[OVL_APP_SLOTS_MOST];
    for (int k = 0; k < s->plan.chunks; k++) {
        const struct ovl_message *m = &s->messages->slots[t->slot + k];
        messages[k] = t->what == OVL_TRANSFORM_PRODUCE_ALL ? m->send : m->recv;
    }
    ovl_transform_fused(s->transform, back, at->variable, s->plan.chunks, messages);
}

/* Of a transpose that needs no exchange there is no message. */
static void hook_compute(void *self, const struct ovl_app_step *t, int from, int to)
{
    struct ovl_scheme *s = self;
    const struct ovl_message *message = t->mark >= 0 ? &s->messages->slots[t->slot] : NULL;
    bool back;
    struct ovl_slab_exchange at = ovl_transform_plan_exchange(&s->plan, t->index, &back);
    (void)from;
    (void)to;
    if (t->what == OVL_TRANSFORM_PRODUCE_ALL || t->what == OVL_TRANSFORM_CONSUME_ALL)
        compute_all(s, t, &at, back);
    else if (t->what == OVL_TRANSFORM_PRODUCE)
        ovl_transform_produce(s->transform, back, &at, slab_of(s, &at, back), message ? message->send : NULL);
    else
        ovl_transform_consume(s->transform, back, &at, slab_of(s, &at, back), message ? message->recv : NULL);
}

static struct ovl_exchange *describe(struct ovl_scheme *s, const struct ovl_app_step *t)
{
    bool back;
    struct ovl_slab_exchange at = ovl_transform_plan_exchange(&s->plan, t->index, &back);
    ovl_messages_describe(s->messages, t->slot, ovl_transform_plan_transpose(&at, back), back,
                          slab_of(s, &at, back).count);
    return &s->messages->slots[t->slot].exchange;
}

static void hook_post(void *self, const struct ovl_app_step *t)
{
    struct ovl_scheme *s = self;
    s->mode->post(describe(s, t));
}

static bool hook_test(void *self, int slot)
{
    struct ovl_scheme *s = self;
    return s->mode->test(&s->messages->slots[slot].exchange);
}

static void hook_wait(void *self, int slot)
{
    struct ovl_scheme *s = self;
    s->mode->wait(&s->messages->slots[slot].exchange);
}

static void hook_sync(void *self, const struct ovl_app_step *t)
{
    struct ovl_exchange *x = describe(self, t);
    x->collective->blocking(x);
}

int ovl_scheme_make(struct ovl_scheme *s, int chunks, int window, const int *node, struct ovl_error *err)
{
    static const struct ovl_app_hooks hooks = {ovl_app_now, hook_compute, hook_post, hook_test,
                                               hook_wait,   hook_sync,    NULL};
    const struct ovl_pencil *p = &s->transform->pencil;
    s->run = (struct ovl_app_run){.rank = ovl_space_rank(&p->space, p->place), .hooks = &hooks, .self = s};
    return ovl_transform_plan_make(&s->plan, p, s->transform->variables, chunks, s->mode ? window : 0, node, err);
}

void ovl_scheme_free(struct ovl_scheme *s)
{
    ovl_transform_plan_free(&s->plan);
}

static void poll(void *run)
{
    ovl_app_poll(run);
}

static void play(struct ovl_scheme *s, const struct ovl_app_plan *plan, enum ovl_app_mask mask)
{
    s->transform->poll = poll;
    s->transform->poller = &s->run;
    s->transform->poll_every = s->poll_lines;
    s->transform->clock = ovl_clock_ns;
    s->transform->lines_ns = 0;
    s->run.plan = plan;
    s->run.mask = mask;
    ovl_app_run(&s->run);
}

void ovl_scheme_pass(struct ovl_scheme *s, bool back, enum ovl_app_mask mask)
{
    play(s, &s->plan.pass[back], mask);
}

void ovl_scheme_pair(struct ovl_scheme *s, enum ovl_app_mask mask)
{
    play(s, &s->plan.pair, mask);
}
