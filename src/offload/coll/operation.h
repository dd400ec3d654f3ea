/* What the engine can be asked to do, in words that are no library's: operations, kinds of numbers, ways to combine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_OPERATION_H
#define OVL_OFFLOAD_COLL_OPERATION_H

#include <stddef.h>

/* In the order of the table in schedule.c; 0 is none, so that a zeroed row asks for nothing. */
enum ovl_operation {
    OVL_NO_OPERATION,
    OVL_NOTHING, /* complete as soon as a worker sees it: what posting costs */
    OVL_IALLTOALL,
    OVL_IALLTOALLV,
    OVL_IBCAST,
    OVL_IALLREDUCE,
    OVL_IALLGATHER,
    OVL_IREDUCE_SCATTER,
    OVL_IBARRIER,
    OVL_OPERATIONS
};

/* The numbers that reductions combine. */
enum ovl_dtype { OVL_INT8, OVL_INT32, OVL_INT64, OVL_FLOAT, OVL_DOUBLE, OVL_DTYPES };

enum ovl_redop { OVL_SUM, OVL_MIN, OVL_MAX, OVL_PROD, OVL_REDOPS };

/* Bytes of one number. */
size_t ovl_dtype_bytes(enum ovl_dtype dtype);

/* to[i] = combiner(a[i], b[i]) over `bytes`, a multiple of the number's. `to` may be `a` or `b`, or begin before either
   and overlap it. Integers wrap around. */
void ovl_reduce_local(enum ovl_redop redop, enum ovl_dtype dtype, void *to, const void *a, const void *b, size_t bytes);

#endif
