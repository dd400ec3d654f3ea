/* Making a schedule: the table of operations, and adding steps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

const struct ovl_tuning ovl_tuning_default = {.tree = 128 << 10, .piece = 256 << 10, .direct = 16 << 10};

static void build_nothing(struct ovl_builder *b)
{
    (void)b;
}

static size_t payload_none(const struct ovl_shape *s)
{
    (void)s;
    return 0;
}

static size_t payload_whole(const struct ovl_shape *s)
{
    return s->bytes;
}

static size_t payload_each(const struct ovl_shape *s)
{
    return s->bytes * (size_t)s->ranks;
}

static size_t payload_counts(const struct ovl_shape *s)
{
    size_t sum = 0;
    for (int r = 0; r < s->ranks; r++)
        sum += (size_t)s->recv_counts[r];
    return sum * s->element;
}

static size_t payload_own_count(const struct ovl_shape *s)
{
    return (size_t)s->recv_counts[s->rank] * s->element;
}

static const struct {
    const char *name;
    void (*build)(struct ovl_builder *b);
    size_t (*payload)(const struct ovl_shape *s);
} operations[OVL_OPERATIONS] = {
    [OVL_NO_OPERATION] = {"none", build_nothing, payload_none},
    [OVL_NOTHING] = {"nothing", build_nothing, payload_none},
    [OVL_IALLTOALL] = {"ialltoall", ovl_build_alltoall, payload_each},
    [OVL_IALLTOALLV] = {"ialltoallv", ovl_build_alltoallv, payload_counts},
    [OVL_IBCAST] = {"ibcast", ovl_build_bcast, payload_whole},
    [OVL_IALLREDUCE] = {"iallreduce", ovl_build_allreduce, payload_whole},
    [OVL_IALLGATHER] = {"iallgather", ovl_build_allgather, payload_each},
    [OVL_IREDUCE_SCATTER] = {"ireduce_scatter", ovl_build_reduce_scatter, payload_own_count},
    [OVL_IBARRIER] = {"ibarrier", ovl_build_barrier, payload_none},
};

const char *ovl_operation_name(enum ovl_operation operation)
{
    return operations[operation].name;
}

size_t ovl_schedule_payload(const struct ovl_shape *shape)
{
    return operations[shape->operation].payload(shape);
}

static void add(struct ovl_builder *b, struct ovl_step step)
{
    struct ovl_schedule *s = b->schedule;
    if (s->steps == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        struct ovl_step *more = realloc(s->step, room * sizeof *more);
        if (!more) {
            b->failed = true;
            return;
        }
        s->step = more;
        b->room = room;
    }
    step.round = b->round;
    s->step[s->steps++] = step;
}

void ovl_build_send(struct ovl_builder *b, int peer, uint32_t tag, struct ovl_spot from, size_t bytes)
{
    if (bytes)
        add(b, (struct ovl_step){
                   .kind = OVL_STEP_SEND, .since = b->round, .peer = peer, .tag = tag, .bytes = bytes, .from = from});
}

static int clipped(const struct ovl_builder *b, int since)
{
    return since < b->round ? since : b->round;
}

void ovl_build_recv(struct ovl_builder *b, int since, int peer, uint32_t tag, struct ovl_spot to, size_t bytes)
{
    if (bytes)
        add(b,
            (struct ovl_step){
                .kind = OVL_STEP_RECV, .since = clipped(b, since), .peer = peer, .tag = tag, .bytes = bytes, .to = to});
}

void ovl_build_reduce(struct ovl_builder *b, int since, int peer, uint32_t tag, struct ovl_spot from,
                      struct ovl_spot to, size_t bytes)
{
    if (bytes)
        add(b, (struct ovl_step){.kind = OVL_STEP_REDUCE,
                                 .since = clipped(b, since),
                                 .peer = peer,
                                 .tag = tag,
                                 .bytes = bytes,
                                 .from = from,
                                 .to = to});
}

void ovl_build_copy(struct ovl_builder *b, struct ovl_spot from, struct ovl_spot to, size_t bytes)
{
    if (bytes && (from.buffer != to.buffer || from.offset != to.offset))
        add(b, (struct ovl_step){
                   .kind = OVL_STEP_COPY, .since = b->round, .peer = -1, .bytes = bytes, .from = from, .to = to});
}

void ovl_build_signal(struct ovl_builder *b, int to, int from, uint32_t tag)
{
    add(b, (struct ovl_step){.kind = OVL_STEP_SEND, .since = b->round, .peer = to, .tag = tag});
    add(b, (struct ovl_step){.kind = OVL_STEP_RECV, .since = b->round, .peer = from, .tag = tag});
}

struct ovl_spot ovl_build_temporary(struct ovl_builder *b, size_t bytes)
{
    struct ovl_spot spot = {OVL_TEMPORARY, b->schedule->temporary};
    b->schedule->temporary += (bytes + 63) / 64 * 64;
    return spot;
}

/* What is received begins before what is sent: the word that it may come must not stand behind our own data. */
static size_t place_in_order(const struct ovl_step *s)
{
    return 2 * (size_t)s->since + (s->kind == OVL_STEP_SEND || s->kind == OVL_STEP_COPY);
}

/* Rounds that hold nothing are left out; then the steps are put in order, and otherwise stay as they were added. */
static int finish(struct ovl_builder *b)
{
    struct ovl_schedule *s = b->schedule;
    int rounds = 0;
    for (size_t i = 0; i < s->steps; i++)
        rounds = s->step[i].round >= rounds ? s->step[i].round + 1 : rounds;
    struct ovl_step *sorted = malloc((s->steps + 1) * sizeof *sorted);
    size_t *first = calloc(2 * (size_t)rounds + 1, sizeof *first);
    s->in_round = calloc((size_t)rounds + 1, sizeof *s->in_round);
    int *number = calloc((size_t)rounds + 1, sizeof *number);
    if (!sorted || !first || !s->in_round || !number) {
        free(sorted);
        free(first);
        free(number);
        return -1;
    }
    for (size_t i = 0; i < s->steps; i++)
        s->in_round[s->step[i].round]++;
    for (int r = 0; r < rounds; r++) { /* number[r] becomes how many rounds before r hold something */
        number[r + 1] = number[r] + (s->in_round[r] > 0);
        s->in_round[number[r]] = s->in_round[r];
    }
    for (size_t i = 0; i < s->steps; i++) {
        s->step[i].round = number[s->step[i].round];
        s->step[i].since = number[s->step[i].since];
        first[place_in_order(&s->step[i]) + 1]++;
    }
    s->rounds = number[rounds];
    for (int r = 0; r < 2 * s->rounds; r++)
        first[r + 1] += first[r];
    for (size_t i = 0; i < s->steps; i++)
        sorted[first[place_in_order(&s->step[i])]++] = s->step[i];
    free(s->step);
    s->step = sorted;
    free(first);
    free(number);
    return 0;
}

struct ovl_schedule *ovl_schedule_make(const struct ovl_shape *shape)
{
    struct ovl_builder b = {.shape = shape, .schedule = calloc(1, sizeof *b.schedule)};
    if (!b.schedule)
        return NULL;
    operations[shape->operation].build(&b);
    if (!b.failed && finish(&b) == 0)
        return b.schedule;
    ovl_schedule_free(b.schedule);
    return NULL;
}

void ovl_schedule_free(struct ovl_schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->step);
    free(schedule->in_round);
    free(schedule);
}
