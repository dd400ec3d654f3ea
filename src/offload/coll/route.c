/* One or two rings from the root on; a modified one leaves process 1 out, which gets the message straight from the
 * root. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/route.h"

/* Both rings begin at the root; process `first` is the first of them all, `middle` that of the second ring, which is
   `size` where there is only one. */
static struct ovl_route along(int process, int first, int middle, int size)
{
    if (process == 0)
        return (struct ovl_route){-1, {first < size ? first : -1, middle < size ? middle : -1, -1}};
    return (struct ovl_route){process == first || process == middle ? 0 : process - 1,
                              {process + 1 == middle ? -1 : ovl_route_next(process, size), -1, -1}};
}

struct ovl_route ovl_route_modified(int process, int size, struct ovl_route others)
{
    if (process == 1)
        return (struct ovl_route){0, {-1, -1, -1}};
    if (process == 0)
        return (struct ovl_route){-1, {ovl_route_next(0, size), others.to[0], others.to[1]}};
    return others;
}

struct ovl_route ovl_route_rings(int process, int size, int rings, bool modified)
{
    int first = modified ? 2 : 1, middle = rings == 2 ? first + (size - first + 1) / 2 : size;
    struct ovl_route route = along(process, first, middle, size);
    return modified ? ovl_route_modified(process, size, route) : route;
}
