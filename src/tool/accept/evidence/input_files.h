/* What is in the files that a plan's options name, and the records that tell it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_EVIDENCE_INPUT_FILES_H
#define OVL_TOOL_ACCEPT_EVIDENCE_INPUT_FILES_H

#include "tool/sweep/jobs.h"

/* Adds a verdict "input_files" for each sweep whose jobs name such files (cli/input_options.h), as ovl_evidence_judge()
   does: FAIL when a launch read another file than the one that was bound, by its SHA-256; INCONCLUSIVE when its record
   does not tell what it read, or limits that name the plan do not name the file. A file of the site that is not bound
   is not looked at: that launches agree in it is a matter of their setting. */
void ovl_input_files_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts);

/* For `ovl accept --bind`: adds the SHA-256 of each such file to limits, which stand in the file `path`. Of a site's
   file that is not here it says so. -1 with *err: one cannot be read, or limits have another under its name. */
int ovl_input_files_bind(json_t *limits, const char *path, const struct ovl_plan *p, struct ovl_error *err);

#endif
