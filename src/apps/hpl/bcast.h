/* A panel's broadcast along a process row: begun, moved on between pieces of the update, and completed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_BCAST_H
#define OVL_APPS_HPL_BCAST_H

#include "apps/hpl/bcast_scheme.h"
#include "apps/hpl/system.h"
#include "bench/exchange/mode.h"

struct ovl_hpl_bcast {
    const struct ovl_hpl_scheme *scheme;
    const struct ovl_mode *mode; /* who progresses where the scheme has no route */
    const struct ovl_hpl_grid *grid;
    MPI_Comm comm;
    int rank, ranks, parts;
    bool host_moves; /* the present one comes on only inside calls: cut long computations up while it is pending */
    bool done;

    int root;
    double *data;
    size_t doubles;
    int due;               /* parts still to come */
    int sends;             /* begun */
    MPI_Request *receives; /* [parts] */
    MPI_Request *sent;     /* [OVL_ROUTE_NEXT parts] */
    int *arrived;          /* [parts] */
    MPI_Status *statuses;  /* [OVL_ROUTE_NEXT parts] */
    struct ovl_exchange exchange;
};

/* Collective over the row. A communicator of its own, so that the mode's broadcast may be of another kind than the
   rest; workers know the row as the grid's team. -1 when there is no memory; ovl_hpl_bcast_close is called all the
   same. */
int ovl_hpl_bcast_open(struct ovl_hpl_bcast *b, const struct ovl_hpl_scheme *scheme, const struct ovl_mode *mode,
                       const struct ovl_hpl_grid *grid, struct ovl_error *err);
void ovl_hpl_bcast_close(struct ovl_hpl_bcast *b);

/* Each rank of the row calls begin, then test as often as it likes, then wait; one broadcast at a time. `data` lies in
   a panel of the system. */
void ovl_hpl_bcast_begin(struct ovl_hpl_bcast *b, int root, double *data, size_t doubles);
bool ovl_hpl_bcast_test(struct ovl_hpl_bcast *b); /* true when complete */
void ovl_hpl_bcast_wait(struct ovl_hpl_bcast *b);

#endif
