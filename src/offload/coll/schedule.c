/* Making a schedule, and what is known of an operation without one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule.h"
#include "base/rng.h"
#include "offload/coll/algorithm.h"
#include "offload/coll/packed.h"
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

const struct ovl_tuning ovl_tuning_default = {.piece = 256 << 10, .pieces = 256, .window = 32};

static size_t sum_of_counts(const struct ovl_coll_shape *s, const int *counts)
{
    size_t sum = 0;
    for (int r = 0; r < s->ranks; r++)
        sum += (size_t)counts[r];
    return sum * s->element;
}

size_t ovl_schedule_payload(const struct ovl_coll_shape *s)
{
    bool root = s->rank == s->root;
    switch (s->operation) {
    case OVL_IALLTOALL:
    case OVL_IALLGATHER:
        return s->bytes * (size_t)s->ranks;
    case OVL_IALLTOALLV:
    case OVL_IALLGATHERV:
        return sum_of_counts(s, s->recv_counts);
    case OVL_IGATHER:
        return root ? s->bytes * (size_t)s->ranks : 0;
    case OVL_IGATHERV:
        return root ? sum_of_counts(s, s->recv_counts) : 0;
    case OVL_ISCATTER:
    case OVL_ISCATTERV:
        return root && s->in_place ? 0 : s->bytes;
    case OVL_IREDUCE:
        return root ? s->bytes : 0;
    case OVL_IREDUCE_SCATTER:
        return (size_t)s->recv_counts[s->rank] * s->element;
    case OVL_IBCAST:
    case OVL_IALLREDUCE:
    case OVL_IALLREDUCE_SZX:
    case OVL_IREDUCE_SCATTER_BLOCK:
        return s->bytes;
    case OVL_ISENDRECV:
        return s->from >= 0 ? s->recv_bytes : 0;
    default:
        return 0;
    }
}

static uint64_t mix(uint64_t key, uint64_t value)
{
    return ovl_rng_mix(key ^ ovl_rng_mix(value));
}

static uint64_t mix_list(uint64_t key, const int *list, int n)
{
    for (int i = 0; i < n && list; i++)
        key = ovl_rng_mix(key + (uint32_t)list[i]);
    return mix(key, list != NULL);
}

uint64_t ovl_schedule_key(const struct ovl_coll_shape *s)
{
    const uint64_t words[] = {s->operation,  (uint32_t)s->root, (uint32_t)s->to, (uint32_t)s->from,      s->bytes,
                              s->recv_bytes, s->element,        s->in_place,     (uintptr_t)s->algorithm};
    uint64_t key = ovl_packed_bits(s->bound);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        key = mix(key, words[i]);
    const int *const lists[] = {s->send_counts, s->send_displs, s->recv_counts, s->recv_displs};
    unsigned taken = ovl_operations[s->operation].lists;
    for (unsigned i = 0; i < 4; i++)
        if (taken & 1u << i)
            key = mix_list(key, lists[i], s->ranks);
    return key;
}

struct ovl_schedule *ovl_schedule_make(const struct ovl_coll_shape *shape)
{
    struct ovl_builder b = {.shape = shape, .schedule = calloc(1, sizeof *b.schedule)};
    const struct ovl_algorithm *algorithm = ovl_algorithm_of(shape);
    if (!b.schedule)
        return NULL;
    if (algorithm)
        algorithm->build(&b);
    for (int i = 0; i < b.lists; i++)
        free(b.list[i]);
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

void ovl_step_strided(const struct ovl_step *s, char *temporary)
{
    const char *from = temporary + s->from.offset;
    char *to = temporary + s->to.offset;
    ptrdiff_t forth = s->from_stride * (ptrdiff_t)s->bytes, back = s->to_stride * (ptrdiff_t)s->bytes;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)s->blocks; i++)
        memcpy(to + i * back, from + i * forth, s->bytes);
}
