/* Which cells carry a claim. One rule for drivers and proxies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_STATUS_H
#define OVL_RECORD_STATUS_H

#include "record/record.h"

/* Does its benchmark move data, and were they not checked (--no-validation)? */
bool ovl_cell_unchecked(const struct ovl_cell *cell);

/* Is it of a job of one rank, or of served requests that send nothing, so that nothing is communicated and nothing
   hidden, and not of ovl_null, which communicates nothing by design? */
bool ovl_cell_lone(const struct ovl_cell *cell);

/* Is that derived value none, as C has a part in it and the cell is an application's lone one? */
bool ovl_cell_lacks(const struct ovl_cell *cell, enum ovl_derived d);

/* Of an application's lone one leaves NaN of all that is made of C; records have numbers there. A driver's has no
 * claim. */
void ovl_cell_forget_overlap(struct ovl_cell *cell);

/* Is it a driver's, of a job of one rank? A launcher of another MPI library starts such jobs in place of the one that
   was asked for. What an application does is work at one rank, too. */
bool ovl_cell_alone(const struct ovl_cell *cell);

/* Had an application's workers nothing to do, as of one rank, in a grid without a broadcast, or of requests that send
   nothing? Then its T is that of no workers. */
bool ovl_cell_idle(const struct ovl_cell *cell);

/* May a value of this cell be taken for a measurement? Not if it is invalid, its data were wrong or, of an
   application, its answer is called right and further off than check.limit, its summaries are such as no clock gives
   (ovl_cell_plausible), its emulated wire was too quick, an emulator ran its workers, or its rank was alone; `few`,
   `drifting`, `ci_not_reached` and noise are told beside the value. */
bool ovl_cell_claims(const struct ovl_cell *cell);

#endif
