/* The same launch on every node, or on every pair of nodes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_PLAN_EACH_H
#define OVL_TOOL_SWEEP_PLAN_EACH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { OVL_EACH_HOSTS = 2000, OVL_EACH_WANTED = 200 };

/* Adds the names that a text tells as Slurm does, "n[01-03,7],login", each as a text. NULL, or what is wrong with it.
 */
const char *ovl_each_hosts(json_t *names, const char *text);

/* The same of a plan's `hosts`: such a text, or an array of them. */
const char *ovl_each_hosts_of(json_t *names, const json_t *hosts);

/* Is a host of a record the node of that name, whichever of both has a domain behind it? */
bool ovl_each_same_host(const char *host, const char *name);

/* Where a job with "each" is to run: an array of arrays of one name or two, in rounds in which no node has two (a
   tournament's: all stay but the first move on by one), `rounds` of them at most. Its hosts are its own, else those of
   the plan, else those of the allocation of Slurm that this process is in. NULL, and what is wanted in `wanted`. */
json_t *ovl_each_places(const json_t *job, const json_t *plan_hosts, char wanted[OVL_EACH_WANTED]);

#endif
