/* The table of broadcast schemes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/route.h"

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

static int next(int process, int size)
{
    return process + 1 < size ? process + 1 : -1;
}

static struct ovl_hpl_route ring(int process, int size, int part)
{
    (void)part;
    return (struct ovl_hpl_route){process - 1, {next(process, size), -1}};
}

/* Process 1, which has to factor the next panel, only receives. */
static struct ovl_hpl_route modified_ring(int process, int size, int part)
{
    (void)part;
    if (process == 0)
        return (struct ovl_hpl_route){-1, {next(0, size), next(1, size)}};
    if (process == 1)
        return (struct ovl_hpl_route){0, {-1, -1}};
    return (struct ovl_hpl_route){process == 2 ? 0 : process - 1, {next(process, size), -1}};
}

/* Part t goes to process t first; then all parts roll along the ring, past those that have them. */
static struct ovl_hpl_route spread_and_roll(int process, int size, int part)
{
    if (process == 0)
        return (struct ovl_hpl_route){-1, {part > 0 ? part : -1, part != 1 ? next(0, size) : -1}};
    int after = next(process, size);
    return (struct ovl_hpl_route){process == part ? 0 : process - 1, {after == part ? -1 : after, -1}};
}

const struct ovl_hpl_scheme ovl_hpl_schemes[] = {
    {
        .name = "ring",
        .summary = "from each process to the next",
        .digit = '0',
        .parts = one_part,
        .route = ring,
    },
    {
        .name = "ring-m",
        .summary = "to the next process, which passes nothing on, and from the one after that along the ring",
        .digit = '1',
        .parts = one_part,
        .route = modified_ring,
    },
    {
        .name = "long",
        .summary = "a part to each process, then all parts along the ring",
        .digit = '4',
        .parts = part_each,
        .route = spread_and_roll,
    },
    {
        .name = "ibcast",
        .summary = "the mode's own: MPI_Ibcast in host mode",
        .digit = '6',
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
