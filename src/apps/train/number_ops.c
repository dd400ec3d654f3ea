/* An operation of MPI is not told of what kind its numbers are: each kind has a function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/number_ops.h"

#define SUM(name, number)                                                                                              \
    static void name(void *more, void *to, int *n, MPI_Datatype *type)                                                 \
    {                                                                                                                  \
        (void)type;                                                                                                    \
        ovl_numbers[number].sum(to, more, (size_t)*n);                                                                 \
    }

SUM(sum_bf16, OVL_BF16)
SUM(sum_f16, OVL_F16)
SUM(sum_f8, OVL_F8)

static MPI_User_function *const sums[OVL_NUMBERS] = {[OVL_BF16] = sum_bf16, [OVL_F16] = sum_f16, [OVL_F8] = sum_f8};

static struct {
    MPI_Op op;
    bool made;
} ops[OVL_NUMBERS];

static MPI_Datatype type_of(const struct ovl_number *row)
{
    switch (row->dtype) {
    case OVL_FLOAT:
        return MPI_FLOAT;
    case OVL_INT64:
        return MPI_INT64_T;
    case OVL_INT8:
        return MPI_INT8_T;
    default:
        return row->bytes == 1 ? MPI_UINT8_T : MPI_UINT16_T;
    }
}

void ovl_number_mpi(const struct ovl_number *row, MPI_Datatype *type, MPI_Op *sum)
{
    size_t i = (size_t)(row - ovl_numbers);
    *type = type_of(row);
    *sum = MPI_SUM;
    if (!row->own_op)
        return;
    if (!ops[i].made)
        MPI_Op_create(sums[i], 1, &ops[i].op);
    ops[i].made = true;
    *sum = ops[i].op;
}

void ovl_number_ops_free(void)
{
    for (size_t i = 0; i < OVL_NUMBERS; i++) {
        if (ops[i].made)
            MPI_Op_free(&ops[i].op);
        ops[i].made = false;
    }
}
