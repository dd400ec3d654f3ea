/* Arguments of a call become an operation of the workers, or the call is left to the host's library and counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/collective.h"
#include "base/clock.h"
#include "offload/coll/schedule.h"
#include "preload/library/unserved.h"
#include "preload/op/datatype.h"
#include "preload/op/numbers.h"
#include "preload/op/request.h"

#include <stdio.h>
#include <stdlib.h>

static struct ovl_library *const lib = &ovl_library;

/* Which sides this rank has: arguments of others are not significant, and must not be looked at. */
struct sides {
    bool send, recv, in_place;
};

static struct sides sides_of(const struct ovl_call *c, const struct ovl_comm_team *t)
{
    bool root = t->rank == c->root, in_place = c->send == MPI_IN_PLACE;
    switch (c->operation) {
    case OVL_IBARRIER:
        return (struct sides){false, false, false};
    case OVL_IBCAST:
        return (struct sides){false, true, false};
    case OVL_IREDUCE:
    case OVL_IGATHER:
    case OVL_IGATHERV:
        return (struct sides){!root || !in_place, root, root && in_place};
    case OVL_ISCATTER:
    case OVL_ISCATTERV:
        in_place = root && c->recv == MPI_IN_PLACE;
        return (struct sides){root, !in_place, in_place};
    default:
        return (struct sides){!in_place, true, in_place};
    }
}

void ovl_collective_types(const struct ovl_call *c, bool *send, bool *recv)
{
    const struct ovl_comm_team *t = ovl_comm_team_of(c->comm);
    struct sides s = t ? sides_of(c, t) : (struct sides){false, false, false};
    *send = s.send;
    *recv = s.recv;
}

/* What MPI will refuse it shall refuse, by the program's error handler. */
static bool bad(const struct ovl_call *c, const struct ovl_comm_team *t, const struct sides *s)
{
    if (ovl_operations[c->operation].rooted && (c->root < 0 || c->root >= t->ranks))
        return true;
    if (s->send && ((MPI_Datatype)c->send_type == MPI_DATATYPE_NULL || c->send_count < 0 || c->send == MPI_IN_PLACE))
        return true;
    if (s->recv && ((MPI_Datatype)c->recv_type == MPI_DATATYPE_NULL || c->recv_count < 0 || c->recv == MPI_IN_PLACE))
        return true;
    unsigned lists = (unsigned)ovl_operations[c->operation].lists;
    if ((s->send && lists & OVL_SEND_COUNTS && !c->send_counts.at) ||
        (s->recv && lists & OVL_RECV_COUNTS && !c->recv_counts.at))
        return true;
    const struct ovl_list *const counts[] = {s->send ? &c->send_counts : NULL, s->recv ? &c->recv_counts : NULL};
    for (int i = 0; i < 2; i++)
        for (int r = 0; counts[i] && counts[i]->at && r < t->ranks; r++)
            if (ovl_list_get(counts[i], r) < 0)
                return true;
    return false;
}

static struct ovl_call_side measured(struct ovl_call_side s)
{
    s.layout = ovl_layout_of((H)s.type);
    ovl_side_measure(&s);
    return s;
}

/* Blocks for or from all ranks, at the side that has them. */
static int blocks_of(enum ovl_operation o, bool send, int ranks, bool in_place)
{
    switch (o) {
    case OVL_IALLTOALL:
    case OVL_IALLTOALLV:
        return ranks;
    case OVL_IALLGATHER:
    case OVL_IALLGATHERV:
    case OVL_IGATHER:
    case OVL_IGATHERV:
        return send ? 1 : ranks;
    case OVL_ISCATTER:
    case OVL_ISCATTERV:
        return send ? ranks : 1;
    case OVL_IREDUCE_SCATTER:
    case OVL_IREDUCE_SCATTER_BLOCK:
        return send || in_place ? ranks : 1;
    default:
        return 1;
    }
}

/* Lists of one rank's part are of the other side: reduce_scatter has its counts among what is received. */
static void fill_sides(struct ovl_pending *p, const struct ovl_call *c, const struct sides *s, int rank)
{
    static const struct ovl_list none = {NULL, false};
    int ranks = p->team->ranks;
    bool scatters = c->operation == OVL_IREDUCE_SCATTER, sends = c->operation == OVL_IBCAST && rank == c->root;
    int64_t own = scatters && s->recv ? ovl_list_get(&c->recv_counts, rank) : c->recv_count;
    if (s->send)
        p->send = measured((struct ovl_call_side){.base = (void *)(uintptr_t)c->send,
                                                  .type = (MPI_Datatype)c->send_type,
                                                  .blocks = blocks_of(c->operation, true, ranks, s->in_place),
                                                  .count = c->send_count,
                                                  .counts = scatters ? c->recv_counts : c->send_counts,
                                                  .displs = c->send_displs,
                                                  .fill = true});
    if (s->recv)
        p->recv = measured((struct ovl_call_side){.base = c->recv,
                                                  .type = (MPI_Datatype)c->recv_type,
                                                  .blocks = blocks_of(c->operation, false, ranks, s->in_place),
                                                  .count = own,
                                                  .counts = scatters && !s->in_place ? none : c->recv_counts,
                                                  .displs = c->recv_displs,
                                                  .fill = s->in_place || sends,
                                                  .empty = !sends});
}

/* Where a side has the rank's own block, if it lists places, else its first; 0: there is none. */
static uintptr_t own_place(const struct ovl_call_side *s, int rank)
{
    if (!s->displs.at)
        return (uintptr_t)s->base;
    if (ovl_list_get(&s->counts, rank) == 0)
        return 0;
    return (uintptr_t)s->base + (uintptr_t)(ovl_list_get(&s->displs, rank) * s->layout.extent);
}

/* The same data twice, which MPI refuses. One base is no fault where types or lists put the data apart: as only some
   ranks may do that, or only the root, all would not go the same way. */
static bool is_doubled(const struct ovl_call *c, const struct ovl_pending *p)
{
    if (p->send.bytes == 0 || p->recv.bytes == 0 || (MPI_Datatype)c->send_type != (MPI_Datatype)c->recv_type)
        return false;
    if (c->send_counts.at && c->recv_counts.at) /* MPICH asks for one base and one array of counts, and for no places */
        return c->send == c->recv && c->send_counts.at == c->recv_counts.at;
    uintptr_t from = own_place(&p->send, p->team->rank);
    return from != 0 && from == own_place(&p->recv, p->team->rank);
}

/* No buffer for data without addresses (MPI_BOTTOM), of the datatype or as places other than 0: MPI_ERR_BUFFER. */
static bool lacks_buffer(const struct ovl_call_side *s)
{
    bool lacks = !s->displs.at;
    for (int b = 0; b < s->blocks && !lacks; b++)
        lacks = ovl_list_get(&s->counts, b) > 0 && ovl_list_get(&s->displs, b) == 0;
    return !s->base && s->bytes > 0 && lacks && ovl_datatype_is_plain((H)s->type);
}

static int element_of(const struct ovl_pending *p)
{
    uint64_t together = (uint64_t)p->send.layout.size | (uint64_t)p->recv.layout.size | 8;
    return (int)(together & -together);
}

/* Bytes by which the rule decides: the same at all ranks. */
static uint64_t bytes_of(const struct ovl_call *c, const struct ovl_pending *p, const struct sides *s)
{
    const struct ovl_call_side *side = s->recv ? &p->recv : &p->send;
    switch (c->operation) {
    case OVL_IALLTOALL:
    case OVL_IALLGATHER:
        return (uint64_t)(p->recv.count * p->recv.layout.size);
    case OVL_IGATHER:
    case OVL_ISCATTER:
    case OVL_IREDUCE_SCATTER_BLOCK:
        return (uint64_t)(side->count * side->layout.size);
    case OVL_IREDUCE_SCATTER:
        return (uint64_t)(s->in_place ? p->recv.bytes : p->send.bytes);
    case OVL_IBARRIER:
        return 0;
    default:
        return (uint64_t)side->bytes;
    }
}

/* Allgatherv counts in bytes, since each rank may have a datatype of its own. */
static uint64_t most_of(const struct ovl_call *c, const struct ovl_pending *p)
{
    int64_t sum = 0;
    if (c->operation != OVL_IALLGATHERV && c->operation != OVL_IREDUCE_SCATTER)
        return 0;
    for (int r = 0; r < p->team->ranks; r++)
        sum += ovl_list_get(&c->recv_counts, r);
    return c->operation == OVL_IREDUCE_SCATTER ? (uint64_t)sum : (uint64_t)(sum * p->recv.layout.size);
}

/* All ranks of the communicator come to the same end, and one line is enough: the first one says it and ends the job.
   The others do so only where it is late. */
static void wait_for_first(const struct ovl_comm_team *t, H comm)
{
    int rank = t ? t->rank : 0;
    if (!t)
        P->Comm_rank(comm, &rank);
    if (rank > 0)
        nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
}

static _Noreturn void refuse(const struct ovl_call *c, const struct ovl_comm_team *t, enum ovl_offload_why why)
{
    struct ovl_error err;
    wait_for_first(t, c->comm);
    ovl_error_set(&err, OVL_ENVIRONMENT,
                  "rank %d: MPI_I%s cannot be offloaded (%s), and --require (OVL_OFFLOAD=require) wants all: leave it "
                  "out%s",
                  lib->rank, ovl_operations[c->operation].name + 1, ovl_offload_why_texts[why],
                  why == OVL_HOST_SMALL ? ", or give a smaller --min" : "");
    ovl_library_notify_tool(false); /* a launcher, or a script behind it, may lose the exit code */
    ovl_library_die(&err);
}

/* Bytes of the block that a rank has for itself, or from itself. */
static int64_t own_block_bytes(const struct ovl_call_side *s, int rank)
{
    return s->blocks == 1 ? s->bytes : (s->counts.at ? ovl_list_get(&s->counts, rank) : s->count) * s->layout.size;
}

/* What a rank sends to itself it also receives, which one rank can see. Between ranks the workers see it. */
static void check_own_block(const struct ovl_call *c, const struct ovl_pending *p, const struct sides *s)
{
    struct ovl_error err;
    if (!s->send || !s->recv || ovl_operations[c->operation].reduces)
        return;
    int64_t sent = own_block_bytes(&p->send, p->team->rank), expected = own_block_bytes(&p->recv, p->team->rank);
    if (sent == expected)
        return;
    wait_for_first(p->team, c->comm);
    ovl_error_set(&err, OVL_ENVIRONMENT,
                  "MPI_I%s: rank %d sends %lld bytes to itself and expects %lld: the program's counts and datatypes "
                  "must match (MPI_ERR_TRUNCATE)",
                  ovl_operations[c->operation].name + 1, lib->rank, (long long)sent, (long long)expected);
    ovl_library_die(&err);
}

static enum ovl_offload_why judge(const struct ovl_call *c, const struct ovl_comm_team *t, const struct ovl_pending *p,
                                  const struct sides *s, struct ovl_decide_args *q)
{
    struct ovl_tally *tally = &lib->tally[c->operation];
    *q = (struct ovl_decide_args){.operation = c->operation, .team = t, .ranks = t ? t->ranks : 0};
    if (t) {
        q->bytes = bytes_of(c, p, s);
        q->most = most_of(c, p);
    }
    if (t && ovl_operations[c->operation].reduces) {
        q->kind = ovl_number_kind_of(c->recv_type);
        q->number_bytes = (int)(s->recv ? p->recv : p->send).layout.size;
        q->known_op = ovl_redop_of(c->op, &q->redop);
    }
    enum ovl_offload_why v = ovl_decide(q, &lib->settings.rules);
    atomic_fetch_add_explicit(&tally->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&tally->verdicts[v], 1, memory_order_relaxed);
    if (v != OVL_OFFLOADED && lib->settings.mode == OVL_MODE_REQUIRE)
        refuse(c, t, v);
    return v;
}

/* Places in the order of MPI's; a staging buffer has no gaps: there one block lies behind the other. */
static void write_lists(const struct ovl_call_side *s, int element, int *counts, int *displs)
{
    int64_t before = 0, scale = s->layout.size / element;
    for (int b = 0; b < s->blocks; b++) {
        int64_t n = s->counts.at ? ovl_list_get(&s->counts, b) : s->count;
        counts[b] = (int)(n * scale);
        displs[b] = (int)((s->staging || !s->displs.at ? before : ovl_list_get(&s->displs, b)) * scale);
        before += n;
    }
}

/* Without --path cma workers reach the heap alone. Of blocks that lie one behind the other. */
static bool is_reached(const struct ovl_call_side *s)
{
    uintptr_t at = (uintptr_t)s->base - (uintptr_t)lib->heap;
    return !lib->bounce || (!s->displs.at && at < lib->heap_bytes && (uint64_t)s->bytes <= lib->heap_bytes - at);
}

/* Puts what workers cannot use as it is into staging memory. Local, and so it must succeed, or end the job. */
static void reach(struct ovl_call_side *s, bool lists, int element)
{
    s->plain = s->bytes > 0 && ovl_datatype_is_plain((H)s->type);
    int64_t largest = lists && !lib->bounce && s->plain ? ovl_side_largest(s, element) : 0;
    if (s->bytes > 0 && (!is_reached(s) || !s->plain || largest < 0 || largest > INT32_MAX))
        ovl_side_pack(s);
    if (lists && s->staging && s->bytes / element > INT32_MAX) {
        struct ovl_error err;
        ovl_error_set(&err, OVL_ENVIRONMENT,
                      "rank %d: %lld bytes in blocks of unequal sizes are more than workers can count: run with "
                      "OVL_OFFLOAD_VECTORS=no",
                      lib->rank, (long long)s->bytes);
        ovl_library_die(&err);
    }
}

static void *place_of(const struct ovl_call_side *s)
{
    return s->staging ? s->staging : s->base;
}

static void fill_args(struct ovl_pending *p, const struct ovl_call *c, const struct ovl_decide_args *q,
                      const struct sides *s)
{
    struct ovl_comm_team *t = p->team;
    const struct ovl_operation_row *row = &ovl_operations[c->operation];
    bool here = row->lists && (!row->rooted || t->rank == c->root);
    int element = q->number_bytes ? q->number_bytes : element_of(p);
    size_t n = (size_t)t->ranks;
    bool sends = row->lists & OVL_SEND_COUNTS, receives = row->lists & OVL_RECV_COUNTS;
    /* A list of reduce_scatter describes what is sent; of allgatherv and gatherv only what is received. */
    const struct ovl_call_side *listed_recv = c->operation == OVL_IREDUCE_SCATTER && !s->in_place ? &p->send : &p->recv;
    reach(&p->send, here && s->send && (sends || c->operation == OVL_IREDUCE_SCATTER), element);
    reach(&p->recv, here && s->recv && receives, element);
    struct ovl_coll_args *a = &p->args;
    *a = (struct ovl_coll_args){.operation = c->operation,
                                .send = place_of(&p->send),
                                .recv = place_of(&p->recv),
                                .in_place = s->in_place,
                                .root = row->rooted ? c->root : 0,
                                .redop = q->redop,
                                .dtype = row->reduces ? ovl_number_of(q->kind, q->number_bytes)
                                                      : ovl_number_of(OVL_SIGNED, element)};
    if (here) {
        p->lists = ovl_library_check_alloc(calloc(4 * n, sizeof *p->lists));
        if (sends && s->send)
            write_lists(&p->send, element, p->lists, p->lists + n);
        if (receives)
            write_lists(listed_recv, element, p->lists + 2 * n, p->lists + 3 * n);
        a->send_counts = p->lists;
        a->send_displs = p->lists + n;
        a->recv_counts = p->lists + 2 * n;
        a->recv_displs = p->lists + 3 * n;
    }
    switch (c->operation) {
    case OVL_IALLGATHERV:
    case OVL_IGATHERV:
        a->bytes = (size_t)(s->in_place ? (int64_t)a->recv_counts[t->rank] * element : p->send.bytes);
        break;
    case OVL_ISCATTERV:
        a->bytes = (size_t)(s->in_place ? (int64_t)a->send_counts[t->rank] * element : p->recv.bytes);
        break;
    case OVL_IALLTOALLV:
        break;
    default:
        a->bytes = (size_t)q->bytes;
    }
    struct ovl_coll_shape shape = {.operation = c->operation,
                                   .rank = t->rank,
                                   .ranks = t->ranks,
                                   .root = a->root,
                                   .bytes = a->bytes,
                                   .element = ovl_dtype_bytes(a->dtype),
                                   .in_place = s->in_place,
                                   .send_counts = a->send_counts,
                                   .send_displs = a->send_displs,
                                   .recv_counts = a->recv_counts,
                                   .recv_displs = a->recv_displs};
    a->payload = ovl_schedule_payload(&shape);
}

int ovl_collective_post(const struct ovl_call *c, MPI_Request *request)
{
    if (__builtin_expect(!lib->began, 0))
        ovl_unserved_operation();
    if (!atomic_load_explicit(&lib->on, memory_order_acquire) || (MPI_Comm)c->comm == MPI_COMM_NULL || !request)
        return -1;
    return ovl_collective_post_in(ovl_comm_team_of(c->comm), c, request);
}

int ovl_collective_post_in(struct ovl_comm_team *team, const struct ovl_call *c, MPI_Request *request)
{
    ovl_pending_drain_waiting();
    struct ovl_decide_args q;
    struct ovl_pending p = {.team = team};
    struct sides s = {false, false, false};
    if (p.team) {
        s = sides_of(c, p.team);
        if (bad(c, p.team, &s))
            return -1;
        fill_sides(&p, c, &s, p.team->rank);
        if (is_doubled(c, &p) || lacks_buffer(&p.send) || lacks_buffer(&p.recv))
            return -1;
    }
    if (judge(c, p.team, &p, &s, &q) != OVL_OFFLOADED || !p.team)
        return -1;
    check_own_block(c, &p, &s);
    int64_t begin = ovl_clock_ns();
    atomic_fetch_add(&p.team->uses, 1);
    fill_args(&p, c, &q, &s);
    atomic_fetch_add_explicit(&lib->tally[c->operation].bytes, p.args.payload, memory_order_relaxed);
    ovl_pending_post(&p, request);
    atomic_fetch_add_explicit(&lib->posting_ns, (uint64_t)(ovl_clock_ns() - begin), memory_order_relaxed);
    return MPI_SUCCESS;
}
