/* The warning that ranks and workers have fewer cores than they are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_CROWDED_H
#define OVL_BENCH_CROWDED_H

#include "bench/provenance.h"

/* Collective: of the machine where it is worst, at every rank; NULL where there is room. The caller owns it. */
json_t *ovl_crowded_warning(const struct ovl_provenance *p, MPI_Comm comm);

#endif
