/* Which cells carry a claim. One rule for drivers and proxies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_STATUS_H
#define OVL_RECORD_STATUS_H

#include "record/record.h"

/* Does its benchmark move data, and were they not checked (--no-validation)? */
bool ovl_cell_unchecked(const struct ovl_cell *cell);

/* What took the ranks' cores from them, of which the cell is noisy; OVL_QUIET where nothing did or is known. */
enum ovl_cell_noise {
    OVL_QUIET,
    OVL_STOLEN,    /* the hypervisor took more than 1 % of their time */
    OVL_THROTTLED, /* the kernel stopped them, a CPU quota being used up */
    OVL_RIVALLED   /* a rank waited for its core for more than 1 % of the time, though there were enough for the job, or
                      processes of others ran on them */
};

enum ovl_cell_noise ovl_cell_noise(const struct ovl_cell *cell);
bool ovl_cell_noisy(const struct ovl_cell *cell);

/* As a sentence; NULL of OVL_QUIET. */
const char *ovl_cell_noise_text(enum ovl_cell_noise noise);

/* May a value of this cell be taken for a measurement? Not if it is invalid, its data were wrong or, of an
   application, its answer is called right and further off than check.limit, its summaries are such as no clock gives
   (ovl_cell_plausible), its emulated wire was too quick, or an emulator ran its workers; `few`, `drifting`,
   `ci_not_reached` and noise are told beside the value. */
bool ovl_cell_claims(const struct ovl_cell *cell);

#endif
