/* What --plan of all applications prints alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_DRY_RUN_H
#define OVL_BENCH_APP_DRY_RUN_H

#include "plan/busiest.h"

#include <stdbool.h>

enum { OVL_DRY_RUN_TEXT = 192 };

/* [ranks]: the node of each, `per_node` of them on one. The caller frees it. */
int *ovl_dry_run_nodes(int ranks, int per_node);

/* A line: the memory of a rank, and of a node with as many ranks as there are of `per_node`. */
void ovl_dry_run_memory(double bytes, int ranks, int per_node);

/* "6.1 MiB come in over the link of a node in a step: of node 1, the most of all 2"; `least` where it may be more, and
   `of` is what it is in, such as "step". */
void ovl_dry_run_link(const struct ovl_busiest *busiest, bool least, const char *of, char text[OVL_DRY_RUN_TEXT]);

/* Who carries messages of so many bytes where workers do not carry what is below `least` (--dpu-min): "workers",
   `host`, or, where some of them are below, "workers, what is below 64.0 KiB by " and `host`. */
void ovl_dry_run_carrier(double smallest, double largest, double least, const char *host, char text[OVL_DRY_RUN_TEXT]);

#endif
