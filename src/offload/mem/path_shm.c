/* shm: buffers in shared memory, which the worker maps too. Nothing is copied between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/path.h"

static int alloc(struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    return ovl_shared_create(&region->shared, bytes, err);
}

static void dealloc(struct ovl_region *region)
{
    ovl_shared_close(&region->shared);
}

static int map(struct ovl_region *region, const char *name, int socket)
{
    (void)name;
    return ovl_shared_map(&region->shared, socket, region->number);
}

static void unmap(struct ovl_region *region)
{
    ovl_shared_close(&region->shared);
}

static const char *hint(int why)
{
    (void)why;
    return "allow the worker more memory and open files (ulimit), or use --path cma";
}

const struct ovl_mem_path ovl_mem_path_shm = {
    .name = "shm",
    .summary = "buffers in memory shared by rank and worker, no copies in between",
    .alloc = alloc,
    .dealloc = dealloc,
    .map = map,
    .unmap = unmap,
    .hint = hint,
};
