/* `ovl sweep --status`: how far a sweep is, from its folder alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/launch.h"
#include "tool/sweep/lock.h"
#include "tool/sweep/state.h"
#include "tool/sweep/there.h"

#include <stdio.h>
#include <stdlib.h>

struct tally {
    size_t done, doubtful, failed, open;
};

static struct tally tally_job(const struct ovl_sweeping *s, const json_t *job, bool working)
{
    struct tally t = {0};
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        const struct ovl_attempts *a = ovl_sweep_attempts(s, l);
        if (l->job != job)
            continue;
        bool there = ovl_sweep_is_there(s, l), open = !there && a->open && working;
        t.done += there;
        t.doubtful += there && a->doubtful;
        t.open += open;
        t.failed += !there && !open && a->count > 0;
        if (open)
            printf("# at work  %s, launch %zu, attempt %zu, since %s\n", ovl_launch_job(l), l->number, a->count,
                   a->began);
    }
    return t;
}

static int print(const struct ovl_sweeping *s)
{
    const json_t *jobs = json_object_get(s->plan.json, "jobs");
    bool working = ovl_sweep_lock_is_held(s->options->output, s->log_path.text);
    if (!working)
        printf("# no sweep is at work here\n");
    struct tally *of = ovl_alloc(json_array_size(jobs), sizeof *of), all = {0};
    for (size_t j = 0; j < json_array_size(jobs); j++)
        of[j] = tally_job(s, json_array_get(jobs, j), working);
    printf("# %-30s %6s %6s %6s %6s\n", "job", "done", "failed", "open", "to go");
    for (size_t j = 0; j < json_array_size(jobs); j++) {
        size_t launches = ovl_plan_launches(&s->plan, j), to_go = launches - of[j].done - of[j].failed - of[j].open;
        printf("  %-30s %6zu %6zu %6zu %6zu\n", json_string_value(json_object_get(json_array_get(jobs, j), "name")),
               of[j].done, of[j].failed, of[j].open, to_go);
        all.done += of[j].done;
        all.doubtful += of[j].doubtful;
        all.failed += of[j].failed;
    }
    free(of);
    ovl_sweep_tell_choice(s);
    if (all.doubtful > 0)
        printf("# %zu launch%s with invalid cells\n", all.doubtful, all.doubtful == 1 ? "" : "es");
    return all.failed > 0 ? OVL_MISSED : all.done < s->plan.count || all.doubtful > 0 ? OVL_INCONCLUSIVE : OVL_OK;
}

int ovl_sweep_status(const char *folder, struct ovl_sweep_options *o, struct ovl_error *err)
{
    struct ovl_sweeping s = {.options = o, .log_path = ovl_path("%s/sweep.log", folder)};
    o->output = folder;
    if (ovl_plan_load(&s.plan, ovl_path("%s/plan.json", folder).text, err) != 0)
        return -1;
    s.cut = ovl_alloc(s.plan.count, sizeof *s.cut);
    int rc = ovl_sweep_log_read(&s.log, &s.plan, s.log_path.text, err) == 0 ? print(&s) : -1;
    free(s.cut);
    ovl_sweep_log_free(&s.log);
    ovl_plan_free(&s.plan);
    return rc;
}
