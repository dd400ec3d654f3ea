/* How much memory an operation uses at its rank: by the meaning of its arguments, as MPI has it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_span.h"

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
static struct ovl_spans pair(const struct ovl_coll_args *call)
{
    struct ovl_spans s = {call->to < 0 ? 0 : call->bytes, call->from < 0 ? 0 : call->recv_bytes};
    if (call->in_place && s.send > s.recv)
        s.recv = s.send;
    return s;
}

static struct ovl_spans of_both(const struct ovl_coll_args *call)
{
    size_t bytes = call->bytes, blocks = bytes * (size_t)call->team->ranks;
    bool root = call->team->rank == call->root;
    switch (call->operation) {
    case OVL_IALLTOALL:
        return (struct ovl_spans){blocks, blocks};
    case OVL_IALLTOALLV:
        return (struct ovl_spans){call->in_place ? 0 : listed(call, call->send_counts, call->send_displs),
                                  listed(call, call->recv_counts, call->recv_displs)};
    case OVL_IBCAST:
        return (struct ovl_spans){0, bytes};
    case OVL_IALLREDUCE:
        return (struct ovl_spans){bytes, bytes};
    case OVL_IREDUCE:
        return (struct ovl_spans){bytes, root ? bytes : 0};
    case OVL_IALLGATHER:
        return (struct ovl_spans){bytes, blocks};
    case OVL_IALLGATHERV:
        return (struct ovl_spans){bytes, listed(call, call->recv_counts, call->recv_displs)};
    case OVL_IREDUCE_SCATTER:
        blocks = listed(call, call->recv_counts, NULL);
        bytes = (size_t)call->recv_counts[call->team->rank] * ovl_dtype_bytes(call->dtype);
        return (struct ovl_spans){blocks, call->in_place ? blocks : bytes};
    case OVL_IREDUCE_SCATTER_BLOCK:
        return (struct ovl_spans){blocks, call->in_place ? blocks : bytes};
    case OVL_IGATHER:
        return (struct ovl_spans){bytes, root ? blocks : 0};
    case OVL_IGATHERV:
        return (struct ovl_spans){bytes, root ? listed(call, call->recv_counts, call->recv_displs) : 0};
    case OVL_ISCATTER:
        return (struct ovl_spans){root ? blocks : 0, bytes};
    case OVL_ISCATTERV:
        return (struct ovl_spans){root ? listed(call, call->send_counts, call->send_displs) : 0, bytes};
    case OVL_ISENDRECV:
        return pair(call);
    default:
        return (struct ovl_spans){0, 0};
    }
}

struct ovl_spans ovl_client_spans(const struct ovl_coll_args *call)
{
    const struct ovl_operation_row *row = &ovl_operations[call->operation];
    struct ovl_spans s = of_both(call);
    if (call->in_place && (!row->rooted || call->team->rank == call->root))
        *(row->scatters ? &s.recv : &s.send) = 0;
    return s;
}
