/* What panels bring in over the links of nodes in a solution, told from the sizes alone. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_TRAFFIC_H
#define OVL_APPS_HPL_TRAFFIC_H

#include "apps/hpl/bcast_scheme.h"
#include "apps/hpl/shape.h"
#include "plan/busiest.h"
#include "plan/space.h"

struct ovl_hpl_traffic {
    struct ovl_hpl_shape shape;
    struct ovl_space space;
    int per_node;
    double *before; /* [rows][columns + 1]: bytes of all panels of the process columns before */
    int *seen;      /* [rows]: the first rank of the last node on which the row was seen, or -1 */
    /* Of a route: processes `from` to `to`, counted from the root, get `share` of a panel from the one that is `behind`
       them. */
    struct ovl_hpl_stretch {
        int from, to, behind;
        double share;
    } * stretches;
    size_t count, room;
};

/* false where that takes too long: the panels of all process rows are over 10^9. Then, and in any case at the end,
   ovl_hpl_traffic_close. */
bool ovl_hpl_traffic_open(struct ovl_hpl_traffic *t, const struct ovl_hpl_shape *shape, const struct ovl_space *space,
                          int per_node);
void ovl_hpl_traffic_close(struct ovl_hpl_traffic *t);

/* Bytes of all panels at a process of the row that has most. */
double ovl_hpl_traffic_all(const struct ovl_hpl_traffic *t);

/* The busiest node, of the scheme's route, or of a broadcast that brings each panel in once for each row; false where a
   route has over 1.5 x 10^8 parts at all processes. */
bool ovl_hpl_traffic_busiest(struct ovl_hpl_traffic *t, const struct ovl_hpl_scheme *scheme,
                             struct ovl_busiest *busiest);

#endif
