/* Memory that the program had from MPI_Alloc_mem, and from malloc where libovl_heap.so stands before it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_MEMORY_H
#define OVL_PRELOAD_OP_MEMORY_H

/* From now on large allocations are mapped by workers, where that was asked for and can be; where it cannot, rank 0
   says why. */
void ovl_memory_begin(void);

/* The program keeps its memory from MPI_Alloc_mem to its end, and may free it till then. The lock is held. */
void ovl_memory_end(void);

#endif
