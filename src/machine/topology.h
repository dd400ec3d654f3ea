/* The machine under this process: processor, cores, binding, and who shares its cores and its clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_TOPOLOGY_H
#define OVL_MACHINE_TOPOLOGY_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { OVL_TOPOLOGY_MASK_WORDS = 64 }; /* 4096 processors */

struct ovl_topology {
    char host[256], cpu[128], kernel[144];
    char governor[32]; /* of processor 0; "" when the kernel shows none */
    int cores, numa;   /* of the whole machine: processing units; NUMA nodes, -1 when unknown */
    uint64_t machine;  /* the same number on all nodes that share one kernel (boot_id), so also cores and clock */
    uint64_t clock;    /* the same number where CLOCK_MONOTONIC is common (boot_id and time namespace) */
    char binding[128]; /* processing units this process may run on, "0-1" */
    bool bound;        /* to fewer than the machine has */
    uint64_t mask[OVL_TOPOLOGY_MASK_WORDS];
};

/* Asks hwloc and /proc, which takes some tens of milliseconds; in a build without hwloc (topology_none.c) the kernel
   only. -1 and OVL_ENVIRONMENT when hwloc fails. */
int ovl_topology_load(struct ovl_topology *t, struct ovl_error *err);

/* Variables of MPI libraries, transports and launchers that are set here, as a JSON object. */
json_t *ovl_topology_environment(void);

#endif
