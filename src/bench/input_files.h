/* What was in the files that options name: in the record, and the same at all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_INPUT_FILES_H
#define OVL_BENCH_INPUT_FILES_H

#include "base/error.h"

#include <jansson.h>
#include <mpi.h>

/* The SHA-256 of each text of ovl_input_keep(), under its option's name with _ for -; NULL where there is none. The
   caller owns it. */
json_t *ovl_input_files_json(void);

/* Collective: has each rank read what rank 0 read? Nodes may have files of their own under one name. -1 and
   OVL_ENVIRONMENT, which names the option, at the ranks that read something else. */
int ovl_input_files_same(MPI_Comm comm, struct ovl_error *err);

#endif
