/* The rules of PyTorch, of Horovod and of DeepSpeed, and the backward pass that posts a bucket as soon as its tensors
 * are ready. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

#include <math.h>
#include <stdlib.h>

static void open_buckets(struct ovl_buckets *b, size_t most)
{
    *b = (struct ovl_buckets){.low = ovl_check_alloc(calloc(most, sizeof *b->low)),
                              .bytes = ovl_check_alloc(calloc(most, sizeof *b->bytes)),
                              .after = ovl_check_alloc(calloc(most, sizeof *b->after))};
}

void ovl_buckets_free(struct ovl_buckets *b)
{
    free(b->low);
    free(b->bytes);
    free(b->after);
    *b = (struct ovl_buckets){.count = 0};
}

static double bytes_of(const struct ovl_model *m, size_t tensor)
{
    return ovl_model_element(m, OVL_OF_GRADIENTS) * (double)m->tensors[tensor];
}

static void use_list(struct ovl_buckets *b, const struct ovl_train_ask *ask)
{
    const struct ovl_model *m = ask->model;
    double end = m->numbers, before = m->numbers; /* parameters up to the end of a bucket, and before tensor t */
    size_t t = m->tensor_count;
    open_buckets(b, ask->list.count);
    for (; b->count < ask->list.count; b->count++) {
        end -= ask->list.numbers[b->count];
        while (before > end)
            before -= (double)m->tensors[--t];
        b->low[b->count] = t;
        b->bytes[b->count] = ovl_model_element(m, OVL_OF_GRADIENTS) * ask->list.numbers[b->count];
    }
}

void ovl_buckets_ddp(struct ovl_buckets *b, const struct ovl_train_ask *ask)
{
    const struct ovl_model *m = ask->model;
    double limit = ask->first_bucket, bytes = 0;
    if (ask->list.count > 0) {
        use_list(b, ask);
        return;
    }
    open_buckets(b, m->tensor_count);
    for (size_t t = m->tensor_count; t-- > 0;) {
        bytes += bytes_of(m, t);
        if (bytes < limit && t > 0)
            continue;
        b->low[b->count] = t;
        b->bytes[b->count++] = bytes;
        bytes = 0;
        limit = ask->bucket;
    }
}

double ovl_backward_macs(const struct ovl_train_ask *ask)
{
    return 2 * ask->batch * ask->model->macs;
}

/* The end of the cycle that sees what is ready at `macs` of the backward pass; what is ready last is seen at its end.
 */
static double tick(const struct ovl_train_ask *ask, double macs)
{
    double all = ovl_backward_macs(ask);
    return ask->cycle == 0 ? 0 : isinf(ask->cycle) ? all : fmin(all, ceil(macs / ask->cycle) * ask->cycle);
}

void ovl_buckets_horovod(struct ovl_buckets *b, const struct ovl_train_ask *ask)
{
    const struct ovl_model *m = ask->model;
    /* Rounded up, so that each rank of a node has a part of whole and aligned elements (FUSION_BUFFER_ATOMIC_UNIT). */
    double unit = 8.0 * 64 * ask->local, threshold = ceil(ask->fusion / unit) * unit, macs = 0;
    size_t layer = m->layer_count;
    open_buckets(b, m->tensor_count);
    for (size_t t = m->tensor_count; t-- > 0;) {
        while (layer > 0 && m->layers[layer - 1].first + m->layers[layer - 1].tensors > t) /* its layer has ended */
            macs += 2 * ask->batch * m->layers[--layer].macs;
        double at = tick(ask, macs), bytes = bytes_of(m, t);
        if (b->count == 0 || b->after[b->count - 1] != at || b->bytes[b->count - 1] + bytes > threshold)
            b->after[b->count++] = at;
        b->low[b->count - 1] = t;
        b->bytes[b->count - 1] += bytes;
    }
}

void ovl_buckets_deepspeed(struct ovl_buckets *b, const struct ovl_train_ask *ask)
{
    const struct ovl_model *m = ask->model;
    double macs = 0;
    size_t layer = m->layer_count;
    open_buckets(b, m->tensor_count);
    b->at_once = !ask->deepspeed.overlap;
    b->most = ask->deepspeed.overlap; /* one is filled while the other one travels */
    for (size_t t = m->tensor_count; t-- > 0;) {
        double bytes = bytes_of(m, t);
        while (layer > 0 && m->layers[layer - 1].first + m->layers[layer - 1].tensors > t) /* its layer has ended */
            macs += 2 * ask->batch * m->layers[--layer].macs;
        if (b->count > 0 && b->bytes[b->count - 1] + bytes > ask->bucket)
            b->after[b->count - 1] = macs; /* it is full when this one comes */
        if (b->count == 0 || b->bytes[b->count - 1] + bytes > ask->bucket)
            b->count++;
        b->low[b->count - 1] = t;
        b->bytes[b->count - 1] += bytes;
    }
    b->after[b->count - 1] = ovl_backward_macs(ask);
}

int ovl_events_post_shards(struct ovl_events *e, const struct ovl_train_ask *ask, enum ovl_operation operation,
                           double numbers, double number)
{
    enum ovl_numbers_of of = operation == OVL_IALLGATHER ? OVL_OF_PARAMETERS : OVL_OF_GRADIENTS;
    return ovl_events_post(e, (struct ovl_event){.operation = operation,
                                                 .of = of,
                                                 .bytes = ovl_model_element(ask->model, of) * numbers,
                                                 .number = number,
                                                 .team = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1}});
}

void ovl_events_forward(struct ovl_events *e, const struct ovl_train_ask *ask)
{
    ovl_events_compute(e, (struct ovl_event){.work = OVL_EVENT_FORWARD,
                                             .macs = ask->batch * ask->model->macs,
                                             .layers = (int)ask->model->layer_count});
}

void ovl_events_backward(struct ovl_events *e, const struct ovl_train_ask *ask, const struct ovl_buckets *b,
                         enum ovl_operation operation, bool behind)
{
    const struct ovl_model *m = ask->model;
    struct ovl_event piece = {.work = OVL_EVENT_BACKWARD};
    double done = 0, number = m->numbers;
    size_t next = 0;
    for (size_t l = m->layer_count; l-- > 0;) {
        done += 2 * ask->batch * m->layers[l].macs;
        piece.macs += 2 * ask->batch * m->layers[l].macs;
        piece.first_layer = (int)l;
        piece.layers++;
        size_t ready = next;
        while (ready < b->count && b->low[ready] >= m->layers[l].first &&
               (l == 0 || (!behind && done * (1 + 1e-12) >= b->after[ready])))
            ready++;
        if (ready == next && l > 0)
            continue;
        piece.makes = ovl_events_next(e);
        piece.makes_count = (int)(ready - next);
        ovl_events_compute(e, piece);
        piece = (struct ovl_event){.work = OVL_EVENT_BACKWARD};
        for (; next < ready; next++) {
            number -= b->bytes[next] / ovl_model_element(m, OVL_OF_GRADIENTS);
            if (b->most > 0 && ovl_events_next(e) >= b->most)
                ovl_events_wait(e, ovl_events_next(e) - b->most);
            int id = ovl_events_post(e, (struct ovl_event){.operation = operation,
                                                           .bytes = b->bytes[next],
                                                           .number = number,
                                                           .team = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1}});
            if (b->at_once)
                ovl_events_wait(e, id);
        }
    }
}

void ovl_events_update(struct ovl_events *e, double numbers, int takes, int count)
{
    ovl_events_compute(
        e, (struct ovl_event){
               .work = OVL_EVENT_UPDATE, .macs = 2 * numbers, .takes = takes, .takes_count = count, .after = e->bulks});
}
