/* What the environment says, which `ovl offload` sets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_JOB_SETTINGS_H
#define OVL_PRELOAD_JOB_SETTINGS_H

#include "preload/library/state.h"

/* -1 and OVL_USAGE with the variable that is wrong, and what it may be. */
int ovl_settings_read(struct ovl_settings *s, struct ovl_error *err);

#endif
