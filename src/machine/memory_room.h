/* How much memory a process may still take: no library is asked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_MEMORY_ROOM_H
#define OVL_MACHINE_MEMORY_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes: what the machine has free or can free at once, and no more than the process's control groups leave of their
   limits. UINT64_MAX where nothing tells. Who takes more is killed rather than told. `root` is "", or a tree that holds
   the files of another machine. */
uint64_t ovl_memory_room(const char *root);

/* Does the machine promise no more memory than it has (vm.overcommit_memory 2)? */
bool ovl_memory_counts_strictly(void);

#endif
