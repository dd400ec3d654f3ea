/* What the engine can be asked to do, in words that are no library's: operations, kinds of numbers, ways to combine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_OPERATION_H
#define OVL_OFFLOAD_COLL_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of the table in operation.c; 0 is none, so that a zeroed row asks for nothing. */
enum ovl_operation {
    OVL_NO_OPERATION,
    OVL_NOTHING, /* complete as soon as a worker sees it: what posting costs */
    OVL_IALLTOALL,
    OVL_IALLTOALLV,
    OVL_IBCAST,
    OVL_IALLREDUCE,
    OVL_IREDUCE,
    OVL_IALLGATHER,
    OVL_IALLGATHERV,
    OVL_IREDUCE_SCATTER,
    OVL_IREDUCE_SCATTER_BLOCK,
    OVL_IGATHER,
    OVL_IGATHERV,
    OVL_ISCATTER,
    OVL_ISCATTERV,
    OVL_IBARRIER,
    OVL_ISENDRECV,      /* a pair: every member sends to one and receives from one, or to and from nobody */
    OVL_IALLREDUCE_SZX, /* sums of OVL_FLOAT that travel compressed, with an error that is bounded: no MPI call */
    OVL_OPERATIONS
};

/* Counts and displacements that an operation takes, a bit each, in the order of struct ovl_coll_shape. */
enum { OVL_SEND_COUNTS = 1, OVL_SEND_DISPLS = 2, OVL_RECV_COUNTS = 4, OVL_RECV_DISPLS = 8 };

struct ovl_operation_row {
    const char *name;     /* "ialltoall" */
    const char *measured; /* the bytes by which an algorithm is chosen; NULL: by none */
    unsigned lists;
    bool rooted;   /* has a root, which alone has lists, and alone can be in place */
    bool reduces;  /* combines numbers */
    bool scatters; /* in place it is the root's receive buffer that is not used */
};

extern const struct ovl_operation_row ovl_operations[OVL_OPERATIONS];

/* The numbers that reductions combine. The last three (kernels/small_float.h) are combined in single precision, which
   is then rounded: of a sum that is the rounded exact sum, for it has more than twice their bits. */
enum ovl_dtype {
    OVL_INT8,
    OVL_INT16,
    OVL_INT32,
    OVL_INT64,
    OVL_FLOAT,
    OVL_DOUBLE,
    OVL_BFLOAT16,
    OVL_FLOAT16,
    OVL_FLOAT8, /* E4M3 */
    OVL_DTYPES
};

enum ovl_redop { OVL_SUM, OVL_MIN, OVL_MAX, OVL_PROD, OVL_REDOPS };

/* Bytes of one number. */
size_t ovl_dtype_bytes(enum ovl_dtype dtype);

/* to[i] = combiner(a[i], b[i]) over `bytes`, a multiple of the number's. `to` may be `a` or `b`, or begin before either
   and overlap it. Integers wrap around. */
void ovl_reduce_local(enum ovl_redop redop, enum ovl_dtype dtype, void *to, const void *a, const void *b, size_t bytes);

#endif
