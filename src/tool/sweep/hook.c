/* Running a hook of a plan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/hook.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/outcome.h"

#include <stdio.h>

int ovl_sweep_hook(const struct ovl_sweeping *s, const char *hook, struct ovl_process *p, struct ovl_process_left *left,
                   char lost[OVL_ERROR_TEXT], struct ovl_error *err)
{
    char kind[32], line[200];
    const struct ovl_launch *l = s->launch;
    const json_t *words = ovl_plan_hook(&s->plan, l->job, hook);
    lost[0] = '\0';
    if (!words)
        return 0;
    snprintf(kind, sizeof kind, "%s.log", hook);
    const struct ovl_path log = ovl_sweep_path(s, l, s->attempt, "", kind);
    json_t *environment = ovl_launch_hook_environment(&s->plan, l, ovl_sweep_path(s, l, s->attempt, ".", "jsonl").text);
    const struct ovl_process_request request = {.words = words,
                                                .environment = environment,
                                                .log = log.text,
                                                .limit = ovl_plan_hook_seconds(&s->plan, l->job, hook),
                                                .grace = l->grace,
                                                .left = left};
    int rc = ovl_process_run(&request, p, err);
    json_decref(environment);
    if (rc != 0)
        return -1;
    ovl_sweep_outcome_words(log.text, line);
    if (p->how == OVL_PROCESS_INTERRUPTED)
        snprintf(lost, OVL_ERROR_TEXT, "interrupted in `%s`", hook);
    else if (p->how == OVL_PROCESS_TIME_OUT)
        snprintf(lost, OVL_ERROR_TEXT, "`%s` was not done after %g s, killed", hook, request.limit);
    else if (p->code != 0)
        snprintf(lost, OVL_ERROR_TEXT, "`%s`: exit code %d%s%s", hook, p->code, *line ? ": " : "", line);
    return 0;
}
