/* The network of --tiny, trained by the plan: what its steps compute, and whether the outcome is the serial one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"

#include <math.h>
#include <string.h>

/* The numbers of the network that an operation has: all, or this rank's part. */
struct part {
    size_t first, n;
};

static struct part whole_of(const struct ovl_train *t, int id)
{
    const struct ovl_event *post = &t->plan.own.events.list[t->plan.own.events.posted_at[id]];
    return (struct part){(size_t)post->number, ovl_train_numbers(&t->plan, post)};
}

static struct part own_of(const struct ovl_train *t, int id)
{
    const struct ovl_exchange *x = &t->messages[id];
    return (struct part){whole_of(t, id).first + (size_t)x->recv_displs[x->rank], (size_t)x->recv_counts[x->rank]};
}

static enum ovl_operation operation_of(const struct ovl_train *t, int id)
{
    return t->plan.own.events.list[t->plan.own.events.posted_at[id]].operation;
}

/* Parameters that were gathered. */
static void put_parameters(struct ovl_train *t, int id)
{
    struct part p = whole_of(t, id);
    memcpy(t->tiny->parameters + p.first, t->messages[id].recv, p.n * sizeof *t->tiny->parameters);
}

void ovl_train_learn_copy(struct ovl_train *t, int id)
{
    struct part p = own_of(t, id);
    memcpy(t->messages[id].send, t->tiny->parameters + p.first, p.n * sizeof *t->tiny->parameters);
}

void ovl_train_learn_begin(struct ovl_train *t)
{
    ovl_tiny_take(t->tiny, t->plays, t->job.rank, t->job.ranks);
}

static void take(struct ovl_train *t, const struct ovl_event *e, int id)
{
    enum ovl_operation operation = operation_of(t, id);
    if (operation == OVL_IALLGATHER) {
        if (e->work != OVL_EVENT_UPDATE)
            put_parameters(t, id);
        return;
    }
    struct part p = operation == OVL_IALLREDUCE ? whole_of(t, id) : own_of(t, id);
    ovl_tiny_update(t->tiny, p.first, p.n, t->messages[id].recv);
}

static void make(struct ovl_train *t, int id)
{
    struct part p = whole_of(t, id);
    if (operation_of(t, id) == OVL_IALLGATHER)
        ovl_train_learn_copy(t, id);
    else
        memcpy(t->messages[id].send, t->tiny->gradients + p.first, p.n * sizeof *t->tiny->gradients);
}

void ovl_train_learn(struct ovl_train *t, const struct ovl_event *e)
{
    for (int i = 0; i < e->takes_count; i++)
        take(t, e, e->takes + i);
    for (int l = 0; l < e->layers && e->work == OVL_EVENT_FORWARD; l++)
        ovl_tiny_forward(t->tiny, e->first_layer + l);
    for (int l = e->layers; l-- > 0 && e->work == OVL_EVENT_BACKWARD;)
        ovl_tiny_backward(t->tiny, e->first_layer + l);
    for (int i = 0; i < e->makes_count; i++)
        make(t, e->makes + i);
}

/* Parameters that were gathered behind their update. */
void ovl_train_learn_end(struct ovl_train *t)
{
    for (int id = 0; id < t->message_count; id++)
        if (operation_of(t, id) == OVL_IALLGATHER && t->made[id])
            put_parameters(t, id);
}

int ovl_train_learn_differs(const struct ovl_train *t, const struct ovl_tiny *serial)
{
    int wrong = 0;
    bool kept = false;
    for (int id = 0; id < t->message_count; id++) {
        bool scatters = operation_of(t, id) == OVL_IREDUCE_SCATTER;
        struct part p = scatters ? own_of(t, id) : whole_of(t, id);
        kept |= operation_of(t, id) == OVL_IALLREDUCE || (operation_of(t, id) == OVL_IALLGATHER && t->made[id]);
        wrong +=
            scatters && memcmp(t->tiny->parameters + p.first, serial->parameters + p.first, p.n * sizeof(double)) != 0;
    }
    return kept ? memcmp(t->tiny->parameters, serial->parameters, sizeof serial->parameters) != 0 : wrong;
}

int ovl_train_learn_wrong(struct ovl_train *t)
{
    static struct ovl_tiny serial;
    ovl_tiny_start(&serial);
    ovl_tiny_serial(&serial, t->plays);
    return ovl_train_learn_differs(t, &serial);
}

double ovl_train_learn_all(struct ovl_train *t, int scheme)
{
    static struct ovl_tiny serial; /* as large as a rank's own */
    struct ovl_train_player *p = &t->players[scheme];
    int wrong = 0;
    uint64_t plays = t->plays;
    ovl_tiny_start(&serial);
    ovl_train_start(t); /* every scheme learns from the same samples */
    for (uint64_t k = 0; k < t->resumed_step; k++)
        ovl_tiny_serial(&serial, k + 1);
    for (int k = 0; k < OVL_TRAIN_LOSSES; k++) {
        int64_t loss;
        p->losses[k] = NAN;
        if ((uint64_t)k < t->resumed_step)
            continue;
        p->run.mask = OVL_MASK_TOTAL;
        t->job.app->schemes->play(&t->job, scheme, OVL_MASK_TOTAL);
        MPI_Allreduce(&t->tiny->loss, &loss, 1, MPI_INT64_T, MPI_SUM, t->job.comm);
        ovl_tiny_serial(&serial, t->plays);
        p->losses[k] = ovl_tiny_mean(loss);
        wrong += loss != serial.loss || ovl_train_learn_differs(t, &serial);
    }
    t->plays += plays;
    ovl_tiny_start(t->tiny);
    return wrong;
}
