/* What was offloaded and what was not, and why: once, at the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_REPORT_H
#define OVL_PRELOAD_JOB_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Adds up the counts of all ranks and tells them: of this rank what its carrier did, what was posted to it, and how
   many operations did not end. `proven`: both counted the same operations and bytes. */
void ovl_library_report(uint64_t done, uint64_t posted, uint64_t unfinished, bool proven);

#endif
