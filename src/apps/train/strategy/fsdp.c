/* Fully sharded data parallelism, which is ZeRO's stage 3 (Zhao et al., VLDB 2023): the parameters of a unit of layers
   are gathered before its forward pass and again before its backward pass, one unit ahead, and its gradients are
   reduced and scattered behind it. Weights that are tied are needed at both ends, and stay, as in PyTorch's root unit.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"

#include <stdlib.h>

/* A unit has the layers from `first` to the next unit's first, and at least one tensor. */
struct unit {
    double number, numbers, macs; /* its first parameter, and how many */
    int first, layers, gathered;  /* id of its last gather */
    bool stays;                   /* from its first gather to the end of the backward pass */
};

/* Units without tensors are part of the one before. Returns how many there are. */
static int find_units(const struct ovl_model *m, struct unit *units)
{
    int n = 0, last = -1;
    double before = 0;
    for (size_t l = 0; l < m->layer_count; l++) {
        if (n == 0 || (m->layers[l].unit != last && units[n - 1].numbers > 0))
            units[n++] = (struct unit){.first = (int)l, .number = before};
        before += m->layers[l].numbers;
        last = m->layers[l].unit;
        units[n - 1].numbers += m->layers[l].numbers;
        units[n - 1].macs += m->layers[l].macs;
        units[n - 1].layers++;
        units[n - 1].stays |= m->tied.by > 0 && (int)l == m->tied.of;
    }
    if (n > 1 && units[n - 1].numbers == 0) {
        units[n - 2].macs += units[n - 1].macs;
        units[n - 2].layers += units[n - 1].layers;
        n--;
    }
    return n;
}

static void gather(struct ovl_events *e, const struct ovl_train_ask *ask, struct unit *unit, bool back)
{
    if (!back || !unit->stays)
        unit->gathered = ovl_events_post_shards(e, ask, OVL_IALLGATHER, unit->numbers, unit->number);
}

/* A pass over the units from `from` in steps of `by`; the parameters of the next one travel meanwhile. */
static void pass(struct ovl_events *e, const struct ovl_train_ask *ask, struct unit *units, int n, bool back)
{
    int by = back ? -1 : 1, u = back ? n - 1 : 0;
    gather(e, ask, &units[u], back);
    for (; u >= 0 && u < n; u += by) {
        if (u + by >= 0 && u + by < n)
            gather(e, ask, &units[u + by], back);
        ovl_events_wait(e, units[u].gathered);
        ovl_events_compute(e, (struct ovl_event){.work = back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD,
                                                 .macs = (back ? 2 : 1) * ask->batch * units[u].macs,
                                                 .first_layer = units[u].first,
                                                 .layers = units[u].layers,
                                                 .takes = units[u].gathered,
                                                 .takes_count = 1,
                                                 .makes = ovl_events_next(e),
                                                 .makes_count = back});
        if (back)
            ovl_events_post_shards(e, ask, OVL_IREDUCE_SCATTER, units[u].numbers, units[u].number);
    }
}

static int build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    struct unit *units = ovl_check_alloc(calloc(ask->model->layer_count + 1, sizeof *units));
    int n = find_units(ask->model, units);
    (void)rank, (void)err;
    pass(e, ask, units, n, false);
    int first = ovl_events_next(e);
    pass(e, ask, units, n, true);
    ovl_events_wait_all(e);
    ovl_events_update(e, ask->model->numbers / ask->ranks, first, ovl_events_next(e) - first);
    ovl_events_step(e);
    free(units);
    return 0;
}

static int build_zero3(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    if (!ask->deepspeed.on)
        return build(ask, rank, e, err);
    ovl_zero3_deepspeed(ask, e);
    return 0;
}

static double memory(const struct ovl_train_ask *ask)
{
    return ovl_memory_of_states(ask->model->numbers, ask->ranks, 3) + ovl_memory_of_activations(ask);
}

const struct ovl_strategy ovl_strategy_fsdp = {
    .name = "fsdp",
    .about = "parameters gathered unit by unit, twice, and gradients scattered",
    .build = build,
    .alike = true,
    .memory = memory,
    .zero = 4,
    .samples = ovl_samples_of_all,
};

const struct ovl_strategy ovl_strategy_zero3 = {
    .name = "zero3",
    .about = "the same",
    .build = build_zero3,
    .alike = true,
    .memory = memory,
    .zero = 4,
    .samples = ovl_samples_of_all,
};
