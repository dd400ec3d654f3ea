/* Cells of many virtual ranks, for the unit tests and for what `make truth` prints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_MANY_RANKS_H
#define OVL_TESTS_SIM_MANY_RANKS_H

#include "record/cell.h"
#include "tests/fake/virtual_job.h"

/* Ranks on machines of their own, announcements of 2 us a hop, ticks of 2 us with a chance of 2.5e-4, and a coupled
   operation of that length that hides nothing. */
struct virtual_job many_ranks_job(int ranks, double operation_us);

/* Measures so many blocks and settles the cell as a driver does; the caller frees it by ovl_cell_free. -1 when there is
   no memory. */
int many_ranks_cell(const struct virtual_job *job, size_t blocks, struct ovl_cell *cell, struct ovl_error *err);

/* Of the samples of C and T, the share that has no value. */
double many_ranks_unused(const struct ovl_cell *cell);

#endif
