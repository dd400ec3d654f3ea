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
                            struct ovl_event work)
{
    int again = ask->sequence ? gather(e, ask, team, true) : -1;
    work.makes = ovl_events_next(e);
    work.makes_count = 1;
    ovl_events_compute(e, work);
    if (again >= 0)
        ovl_events_wait(e, again);
    int sum = post(e, ask, team, sum_of(ask));
    work.makes_count = 0;
    if (work.macs > 0)
        ovl_events_bulk(e, work);
    ovl_events_wait(e, sum);
}

void ovl_tensor_half(struct ovl_events *e, const struct ovl_train_ask *ask, struct ovl_train_team team,
                     struct ovl_event work, bool back)
{
    if (ask->sequence)
        ovl_events_wait(e, gather(e, ask, team, back));
    if (back)
        input_gradients(e, ask, team, work);
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
        input_gradients(e, ask, team, (struct ovl_event){.work = OVL_EVENT_BACKWARD});
    else if (ask->sequence)
        ovl_events_wait(e, gather(e, ask, team, false));
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
