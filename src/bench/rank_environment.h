/* The recorded variables of all ranks, held against those of rank 0, which alone are in the record. Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_RANK_ENVIRONMENT_H
#define OVL_BENCH_RANK_ENVIRONMENT_H

#include <jansson.h>

/* The names of variables that two ranks have otherwise, or one of them lacks, as an object with true for each; without
   those that launchers give to each rank or node. NULL when there is no memory. */
json_t *ovl_rank_environment_differing(const json_t *mine, const json_t *other);

/* The names in the objects of `ranks` ranks, written in JSON one after the other, each with its end, empty ones as "":
   an array of names, sorted. *differ: ranks that have any. */
json_t *ovl_rank_environment_names(const char *texts, int ranks, int *differ);

#endif
