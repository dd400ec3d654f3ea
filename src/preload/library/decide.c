/* The first condition that keeps an operation on the host's library is the reason that is counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/decide.h"

const char *const ovl_offload_why_texts[OVL_OFFLOAD_WHYS] = {
    [OVL_OFFLOADED] = "offloaded",
    [OVL_HOST_SMALL] = "below the least size",
    [OVL_HOST_COMM] = "communicator of one rank, between groups, or unknown",
    [OVL_HOST_OP] = "operation of a reduction that workers do not have",
    [OVL_HOST_NUMBERS] = "numbers that workers do not have",
    [OVL_HOST_LONG] = "counts too large",
    [OVL_HOST_VECTOR] = "sizes that no rank knows (OVL_OFFLOAD_VECTORS=no)",
};

enum ovl_dtype ovl_number_of(enum ovl_number_kind kind, int bytes)
{
    if (kind == OVL_REAL)
        return bytes == 4 ? OVL_FLOAT : bytes == 8 ? OVL_DOUBLE : OVL_DTYPES;
    if (kind != OVL_SIGNED && kind != OVL_UNSIGNED)
        return OVL_DTYPES;
    switch (bytes) {
    case 1:
        return OVL_INT8;
    case 2:
        return OVL_INT16;
    case 4:
        return OVL_INT32;
    case 8:
        return OVL_INT64;
    default:
        return OVL_DTYPES;
    }
}

enum ovl_offload_why ovl_decide(const struct ovl_decide_args *q, const struct ovl_offload_rules *rules)
{
    if (!q->team || q->ranks < 2)
        return OVL_HOST_COMM;
    if (ovl_operations[q->operation].reduces) {
        if (!q->known_op)
            return OVL_HOST_OP;
        if (ovl_number_of(q->kind, q->number_bytes) == OVL_DTYPES ||
            (q->kind == OVL_UNSIGNED && (q->redop == OVL_MIN || q->redop == OVL_MAX)))
            return OVL_HOST_NUMBERS;
    }
    switch (q->operation) {
    case OVL_IBARRIER:
        return OVL_OFFLOADED;
    case OVL_IALLTOALLV: /* the whole size is known to no rank */
    case OVL_IGATHERV:
    case OVL_ISCATTERV:
        return rules->vectors ? OVL_OFFLOADED : OVL_HOST_VECTOR;
    default:
        return q->most > INT32_MAX ? OVL_HOST_LONG : q->bytes < rules->least ? OVL_HOST_SMALL : OVL_OFFLOADED;
    }
}
