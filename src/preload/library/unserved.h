/* Programs that never bring the library to its start, or not to its end: they must not pass for served ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_LIBRARY_UNSERVED_H
#define OVL_PRELOAD_LIBRARY_UNSERVED_H

/* The program calls an operation that workers could do, and MPI did not begin by MPI_Init. Where offloading is required
   the process ends. */
void ovl_unserved_operation(void);

/* What the launcher says in the environment: this process's number among the ranks, or `otherwise`; how many there are,
   or 1. */
int ovl_launcher_rank(int otherwise);
int ovl_launcher_ranks(void);

#endif
