/* What limits bind a sweep to: its plan, lines of its log that were sent while it ran, and the time of its attempts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_BOUND_H
#define OVL_TOOL_ACCEPT_BOUND_H

#include "tool/sweep/jobs.h"

/* Adds verdicts as ovl_evidence_judge() does:
   "plans": FAIL when a sweep is not of a plan that limits name by its SHA-256, or none is given of one that they name;
   INCONCLUSIVE when they name none though they or a plan have a nonce, or when a launch is of no sweep.
   "work_from": FAIL when a record outside the sweep, from which its work comes by the plan, is not the one that was
   bound, by its SHA-256; INCONCLUSIVE when it is not here, or limits that name the plan do not name it.
   "input_files": tool/accept/evidence/input_files.h.
   "log_lines": FAIL when one of the SHA-256 that limits have is that of no line of a log given: it was cut or is
   another. "start_seconds": FAIL when an attempt took longer than its record by more than limits allow.
   "signature": tool/accept/evidence/signed.h. */
void ovl_bound_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts);

/* `ovl accept --bind PLAN LIMITS`: adds to the file LIMITS, or writes to `output` unless that is NULL, the SHA-256 of
   the plan, its nonce, and the SHA-256 of each record of which it takes work and of each file that its options name. -1
   with *err, and then no file was changed. */
int ovl_bound_bind(const char *plan, const char *limits, const char *output, struct ovl_error *err);

#endif
