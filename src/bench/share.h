/* What rank 0 has, at every rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_SHARE_H
#define OVL_BENCH_SHARE_H

#include <jansson.h>
#include <mpi.h>

/* Collective: rank 0's `mine`, an object or array, which others may leave NULL; to be given back by json_decref. NULL
   where rank 0 has none. */
json_t *ovl_share_json(const json_t *mine, MPI_Comm comm);

#endif
