/* The table of types, and messages in blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/datatype.h"

#include <stdint.h>
#include <string.h>

static const struct ovl_datatype types[OVL_EXCHANGE_TYPES] = {
    [OVL_EXCHANGE_BYTES] = {"char", MPI_CHAR, 1, OVL_INT8},
    [OVL_EXCHANGE_INT8] = {"int8", MPI_SIGNED_CHAR, 1, OVL_INT8},
    [OVL_EXCHANGE_INT16] = {"int16", MPI_INT16_T, 2, OVL_INT16},
    [OVL_EXCHANGE_INT32] = {"int32", MPI_INT, 4, OVL_INT32},
    [OVL_EXCHANGE_INT64] = {"int64", MPI_INT64_T, 8, OVL_INT64},
    [OVL_EXCHANGE_FLOAT] = {"float", MPI_FLOAT, 4, OVL_FLOAT},
    [OVL_EXCHANGE_DOUBLE] = {"double", MPI_DOUBLE, 8, OVL_DOUBLE},
};

static const struct {
    const char *word;
    MPI_Op op;
} redops[OVL_REDOPS] = {
    [OVL_SUM] = {"sum", MPI_SUM},
    [OVL_MIN] = {"min", MPI_MIN},
    [OVL_MAX] = {"max", MPI_MAX},
    [OVL_PROD] = {"prod", MPI_PROD},
};

const struct ovl_datatype *ovl_datatype_row(enum ovl_exchange_type type)
{
    return &types[type];
}

enum ovl_exchange_type ovl_datatype_find(const char *word)
{
    int t = 0;
    while (t < OVL_EXCHANGE_TYPES - 1 && strcmp(types[t].word, word) != 0)
        t++;
    return (enum ovl_exchange_type)t;
}

enum ovl_redop ovl_redop_find(const char *word)
{
    int r = OVL_REDOPS - 1;
    while (r > 0 && (!word || strcmp(redops[r].word, word) != 0))
        r--;
    return (enum ovl_redop)r;
}

MPI_Op ovl_redop_mpi(enum ovl_redop redop)
{
    return redops[redop].op;
}

size_t ovl_layout_extent(const struct ovl_layout *layout, size_t size)
{
    return layout->block > 0 ? size / layout->block * layout->stride : size;
}

MPI_Datatype ovl_layout_type(const struct ovl_layout *layout, const struct ovl_datatype *element, size_t size)
{
    MPI_Datatype blocks, message;
    MPI_Type_vector((int)(size / layout->block), (int)(layout->block / element->bytes),
                    (int)(layout->stride / element->bytes), element->type, &blocks);
    MPI_Type_create_resized(blocks, 0, (MPI_Aint)ovl_layout_extent(layout, size), &message);
    MPI_Type_commit(&message);
    MPI_Type_free(&blocks);
    return message;
}

void ovl_layout_spread(const struct ovl_layout *layout, void *memory, const void *packed, size_t bytes)
{
    for (size_t at = 0, b = 0; at < bytes; at += layout->block, b++)
        memcpy((char *)memory + b * layout->stride, (const char *)packed + at, layout->block);
}

void ovl_layout_pack(const struct ovl_layout *layout, void *packed, const void *memory, size_t bytes)
{
    for (size_t at = 0, b = 0; at < bytes; at += layout->block, b++)
        memcpy((char *)packed + at, (const char *)memory + b * layout->stride, layout->block);
}

void ovl_layout_fill_gaps(const struct ovl_layout *layout, void *memory, unsigned char byte, size_t bytes)
{
    for (size_t at = 0, b = 0; at < bytes; at += layout->block, b++)
        memset((char *)memory + b * layout->stride + layout->block, byte, layout->stride - layout->block);
}

size_t ovl_layout_find_in_gaps(const struct ovl_layout *layout, const void *memory, unsigned char byte, size_t bytes)
{
    for (size_t at = 0, b = 0; at < bytes; at += layout->block, b++)
        for (size_t i = layout->block; i < layout->stride; i++)
            if (((const unsigned char *)memory)[b * layout->stride + i] != byte)
                return b * layout->stride + i;
    return SIZE_MAX;
}
