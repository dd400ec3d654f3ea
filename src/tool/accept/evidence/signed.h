/* Is the log of each sweep signed by whom the limits name? */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_EVIDENCE_SIGNED_H
#define OVL_TOOL_ACCEPT_EVIDENCE_SIGNED_H

#include "tool/sweep/jobs.h"

/* Adds a verdict "signature" for each sweep, as ovl_evidence_judge() does, where limits have `signers`: FAIL where
   sweep.log.sig is not there or none of theirs; INCONCLUSIVE where nothing here can tell, where a line of the log holds
   no SHA-256, as of an older version, and of launches of no sweep. Each line of a log holds the SHA-256 of the one
   before it, the first that of the plan, and those of good attempts that of their record: so one signature is of all.
 */
void ovl_signed_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts);

#endif
