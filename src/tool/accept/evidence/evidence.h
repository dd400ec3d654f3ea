/* Are the records what their sweep's plan, log and nonce say? What it can show, and what not, is in ovl_accept(7). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_EVIDENCE_EVIDENCE_H
#define OVL_TOOL_ACCEPT_EVIDENCE_EVIDENCE_H

#include "tool/sweep/jobs.h"

/* How far the clocks of the machine that sweeps and of the one with rank 0 may be apart, in seconds. */
enum { OVL_EVIDENCE_CLOCKS = 120 };

/* Adds verdicts as ovl_limits_judge() makes them, with rule 0.
   "records", one for each sweep and one for all launches that are of none: FAIL when a record is not the file that the
   last good attempt in the log left, or began outside it; INCONCLUSIVE when that cannot be told, as there is no log or
   it holds no SHA-256, unless limits say "log_required": false (then there is no such verdict).
   "jobs", one for each sweep: FAIL when a record is not as the plan has its job (tool/accept/planned/held.h).
   "starts": INCONCLUSIVE when ranks of a record had no common start.
   "nonce", when limits or a plan name one: FAIL when a record holds none or another.
   -1 with *err: a record that cannot be read again. */
int ovl_evidence_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts, struct ovl_error *err);

/* Adds a verdict "noise" for all runs of ovl_noise: INCONCLUSIVE where one found the nodes anything but quiet, or did
   not come to its end. None where there is no such run. */
void ovl_evidence_noise(const struct ovl_jobs *j, json_t *verdicts);

/* The end of a path, which tells the launch of a long one. Lent. */
const char *ovl_evidence_end(const char *path);

/* Adds such a verdict: the value counts what is wrong, of n. */
void ovl_evidence_add(json_t *verdicts, const char *label, const char *metric, size_t value, size_t n,
                      const char *verdict, const char *reason);

#endif
