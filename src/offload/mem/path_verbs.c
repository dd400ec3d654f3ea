/* verbs: the rank's memory, registered once per buffer, which the worker reads and writes by RDMA. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/path.h"
#include "offload/mem/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The worker learns the key by the region's name. */
static int reg(struct ovl_region *region, struct ovl_error *err)
{
    uint32_t key;
    region->registration = ovl_verbs_register(region->shared.base, region->shared.bytes, &key, err);
    if (!region->registration)
        return -1;
    snprintf(region->name, sizeof region->name, "%08x", (unsigned)key);
    return 0;
}

static void dereg(struct ovl_region *region)
{
    if (region->registration)
        ovl_verbs_deregister(region->registration);
    region->registration = NULL;
}

static int alloc(struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    if (ovl_region_alloc_own(region, bytes, err) != 0)
        return -1;
    if (reg(region, err) == 0)
        return 0;
    ovl_region_free_own(region);
    return -1;
}

static void dealloc(struct ovl_region *region)
{
    dereg(region);
    ovl_region_free_own(region);
}

static int map(struct ovl_region *region, const char *name, int socket)
{
    (void)socket;
    char *end;
    region->there = (uintptr_t)region->shared.base;
    region->shared.base = NULL;
    region->key = (uint32_t)strtoul(name, &end, 16);
    return end == name + 8 ? 0 : EINVAL;
}

static const char *hint(int why)
{
    (void)why;
    return "the worker's adapter could not read or write it; `ovl list --check` looks at both ends' adapters";
}

const struct ovl_mem_path ovl_mem_path_verbs = {
    .name = "verbs",
    .summary = "RDMA READ and WRITE, staged through the worker's blocks",
    .staged = true,
    .remote = true,
    .alloc = alloc,
    .dealloc = dealloc,
    .reg = reg,
    .dereg = dereg,
    .map = map,
    .alloc_local = ovl_verbs_alloc_local,
    .free_local = ovl_verbs_free_local,
    .hint = hint,
};
