/* `ovl list --check`: is here what the path verbs needs? */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_DOCTOR_CHECK_H
#define OVL_TOOL_DOCTOR_CHECK_H

#include "base/error.h"

#include <stdbool.h>

/* Locked memory that the path verbs should at least have, in bytes; and may this process lock more than its limit? */
enum { OVL_CHECK_LEAST_LOCKED = 64 << 20 };
bool ovl_check_locks_all(void);

/* Prints a line for each thing looked at. `dpu_map` may be NULL. OVL_OK, or OVL_ENVIRONMENT when something is wrong; -1
   with *err filled when it cannot look. */
int ovl_list_check(const char *dpu_map, struct ovl_error *err);

#endif
