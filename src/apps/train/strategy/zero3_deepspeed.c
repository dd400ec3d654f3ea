/* ZeRO's stage 3 as DeepSpeed has it (zero/partitioned_param_coordinator.py and zero/stage3.py), from the second step
   on, when the order of layers is known. Each layer gathers what it lacks and waits for it; then more is gathered for
   the layers behind it, up to prefetch_bucket_size numbers or a tensor more, while it computes. A tensor stays until
   the end of its last use, but goes in between where its next use is max_reuse_distance numbers away; so most models
   are gathered once in a step, not twice. Small tensors stay always; they are gathered one by one behind the update.
   Buckets of gradients are reduced and scattered during the backward pass, three at a time at most. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

#include <math.h>
#include <stdlib.h>

enum { REDUCTIONS = 3 };

struct coordinator {
    const struct ovl_train_ask *ask;
    struct ovl_events *e;
    int *gather;    /* [tensors]: the id of the gather that brought it; -1: it is not here */
    double *first;  /* [tensors]: the place of its first number */
    double *before; /* [uses + 1]: numbers of the layers that were used before, of small tensors, too */
    int uses;       /* of layers: forwards, then backwards */
    /* What is to be gathered next: the tensor that is so many behind the first one of the layer of that use. */
    int next_use;
    size_t next_tensor;
    int *seen;   /* [tensors]: the last use that the prefetch has passed */
    double live; /* numbers that are here or on their way, without small tensors */
    double bucket,
        bucket_first; /* numbers of gradients that wait for their reduction, and the place of the first one */
    int reductions[REDUCTIONS], reduced; /* the last ids, and how many there are in all */
    int first_reduction;
};

/* The layer of a use; the tensors of a layer are its own, or those that it is tied to. */
static const struct ovl_layer *layer_of(const struct coordinator *c, int use)
{
    int layers = (int)c->ask->model->layer_count;
    return &c->ask->model->layers[use < layers ? use : 2 * layers - 1 - use];
}

static const struct ovl_layer *owner_of(const struct coordinator *c, int use)
{
    const struct ovl_model *m = c->ask->model;
    const struct ovl_layer *l = layer_of(c, use);
    return m->tied.by > 0 && l == &m->layers[m->tied.by] ? &m->layers[m->tied.of] : l;
}

static double numbers_of(const struct coordinator *c, size_t tensor)
{
    return (double)c->ask->model->tensors[tensor];
}

static bool is_small(const struct coordinator *c, size_t tensor)
{
    return numbers_of(c, tensor) <= c->ask->deepspeed.persistent;
}

/* Is the tensor neither here nor on its way, so that the next gather brings it? */
static bool takes(struct coordinator *c, size_t tensor, double *numbers, double *first)
{
    if (is_small(c, tensor) || c->gather[tensor] >= 0)
        return false;
    *first = *numbers > 0 ? *first : c->first[tensor];
    *numbers += numbers_of(c, tensor);
    c->gather[tensor] = ovl_events_next(c->e);
    c->live += numbers_of(c, tensor);
    return true;
}

/* What a layer lacks, at once; then it waits for all that it needs. Returns the last gather that it waited for, or -1.
 */
static int fetch(struct coordinator *c, int use)
{
    const struct ovl_layer *l = owner_of(c, use);
    double numbers = 0, first = 0;
    int last = -1;
    for (size_t t = l->first; t < l->first + l->tensors; t++)
        takes(c, t, &numbers, &first);
    if (numbers > 0)
        ovl_events_post_shards(c->e, c->ask, OVL_IALLGATHER, numbers, first);
    for (size_t t = l->first; t < l->first + l->tensors; t++) {
        if (c->gather[t] >= 0)
            ovl_events_wait(c->e, c->gather[t]);
        last = c->gather[t] > last ? c->gather[t] : last;
    }
    return last;
}

/* For the layers behind a use, as far as they are not passed already. */
static void prefetch(struct coordinator *c, int use)
{
    const struct ovl_deepspeed *d = &c->ask->deepspeed;
    double numbers = 0, first = 0, most = fmin(d->live - c->live, d->prefetch);
    if (c->next_use <= use) {
        c->next_use = use + 1;
        c->next_tensor = 0;
    }
    while (c->next_use < c->uses && numbers < most) {
        const struct ovl_layer *l = owner_of(c, c->next_use);
        if (c->next_tensor == l->tensors) {
            c->next_use++;
            c->next_tensor = 0;
            continue;
        }
        size_t t = l->first + c->next_tensor++;
        c->seen[t] = c->next_use;
        takes(c, t, &numbers, &first);
    }
    if (numbers > 0)
        ovl_events_post_shards(c->e, c->ask, OVL_IALLGATHER, numbers, first);
}

/* The next use of the tensors of a layer, behind a use; all uses where there is none. */
static int next_of(const struct coordinator *c, const struct ovl_layer *owner, int use)
{
    const struct ovl_model *m = c->ask->model;
    int of = (int)(owner - m->layers), by = m->tied.by > 0 && m->tied.of == of ? m->tied.by : of;
    const int at[] = {of, by, c->uses - 1 - by, c->uses - 1 - of};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (at[i] > use)
            return at[i];
    return c->uses;
}

/* Tensors that are not used again soon go, but for those of which the prefetch has seen that they are here. */
static void release(struct coordinator *c, int use)
{
    const struct ovl_layer *l = owner_of(c, use);
    int again = next_of(c, l, use);
    if (again < c->uses && c->before[again] - c->before[use + 1] < c->ask->deepspeed.reuse)
        return;
    for (size_t t = l->first; t < l->first + l->tensors; t++) {
        if (is_small(c, t) || c->seen[t] > use + 1)
            continue;
        c->gather[t] = -1;
        c->live -= numbers_of(c, t);
    }
}

static void reduce(struct coordinator *c)
{
    if (c->reduced >= REDUCTIONS)
        ovl_events_wait(c->e, c->reductions[c->reduced % REDUCTIONS]);
    int id = ovl_events_post_shards(c->e, c->ask, OVL_IREDUCE_SCATTER, c->bucket, c->bucket_first);
    c->first_reduction = c->reduced == 0 ? id : c->first_reduction;
    c->reductions[c->reduced++ % REDUCTIONS] = id;
    c->bucket = 0;
}

/* Gradients of a layer, the last tensor first: how many buckets they fill, which are posted or only counted. */
static int gradients(struct coordinator *c, const struct ovl_layer *l, bool last, bool counted)
{
    double bucket = c->bucket, most = c->ask->bucket / ovl_model_element(c->ask->model, OVL_OF_GRADIENTS);
    int full = 0;
    for (size_t t = l->first + l->tensors; t-- > l->first;) {
        if (bucket > 0 && bucket + numbers_of(c, t) > most) {
            full++;
            bucket = 0;
            if (!counted)
                reduce(c);
        }
        bucket += numbers_of(c, t);
        if (!counted) {
            c->bucket += numbers_of(c, t);
            c->bucket_first = c->first[t];
        }
    }
    if (!last)
        return full;
    if (!counted)
        reduce(c);
    return full + 1;
}

static void use_layer(struct coordinator *c, int use)
{
    bool back = use >= c->uses / 2, last = use + 1 == c->uses;
    const struct ovl_layer *l = layer_of(c, use);
    int got = fetch(c, use);
    prefetch(c, use);
    int full = back ? gradients(c, l, last, true) : 0;
    ovl_events_compute(c->e, (struct ovl_event){.work = back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD,
                                                .macs = (back ? 2 : 1) * c->ask->batch * l->macs,
                                                .first_layer = (int)(l - c->ask->model->layers),
                                                .takes = got,
                                                .takes_count = got >= 0 && full == 0,
                                                .makes = ovl_events_next(c->e),
                                                .makes_count = full});
    if (back)
        gradients(c, l, last, false);
    release(c, use);
}

/* The update, and small tensors, each with a gather of its own (persistent_parameters). */
static void update(struct coordinator *c)
{
    const struct ovl_model *m = c->ask->model;
    int first = ovl_events_next(c->e), small = 0;
    for (size_t t = 0; t < m->tensor_count; t++)
        small += is_small(c, t);
    ovl_events_update(c->e, m->numbers / c->ask->ranks, c->first_reduction, first - c->first_reduction);
    if (small > 0)
        ovl_events_compute(c->e, (struct ovl_event){.work = OVL_EVENT_UPDATE, .makes = first, .makes_count = small});
    for (size_t t = 0; t < m->tensor_count; t++)
        if (is_small(c, t))
            ovl_events_post_shards(c->e, c->ask, OVL_IALLGATHER, numbers_of(c, t), c->first[t]);
    ovl_events_wait_all(c->e);
}

void ovl_zero3_deepspeed(const struct ovl_train_ask *ask, struct ovl_events *e)
{
    const struct ovl_model *m = ask->model;
    struct coordinator c = {.ask = ask, .e = e, .uses = 2 * (int)m->layer_count};
    double first = 0;
    c.gather = ovl_check_alloc(calloc(m->tensor_count, sizeof *c.gather));
    c.seen = ovl_check_alloc(calloc(m->tensor_count, sizeof *c.seen));
    c.first = ovl_check_alloc(calloc(m->tensor_count, sizeof *c.first));
    c.before = ovl_check_alloc(calloc((size_t)c.uses + 1, sizeof *c.before));
    for (size_t t = 0; t < m->tensor_count; t++) {
        c.gather[t] = -1;
        c.first[t] = first;
        first += (double)m->tensors[t];
    }
    for (int use = 0; use < c.uses; use++)
        c.before[use + 1] = c.before[use] + owner_of(&c, use)->numbers;
    for (int use = 0; use < c.uses; use++)
        use_layer(&c, use);
    ovl_events_wait_all(e);
    update(&c);
    ovl_events_step(e);
    free(c.gather);
    free(c.seen);
    free(c.first);
    free(c.before);
}
