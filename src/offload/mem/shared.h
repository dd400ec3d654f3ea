/* Memory that two processes map, without a name: a file that is open where it was made, handed over by a socket. When
 * the last of them ends, however it ends, the memory goes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_SHARED_H
#define OVL_OFFLOAD_MEM_SHARED_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct ovl_shared {
    void *base;
    size_t bytes;
    int file; /* where it was made, until ovl_shared_close_file; 0: none */
};

/* Reserves and maps `bytes`, zeroed; nobody can make the file shorter. -1 and OVL_ENVIRONMENT where there is no room.
 */
int ovl_shared_create(struct ovl_shared *s, size_t bytes, struct ovl_error *err);
/* The same, but pages are taken when they are touched, as those of other memory are, until ovl_shared_reserve, which
   returns 0 or an errno. The file must still be open. */
int ovl_shared_promise(struct ovl_shared *s, size_t bytes, struct ovl_error *err);
int ovl_shared_reserve(struct ovl_shared *s);
/* All have it who shall. */
void ovl_shared_close_file(struct ovl_shared *s);
/* Maps what was given under that number; 0 or an errno. */
int ovl_shared_map(struct ovl_shared *s, int socket, uint32_t number);
void ovl_shared_close(struct ovl_shared *s);

#endif
