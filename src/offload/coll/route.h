/* The ways that a message takes from a root along rings, process by process: those of HPL's panel broadcasts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_ROUTE_H
#define OVL_OFFLOAD_COLL_ROUTE_H

#include <stdbool.h>

enum { OVL_ROUTE_NEXT = 3 }; /* to how many others a process passes a message */

/* At one process; -1 is nobody. Processes are counted from the root, which is 0. HPL 2.3's names are 1ring, 1ringM,
   2ring and 2ringM (A. Petitet, R. C. Whaley, J. Dongarra, A. Cleary, HPL, https://www.netlib.org/hpl/algorithm.html).
 */
struct ovl_route {
    int from;
    int to[OVL_ROUTE_NEXT]; /* all that is sent to the first is begun before what is sent to the second, and so on */
};

/* The process after that one, or -1. */
static inline int ovl_route_next(int process, int size)
{
    return process + 1 < size ? process + 1 : -1;
}

/* Along `rings`, one or two, of the processes after the root, half of them each. `modified`: process 1 gets all before
   the others, and only receives; the rings are those of the others. */
struct ovl_route ovl_route_rings(int process, int size, int rings, bool modified);

/* Process 1 gets all before the others, and only receives. `others`: the route of the root or of another among those,
   with their numbers among all. */
struct ovl_route ovl_route_modified(int process, int size, struct ovl_route others);

#endif
