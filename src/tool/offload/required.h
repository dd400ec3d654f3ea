/* `ovl offload --require`: the command must not pass where nothing of it was offloaded. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_OFFLOAD_REQUIRED_H
#define OVL_TOOL_OFFLOAD_REQUIRED_H

#include "base/error.h"

#include <jansson.h>

/* Runs the command with these variables. Returns its exit code; where a process of it refused, OVL_ENVIRONMENT whatever
   that is; where it is 0 and no rank of it told that workers serve it, -1 with OVL_ENVIRONMENT. A rank tells by writing
   to a file in the folder where this runs, or in TMPDIR where that cannot be written; the library in the ranks ends
   with OVL_ENVIRONMENT itself wherever it can. */
int ovl_offload_required(char **command, json_t *environment, struct ovl_error *err);

#endif
