/* The operations of a training step: communicators, teams of workers, and buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/number_ops.h"
#include "apps/train/state.h"
#include "apps/train/strategy/parts.h"
#include "apps/train/token_shape.h"
#include "bench/app/pair.h"
#include "offload/boot/agree_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 64 };

static void shape_allreduce(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size;
}

/* For calls that take them. */
static void fill_lists(const struct ovl_exchange *x)
{
    for (int r = 0; r < x->ranks && x->recv_counts; r++) {
        struct ovl_train_part part = ovl_train_part((size_t)x->count, x->ranks, r);
        x->recv_counts[r] = (int)part.count;
        x->recv_displs[r] = (int)part.first;
    }
}

static void shape_reduce_scatter(struct ovl_exchange *x)
{
    fill_lists(x);
    x->send_bytes = x->size;
    x->recv_bytes = ovl_train_part((size_t)x->count, x->ranks, x->rank).count * x->element;
}

static struct ovl_segment segment_of_sum(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){.bytes = x->recv_bytes,
                                .source_offset =
                                    ovl_train_part((size_t)x->count, x->ranks, x->rank).first * x->element};
}

static void shape_allgather(struct ovl_exchange *x)
{
    fill_lists(x);
    x->recv_bytes = x->size;
    x->count = (int)ovl_train_part((size_t)x->count, x->ranks, x->rank).count;
    x->send_bytes = x->size = (size_t)x->count * x->element;
}

static struct ovl_segment segment_of_part(const struct ovl_exchange *x, int k)
{
    struct ovl_train_part part = ovl_train_part(x->recv_bytes / x->element, x->ranks, k);
    return (struct ovl_segment){.offset = part.first * x->element, .bytes = part.count * x->element, .source = k};
}

static void shape_alltoall(struct ovl_exchange *x)
{
    x->send_bytes = x->recv_bytes = x->size;
    x->count /= x->ranks;
    x->size /= (size_t)x->ranks;
}

static void shape_pair(struct ovl_exchange *x)
{
    x->send_bytes = x->to == MPI_PROC_NULL ? 0 : x->size;
    x->recv_bytes = x->from == MPI_PROC_NULL ? 0 : x->size;
}

/* By lists and sizes of its own, which ovl_token_shape has put there. */
static void shape_done(struct ovl_exchange *x)
{
    (void)x;
}

static struct ovl_segment segment_of_pair(const struct ovl_exchange *x, int k)
{
    (void)k;
    return (struct ovl_segment){.bytes = x->recv_bytes, .source = x->from};
}

/* What modes post, by the calls of the drivers; messages of a step have sizes and parts of their own. */
static const struct form {
    const struct ovl_collective *calls;
    void (*shape)(struct ovl_exchange *x);
    int (*segments)(const struct ovl_exchange *x);
    struct ovl_segment (*segment)(const struct ovl_exchange *x, int k);
} forms[] = {
    {&ovl_coll_allreduce, shape_allreduce, ovl_segments_one, ovl_segment_one},
    {&ovl_coll_ireduce_scatter, shape_reduce_scatter, ovl_segments_one, segment_of_sum},
    {&ovl_coll_iallgather, shape_allgather, ovl_segments_partners, segment_of_part},
    {&ovl_coll_iallgatherv, shape_allgather, ovl_segments_partners, segment_of_part},
    {&ovl_coll_ialltoall, shape_alltoall, ovl_segments_partners, ovl_segment_all_to_all},
    {&ovl_coll_ialltoallv, shape_done, ovl_segments_partners, ovl_segment_all_to_all},
    {&ovl_app_pair, shape_pair, ovl_segments_one, segment_of_pair},
};

static const struct form *form_of(enum ovl_operation operation)
{
    size_t i = 0;
    while (forms[i].calls->operation != operation)
        i++;
    return &forms[i];
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* Everything but buffers, MPI's types, communicator and team; `lists` has values for each member, or is NULL. */
static void describe(struct ovl_exchange *x, const struct ovl_train_plan *p, const struct ovl_event *post, int *lists)
{
    const struct ovl_train_team *team = &post->team;
    const struct ovl_number *row = ovl_train_number_type(p, post);
    bool uneven = ovl_train_is_uneven_gather(p, post);
    const struct form *form = form_of(uneven ? OVL_IALLGATHERV : post->operation);
    *x = (struct ovl_exchange){
        .collective = form->calls,
        .rank = (p->own.rank - team->first) / team->stride,
        .ranks = team->ranks,
        .in = team->ranks,
        .out = team->ranks,
        .count = (int)ovl_train_numbers(p, post),
        .element = row->bytes,
        .dtype = row->dtype,
        .redop = OVL_SUM,
        .pattern = {.numbers = ovl_operations[post->operation].reduces, .dtype = OVL_FLOAT, .redop = OVL_SUM},
        .recv_counts = lists,
        .recv_displs = lists ? lists + team->ranks : NULL,
        .to = post->to < 0 ? MPI_PROC_NULL : post->to,
        .from = post->from < 0 ? MPI_PROC_NULL : post->from,
        .request = MPI_REQUEST_NULL,
    };
    x->size = (size_t)x->count * x->element;
    if (post->route)
        ovl_token_shape(x, post, ovl_train_token_words(p, post->token_bytes), lists);
    form->shape(x);
    x->extent = x->size;
}

static const struct ovl_event *post_of(const struct ovl_train_plan *p, int id)
{
    return &p->own.events.list[p->own.events.posted_at[id]];
}

double ovl_train_messages_bytes(const struct ovl_train_plan *p, const struct ovl_lossy *lossy)
{
    double bytes = 0;
    for (int id = 0; id < p->own.events.ids; id++) {
        struct ovl_exchange x;
        if (ovl_train_numbers(p, post_of(p, id)) > INT_MAX) { /* which ovl_train_messages_fit refuses */
            bytes += 2 * ovl_train_bytes(p, post_of(p, id));
            continue;
        }
        describe(&x, p, post_of(p, id), NULL);
        bytes += (double)(aligned(x.send_bytes) + aligned(x.recv_bytes));
        bytes += ovl_lossy_on(lossy) ? (double)ovl_lossy_allreduce_bytes(lossy, (size_t)x.count, x.ranks) : 0;
    }
    return bytes;
}

struct ovl_app_need ovl_train_need(const struct ovl_train *t, double bytes)
{
    struct ovl_app_need need = {.bytes = bytes, .mend = "--scale-bytes, or a smaller model"};
    snprintf(need.what, sizeof need.what, "--model %.40s, --strategy %.20s: messages%s need", t->model.name,
             t->options.strategy, t->options.offload ? " and batches" : "");
    return need;
}

/* Collective: the communicator of each kind of team, and its team of workers. */
static int join(struct ovl_train *t, struct ovl_error *err)
{
    int rc = 0;
    for (int a = 0; a < OVL_TRAIN_AXES; a++) {
        int colour = MPI_UNDEFINED, any = 0;
        for (int id = 0; id < t->message_count && colour == MPI_UNDEFINED; id++)
            if ((int)post_of(&t->plan, id)->team.axis == a)
                colour = post_of(&t->plan, id)->team.first;
        int used = colour != MPI_UNDEFINED;
        MPI_Allreduce(&used, &any, 1, MPI_INT, MPI_MAX, t->job.comm);
        if (!any)
            continue;
        MPI_Comm_split(t->job.comm, colour, t->job.rank, &t->comm[a]);
        if (used && t->job.stage.offload && rc == 0) {
            rc = ovl_engine_attach(&t->job.offload.engine, &t->team[a], t->comm[a], err);
            t->attached[a] = rc == 0;
        }
        rc = ovl_agree(t->job.comm, rc, err);
    }
    return rc;
}

int ovl_train_messages_fit(const struct ovl_train_plan *p, const struct ovl_lossy *lossy, struct ovl_error *err)
{
    for (int id = 0; id < p->own.events.ids; id++) {
        double bytes = post_of(p, id)->bytes;
        const struct ovl_event *post = post_of(p, id);
        bool tokens = post->route && ovl_token_shape_most(post, ovl_train_token_words(p, post->token_bytes)) > INT_MAX;
        if (tokens ||
            bytes / p->scale_bytes > (lossy->compressor ? 0.9 : ovl_model_element(p->ask.model, post->of)) * INT_MAX)
            return ovl_error_set(err, OVL_USAGE,
                                 "a message of %.0f bytes has more numbers than MPI counts; give --scale-bytes", bytes);
    }
    return 0;
}

/* Collective: a communicator for each slot that operations have. */
static void open_channels(struct ovl_train *t)
{
    int slots = 0;
    for (int id = 0; id < t->message_count; id++)
        slots = post_of(&t->plan, id)->slot < slots ? slots : post_of(&t->plan, id)->slot + 1;
    ovl_lossy_channels_open(&t->channels, slots, t->comm[OVL_AXIS_OF_ALL]);
}

/* Collective: the memory of allreduces that go compressed. */
static int open_lossy_allreduces(struct ovl_train *t, struct ovl_error *err)
{
    struct ovl_lossy_allreduces *s = &t->lossy_allreduces;
    size_t bytes = 0;
    if (!ovl_lossy_on(&s->lossy))
        return 0;
    for (int id = 0; id < t->message_count; id++)
        bytes += ovl_lossy_allreduce_bytes(&s->lossy, (size_t)t->messages[id].count, t->messages[id].ranks);
    char *at = ovl_app_memory_of_problem(&t->job, bytes + ALIGNED, err);
    if (!at)
        return -1;
    if (s->lossy.compressor)
        open_channels(t);
    if (s->lossy.halves)
        ovl_number_mpi(s->lossy.halves, &s->type, &s->sum);
    s->count = t->message_count;
    s->list = ovl_check_alloc(calloc((size_t)s->count + 1, sizeof *s->list));
    s->under_way = ovl_check_alloc(calloc((size_t)s->count + 1, sizeof *s->under_way));
    for (int id = 0; id < t->message_count; id++) {
        ovl_lossy_allreduce_open(s, id, &t->messages[id],
                                 s->lossy.halves ? MPI_COMM_NULL : t->channels.list[post_of(&t->plan, id)->slot], at);
        at += ovl_lossy_allreduce_bytes(&s->lossy, (size_t)t->messages[id].count, t->messages[id].ranks);
    }
    return 0;
}

int ovl_train_messages_open(struct ovl_train *t, struct ovl_error *err)
{
    size_t send = 0, recv = 0;
    t->message_count = t->plan.own.events.ids;
    t->messages = ovl_check_alloc(calloc((size_t)t->message_count + 1, sizeof *t->messages));
    size_t *begin = ovl_check_alloc(calloc((size_t)t->message_count + 1, sizeof *begin));
    t->lists = ovl_check_alloc(calloc(ovl_train_place_lists(&t->plan, begin) + 1, sizeof *t->lists));
    for (int id = 0; id < t->message_count; id++) {
        const struct ovl_event *post = post_of(&t->plan, id);
        describe(&t->messages[id], &t->plan, post, ovl_train_takes_lists(&t->plan, post) ? t->lists + begin[id] : NULL);
        send += aligned(t->messages[id].send_bytes);
        recv += aligned(t->messages[id].recv_bytes);
    }
    free(begin);
    if (join(t, err) != 0)
        return -1;
    char *from = ovl_app_memory_of_problem(&t->job, send + ALIGNED, err);
    char *to = from ? ovl_app_memory_of_problem(&t->job, recv + ALIGNED, err) : NULL;
    if (!to)
        return -1;
    for (int id = 0; id < t->message_count; id++) {
        struct ovl_exchange *x = &t->messages[id];
        enum ovl_train_axis axis = post_of(&t->plan, id)->team.axis;
        ovl_number_mpi(ovl_train_number_type(&t->plan, post_of(&t->plan, id)), &x->type, &x->op);
        x->comm = t->comm[axis];
        x->source = x->send = from;
        x->target = x->recv = to;
        from += aligned(x->send_bytes);
        to += aligned(x->recv_bytes);
        x->offload = t->job.stage.offload;
        if (x->offload) {
            ovl_offload_describe(x);
            x->call.team = &t->team[axis];
        }
    }
    return open_lossy_allreduces(t, err);
}

void ovl_train_messages_close(struct ovl_train *t)
{
    struct ovl_error err;
    ovl_lossy_allreduce_close(&t->lossy_allreduces);
    ovl_lossy_channels_close(&t->channels);
    for (int a = 0; a < OVL_TRAIN_AXES; a++) {
        if (t->attached[a] && ovl_engine_detach(&t->job.offload.engine, &t->team[a], t->comm[a], &err) != 0)
            ovl_engine_abort(t->job.offload.program, &err);
        t->attached[a] = false;
        if (t->comm[a] != MPI_COMM_NULL)
            MPI_Comm_free(&t->comm[a]);
        t->comm[a] = MPI_COMM_NULL;
    }
    ovl_number_ops_free();
    free(t->messages);
    free(t->lists);
    t->messages = NULL;
    t->lists = NULL;
}

int ovl_train_segments(const struct ovl_exchange *x)
{
    return form_of(x->collective->operation)->segments(x);
}

struct ovl_segment ovl_train_segment(const struct ovl_exchange *x, int k)
{
    return form_of(x->collective->operation)->segment(x, k);
}
