/* How much memory an operation uses at its rank: by the meaning of its arguments, as MPI has it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_extent.h"

/* To the end of the last block; without displacements they stand one behind the other. */
static size_t listed(const struct ovl_coll_args *call, const int *counts, const int *displs)
{
    size_t all = 0, end;
    for (int r = 0; r < call->team->ranks; r++) {
        end = (displs ? (size_t)displs[r] : all) + (size_t)counts[r];
        if (counts[r] > 0 && end > all)
            all = end;
    }
    return all * ovl_dtype_bytes(call->dtype);
}

/* In place what is sent stands where what is received will. */
static struct ovl_extents pair(const struct ovl_coll_args *call)
{
    struct ovl_extents s = {call->to < 0 ? 0 : call->bytes, call->from < 0 ? 0 : call->recv_bytes};
    if (call->in_place && s.send > s.recv)
        s.recv = s.send;
    return s;
}

static struct ovl_extents of_both(const struct ovl_coll_args *call)
{
    size_t bytes = call->bytes, blocks = bytes * (size_t)call->team->ranks;
    bool root = call->team->rank == call->root;
    switch (call->operation) {
    case OVL_IALLTOALL:
        return (struct ovl_extents){blocks, blocks};
    case OVL_IALLTOALLV:
        return (struct ovl_extents){call->in_place ? 0 : listed(call, call->send_counts, call->send_displs),
                                    listed(call, call->recv_counts, call->recv_displs)};
    case OVL_IBCAST:
        return (struct ovl_extents){0, bytes};
    case OVL_IALLREDUCE:
    case OVL_IALLREDUCE_SZX:
        return (struct ovl_extents){bytes, bytes};
    case OVL_IREDUCE:
        return (struct ovl_extents){bytes, root ? bytes : 0};
    case OVL_IALLGATHER:
        return (struct ovl_extents){bytes, blocks};
    case OVL_IALLGATHERV:
        return (struct ovl_extents){bytes, listed(call, call->recv_counts, call->recv_displs)};
    case OVL_IREDUCE_SCATTER:
        blocks = listed(call, call->recv_counts, NULL);
        bytes = (size_t)call->recv_counts[call->team->rank] * ovl_dtype_bytes(call->dtype);
        return (struct ovl_extents){blocks, call->in_place ? blocks : bytes};
    case OVL_IREDUCE_SCATTER_BLOCK:
        return (struct ovl_extents){blocks, call->in_place ? blocks : bytes};
    case OVL_IGATHER:
        return (struct ovl_extents){bytes, root ? blocks : 0};
    case OVL_IGATHERV:
        return (struct ovl_extents){bytes, root ? listed(call, call->recv_counts, call->recv_displs) : 0};
    case OVL_ISCATTER:
        return (struct ovl_extents){root ? blocks : 0, bytes};
    case OVL_ISCATTERV:
        return (struct ovl_extents){root ? listed(call, call->send_counts, call->send_displs) : 0, bytes};
    case OVL_ISENDRECV:
        return pair(call);
    default:
        return (struct ovl_extents){0, 0};
    }
}

struct ovl_extents ovl_client_extents(const struct ovl_coll_args *call)
{
    const struct ovl_operation_row *row = &ovl_operations[call->operation];
    struct ovl_extents s = of_both(call);
    if (call->in_place && (!row->rooted || call->team->rank == call->root))
        *(row->scatters ? &s.recv : &s.send) = 0;
    return s;
}
