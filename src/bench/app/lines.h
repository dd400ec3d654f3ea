/* The rows and columns of an application's ranks as MPI and the workers know them: communicators, and teams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_LINES_H
#define OVL_BENCH_APP_LINES_H

#include "bench/exchange/offload.h"
#include "plan/space.h"

struct ovl_app_lines {
    MPI_Comm comm[OVL_SPACE_LINES]; /* this rank's row and column; ranks are the places there */
    struct ovl_offload *offload;    /* NULL without workers */
    struct ovl_team team[OVL_SPACE_LINES];
    bool attached[OVL_SPACE_LINES]; /* is the line a team of the workers? */
};

/* Collective over `comm`, also where it fails, and the same answer at all ranks. `workers`: is the row, is the column
   for the workers? The same at all members of a line; one that has a single member is none of theirs. -1 where they
   cannot have a team; ovl_app_lines_close is called all the same. */
int ovl_app_lines_open(struct ovl_app_lines *l, MPI_Comm comm, const struct ovl_space *space,
                       struct ovl_offload *offload, const bool workers[OVL_SPACE_LINES], struct ovl_error *err);
/* Collective. */
void ovl_app_lines_close(struct ovl_app_lines *l);

#endif
