/* Posting writes a command and its arguments; tests and waits look at the slot where its completion comes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client.h"
#include "base/clock.h"
#include "offload/client/client_extent.h"
#include "offload/client/client_own.h"
#include "offload/client/client_wait.h"
#include "offload/coll/packed.h"

#include <inttypes.h>
#include <string.h>

/* The raddr of so many bytes: in the region that holds them all, else the address itself. Other memory may begin where
   a region ends. */
static inline uint64_t raddr_of(struct ovl_client_ctx *h, const void *address, size_t bytes)
{
    uintptr_t a = (uintptr_t)address;
    size_t low = 0, high = h->region_count;
    while (low < high) { /* the last region that begins at or before it */
        size_t middle = (low + high) / 2;
        if ((uintptr_t)h->regions[middle].shared.base <= a)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return a;
    struct ovl_region *r = &h->regions[low - 1];
    uintptr_t offset = a - (uintptr_t)r->shared.base;
    bool inside = bytes <= r->shared.bytes && offset <= r->shared.bytes - bytes;
    if (inside && !r->number && r->shared.file)
        ovl_client_keep_promise(h, r);
    return inside && r->number ? ovl_raddr(r->number, offset) : a;
}

/* Counts and displacements, in the order of struct ovl_coll_shape. */
static int copy_counts(struct ovl_client_ctx *h, struct ovl_worker_conn *l, unsigned slot,
                       const struct ovl_coll_args *call, struct ovl_command *c, struct ovl_error *err)
{
    const int *const lists[] = {call->send_counts, call->send_displs, call->recv_counts, call->recv_displs};
    size_t n = (size_t)call->team->ranks;
    unsigned taken = ovl_operations[call->operation].lists;
    int32_t *args = ovl_conn_get_args(h, l, slot, 4 * n * sizeof *args, c, err);
    if (!args)
        return -1;
    for (int i = 0; i < 4; i++)
        if (taken & 1u << i && lists[i])
            memcpy(args + (size_t)i * n, lists[i], n * sizeof *args);
    ovl_ep_put_flag(l->ep, args, 4 * n * sizeof *args);
    return 0;
}

/* Little data goes with the command where the worker would have to fetch it. */
static void copy_brief(struct ovl_worker_conn *l, unsigned slot, const struct ovl_coll_args *call, size_t bytes,
                       struct ovl_command *c)
{
    char *to = ovl_cmdq_brief(l->cmdq, slot);
    if (bytes == 0 || bytes > OVL_BRIEF_BYTES || slot >= OVL_RING)
        return;
    memcpy(to, call->send, bytes);
    ovl_ep_put_flag(l->ep, to, (bytes + 7) / 8 * 8);
    c->flags |= OVL_COMMAND_BRIEF;
}

static int refuse_rank(const struct ovl_coll_args *call, const char *what, int rank, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_USAGE, "%s: %s %d is no rank of a team of %d", ovl_operations[call->operation].name,
                         what, rank, call->team->ranks);
}

int ovl_client_check(const struct ovl_coll_args *call, struct ovl_error *err)
{
    int ranks = call->team->ranks, rank = call->team->rank;
    if (call->operation <= OVL_NO_OPERATION || call->operation >= OVL_OPERATIONS || call->dtype >= OVL_DTYPES ||
        call->redop >= OVL_REDOPS)
        return ovl_error_set(err, OVL_USAGE, "operation %d on numbers %d by %d: workers have none such",
                             call->operation, call->dtype, call->redop);
    const struct ovl_operation_row *row = &ovl_operations[call->operation];
    const struct ovl_algorithm *a = call->algorithm;
    if (a && a->operation != call->operation)
        return ovl_error_set(err, OVL_USAGE, "%s has no algorithm %s", row->name, a->name);
    if (a && !ovl_algorithm_works(a, ranks))
        return ovl_error_set(err, OVL_USAGE, "%s: %s needs 2^n ranks, not %d; choose another algorithm", row->name,
                             a->name, ranks);
    if (row->rooted && (call->root < 0 || call->root >= ranks))
        return refuse_rank(call, "root", call->root, err);
    if (row->reduces && call->bytes % ovl_dtype_bytes(call->dtype))
        return ovl_error_set(err, OVL_USAGE, "%s: %zu bytes are no whole numbers of %zu", row->name, call->bytes,
                             ovl_dtype_bytes(call->dtype));
    if (call->operation == OVL_IALLREDUCE_SZX &&
        (!(call->bound > 0) || call->dtype != OVL_FLOAT || call->redop != OVL_SUM))
        return ovl_error_set(err, OVL_USAGE, "%s: it adds up floats, with an error bound above 0", row->name);
    unsigned taken = row->rooted && rank != call->root ? 0 : row->lists;
    const int *const lists[] = {call->send_counts, call->send_displs, call->recv_counts, call->recv_displs};
    for (int i = 0; i < 4; i++)
        if (taken & 1u << i && !lists[i] && !(call->in_place && i < 2))
            return ovl_error_set(err, OVL_USAGE, "%s: a list of counts or displacements is missing", row->name);
    if (call->operation != OVL_ISENDRECV)
        return 0;
    if (call->to < -1 || call->to >= ranks)
        return refuse_rank(call, "destination", call->to, err);
    if (call->from < -1 || call->from >= ranks)
        return refuse_rank(call, "source", call->from, err);
    if ((call->to == rank) != (call->from == rank) || (call->to == rank && call->bytes != call->recv_bytes))
        return ovl_error_set(err, OVL_USAGE, "isendrecv: what rank %d sends itself it must receive, %zu bytes", rank,
                             call->bytes);
    return 0;
}

int ovl_client_post(struct ovl_client_ctx *h, const struct ovl_coll_args *call, struct ovl_request *request,
                    struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    struct ovl_extents extents = ovl_client_extents(call);
    unsigned region[2];
    bool registers = h->cold || h->registrations;
    if (registers && ovl_client_reregister(h, call, &extents, region, err) != 0)
        return -1;
    int slot = ovl_conn_get_slot(h, l, err);
    if (slot < 0)
        return -1;
    const struct ovl_operation_row *row = &ovl_operations[call->operation];
    bool at_root = !row->rooted || call->team->rank == call->root, in_place = call->in_place && at_root,
         pair = call->operation == OVL_ISENDRECV;
    struct ovl_command c = {
        .kind = OVL_COMMAND_OPERATION,
        .operation = (uint8_t)call->operation,
        .dtype = (uint8_t)call->dtype,
        .redop = (uint8_t)call->redop,
        .flags = (uint8_t)((in_place ? OVL_COMMAND_IN_PLACE : 0) | (h->path->staged ? OVL_COMMAND_STAGED : 0)),
        .team = call->team->number,
        .root = pair ? call->to : call->root,
        .rank = call->operation == OVL_IALLREDUCE_SZX ? ovl_packed_bits(call->bound) : call->recv_bytes,
        .bytes = call->bytes,
        .from = call->from,
        .algorithm = call->algorithm ? (uint16_t)(call->algorithm - ovl_algorithms + 1) : 0,
        .send = in_place && !row->scatters ? 0 : raddr_of(h, call->send, extents.send),
        .recv = raddr_of(h, call->recv, extents.recv),
    };
    bool maps_send = c.send >> OVL_RADDR_SHIFT, maps_recv = c.recv >> OVL_RADDR_SHIFT;
    uint64_t mapped = (maps_send ? extents.send : 0) + (maps_recv ? extents.recv : 0);
    h->mapped_bytes += mapped;
    h->staged_bytes += extents.send + extents.recv - mapped;
    if (h->path->reg)
        h->buffer_uses += (extents.send && maps_send) + (extents.recv && maps_recv);
    if (h->copies_own && ovl_client_copy_own(call, maps_send && maps_recv))
        c.flags |= OVL_COMMAND_OWN;
    if (row->lists && at_root && copy_counts(h, l, (unsigned)slot, call, &c, err) != 0)
        return -1;
    if (!row->lists && !row->scatters && h->path->staged)
        copy_brief(l, (unsigned)slot, call, extents.send, &c);
    ovl_conn_post(l, (unsigned)slot, &c, request);
    if (registers) {
        h->uses[slot].sequence = request->sequence;
        memcpy(h->uses[slot].region, region, sizeof region);
    }
    if (ovl_worker_waits_for_bell(l))
        ovl_worker_wakeup(l);
    h->operations++;
    h->bytes += call->payload;
    return 0;
}

bool ovl_client_test(struct ovl_client_ctx *h, const struct ovl_request *request)
{
    return ovl_conn_test(&h->conns[h->own], request->slot, request->sequence);
}

int ovl_client_wait(struct ovl_client_ctx *h, const struct ovl_request *request, struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    return ovl_conn_test(l, request->slot, request->sequence) ? 0 : ovl_conn_wait(h, l, request, err);
}

void ovl_client_proof_begin(struct ovl_client_ctx *h)
{
    const struct ovl_cmdq *s = h->conns[h->own].cmdq;
    h->operations = h->bytes = h->buffer_uses = h->registered = h->mapped_bytes = h->staged_bytes = 0;
    h->operations_before = atomic_load(&s->operations);
    h->bytes_before = atomic_load(&s->bytes);
}

int ovl_client_proof_end(struct ovl_client_ctx *h, uint64_t *operations, uint64_t *bytes, struct ovl_error *err)
{
    const struct ovl_cmdq *s = h->conns[h->own].cmdq;
    *operations = atomic_load(&s->operations) - h->operations_before;
    *bytes = atomic_load(&s->bytes) - h->bytes_before;
    if (*operations == h->operations && *bytes == h->bytes)
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "%s did %" PRIu64 " operations of %" PRIu64 " bytes for rank %d, which posted %" PRIu64
                         " of %" PRIu64 ": not all was offloaded",
                         h->conns[h->own].name, *operations, *bytes, h->rank, h->operations, h->bytes);
}

void ovl_client_high_water(const struct ovl_client_ctx *h, uint32_t high_water[OVL_HIGH_WATERS])
{
    for (int m = 0; m < OVL_HIGH_WATERS; m++)
        high_water[m] = atomic_load_explicit(&h->conns[h->own].status->high_water[m], memory_order_relaxed);
}
