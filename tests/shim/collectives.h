/* Parameters of MPI's collectives, for shims that stand before many of them: of one buffer, of two, and their lists of
 * counts and displacements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SHIM_COLLECTIVES_H
#define OVL_TESTS_SHIM_COLLECTIVES_H

#include <mpi.h>

#define LIST(...) __VA_ARGS__
#define ONE       const void *s, int n, MPI_Datatype t
#define MANY      const void *s, const int *n, const int *d, MPI_Datatype t
#define INTO      void *r, int rn, MPI_Datatype rt
#define INTO_MANY void *r, const int *rn, const int *rd, MPI_Datatype rt

#endif
