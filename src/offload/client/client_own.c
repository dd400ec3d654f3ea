/* Which block of an operation a rank has for itself, by the meaning of its arguments, and its copy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_own.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static size_t listed(const struct ovl_coll_args *call, const int *list)
{
    return (size_t)list[call->team->rank] * ovl_dtype_bytes(call->dtype);
}

struct ovl_own_block ovl_client_own_block(const struct ovl_coll_args *call)
{
    const struct ovl_operation_row *row = &ovl_operations[call->operation];
    size_t rank = (size_t)call->team->rank, bytes = call->bytes, place = rank * bytes;
    bool root = call->team->rank == call->root;
    if ((row->rooted && !root) || call->in_place)
        return (struct ovl_own_block){0, 0, 0};
    switch (call->operation) {
    case OVL_IALLTOALL:
        return (struct ovl_own_block){place, place, bytes};
    case OVL_IALLTOALLV:
        return (struct ovl_own_block){listed(call, call->send_displs), listed(call, call->recv_displs),
                                      listed(call, call->send_counts)};
    case OVL_IALLGATHER:
    case OVL_IGATHER:
        return (struct ovl_own_block){0, place, bytes};
    case OVL_IALLGATHERV:
    case OVL_IGATHERV:
        return (struct ovl_own_block){0, listed(call, call->recv_displs), listed(call, call->recv_counts)};
    case OVL_ISCATTER:
        return (struct ovl_own_block){place, 0, bytes};
    case OVL_ISCATTERV:
        return (struct ovl_own_block){listed(call, call->send_displs), 0, listed(call, call->send_counts)};
    case OVL_ISENDRECV:
        return (struct ovl_own_block){0, 0, call->to == call->team->rank ? bytes : 0};
    default:
        return (struct ovl_own_block){0, 0, 0};
    }
}

/* Asks the kernel, which answers where a load would end the program. */
static bool can_be_read(const char *from, const char *to)
{
    char seen[2];
    struct iovec here = {seen, sizeof seen}, there[2] = {{(void *)(uintptr_t)from, 1}, {(void *)(uintptr_t)to, 1}};
    return process_vm_readv(getpid(), &here, 1, there, 2, 0) == sizeof seen;
}

bool ovl_client_copy_own(const struct ovl_coll_args *call, bool mapped)
{
    enum { LEAST = 4096 }; /* less is not worth the question */
    struct ovl_own_block own = ovl_client_own_block(call);
    const char *from = (const char *)((uintptr_t)call->send + own.from);
    char *to = (char *)((uintptr_t)call->recv + own.to);
    if (own.bytes < LEAST || (!mapped && !can_be_read(from, to)))
        return false;
    memcpy(to, from, own.bytes);
    return true;
}
