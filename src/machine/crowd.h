/* Processes that have to share: how many of them find no processor of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_CROWD_H
#define OVL_MACHINE_CROWD_H

#include <stddef.h>
#include <stdint.h>

enum { OVL_CROWD_WORDS = 64 }; /* 4096 processors, or cores */

/* Process i may run on the processors of masks[i]. `processes` less the largest number of them that can run at the same
   time, each on a processor of its own (maximum bipartite matching by augmenting paths, H. W. Kuhn 1955). Counting
   processors alone is not enough: two processes bound to one wait for it, however many others are free. */
size_t ovl_crowd_waiting(const uint64_t (*masks)[OVL_CROWD_WORDS], size_t processes);

/* How many of the processes of both lists can run at the same time, each on a processor of its own. */
size_t ovl_crowd_running(const uint64_t (*masks)[OVL_CROWD_WORDS], size_t processes,
                         const uint64_t (*others)[OVL_CROWD_WORDS], size_t other_processes);

#endif
