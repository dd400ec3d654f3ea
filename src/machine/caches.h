/* The caches of processor 0, as the kernel tells them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_CACHES_H
#define OVL_MACHINE_CACHES_H

#include <jansson.h>

/* [{"level": 1, "type": "data", "bytes": 32768}, ...] of the data caches that `folder` has (NULL: where the kernel
   keeps them), instruction caches left out; empty where it tells none, as in some virtual machines. */
json_t *ovl_caches_json(const char *folder);

#endif
