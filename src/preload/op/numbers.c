/* Predefined datatypes by kind; a handle that is in no list is no number of the workers'. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/numbers.h"

#include <limits.h>
#include <stddef.h>

static const MPI_Datatype signed_types[] = {
    MPI_INT,      MPI_LONG,     MPI_LONG_LONG, MPI_SHORT,    MPI_SIGNED_CHAR, MPI_INT8_T,  MPI_INT16_T,
    MPI_INT32_T,  MPI_INT64_T,  MPI_AINT,      MPI_OFFSET,   MPI_COUNT,       MPI_INTEGER,
#ifdef MPI_INTEGER8
    MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,  MPI_INTEGER8,
#endif
};

static const MPI_Datatype unsigned_types[] = {
    MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR,
    MPI_UINT8_T,  MPI_UINT16_T,      MPI_UINT32_T,           MPI_UINT64_T,
};

static const MPI_Datatype real_types[] = {
    MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8,
};

/* MPI adds up no MPI_CHAR; MPICH does, as the C type, and OMB relies on it. */
static const enum ovl_number_kind char_kind = CHAR_MIN < 0 ? OVL_SIGNED : OVL_UNSIGNED;

static bool among(H type, const MPI_Datatype *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (types[i] == (MPI_Datatype)type && types[i] != MPI_DATATYPE_NULL)
            return true;
    return false;
}

#define AMONG(type, types) among(type, types, sizeof types / sizeof *types)

enum ovl_number_kind ovl_number_kind_of(H type)
{
    return AMONG(type, real_types)          ? OVL_REAL
           : AMONG(type, signed_types)      ? OVL_SIGNED
           : AMONG(type, unsigned_types)    ? OVL_UNSIGNED
           : (MPI_Datatype)type == MPI_CHAR ? char_kind
                                            : OVL_OTHER_NUMBER;
}

bool ovl_redop_of(H op, enum ovl_redop *redop)
{
    MPI_Op o = (MPI_Op)op;
    *redop = o == MPI_MIN ? OVL_MIN : o == MPI_MAX ? OVL_MAX : o == MPI_PROD ? OVL_PROD : OVL_SUM;
    return o == MPI_SUM || *redop != OVL_SUM;
}
