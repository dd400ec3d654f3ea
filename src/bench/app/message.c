/* The messages of an application. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/message.h"
#include "base/clock.h"
#include "base/page_alloc.h"
#include "offload/boot/agree_mpi.h"

#include <stdlib.h>
#include <string.h>

int ovl_app_memory(struct ovl_offload *offload, void **memory, size_t bytes, struct ovl_error *err)
{
    if (offload)
        return ovl_engine_alloc(&offload->engine, memory, bytes, err);
    *memory = ovl_huge_pages(bytes);
    return *memory ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for messages of %zu bytes", bytes);
}

void ovl_app_memory_free(struct ovl_offload *offload, void *memory)
{
    struct ovl_error err;
    if (!offload)
        free(memory);
    else if (memory && ovl_client_free(&offload->engine.client, memory, &err) != 0)
        ovl_engine_abort(offload->program, &err);
}

void *ovl_app_memory_of_problem(struct ovl_app_job *job, size_t bytes, struct ovl_error *err)
{
    void **memory = &job->memory[job->memory_count++];
    int rc = ovl_app_memory(job->stage.offload, memory, bytes, err);
    if (rc == 0)
        memset(*memory, 0, bytes);
    return ovl_agree(job->comm, rc, err) == 0 ? *memory : NULL;
}

void ovl_app_memory_end(struct ovl_app_job *job)
{
    while (job->memory_count > 0) {
        ovl_app_memory_free(job->stage.offload, job->memory[--job->memory_count]);
        job->memory[job->memory_count] = NULL;
    }
}

static int neighbour(const struct ovl_app_job *job, int rank, bool down)
{
    return (rank + (down ? job->ranks - 1 : 1)) % job->ranks;
}

void ovl_app_layers_make(struct ovl_exchange both[2], const struct ovl_app_job *job, double *field, size_t layers,
                         size_t doubles)
{
    for (int down = 0; down < 2; down++) {
        struct ovl_exchange *x = &both[down];
        *x = (struct ovl_exchange){
            .collective = &ovl_coll_p2p,
            .comm = job->comm,
            .rank = job->rank,
            .ranks = job->ranks,
            .partners = job->ranks,
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

int ovl_app_layers_steps(const struct ovl_app_job *job, int rank, enum ovl_app_kind kind, int slot, int field,
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

static struct ovl_exchange *exchange(void *self, int slot)
{
    return &((struct ovl_app_player *)self)->layers->exchanges[slot / 2];
}

static int64_t hook_now(void *self)
{
    (void)self;
    return ovl_clock_ns();
}

static void hook_compute(void *self, const struct ovl_app_step *step, int from, int to)
{
    struct ovl_app_player *p = self;
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

int ovl_app_layers_open(struct ovl_app_layers *s, struct ovl_app_job *job, struct ovl_error *err)
{
    static const struct ovl_app_hooks hooks = {hook_now, hook_compute, hook_post, hook_test, hook_wait, hook_sync};
    s->plan.ranks = job->ranks;
    s->plan.slots = s->slots;
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
