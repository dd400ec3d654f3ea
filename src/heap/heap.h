/* Memory for large allocations of a program in one file in memory, which workers of its node map as well, so that they
 * need not copy what they send and receive. It is shared with nobody else: a child that the program forks gets a copy,
 * as it does of other memory. Thread safe. What cannot be had here comes from the C library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_HEAP_HEAP_H
#define OVL_HEAP_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Allocations of so many bytes and more are made here; SIZE_MAX: none, as until ovl_heap_open. */
extern _Atomic size_t ovl_heap_least;

/* Reserves addresses, as many as the machine has memory, and makes the file behind them; pages are taken when they are
   touched. Once in a process. *file is the heap's own: dup it. 0 or an errno. */
int ovl_heap_open(size_t least, void **base, size_t *bytes, int *file);

/* `bytes` from a page's begin on; *zeroed: they are 0. NULL: there is no room here. */
void *ovl_heap_alloc(size_t bytes, bool *zeroed);
/* What ovl_heap_alloc gave is free again: its pages go back at once, but for some that are kept for the next of its
   size. errno stays. */
void ovl_heap_free(void *memory);
/* Makes it so large where it lies; false, and nothing changed, where that cannot be. */
bool ovl_heap_resize(void *memory, size_t bytes);
/* Gives no more: what came before stays. */
void ovl_heap_stop(void);
/* Does that address lie here? Also once it is free. */
bool ovl_heap_has(const void *memory);
/* Bytes that may be used of it: whole pages. */
size_t ovl_heap_usable(const void *memory);

#endif
