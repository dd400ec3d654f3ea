/* `ovl sweep --status`: how far a sweep is, from its folder alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/state.h"
#include "tool/sweep/there.h"
#include "tool/util/answer.h"
#include "tool/util/lock.h"

#include <stdio.h>
#include <stdlib.h>

struct tally {
    size_t done, doubtful, failed, open;
};

static void tell_open(const struct ovl_launch *l, const struct ovl_attempts *a, json_t *at_work)
{
    printf("# at work  %s, launch %zu, attempt %zu, since %s\n", ovl_launch_job(l), l->number, a->count, a->began);
    json_array_append_new(at_work,
                          json_pack("{s:s, s:I, s:I, s:o}", "job", ovl_launch_job(l), "launch", (json_int_t)l->number,
                                    "attempt", (json_int_t)a->count, "since", ovl_printable_json(a->began)));
}

static void tell_no_record(const struct ovl_sweeping *s, const struct ovl_launch *l, const char *why)
{
    printf("# no record %s (", ovl_sweep_record_path(s, l).text);
    ovl_printable_put(stdout, why);
    printf("): --resume runs its launch again\n");
}

/* Of each job, by its index in the plan. */
static void count(const struct ovl_sweeping *s, bool working, struct tally *of, json_t *at_work)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        const struct ovl_attempts *a = ovl_sweep_attempts(s, l);
        size_t j = l->of;
        char why[OVL_ERROR_TEXT];
        bool there = ovl_sweep_there_ask(s, l, why), open = !there && a->open && working;
        of[j].done += there;
        of[j].doubtful += there && a->doubtful;
        of[j].open += open;
        of[j].failed += !there && !open && a->count > 0;
        if (a->no_record)
            tell_no_record(s, l, why);
        if (open)
            tell_open(l, a, at_work);
    }
}

static json_t *job_json(const char *name, const struct tally *t, size_t to_go)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "job", name, "done", (json_int_t)t->done, "invalid",
                     (json_int_t)t->doubtful, "failed", (json_int_t)t->failed, "at_work", (json_int_t)t->open, "to_go",
                     (json_int_t)to_go);
}

static int print(const struct ovl_sweeping *s, json_t **found)
{
    const json_t *jobs = json_object_get(s->plan.json, "jobs");
    bool working = ovl_sweep_lock_is_held(s->options->output, s->log_path.text);
    json_t *rows = json_array(), *at_work = json_array();
    bool gone = ovl_sweep_there_untold(s), untold = gone || s->log.unchained > 0;
    if (untold)
        printf("# attempts  not known: sweep.log %s\n",
               gone ? "is gone or empty, and there are records" : "holds no SHA-256, against which records are held");
    if (!working)
        printf("# no sweep is at work here\n");
    struct tally *of = ovl_alloc(json_array_size(jobs), sizeof *of), all = {0};
    count(s, working, of, at_work);
    printf("# %-30s %6s %6s %6s %6s\n", "job", "done", "failed", "open", "to go");
    for (size_t j = 0; j < json_array_size(jobs); j++) {
        size_t launches = ovl_plan_launches(&s->plan, j), to_go = launches - of[j].done - of[j].failed - of[j].open;
        const char *name = json_string_value(json_object_get(json_array_get(jobs, j), "name"));
        printf("  %-30s %6zu %6zu %6zu %6zu\n", name, of[j].done, of[j].failed, of[j].open, to_go);
        json_array_append_new(rows, job_json(name, &of[j], to_go));
        all.done += of[j].done;
        all.doubtful += of[j].doubtful;
        all.failed += of[j].failed;
    }
    free(of);
    ovl_sweep_tell_choice(s);
    if (all.doubtful > 0)
        printf("# %zu launch%s with invalid cells\n", all.doubtful, all.doubtful == 1 ? "" : "es");
    *found = json_pack("{s:b, s:I, s:I, s:o, s:o}", "at_work", (int)working, "launches", (json_int_t)s->plan.count,
                       "wrong_data", (json_int_t)ovl_sweep_wrong(s), "launches_at_work", at_work, "jobs", rows);
    ovl_sweep_tell_wrong(s);
    return ovl_sweep_code(s, all.failed, all.done < s->plan.count || all.doubtful > 0 || untold);
}

int ovl_sweep_status(const char *folder, struct ovl_sweep_options *o, struct ovl_error *err)
{
    struct ovl_sweeping s = {.options = o, .log_path = ovl_path("%s/sweep.log", folder)};
    o->output = folder;
    if (ovl_plan_load(&s.plan, ovl_path("%s/plan.json", folder).text, NULL, err) != 0)
        return -1;
    s.cut = ovl_alloc(s.plan.count, sizeof *s.cut);
    json_t *found = NULL;
    int rc = ovl_sweep_log_read(&s.log, &s.plan, s.log_path.text, err) == 0 ? print(&s, &found) : -1;
    if (rc >= 0 && ovl_answer_write(o->json, "sweep", rc, found, err) != 0)
        rc = -1;
    free(s.cut);
    ovl_sweep_log_free(&s.log);
    ovl_plan_free(&s.plan);
    return rc;
}
