/* What was offloaded and what was not, and why: once, at the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_REPORT_H
#define OVL_PRELOAD_REPORT_H

#include "base/error.h"

#include <stdint.h>

/* Says on stderr, and in the report where that is a file, what is with the program, such as OVL_NOTHING_OFFLOADED, and
   why. At one process of `ranks`. */
#define OVL_NOTHING_OFFLOADED "nothing is offloaded: "
void ovl_library_refuse(const char *what, const struct ovl_error *err, int ranks);

/* Adds up the counts of all ranks and tells them: of this rank what its carrier did, what was posted to it, and how
   many operations did not end. */
void ovl_library_report(uint64_t done, uint64_t posted, uint64_t unfinished);

#endif
