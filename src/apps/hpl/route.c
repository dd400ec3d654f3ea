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
    return (struct ovl_hpl_route){process - 1, {next(process, size), -1, -1}};
}

/* From process `first` on two rings, half of the processes each, that both begin at the root. */
static struct ovl_hpl_route two_rings(int process, int first, int size)
{
    int middle = first + (size - first + 1) / 2; /* the first of the second ring */
    if (process == 0)
        return (struct ovl_hpl_route){-1, {first < size ? first : -1, middle < size ? middle : -1, -1}};
    return (struct ovl_hpl_route){process == first || process == middle ? 0 : process - 1,
                                  {process + 1 == middle ? -1 : next(process, size), -1, -1}};
}

static struct ovl_hpl_route two_rings_of_all(int process, int size, int part)
{
    (void)part;
    return two_rings(process, 1, size);
}

/* Part t goes to process t first; then all parts roll along the ring, past those that have them. */
static struct ovl_hpl_route spread_and_roll(int process, int size, int part)
{
    if (process == 0)
        return (struct ovl_hpl_route){-1, {part > 0 ? part : -1, part != 1 ? next(0, size) : -1, -1}};
    int after = next(process, size);
    return (struct ovl_hpl_route){process == part ? 0 : process - 1, {after == part ? -1 : after, -1, -1}};
}

/* Of the modified schemes: process 1, which has to factor the next panel, gets all before the others, and only
   receives. `others` is the root's route to them, or theirs. */
static struct ovl_hpl_route modified(int process, int size, struct ovl_hpl_route others)
{
    if (process == 1)
        return (struct ovl_hpl_route){0, {-1, -1, -1}};
    if (process == 0)
        return (struct ovl_hpl_route){-1, {next(0, size), others.to[0], others.to[1]}};
    return others;
}

static struct ovl_hpl_route modified_ring(int process, int size, int part)
{
    (void)part;
    struct ovl_hpl_route others = {process == 2 ? 0 : process - 1, {next(process == 0 ? 1 : process, size), -1, -1}};
    return modified(process, size, others);
}

static struct ovl_hpl_route modified_rings(int process, int size, int part)
{
    (void)part;
    return modified(process, size, two_rings(process, 2, size));
}

static int part_each_but_one(int size)
{
    return size > 1 ? size - 1 : 1;
}

/* Among the others process p + 1 stands at place p. */
static struct ovl_hpl_route modified_roll(int process, int size, int part)
{
    struct ovl_hpl_route others = spread_and_roll(process > 0 ? process - 1 : 0, size - 1, part);
    others.from += others.from > 0;
    for (int i = 0; i < OVL_HPL_NEXT; i++)
        others.to[i] += others.to[i] > 0;
    return modified(process, size, others);
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
        .name = "2ring",
        .summary = "along two rings of half the processes each",
        .digit = '2',
        .parts = one_part,
        .route = two_rings_of_all,
    },
    {
        .name = "2ring-m",
        .summary = "to the next process, which passes nothing on, and along two rings of the others",
        .digit = '3',
        .parts = one_part,
        .route = modified_rings,
    },
    {
        .name = "long",
        .summary = "a part to each process, then all parts along the ring",
        .digit = '4',
        .parts = part_each,
        .route = spread_and_roll,
    },
    {
        .name = "long-m",
        .summary = "to the next process, which passes nothing on, and as long to the others",
        .digit = '5',
        .parts = part_each_but_one,
        .route = modified_roll,
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
