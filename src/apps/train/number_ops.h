/* The numbers of a model in MPI, which has no type for some of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_NUMBER_OPS_H
#define OVL_APPS_TRAIN_NUMBER_OPS_H

#include "apps/train/values/numbers.h"

#include <mpi.h>

/* A type of as many bytes, and the operation that adds such numbers: MPI_SUM, or one of our own on whole numbers of as
   many bytes. */
void ovl_number_mpi(const struct ovl_number *row, MPI_Datatype *type, MPI_Op *sum);
/* Frees the operations, before MPI ends. */
void ovl_number_ops_free(void);

#endif
