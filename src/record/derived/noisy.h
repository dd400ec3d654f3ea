/* What took the ranks' cores from them while a cell was measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_NOISY_H
#define OVL_RECORD_DERIVED_NOISY_H

#include "record/record.h"

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

#endif
