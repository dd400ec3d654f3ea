/* The network of --tiny, trained by the plan: what its steps compute, and whether the outcome is the serial one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/strategy/parts.h"

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
    struct part whole = whole_of(t, id);
    struct ovl_train_part own = ovl_train_part(whole.n, x->ranks, x->rank);
    return (struct part){whole.first + own.first, own.count};
}

static enum ovl_operation operation_of(const struct ovl_train *t, int id)
{
    return t->plan.own.events.list[t->plan.own.events.posted_at[id]].operation;
}

/* Parameters that were gathered. */
static void send_parameters(struct ovl_train *t, int id)
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
    ovl_tiny_load_samples(t->tiny, t->plays, t->job.rank, t->job.ranks);
}

static bool lossy(const struct ovl_train *t)
{
    return ovl_lossy_on(&t->lossy_allreduces.lossy);
}

static void use_result(struct ovl_train *t, const struct ovl_event *e, int id)
{
    int64_t sums[OVL_TINY_NUMBERS];
    enum ovl_operation operation = operation_of(t, id);
    if (operation == OVL_IALLGATHER) {
        if (e->work != OVL_EVENT_UPDATE)
            send_parameters(t, id);
        return;
    }
    struct part p = operation == OVL_IALLREDUCE ? whole_of(t, id) : own_of(t, id);
    if (lossy(t))
        ovl_tiny_fixed(t->messages[id].recv, p.n, sums);
    ovl_tiny_update(t->tiny, p.first, p.n, lossy(t) ? sums : t->messages[id].recv);
}

static void make(struct ovl_train *t, int id)
{
    struct part p = whole_of(t, id);
    if (operation_of(t, id) == OVL_IALLGATHER)
        ovl_train_learn_copy(t, id);
    else if (lossy(t))
        ovl_tiny_floats(t->tiny->gradients + p.first, p.n, t->messages[id].send);
    else
        memcpy(t->messages[id].send, t->tiny->gradients + p.first, p.n * sizeof *t->tiny->gradients);
}

void ovl_train_learn(struct ovl_train *t, const struct ovl_event *e)
{
    for (int i = 0; i < e->takes_count; i++)
        use_result(t, e, e->takes + i);
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
            send_parameters(t, id);
}

static bool same_bits(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Parameters that this rank keeps: only its own parts where they are gathered before each use. */
static int differs(const struct ovl_train *t, const struct ovl_tiny *serial)
{
    int wrong = 0;
    bool kept = false;
    for (int id = 0; id < t->message_count; id++) {
        bool scatters = operation_of(t, id) == OVL_IREDUCE_SCATTER;
        struct part p = scatters ? own_of(t, id) : whole_of(t, id);
        kept |= operation_of(t, id) == OVL_IALLREDUCE || (operation_of(t, id) == OVL_IALLGATHER && t->made[id]);
        wrong += scatters && !same_bits(t->tiny->parameters + p.first, serial->parameters + p.first, p.n);
    }
    return kept ? !same_bits(t->tiny->parameters, serial->parameters, OVL_TINY_NUMBERS) : wrong;
}

/* How many sums of the sample that was played last are further from the exact ones than they may be; `before` has the
   parameters before it. */
static int misses(struct ovl_train *t, struct ovl_tiny *before)
{
    static double sums[OVL_TINY_NUMBERS], sizes[OVL_TINY_NUMBERS];
    int missed = 0;
    ovl_tiny_exact(before, t->plays, t->job.ranks, sums, sizes);
    for (int id = 0; id < t->message_count; id++) {
        struct part p = whole_of(t, id);
        const float *got = t->messages[id].recv;
        for (size_t i = 0; i < p.n; i++) {
            double error = fabs((double)got[i] - sums[p.first + i]);
            if (!(error <= ovl_lossy_error_of(&t->lossy_allreduces.lossy, t->job.ranks, sizes[p.first + i])))
                missed++;
            else
                t->largest_error = fmax(t->largest_error, error);
        }
    }
    return missed;
}

int ovl_train_learn_wrong(struct ovl_train *t)
{
    static struct ovl_tiny serial;
    ovl_tiny_start_elsewhere(&serial, t->fills);
    if (lossy(t))
        return misses(t, &serial);
    ovl_tiny_serial(&serial, t->plays);
    return differs(t, &serial);
}

/* Collective: have all ranks the same parameters? */
static bool alike(const struct ovl_train *t)
{
    double least[OVL_TINY_NUMBERS], most[OVL_TINY_NUMBERS];
    MPI_Allreduce(t->tiny->parameters, least, OVL_TINY_NUMBERS, MPI_DOUBLE, MPI_MIN, t->job.comm);
    MPI_Allreduce(t->tiny->parameters, most, OVL_TINY_NUMBERS, MPI_DOUBLE, MPI_MAX, t->job.comm);
    return same_bits(least, most, OVL_TINY_NUMBERS);
}

/* Collective: a step of a training, and its loss. Is it wrong? `other` is the serial program, or with compressed
   gradients what the network was before. */
static bool train_step(struct ovl_train *t, int scheme, struct ovl_tiny *other, double *mean)
{
    int64_t loss;
    if (lossy(t))
        memcpy(other->parameters, t->tiny->parameters, sizeof other->parameters);
    t->players[scheme].run.mask = OVL_MASK_TOTAL;
    t->job.app->schemes->play(&t->job, scheme, OVL_MASK_TOTAL);
    MPI_Allreduce(&t->tiny->loss, &loss, 1, MPI_INT64_T, MPI_SUM, t->job.comm);
    *mean = ovl_tiny_mean(loss);
    if (lossy(t))
        return misses(t, other) > 0;
    ovl_tiny_serial(other, t->plays);
    return loss != other->loss || differs(t, other);
}

double ovl_train_learn_all(struct ovl_train *t, int scheme)
{
    static struct ovl_tiny other; /* as large as a rank's own */
    double *losses = t->players[scheme].losses;
    int wrong = 0;
    uint64_t plays = t->plays;
    ovl_tiny_start(&other);
    ovl_train_start(t); /* every scheme learns from the same samples */
    for (uint64_t k = 0; k < t->resumed_step; k++)
        ovl_tiny_serial(&other, k + 1);
    for (int k = 0; k < OVL_TRAIN_LOSSES; k++) {
        losses[k] = NAN;
        if ((uint64_t)k >= t->resumed_step)
            wrong += train_step(t, scheme, &other, &losses[k]);
    }
    if (lossy(t)) /* nothing to be equal to: it must learn all the same */
        wrong += !alike(t) + !(losses[OVL_TRAIN_LOSSES - 1] < losses[0] / 2);
    t->plays += plays;
    ovl_tiny_start(t->tiny);
    return wrong;
}
