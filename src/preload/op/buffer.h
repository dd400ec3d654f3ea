/* One side of an operation: blocks in the program's memory, and where workers find them. Workers move plain bytes, so
 * what is not contiguous, or lies where they do not reach, goes through staging memory: packed when the operation is
 * posted, unpacked when it has completed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_BUFFER_H
#define OVL_PRELOAD_OP_BUFFER_H

#include "preload/pmpi/pmpi.h"

#include <stddef.h>

/* A list of counts or displacements of MPI, ints or 64 bits wide. */
struct ovl_list {
    const void *at;
    bool wide;
};

static inline int64_t ovl_list_get(const struct ovl_list *l, int i)
{
    return l->wide ? ((const int64_t *)l->at)[i] : ((const int *)l->at)[i];
}

struct ovl_type_layout {
    int64_t size, extent;
};

struct ovl_type_layout ovl_layout_of(H type);

struct ovl_call_side {
    char *base; /* the program's; may be NULL */
    MPI_Datatype type;
    struct ovl_type_layout layout;
    int blocks;
    int64_t count; /* of each block where there is no list */
    struct ovl_list counts, displs;
    bool fill, empty; /* pack before, unpack after */
    bool plain;       /* ovl_datatype_is_plain(type): asked when workers are to reach it */

    int64_t bytes;       /* of all blocks */
    char *staging;       /* or NULL: workers use `base` */
    bool own_type;       /* `type` is a copy, which lives as long as this */
    int64_t *kept_lists; /* copies of counts and displacements, where unpacking needs them */
};

/* With base, type, blocks, counts and fill given: measures it. */
void ovl_side_measure(struct ovl_call_side *s);
/* The largest number that the workers' lists would hold for it in place, in units of `element`; -1: it cannot be in
   place. With `plain` given, as for all that follows. */
int64_t ovl_side_largest(const struct ovl_call_side *s, int element);

/* Allocates a staging buffer and packs into it. Then `staging` holds the blocks without gaps. */
void ovl_side_pack(struct ovl_call_side *s);
/* Unpacks if that is asked for, and gives back the staging memory. */
void ovl_side_unpack(struct ovl_call_side *s);

#endif
