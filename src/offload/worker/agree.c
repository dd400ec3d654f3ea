/* Do the two halves of a message belong together? MPI wants all ranks of a communicator to call the same collectives
 * with the same amounts of data. Where a program does not, a message could be cut off, or end behind the sender's
 * buffer, or never come: whoever receives says what differs, and the job ends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

struct ovl_ctrl_msg ovl_p2p_msg(const struct ovl_p2p_req *t, enum ovl_ctrl_kind kind)
{
    return (struct ovl_ctrl_msg){.kind = kind,
                                 .key = t->entry.key,
                                 .operation = t->op->command.operation,
                                 .whole = t->op->whole,
                                 .length = t->step->bytes};
}

bool ovl_p2p_same(const struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg)
{
    return msg->operation == t->op->command.operation && msg->whole == t->op->whole && msg->length == t->step->bytes;
}

static void differ(struct ovl_worker *w, const struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg)
{
    static const char cure[] = "the program's counts and datatypes must match (MPI_ERR_TRUNCATE)";
    const struct ovl_op *op = t->op;
    int sender = op->team->world_rank[t->step->peer], receiver = op->team->world_rank[op->team->rank];
    const struct ovl_operation_row *mine = &ovl_operations[op->command.operation],
                                   *theirs = &ovl_operations[msg->operation < OVL_OPERATIONS ? msg->operation : 0];
    if (mine != theirs)
        ovl_worker_fail(w,
                        "rank %d calls %s where rank %d calls %s: all ranks of a communicator must call the same "
                        "collectives in the same order",
                        sender, theirs->name, receiver, mine->name);
    else if (msg->whole != op->whole)
        ovl_worker_fail(w, "rank %d calls %s of %zu bytes %s, rank %d of %zu: %s", sender, mine->name,
                        (size_t)msg->whole, mine->measured, receiver, op->whole, cure);
    else
        ovl_worker_fail(w, "%s: rank %d sends %zu bytes to rank %d, which expects %zu: %s", mine->name, sender,
                        (size_t)msg->length, receiver, t->step->bytes, cure);
}

bool ovl_p2p_accept(struct ovl_worker *w, const struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg)
{
    if (ovl_p2p_same(t, msg)) {
        if (msg->kind != OVL_CTRL_EAGER || msg->bytes == msg->length)
            return true;
        ovl_worker_fail(w, "worker %d sends %zu bytes of a message of %zu: it is not of this build", t->worker,
                        (size_t)msg->bytes, (size_t)msg->length);
        return false;
    }
    differ(w, t, msg);
    return false;
}
