/* Memory paths: how a worker reaches the memory of its ranks. One row each; a new path is one file and one row. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_PATH_H
#define OVL_OFFLOAD_MEM_PATH_H

#include "offload/mem/cmdq.h"
#include "offload/mem/ep.h"
#include "offload/mem/shared.h"

#include <stdbool.h>
#include <sys/types.h>

struct ovl_mem_path;

/* A piece of a rank's memory, at either end. */
struct ovl_region {
    struct ovl_shared shared; /* address and size here; base is NULL at a worker that reaches it by an endpoint only */
    unsigned number;          /* in raddrs; 0 when the path needs none, and at a worker when nothing is mapped */
    const struct ovl_mem_path *path; /* at the rank: what made it */
    char name[64];                   /* at the rank, of an endpoint: the key, as the worker is told it */
    uint64_t there;                  /* at a worker, of an endpoint: the rank's address and key */
    uint32_t key;
    void *registration; /* at the rank, of an endpoint; NULL: it is not registered now */
    uint64_t used;      /* there: higher where an operation used it later */
};

struct ovl_mem_path {
    const char *name;
    const char *summary;
    const char *absent; /* why it is not in this build; NULL when it is */
    bool staged;        /* the worker cannot address the memory, and copies through blocks of its own */
    bool remote;        /* rank and worker are joined by endpoints, and share no memory */

    /* At the rank. Zeroed memory for messages. -1 with one line. */
    int (*alloc)(struct ovl_region *region, size_t bytes, struct ovl_error *err);
    void (*dealloc)(struct ovl_region *region);
    /* Registers and deregisters the memory with the adapter; --cold repeats this for each operation, and
       --registrations now and then. NULL: none. */
    int (*reg)(struct ovl_region *region, struct ovl_error *err);
    void (*dereg)(struct ovl_region *region);
    /* At the rank: what must be done so that workers may reach it. It stays so. NULL: nothing. */
    void (*allow_access)(void);

    /* At a worker. `name` is that of the region at the rank; memory of a region->shared.file is taken from `socket`. 0
       or an errno. NULL where nothing is mapped. */
    int (*map)(struct ovl_region *region, const char *name, int socket);
    /* NULL where nothing is to be undone. */
    void (*unmap)(struct ovl_region *region);
    /* At a worker: allocates page-aligned memory that RDMA may use. NULL with *err filled on failure. A path without
       these hooks can use any memory. */
    void *(*alloc_local)(size_t bytes, struct ovl_error *err);
    void (*free_local)(void *memory);
    /* What to say when the probe gave that errno. */
    const char *(*hint)(int why);
};

/* alloc and dealloc of a path that uses ordinary memory of the rank. */
int ovl_region_alloc_own(struct ovl_region *region, size_t bytes, struct ovl_error *err);
void ovl_region_free_own(struct ovl_region *region);

/* All paths; a NULL ends them. The first is what `auto` tries first. */
extern const struct ovl_mem_path *const ovl_mem_paths[];
extern const struct ovl_mem_path ovl_mem_path_shm, ovl_mem_path_cma, ovl_mem_path_verbs;

/* The regions of one rank as a worker sees them. */
struct ovl_rank_mem {
    pid_t pid;                  /* 0: of a PID namespace that the worker does not see */
    struct ovl_region *regions; /* by number; a hole has no base */
    size_t count;
    int rank;          /* the rank */
    struct ovl_ep *ep; /* endpoint to the rank, or NULL */
};

/* The memory at a raddr, or NULL where the worker cannot address it. */
static inline char *ovl_mem_addr(const struct ovl_rank_mem *r, uint64_t raddr)
{
    size_t region = raddr >> OVL_RADDR_SHIFT;
    if (!region || region >= r->count || !r->regions[region].shared.base)
        return NULL;
    return (char *)r->regions[region].shared.base + (raddr & (((uint64_t)1 << OVL_RADDR_SHIFT) - 1));
}

/* Copies from a rank's memory to `here`, or with `put` the other way. Where an endpoint leads there, `here` is memory
   of alloc_local, and r->complete is called when it has ended. Else it has ended at once: true, with r->why 0 or an
   errno, and r->complete is not called. */
bool ovl_mem_start(const struct ovl_rank_mem *m, char *here, uint64_t raddr, size_t bytes, bool put,
                   struct ovl_rdma *r);

#endif
