/* Sweeps over layers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/layers.h"
#include "base/clock.h"
#include "bench/app/message.h"

#include <string.h>

static int neighbour(const struct ovl_app_job *job, int rank, bool down)
{
    return (rank + (down ? job->ranks - 1 : 1)) % job->ranks;
}

/* Both exchanges that bring the neighbours' layers: upwards and downwards. */
static void make(struct ovl_exchange both[2], const struct ovl_app_job *job, double *field, size_t layers,
                 size_t doubles)
{
    for (int down = 0; down < 2; down++) {
        struct ovl_exchange *x = &both[down];
        *x = (struct ovl_exchange){
            .collective = &ovl_coll_p2p,
            .comm = job->comm,
            .rank = job->rank,
            .ranks = job->ranks,
            .in = job->ranks,
            .out = job->ranks,
            .size = doubles * sizeof(double),
            .count = (int)doubles,
            .type = MPI_DOUBLE,
            .element = sizeof(double),
            .dtype = OVL_DOUBLE,
            .send = field + doubles * (down ? 1 : layers),
            .recv = field + doubles * (down ? layers + 1 : 0),
            .to = neighbour(job, job->rank, down),
            .from = neighbour(job, job->rank, !down),
            .request = MPI_REQUEST_NULL,
            .others = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL},
            .other_count = 1,
            .offload = job->stage.offload,
        };
        x->extent = x->send_bytes = x->recv_bytes = x->size;
        x->source = x->send;
        x->target = x->recv;
        if (x->offload)
            ovl_offload_describe(x);
    }
}

/* The same in a plan, in four slots from `slot` on: a message needs nobody but its sender, so what is sent and what
   comes are operations of their own. The field has five buffers from `field` on: layer from below, lowest own one, what
   is between, highest own one, layer from above. Writes the steps of that kind (POST, WAIT or SYNC), and returns how
   many: none where the rank is alone. */
static int messages(const struct ovl_app_job *job, int rank, enum ovl_app_kind kind, int slot, int field,
                    size_t doubles, struct ovl_app_step *steps)
{
    const int *node = job->schemes.node;
    int n = 0;
    for (int i = 0; i < 4 && job->ranks > 1; i++) {
        bool down = i / 2, in = i % 2;
        int other = neighbour(job, rank, down != in), sender = in ? other : rank;
        double bytes = node[other] == node[rank] ? 0 : sizeof(double) * (double)doubles;
        steps[n++] = (struct ovl_app_step){
            .kind = kind,
            .mark = -1,
            .slot = slot + i,
            .read = in ? 0 : field + (down ? 1 : 3),
            .write = in ? field + (down ? 4 : 0) : 0,
            .team = (down ? job->ranks : 0) + sender,
            .ranks = 2,
            .root = sender,
            .needs = OVL_NEEDS_ROOT,
            .in = in ? bytes : 0,
            .out = in ? 0 : bytes,
        };
    }
    return n;
}

int ovl_app_layers_sweep(const struct ovl_app_job *job, int rank, size_t sweep, size_t doubles, int units,
                         struct ovl_app_step *steps)
{
    int from = sweep % 2 ? 6 : 1, to = sweep % 2 ? 1 : 6, slot = sweep % 2 ? 4 : 0;
    struct ovl_app_step step = {.what = OVL_APP_INSIDE, .index = (int)sweep, .mark = -1, .units = units};
    int n = messages(job, rank, OVL_APP_POST, slot, from, doubles, steps);
    step.read = from + 1;
    step.write = to + 1;
    step.buffers = 3;
    steps[n++] = step;
    n += messages(job, rank, OVL_APP_WAIT, slot, from, doubles, steps + n);
    steps[n++] = (struct ovl_app_step){
        .what = OVL_APP_OUTSIDE, .index = (int)sweep, .mark = -1, .read = from, .write = to, .buffers = 5, .units = 1};
    return n;
}

static struct ovl_exchange *exchange(void *self, int slot)
{
    return &((struct ovl_app_player *)self)->layers->exchanges[slot / 2];
}

static void hook_compute(void *self, const struct ovl_app_step *step, int from, int to)
{
    struct ovl_app_player *p = self;
    const struct ovl_app_layers *s = p->layers;
    double *below = s->field[step->index % 2], *highest = below + s->layers * s->doubles;
    if (step->what == OVL_APP_OUTSIDE && p->job->ranks == 1) { /* the ring ends where it begins */
        memcpy(below, highest, s->doubles * sizeof *below);
        memcpy(highest + s->doubles, below + s->doubles, s->doubles * sizeof *below);
    }
    p->layers->compute(p->job, step, from, to);
}

/* Both messages are one exchange: posted with what is sent, complete with what comes. */
static void hook_post(void *self, const struct ovl_app_step *step)
{
    if (step->slot % 2 == 0)
        ((struct ovl_app_player *)self)->mode->post(exchange(self, step->slot));
}

static bool hook_test(void *self, int slot)
{
    return ((struct ovl_app_player *)self)->mode->test(exchange(self, slot));
}

static void hook_wait(void *self, int slot)
{
    if (slot % 2 == 1)
        ((struct ovl_app_player *)self)->mode->wait(exchange(self, slot));
}

static void hook_sync(void *self, const struct ovl_app_step *step)
{
    struct ovl_exchange *x = exchange(self, step->slot);
    if (step->slot % 2 == 1)
        x->collective->blocking(x);
}

int ovl_app_layers_open(struct ovl_app_layers *s, struct ovl_app_job *job, size_t layers, size_t doubles,
                        struct ovl_error *err)
{
    static const struct ovl_app_hooks hooks = {ovl_app_now, hook_compute, hook_post, hook_test,
                                               hook_wait,   hook_sync,    NULL};
    s->layers = layers;
    s->doubles = doubles;
    for (int i = 0; i < 2; i++) {
        s->field[i] = ovl_app_memory_of_problem(job, (layers + 2) * doubles * sizeof(double), err);
        if (!s->field[i])
            return -1;
        make(&s->exchanges[2 * i], job, s->field[i], layers, doubles);
    }
    s->plan.ranks = job->ranks;
    s->plan.slots = 8;
    s->plan.work_alone = true;
    s->blocking = ovl_app_blocking(&s->plan);
    for (int i = 0; i < job->schemes.count; i++) {
        struct ovl_app_scheme *scheme = &job->schemes.scheme[i];
        bool blocks = i == job->schemes.blocking;
        s->players[i] = (struct ovl_app_player){.layers = s, .job = job, .mode = scheme->mode};
        s->players[i].run = (struct ovl_app_run){.plan = blocks ? &s->blocking : &s->plan,
                                                 .rank = job->rank,
                                                 .hooks = &hooks,
                                                 .self = &s->players[i],
                                                 .polls = scheme->polls && job->options->test_lines > 0};
        scheme->run = &s->players[i].run;
        scheme->plan = !blocks;
    }
    return job->offload.attached ? 0 : ovl_offload_attach(&job->offload, job->comm, err);
}

void ovl_app_layers_poison(struct ovl_app_layers *s, const struct ovl_app_job *job)
{
    size_t bytes = s->doubles * sizeof(double);
    for (int i = 0; i < 2 && job->ranks > 1; i++) {
        memset(s->field[i], 0xff, bytes);
        memset(s->field[i] + (s->layers + 1) * s->doubles, 0xff, bytes);
    }
}
