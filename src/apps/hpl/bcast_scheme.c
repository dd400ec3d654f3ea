/* HPL's six broadcasts as routes, and the mode's own, which has none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/bcast_scheme.h"

#include <string.h>

static int one_part(int size)
{
    (void)size;
    return 1;
}

static int part_each(int size)
{
    return size;
}

static struct ovl_route ring(int process, int size, int part)
{
    (void)part;
    return ovl_route_rings(process, size, 1, false);
}

static struct ovl_route two_rings(int process, int size, int part)
{
    (void)part;
    return ovl_route_rings(process, size, 2, false);
}

static struct ovl_route modified_ring(int process, int size, int part)
{
    (void)part;
    return ovl_route_rings(process, size, 1, true);
}

static struct ovl_route modified_rings(int process, int size, int part)
{
    (void)part;
    return ovl_route_rings(process, size, 2, true);
}

/* Part t goes to process t first; then all parts roll along the ring, past those that have them. */
static struct ovl_route spread_and_roll(int process, int size, int part)
{
    if (process == 0)
        return (struct ovl_route){-1, {part > 0 ? part : -1, part != 1 ? ovl_route_next(0, size) : -1, -1}};
    int after = ovl_route_next(process, size);
    return (struct ovl_route){process == part ? 0 : process - 1, {after == part ? -1 : after, -1, -1}};
}

static int part_each_but_one(int size)
{
    return size > 1 ? size - 1 : 1;
}

/* Among the others process p + 1 stands at place p. */
static struct ovl_route modified_roll(int process, int size, int part)
{
    struct ovl_route others = spread_and_roll(process > 0 ? process - 1 : 0, size - 1, part);
    others.from += others.from > 0;
    for (int i = 0; i < OVL_ROUTE_NEXT; i++)
        others.to[i] += others.to[i] > 0;
    return ovl_route_modified(process, size, others);
}

const struct ovl_hpl_scheme ovl_hpl_schemes[] = {
    {
        .name = "ring",
        .summary = "from each process to the next",
        .parts = one_part,
        .route = ring,
    },
    {
        .name = "ring-m",
        .summary = "to the next process, which passes nothing on, and from the one after that along the ring",
        .parts = one_part,
        .route = modified_ring,
    },
    {
        .name = "2ring",
        .summary = "along two rings of half the processes each",
        .parts = one_part,
        .route = two_rings,
    },
    {
        .name = "2ring-m",
        .summary = "to the next process, which passes nothing on, and along two rings of the others",
        .parts = one_part,
        .route = modified_rings,
    },
    {
        .name = "long",
        .summary = "a part to each process, then all parts along the ring",
        .parts = part_each,
        .route = spread_and_roll,
    },
    {
        .name = "long-m",
        .summary = "to the next process, which passes nothing on, and as long to the others",
        .parts = part_each_but_one,
        .route = modified_roll,
    },
    {
        .name = "ibcast",
        .summary = "the mode's own: MPI_Ibcast in host mode",
    },
    {.name = NULL},
};

const struct ovl_hpl_scheme *ovl_hpl_scheme_find(const char *name, size_t length)
{
    for (const struct ovl_hpl_scheme *s = ovl_hpl_schemes; s->name; s++)
        if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
            return s;
    return NULL;
}
