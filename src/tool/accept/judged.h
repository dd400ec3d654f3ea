/* Launches judged by a limits file, and the hashes of all that they were judged from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_JUDGED_H
#define OVL_TOOL_ACCEPT_JUDGED_H

#include "tool/sweep/jobs.h"

/* The form of reports: 1, of version 0.1, knew nothing of plans and attempts, 2 judged the launches of several sweeps
   as one sample and held none against its plan. */
enum { OVL_JUDGED_REPORT = 3 };

/* Start with a zeroed one whose sources are filled, and free it in any case. */
struct ovl_judged {
    struct ovl_inputs sources;
    json_t *limits, *verdicts, *setting, *attempts;
    struct ovl_record record;
    struct ovl_jobs jobs;
    size_t copies;   /* of a launch, passed over */
    size_t repeated; /* cells that a launch has twice: the first counts */
};

int ovl_judged_make(struct ovl_judged *j, const char *limits, struct ovl_error *err);
void ovl_judged_free(struct ovl_judged *j);

/* What stands above the verdicts: launches, what was passed over, and the attempts (tool/accept/evidence/attempts.h).
 */
void ovl_judged_head(FILE *out, const struct ovl_judged *j);

/* How many of the verdicts read so. */
size_t ovl_judged_count(const struct ovl_judged *j, const char *verdict);

/* All verdicts together, PASS, FAIL or INCONCLUSIVE; and the exit code that says so. */
const char *ovl_judged_verdict(const struct ovl_judged *j);
int ovl_judged_exit(const struct ovl_judged *j);

/* Path and SHA-256 of the limits and of the inputs, as an object with limits and inputs. NULL with *err. */
json_t *ovl_judged_hashes(const struct ovl_judged *j, const char *limits, struct ovl_error *err);

/* The same of plan and log of each sweep, as an array of objects with plan and log; log null when there is none. With
   `again` as they are now, else as they were before they were read. */
json_t *ovl_judged_sweep_hashes(const struct ovl_judged *j, bool again, struct ovl_error *err);

/* `ovl accept --verify REPORT`: the exit code, or -1 with *err. */
int ovl_judged_verify(const char *report, struct ovl_error *err);

#endif
