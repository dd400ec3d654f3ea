/* How many attempts the launches of a sweep took: told, and judged by what the limits allow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_EVIDENCE_ATTEMPTS_H
#define OVL_TOOL_ACCEPT_EVIDENCE_ATTEMPTS_H

#include "tool/sweep/jobs.h"

#include <stdio.h>

/* A verdict for each sweep that has a log, as ovl_limits_judge() makes them, with rule 0 and the metric "retries": FAIL
   when it took more than `retries` attempts beyond one a launch, given or not, when no record is given of a job of its
   plan, or when there is a record and no good attempt at it in the log. */
void ovl_attempts_judge(const struct ovl_jobs *j, size_t retries, json_t *verdicts);

/* The most that an attempt of that sweep took besides its record, in seconds: to start and to end, or to run something
   else; *run is its run. NaN where log and records do not tell. */
double ovl_attempts_besides(const struct ovl_jobs *j, size_t sweep, size_t *run);

/* What is known of the attempts: sweeps, an array with an object for each, and not_known_launches, the number of
   launches without a log. */
json_t *ovl_attempts_json(const struct ovl_jobs *j);

/* The same as lines of a table's head. */
void ovl_attempts_print(FILE *out, const struct ovl_jobs *j);

#endif
