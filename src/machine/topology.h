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
    /* The same for all processes of a node. */
    char cpu[128];
    char governor[32];                             /* of processor 0; "" when the kernel shows none */
    int units;                                     /* of the whole machine: processing units (hardware threads) */
    int cores;                                     /* that these are of; as many where the machine does not tell */
    int numa;                                      /* NUMA nodes of the whole machine; -1 when unknown */
    uint64_t allowed[OVL_TOPOLOGY_MASK_WORDS];     /* processing units that the job may use (cgroups) */
    int16_t core_of[64 * OVL_TOPOLOGY_MASK_WORDS]; /* a number per core for its hardware threads; -1: no unit */

    /* Of this process. */
    char host[256], kernel[144];
    uint64_t machine; /* the same number on all nodes that share one kernel (boot_id), so also cores and clock */
    uint64_t clock;   /* the same number where CLOCK_MONOTONIC is common (boot_id and time namespace) */
    uint64_t mask[OVL_TOPOLOGY_MASK_WORDS]; /* processing units that it may run on */
    char binding[128];                      /* the same as text, "0-1"; ends with "..." where it does not fit */
};

/* Asks hwloc and /proc, or in a build without hwloc the kernel alone; takes some tens of milliseconds, and longer where
   many processes ask at once. -1 and OVL_ENVIRONMENT when hwloc fails. */
int ovl_topology_load(struct ovl_topology *t, struct ovl_error *err);
/* The part that depends on the library: cpu, units, numa, allowed and core_of of `t`, which is all 0 before.
   topology_hwloc.c or topology_none.c, as the build has it. */
int ovl_topology_read_node(struct ovl_topology *t, struct ovl_error *err);
/* The part of this process only, which is quick: in a copy of what another process of the node loaded. */
void ovl_topology_load_process(struct ovl_topology *t);

/* The cores that the processing units of `mask` belong to, as a mask by core_of. Units that no core is known of
   count as cores of their own. */
void ovl_topology_cores(const struct ovl_topology *t, const uint64_t *mask, uint64_t cores[OVL_TOPOLOGY_MASK_WORDS]);

/* Is the process bound? Not when it may run on more than one core and on every unit that the job may use here: those of
   `allowed`, or of `together`, which all processes of the node may run on. In a cpuset that is smaller than the machine
   a process is not bound for that alone; nor when each process of the node has a cpuset of its own. */
bool ovl_topology_bound(const struct ovl_topology *t, const uint64_t together[OVL_TOPOLOGY_MASK_WORDS]);

/* The variable with the names of further ones that are to be told, with commas between them: those of a plan. */
#define OVL_TOPOLOGY_TELL "OVL_TELL"

/* Variables of MPI libraries, transports and launchers that are set here, and those that OVL_TELL names and that look
   like no secret, as a JSON object. */
json_t *ovl_topology_environment(void);

/* Adds OVL_TELL to the variables that a program will be started with, where it would not tell one of `wanted`, an
   object of variables, of itself. */
void ovl_topology_ask(json_t *environment, const json_t *wanted);

/* Is a variable of that name one of them, whatever OVL_TELL says? */
bool ovl_topology_is_told(const char *name);

#endif
