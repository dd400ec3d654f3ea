/* What a datatype is, asked of MPI: of any that a program can make, also with large counts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_DATATYPE_H
#define OVL_PRELOAD_OP_DATATYPE_H

#include "preload/pmpi/pmpi.h"

/* One of MPI's own, which is not to be freed. */
bool ovl_datatype_is_named(H type);

/* The same without its attributes, whose functions a copy by MPI_Type_dup would call; to be freed by MPI_Type_free.
   MPI_DATATYPE_NULL where MPI makes none. */
MPI_Datatype ovl_datatype_copy(H type);

/* Its extent is filled without gaps, in the order of memory. Equal size and extent do not make it so: its parts may be
   in another order. False for whatever cannot be told. */
bool ovl_datatype_is_plain(H type);

#endif
