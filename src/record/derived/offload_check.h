/* The proof in an offloaded program's report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_OFFLOAD_CHECK_H
#define OVL_RECORD_DERIVED_OFFLOAD_CHECK_H

#include "base/error.h"
#include "record/offload/report.h"

/* Whether its numbers agree with each other: calls are those offloaded and those on the host, and workers, of which
   there are some, did what was posted. -1 with what does not. */
int ovl_offload_check(const struct ovl_offload_report *r, struct ovl_error *err);

#endif
