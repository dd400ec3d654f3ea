/* Were two launches measured in the same setting (tool/cells/setting.h) by the same build (tool/cells/one_build.h), but
 * for what the plan itself sets apart? */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_PLANNED_ALIKE_H
#define OVL_TOOL_ACCEPT_PLANNED_ALIKE_H

#include "tool/sweep/jobs.h"

enum { OVL_ALIKE_WHAT = 200 }; /* as OVL_ONE_BUILD_WHAT */

struct ovl_alike {
    const struct ovl_jobs *jobs;
    const json_t *may_differ; /* of limits: names of settings; NULL: none */
    json_t **setting;         /* of each run */
};

/* Limits and jobs must outlive it. */
void ovl_alike_open(struct ovl_alike *a, const struct ovl_jobs *jobs, const json_t *limits);
void ovl_alike_close(struct ovl_alike *a);

/* false with *what, "UCX_TLS: tcp, and not set", where two runs of the record differ in a setting. Not in a variable
   of which each has what the plan sets for its job; nor, where processes, launchers or variables of their jobs differ
   by the plan, in what follows from them: thread level, and binding if these variables are about that; nor in the
   build, where their jobs have different programs. */
bool ovl_alike(const struct ovl_alike *a, size_t run, size_t other, char what[OVL_ALIKE_WHAT]);

/* Does the plan have the jobs of both on as many nodes, by the same launcher and network? Then a launch that was
   elsewhere is no other problem. false of launches of no sweep. */
bool ovl_alike_planned_there(const struct ovl_alike *a, size_t run, size_t other);

#endif
