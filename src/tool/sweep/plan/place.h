/* On which nodes a launcher is told to start a launch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_PLAN_PLACE_H
#define OVL_TOOL_SWEEP_PLAN_PLACE_H

#include <jansson.h>
#include <stdbool.h>

/* Adds the words that name the job's hosts to a launcher of that kind; none where the plan names none. */
void ovl_place_add_hosts(json_t *words, const char *kind, bool open_mpi, const json_t *job);

#endif
