/* Where a rank's progress thread may run: the words of --thread-cpu. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_THREAD_THREAD_PLACE_H
#define OVL_BENCH_THREAD_THREAD_PLACE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { OVL_THREAD_PLACE_WORDS = 64 }; /* 4096 processors */

/* Fills `mask`. "rank": the processors of the rank. "next": the one behind the rank's last, of `units` that the machine
   has, the first behind the last; where the rank may run on all of them, the rank's. A list such as 2,5-7: one of its
   processors, the first for the first rank of a machine (`number` 0) and so on, in turn. -1 and OVL_USAGE where it is
   no such word, or names a processor that there is not. */
int ovl_thread_place(const char *place, const uint64_t *rank, int units, int number,
                     uint64_t mask[OVL_THREAD_PLACE_WORDS], struct ovl_error *err);

/* As text, "0,2-3"; it ends with "..." where there is no room for all. */
void ovl_thread_place_text(const uint64_t *mask, char *text, size_t room);

#endif
