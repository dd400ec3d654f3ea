/* What messages are made of, and how they lie in memory: MPI's basic types, and blocks with gaps between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_EXCHANGE_DATATYPE_H
#define OVL_BENCH_EXCHANGE_DATATYPE_H

#include "offload/coll/operation.h"

#include <mpi.h>

enum ovl_exchange_type {
    OVL_EXCHANGE_BYTES,
    OVL_EXCHANGE_INT8,
    OVL_EXCHANGE_INT16,
    OVL_EXCHANGE_INT32,
    OVL_EXCHANGE_INT64,
    OVL_EXCHANGE_FLOAT,
    OVL_EXCHANGE_DOUBLE,
    OVL_EXCHANGE_TYPES
};

struct ovl_datatype {
    const char *word; /* of --type */
    MPI_Datatype type;
    size_t bytes;
    enum ovl_dtype dtype; /* as workers combine it; of bytes OVL_INT8 */
};

const struct ovl_datatype *ovl_datatype_row(enum ovl_exchange_type type);

/* The type of that word, one of those that --type takes. */
enum ovl_exchange_type ovl_datatype_find(const char *word);

/* The operation of that word, one of those that --op takes; NULL is a sum. And as MPI has it. */
enum ovl_redop ovl_redop_find(const char *word);
MPI_Op ovl_redop_mpi(enum ovl_redop redop);

/* A message in blocks, as MPI_Type_vector has it: `block` bytes, then the next `stride` bytes after the first. All zero
   where messages are in one piece. */
struct ovl_layout {
    size_t block, stride;
};

/* Bytes that a message of `size` takes in memory, up to the place of the next one. */
size_t ovl_layout_extent(const struct ovl_layout *layout, size_t size);

/* The type of a whole message, which the caller frees. `size` is a multiple of the block, which is one of the element.
 */
MPI_Datatype ovl_layout_type(const struct ovl_layout *layout, const struct ovl_datatype *element, size_t size);

/* Between `bytes` in one piece and messages of that layout, one after the other; what lies between blocks is left. */
void ovl_layout_spread(const struct ovl_layout *layout, void *memory, const void *packed, size_t bytes);
void ovl_layout_pack(const struct ovl_layout *layout, void *packed, const void *memory, size_t bytes);

/* What lies between the blocks of messages of `bytes`, which no operation may write: fills it with `byte`, and finds
   the first place, from the beginning of `memory`, that has another one; SIZE_MAX: none has. */
void ovl_layout_fill_gaps(const struct ovl_layout *layout, void *memory, unsigned char byte, size_t bytes);
size_t ovl_layout_find_in_gaps(const struct ovl_layout *layout, const void *memory, unsigned char byte, size_t bytes);

#endif
