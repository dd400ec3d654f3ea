/* From MPI_Init to MPI_Finalize: carriers are started and joined, and dismissed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_START_H
#define OVL_PRELOAD_JOB_START_H

#include <stdbool.h>

/* Tries to start when MPI_Init has ended, and ends before MPI_Finalize. Collective over MPI_COMM_WORLD. */
void ovl_library_start(void);
void ovl_library_end(void);

/* Do workers do operations of this program? Exported, for one that tells what it measures (bench/library.c). */
bool ovl_offload_serves(void);

#endif
