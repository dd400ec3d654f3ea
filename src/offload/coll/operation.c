/* A new operation is a row here; src/README has what else it needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/operation.h"

enum { SENT = OVL_SEND_COUNTS | OVL_SEND_DISPLS, RECEIVED = OVL_RECV_COUNTS | OVL_RECV_DISPLS };

const struct ovl_operation_row ovl_operations[OVL_OPERATIONS] = {
    [OVL_NO_OPERATION] = {.name = "none"},
    [OVL_NOTHING] = {.name = "nothing"},
    [OVL_IALLTOALL] = {.name = "ialltoall", .measured = "to each rank"},
    [OVL_IALLTOALLV] = {.name = "ialltoallv", .lists = SENT | RECEIVED},
    [OVL_IBCAST] = {.name = "ibcast", .measured = "in all", .rooted = true},
    [OVL_IALLREDUCE] = {.name = "iallreduce", .measured = "in all", .reduces = true},
    [OVL_IREDUCE] = {.name = "ireduce", .measured = "in all", .rooted = true, .reduces = true},
    [OVL_IALLGATHER] = {.name = "iallgather", .measured = "in all"},
    [OVL_IALLGATHERV] = {.name = "iallgatherv", .measured = "in all", .lists = RECEIVED},
    [OVL_IREDUCE_SCATTER] = {.name = "ireduce_scatter",
                             .measured = "in all",
                             .lists = OVL_RECV_COUNTS,
                             .reduces = true},
    [OVL_IREDUCE_SCATTER_BLOCK] = {.name = "ireduce_scatter_block", .measured = "in all", .reduces = true},
    [OVL_IGATHER] = {.name = "igather", .measured = "of each rank", .rooted = true},
    [OVL_IGATHERV] = {.name = "igatherv", .lists = RECEIVED, .rooted = true},
    [OVL_ISCATTER] = {.name = "iscatter", .measured = "to each rank", .rooted = true, .scatters = true},
    [OVL_ISCATTERV] = {.name = "iscatterv", .lists = SENT, .rooted = true, .scatters = true},
    [OVL_IBARRIER] = {.name = "ibarrier"},
    [OVL_ISENDRECV] = {.name = "isendrecv"},
    [OVL_IALLREDUCE_SZX] = {.name = "iallreduce_szx", .measured = "in all", .reduces = true},
};
