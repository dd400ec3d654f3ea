/* Memory paths: how a worker reaches the memory of its ranks. One row each; a new path is one file and one row. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_PATH_H
#define OVL_OFFLOAD_PATH_H

#include "offload/channel.h"
#include "offload/wire.h"

#include <stdbool.h>
#include <sys/types.h>

struct ovl_path;

/* A piece of a rank's memory, at either end. */
struct ovl_region {
    struct ovl_shared shared;    /* base and bytes at this end; at a worker no base where only a wire leads there */
    unsigned number;             /* in places; 0 when the path needs none, and at a worker when nothing is mapped */
    const struct ovl_path *path; /* at the rank: what made it */
    uint64_t there;              /* at a worker, of a wire: the rank's address and key */
    uint32_t key;
    void *registration; /* at the rank, of a wire */
};

struct ovl_path {
    const char *name;
    const char *summary;
    const char *absent; /* why it is not in this build; NULL when it is */
    bool staged;        /* the worker cannot address the memory, and copies through blocks of its own */
    bool wired;         /* rank and worker are joined by wires, and share no memory */

    /* At the rank. Zeroed memory for messages. -1 with one line. */
    int (*obtain)(struct ovl_region *region, size_t bytes, struct ovl_error *err);
    void (*abandon)(struct ovl_region *region);
    /* The part of both that lets adapters reach it: what --cold does anew for each operation. NULL where there is none.
     */
    int (*enrol)(struct ovl_region *region, struct ovl_error *err);
    void (*strike)(struct ovl_region *region);
    /* At the rank, once: what must be done so that workers may reach it. NULL: nothing. */
    void (*permit)(void);

    /* At a worker. `name` is that of region->shared at the rank. 0 or an errno. NULL where nothing is mapped. */
    int (*map)(struct ovl_region *region, const char *name);
    /* NULL where nothing is to be undone. */
    void (*unmap)(struct ovl_region *region);
    /* At a worker: memory of its own that errands may use, page aligned; NULL with *err filled. Where the hooks are
       NULL any memory will do. */
    void *(*lodge)(size_t bytes, struct ovl_error *err);
    void (*dislodge)(void *memory);
    /* What to say when the probe gave that errno. */
    const char *(*advice)(int why);
};

/* A path's `obtain` where the rank's own memory will do. */
int ovl_region_own(struct ovl_region *region, size_t bytes, struct ovl_error *err);

/* All paths; a NULL ends them. The first is what `auto` tries first. */
extern const struct ovl_path *const ovl_paths[];
extern const struct ovl_path ovl_path_shm, ovl_path_cma, ovl_path_verbs;

/* The row of that name, or NULL. */
const struct ovl_path *ovl_path_find(const char *name);

/* The regions of one rank as a worker sees them. */
struct ovl_reach {
    pid_t pid;
    struct ovl_region *regions; /* by number; a hole has no base */
    size_t count;
    int host;              /* the rank */
    struct ovl_wire *wire; /* to it, or NULL; then `bounce` is lodged memory of */
    char *bounce;
    size_t bounce_bytes;
};

/* The memory at a place, or NULL where the worker cannot address it. */
static inline char *ovl_reach_direct(const struct ovl_reach *r, uint64_t place)
{
    size_t region = place >> OVL_PLACE_SHIFT;
    if (!region || !r->regions[region].shared.base)
        return NULL;
    return (char *)r->regions[region].shared.base + (place & (((uint64_t)1 << OVL_PLACE_SHIFT) - 1));
}

/* Copies from or to a rank's memory. 0, or -1 and errno. */
int ovl_reach_get(const struct ovl_reach *r, void *to, uint64_t from, size_t bytes);
int ovl_reach_put(const struct ovl_reach *r, uint64_t to, const void *from, size_t bytes);

/* The same without waiting where a wire leads there: `e` ends later; elsewhere at once. `here` is lodged memory. */
void ovl_reach_begin(const struct ovl_reach *r, char *here, uint64_t place, size_t bytes, bool put,
                     struct ovl_errand *e);

#endif
