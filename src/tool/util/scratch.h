/* A folder for what is needed while the program runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_SCRATCH_H
#define OVL_TOOL_UTIL_SCRATCH_H

#include "base/error.h"

/* Makes TMPDIR/ovl-WHAT-XXXXXX, under /tmp where TMPDIR is not set; the caller removes it. -1 and OVL_ENVIRONMENT. */
int ovl_scratch_make(char folder[2048], const char *what, struct ovl_error *err);

#endif
