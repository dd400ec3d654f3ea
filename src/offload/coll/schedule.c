/* Making a schedule: the table of operations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>

const struct ovl_tuning ovl_tuning_default = {.tree = 128 << 10, .piece = 256 << 10, .direct = 16 << 10};

static void build_nothing(struct ovl_builder *b)
{
    (void)b;
}

static size_t payload_none(const struct ovl_coll_shape *s)
{
    (void)s;
    return 0;
}

static size_t payload_whole(const struct ovl_coll_shape *s)
{
    return s->bytes;
}

static size_t payload_each(const struct ovl_coll_shape *s)
{
    return s->bytes * (size_t)s->ranks;
}

static size_t payload_counts(const struct ovl_coll_shape *s)
{
    size_t sum = 0;
    for (int r = 0; r < s->ranks; r++)
        sum += (size_t)s->recv_counts[r];
    return sum * s->element;
}

static size_t payload_own_count(const struct ovl_coll_shape *s)
{
    return (size_t)s->recv_counts[s->rank] * s->element;
}

static const struct {
    const char *name;
    void (*build)(struct ovl_builder *b);
    size_t (*payload)(const struct ovl_coll_shape *s);
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

size_t ovl_schedule_payload(const struct ovl_coll_shape *shape)
{
    return operations[shape->operation].payload(shape);
}

struct ovl_schedule *ovl_schedule_make(const struct ovl_coll_shape *shape)
{
    struct ovl_builder b = {.shape = shape, .schedule = calloc(1, sizeof *b.schedule)};
    if (!b.schedule)
        return NULL;
    operations[shape->operation].build(&b);
    if (!b.failed && ovl_build_finish(&b) == 0)
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
