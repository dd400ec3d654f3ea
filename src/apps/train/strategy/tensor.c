/* Whoever makes what is sent fills it as work: what lies between two operations has an event of its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/tensor.h"

#include <stdio.h>

static int post(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                enum ovl_operation operation)
{
    return ovl_events_post(
        e, (struct ovl_event){
               .operation = operation, .of = OVL_OF_ACTIVATIONS, .bytes = ovl_activations_of_block(ask), .team = team});
}

/* An operation whose data this work makes. */
static int make(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                enum ovl_operation operation, struct ovl_event work)
{
    work.makes = ovl_events_next(e);
    work.makes_count = 1;
    ovl_events_compute(e, work);
    return post(e, ask, team, operation);
}

static int gather(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team, bool back)
{
    return make(e, ask, team, OVL_IALLGATHER,
                (struct ovl_event){.work = back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD});
}

static enum ovl_operation sum_of(const struct ovl_train_ask *ask)
{
    return ask->sequence ? OVL_IREDUCE_SCATTER : OVL_IALLREDUCE;
}

/* From the gradients of a split layer's output on: those of its input, summed up while those of the weights are made.
 */
static void input_gradients(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                            struct ovl_event work, double weights)
{
    int again = ask->sequence ? gather(e, ask, team, true) : -1;
    work.macs = 2 * work.macs - weights;
    work.makes = ovl_events_next(e);
    work.makes_count = 1;
    ovl_events_compute(e, work);
    if (again >= 0)
        ovl_events_wait(e, again);
    int sum = post(e, ask, team, sum_of(ask));
    work.makes_count = 0;
    work.macs = weights;
    if (weights > 0)
        ovl_events_bulk(e, work);
    ovl_events_wait(e, sum);
}

void ovl_tensor_half(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                     struct ovl_event work, double weights, bool back)
{
    if (ask->sequence)
        ovl_events_wait(e, gather(e, ask, team, back));
    if (back)
        input_gradients(e, ask, team, work, weights);
    else
        ovl_events_wait(e, make(e, ask, team, sum_of(ask), work));
}

void ovl_tensor_embedding(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team, bool back)
{
    if (ask->model->tied.by == 0)
        return;
    if (!back)
        ovl_events_wait(e, make(e, ask, team, sum_of(ask), (struct ovl_event){.work = OVL_EVENT_FORWARD}));
    else if (ask->sequence)
        ovl_events_wait(e, gather(e, ask, team, true));
}

void ovl_tensor_head(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team, bool back)
{
    if (ask->model->tied.by == 0)
        return;
    if (back)
        input_gradients(e, ask, team, (struct ovl_event){.work = OVL_EVENT_BACKWARD}, 0);
    else if (ask->sequence)
        ovl_events_wait(e, gather(e, ask, team, false));
}

static bool is_norm(const struct ovl_model *m, const struct ovl_layer *layer)
{
    bool norm = layer->tensors > 0;
    for (size_t t = 0; t < layer->tensors; t++)
        norm &= m->tensors[layer->first + t] == (uint64_t)m->transformer.hidden;
    return norm;
}

double ovl_tensor_alone(const struct ovl_train_ask *ask, int first, int end)
{
    const struct ovl_model *m = ask->model;
    double numbers = 0;
    for (int l = first; l < end && ask->sequence; l++) {
        const struct ovl_layer *layer = &m->layers[l], *next = l + 1 < (int)m->layer_count ? layer + 1 : NULL;
        bool last = layer->block && (!next || next->unit != layer->unit || is_norm(m, next)); /* of a half */
        for (size_t t = 0; t < layer->tensors && (last || is_norm(m, layer)); t++)
            if (m->tensors[layer->first + t] == (uint64_t)m->transformer.hidden)
                numbers += m->transformer.hidden;
    }
    return numbers;
}

void ovl_tensor_sum_alone(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                          double numbers)
{
    double bytes = ovl_model_element(ask->model, OVL_OF_GRADIENTS) * numbers;
    if (!(numbers > 0))
        return;
    ovl_events_compute(
        e, (struct ovl_event){.work = OVL_EVENT_BACKWARD, .makes = e->ids, .makes_count = 1, .after = e->bulks});
    ovl_events_wait(e,
                    ovl_events_post(e, (struct ovl_event){.operation = OVL_IALLREDUCE, .bytes = bytes, .team = team}));
}

int ovl_tensor_check(const struct ovl_train_ask *ask, bool all, struct ovl_error *err)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    int tensor = all ? ask->ranks : ask->tensor, fit = tensor;
    bool heads = t->heads % tensor == 0;
    char what[128], mend[64];
    if (heads && (!ask->sequence || t->sequence % tensor == 0))
        return 0;
    while (t->heads % fit != 0 || (!all && ask->ranks % fit != 0) || (ask->sequence && t->sequence % fit != 0))
        fit--;
    snprintf(what, sizeof what, "the %d %s of %.60s do not divide by %d", heads ? t->sequence : t->heads,
             heads ? "tokens" : "heads", ask->model->name, tensor);
    if (all)
        snprintf(mend, sizeof mend, "%d rank%s, or --strategy 3d", fit, fit == 1 ? "" : "s");
    else if (ask->sequence && fit == 1)
        snprintf(mend, sizeof mend, "--strategy 3d");
    else
        snprintf(mend, sizeof mend, "--tp %d", fit);
    return ovl_error_set(err, OVL_USAGE, "%s: %s; give %s", all ? "--strategy tp" : "--tp", what, mend);
}
