/* Which cells carry a claim. One rule for drivers and proxies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_STATUS_H
#define OVL_RECORD_STATUS_H

#include "record/record.h"

/* Does its benchmark move data, and were they not checked (--no-validation)? */
bool ovl_cell_unchecked(const struct ovl_cell *cell);

/* May a value of this cell be taken for a measurement? Not if it is invalid, its data were wrong or, of an
   application, its answer is called right and further off than check.limit, its summaries are such as no clock gives
   (ovl_cell_plausible), its emulated wire was too quick, or an emulator ran its workers; `few`, `drifting`,
   `ci_not_reached` and noise are told beside the value. */
bool ovl_cell_claims(const struct ovl_cell *cell);

#endif
