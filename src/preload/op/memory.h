/* Memory that the program had from MPI_Alloc_mem. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_MEMORY_H
#define OVL_PRELOAD_OP_MEMORY_H

/* The program keeps its memory from MPI_Alloc_mem to its end, and may free it till then. The lock is held. */
void ovl_memory_end(void);

#endif
