/* What a cell's status says, and which cells carry a claim. One rule for drivers and proxies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_STATUS_H
#define OVL_RECORD_STATUS_H

#include "record/cell.h"

/* Settles the status of a derived cell, of which the measurement has said `ok`, `ci_not_reached` or `invalid`. An `ok`
   becomes
     few        where under 15 blocks have a valid T: such intervals rest on too little
     drifting   where the autocorrelation of T is over 0.5: the blocks are far from independent
   with its reason, the first that holds; of few blocks the autocorrelation says little. The other two words stay: a
   cell that is invalid is no measurement, and one whose interval is too wide says the more important thing. */
void ovl_cell_settle(struct ovl_cell *cell);

/* Did the hypervisor take more than 1 % of the time of the cores? False where that is not known. */
bool ovl_cell_noisy(const struct ovl_cell *cell);

/* May a value of this cell be taken for a measurement? Not if it is invalid, its data were wrong, or the emulated wire
   was too quick; `few`, `drifting`, `ci_not_reached` and noise are told beside the value. */
bool ovl_cell_claims(const struct ovl_cell *cell);

#endif
