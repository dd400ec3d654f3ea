/* Memory paths: how a worker reaches the memory of its ranks. One row each; a new path is one file and one row. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_PATH_H
#define OVL_OFFLOAD_PATH_H

#include "offload/channel.h"

#include <stdbool.h>
#include <sys/types.h>

struct ovl_path;

/* A piece of a rank's memory, at either end. */
struct ovl_region {
    struct ovl_shared shared;    /* base and bytes at this end */
    unsigned number;             /* in places; 0 when the path needs none */
    const struct ovl_path *path; /* at the rank: what made it */
};

struct ovl_path {
    const char *name;
    const char *summary;
    const char *absent; /* why it is not in this build; NULL when it is */
    bool staged;        /* the worker cannot address the memory, and copies through blocks of its own */

    /* At the rank. Zeroed memory for messages. -1 with one line. */
    int (*obtain)(struct ovl_region *region, size_t bytes, struct ovl_error *err);
    void (*abandon)(struct ovl_region *region);
    /* At the rank, once: what must be done so that workers may reach it. */
    void (*permit)(void);

    /* At a worker. `name` is that of region->shared at the rank. 0 or an errno. NULL where nothing is mapped. */
    int (*map)(struct ovl_region *region, const char *name);
    void (*unmap)(struct ovl_region *region);
    /* What to say when the probe gave that errno. */
    const char *(*advice)(int why);
};

/* All paths; a NULL ends them. The first is what `auto` tries first. */
extern const struct ovl_path *const ovl_paths[];
extern const struct ovl_path ovl_path_shm, ovl_path_cma;

/* The row of that name, or NULL. */
const struct ovl_path *ovl_path_find(const char *name);

/* The regions of one rank as a worker sees them. */
struct ovl_reach {
    pid_t pid;
    struct ovl_region *regions; /* by number; a hole has no base */
    size_t count;
};

/* The memory at a place, or NULL where the worker cannot address it. */
static inline char *ovl_reach_direct(const struct ovl_reach *r, uint64_t place)
{
    size_t region = place >> OVL_PLACE_SHIFT;
    return region ? (char *)r->regions[region].shared.base + (place & (((uint64_t)1 << OVL_PLACE_SHIFT) - 1)) : NULL;
}

/* Copies from or to a rank's memory. 0, or -1 and errno. */
int ovl_reach_get(const struct ovl_reach *r, void *to, uint64_t from, size_t bytes);
int ovl_reach_put(const struct ovl_reach *r, uint64_t to, const void *from, size_t bytes);

#endif
