/* Have all ranks the same options? Each reads a command line of its own, and the record tells rank 0's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_SAME_OPTIONS_H
#define OVL_BENCH_APP_SAME_OPTIONS_H

#include "bench/app/app.h"

/* Collective. -1 and OVL_USAGE at a rank whose program or options are not those of rank 0; what rank 0 alone heeds
   (the name of --json, --quiet, --progress) may differ. To be agreed on. */
int ovl_app_options_same(const struct ovl_app *app, const void *options, MPI_Comm comm, struct ovl_error *err);

#endif
