/* One attempt at a launch, from its line in the log to the name of its record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/attempt.h"
#include "tool/cells/log/wrong_data.h"
#include "tool/sweep/hook.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/outcome.h"
#include "tool/sweep/there.h"
#include "tool/util/json_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ovl_sweep_make_folder(const char *folder, struct ovl_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot make this folder: %s", folder, strerror(errno));
    return 0;
}

static bool well_ended(const struct ovl_process *p)
{
    return p->how == OVL_PROCESS_ENDED && (p->code == OVL_OK || p->code == OVL_INCONCLUSIVE);
}

int ovl_sweep_attempt_conclude(struct ovl_sweeping *s, const struct ovl_process *p, const char *lost,
                               struct ovl_error *err)
{
    const struct ovl_launch *l = s->launch;
    char why[OVL_ERROR_TEXT] = "", line[200], sha256[65] = "";
    const struct ovl_path hidden = ovl_sweep_path(s, l, s->attempt, ".", "jsonl"), path = ovl_sweep_record_path(s, l);
    struct ovl_error unread;
    bool doubtful = false, ended = !*lost && well_ended(p),
         good = ended && ovl_sweep_outcome_whole(hidden.text, l, &doubtful, why);
    doubtful |= p->code == OVL_INCONCLUSIVE;
    if (good && !ovl_sweep_outcome_one_build(s, l, hidden.text, s->other_build)) {
        snprintf(why, sizeof why, "%s", s->other_build);
        good = false;
    }
    if (good && ovl_json_file_sha256(hidden.text, sha256, &unread) != 0) {
        snprintf(why, sizeof why, "%s", unread.text);
        good = false;
    }
    if (good && !ovl_sweep_outcome_own(s, hidden.text, sha256, why)) {
        good = false;
        *sha256 = '\0';
    }
    const struct ovl_path printed = ovl_sweep_path(s, l, s->attempt, "", "log");
    /* Its record may be gone, cut or another one, as by a launcher: what it said is there still. */
    bool said = ovl_job_is_ours(l->job) && ovl_wrong_data_said(printed.text);
    if (good && said) {
        snprintf(why, sizeof why, "its output says that data were wrong, and its record has no wrong cell");
        good = false;
        *sha256 = '\0';
    }
    bool wrong_data = !good && (said || ovl_wrong_data_in(hidden.text));
    if (!good)
        rename(hidden.text, ovl_sweep_path(s, l, s->attempt, "", "partial").text);
    ovl_sweep_outcome_words(printed.text, line);
    if (*lost)
        snprintf(why, sizeof why, "%s", lost);
    else if (p->how == OVL_PROCESS_TIME_OUT)
        snprintf(why, sizeof why, "not done after %g s, killed", l->seconds);
    else if (p->how == OVL_PROCESS_INTERRUPTED)
        snprintf(why, sizeof why, "interrupted");
    else if (!ended)
        snprintf(why, sizeof why, "exit code %d%s%s", p->code, *line ? ": " : "", line);
    else if (good && doubtful)
        snprintf(why, sizeof why, "some cells are invalid");
    ovl_sweep_attempts(s, l)->wrong += wrong_data;
    ovl_sweep_attempts(s, l)->said += !wrong_data && p->code == OVL_WRONG_DATA;
    s->done += good;
    s->failed += !good;
    s->doubtful += good && doubtful;
    if (good)
        ovl_sweep_attempts(s, l)->seconds = p->seconds;
    printf("%s in %.1f s%s%s", good ? "done" : "FAILED", p->seconds, *why ? ": " : "", why);
    if (ovl_sweep_log_ended(&s->log, l, s->attempt, &(struct ovl_attempt_end){why, good ? sha256 : NULL, p, wrong_data},
                            err) != 0)
        return -1;
    if (good && rename(hidden.text, path.text) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s: cannot rename it to %s: %s; the sweep ends here, --resume goes on", hidden.text,
                             path.text, strerror(errno));
    memcpy(ovl_sweep_attempts(s, l)->named, sha256, sizeof sha256);
    return 0;
}

/* What an attempt was at when its sweep was killed is partial too. */
static void keep_unended(const struct ovl_sweeping *s)
{
    for (size_t n = 1; n < s->attempt; n++) {
        const struct ovl_path hidden = ovl_sweep_path(s, s->launch, n, ".", "jsonl"),
                              partial = ovl_sweep_path(s, s->launch, n, "", "partial");
        if (access(hidden.text, F_OK) == 0 && access(partial.text, F_OK) != 0)
            rename(hidden.text, partial.text);
    }
}

static int tell_killed(struct ovl_sweeping *s, const struct ovl_launch *l, struct ovl_error *err)
{
    enum { KILLED = 137 }; /* as a shell has it: nobody saw how it ended */
    struct ovl_attempts *a = ovl_sweep_attempts(s, l);
    const struct ovl_path hidden = ovl_sweep_path(s, l, a->count, ".", "jsonl"),
                          partial = ovl_sweep_path(s, l, a->count, "", "partial");
    if (access(partial.text, F_OK) != 0)
        rename(hidden.text, partial.text);
    if (!ovl_wrong_data_in(partial.text) &&
        !(ovl_job_is_ours(l->job) && ovl_wrong_data_said(ovl_sweep_path(s, l, a->count, "", "log").text)))
        return 0;
    const struct ovl_process p = {.code = KILLED};
    if (ovl_sweep_log_ended(
            &s->log, l, a->count,
            &(struct ovl_attempt_end){"its sweep was killed, and it had found wrong data", NULL, &p, true}, err) != 0)
        return -1;
    a->open = false;
    a->unended--;
    a->failed++;
    printf("# %s: wrong data of a launch whose sweep was killed\n", partial.text);
    return 0;
}

int ovl_sweep_attempt_tell_killed(struct ovl_sweeping *s, struct ovl_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < s->plan.count && rc == 0; i++)
        if (ovl_sweep_attempts(s, &s->plan.launch[i])->open)
            rc = tell_killed(s, &s->plan.launch[i], err);
    return rc;
}

int ovl_sweep_attempt_start(const struct ovl_sweeping *s, struct ovl_process_running *running, struct ovl_error *err)
{
    const struct ovl_launch *l = s->launch;
    char step[256] = "";
    const struct ovl_path record = ovl_sweep_path(s, l, s->attempt, ".", "jsonl"),
                          log = ovl_sweep_path(s, l, s->attempt, "", "log");
    unlink(record.text); /* without a log of its own it is nobody's */
    json_t *words = ovl_launch_command(&s->plan, l, s->options->output, record.text),
           *environment = ovl_launch_environment(&s->plan, l);
    ovl_launch_name_step(words, l, step);
    const struct ovl_process_request request = {.words = words,
                                                .environment = environment,
                                                .log = log.text,
                                                .limit = l->seconds,
                                                .grace = l->grace,
                                                .step = *step ? step : NULL};
    int rc = ovl_process_start(&request, running, err);
    json_decref(words);
    json_decref(environment);
    return rc;
}

static int start(const struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err)
{
    struct ovl_process_running running;
    size_t first;
    return ovl_sweep_attempt_start(s, &running, err) == 0 ? ovl_process_wait(&running, 1, &first, p, err) : -1;
}

/* `after` runs whatever came of `before` and the launch: it puts back what they changed. What `before` left running,
   such as a monitor, is there until then. */
static int run_with_hooks(struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err)
{
    char lost[OVL_ERROR_TEXT], late[OVL_ERROR_TEXT];
    struct ovl_process after = {OVL_PROCESS_ENDED, 0, 0};
    struct ovl_process_left left = {0, -1};
    struct ovl_error unheard;
    if (ovl_sweep_hook(s, "before", p, &left, lost, err) != 0)
        return -1;
    if (*lost && p->code == OVL_WRONG_DATA) /* the hook's own number: no data were checked */
        p->code = OVL_ENVIRONMENT;
    int rc = *lost ? 0 : start(s, p, err);
    if (ovl_sweep_hook(s, "after", &after, NULL, late, rc == 0 ? err : &unheard) != 0)
        rc = -1;
    ovl_process_end(&left);
    if (rc != 0)
        return -1;
    if (!*lost && well_ended(p))
        snprintf(lost, sizeof lost, "%s", late);
    if (after.how == OVL_PROCESS_INTERRUPTED)
        p->how = OVL_PROCESS_INTERRUPTED;
    return ovl_sweep_attempt_conclude(s, p, lost, err);
}

int ovl_sweep_attempt_open(struct ovl_sweeping *s, struct ovl_error *err)
{
    const struct ovl_launch *l = s->launch;
    json_t *launcher = ovl_launch_launcher(&s->plan, l);
    int rc = ovl_sweep_make_folder(ovl_path("%s/%s", s->options->output, ovl_launch_job(l)).text, err) == 0
                 ? ovl_sweep_log_started(&s->log, l, s->attempt, launcher, err)
                 : -1;
    json_decref(launcher);
    if (rc != 0)
        return -1;
    ovl_sweep_attempts(s, l)->count = s->attempt;
    keep_unended(s);
    return 0;
}

int ovl_sweep_attempt_run(struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err)
{
    return ovl_sweep_attempt_open(s, err) == 0 ? run_with_hooks(s, p, err) : -1;
}

void ovl_sweep_attempt_tell(const struct ovl_sweeping *s, size_t i)
{
    printf("%zu/%zu %s, launch %zu", i + 1, s->plan.count, ovl_launch_job(s->launch), s->launch->number);
    if (s->attempt > 1)
        printf(", attempt %zu", s->attempt);
    printf(": ");
}

bool ovl_sweep_lacks_work(const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    struct ovl_path from;
    return ovl_plan_work_of(&s->plan, l->job) && ovl_launch_work_from(&s->plan, l, s->options->output, &from) &&
           access(from.text, R_OK) != 0;
}

bool ovl_sweep_failed_enough(const struct ovl_sweeping *s)
{
    return s->options->max_failures > 0 && s->failed >= s->options->max_failures;
}

bool ovl_sweep_interrupted(struct ovl_process *p)
{
    if (ovl_process_signal_waits())
        p->how = OVL_PROCESS_INTERRUPTED;
    return p->how == OVL_PROCESS_INTERRUPTED;
}

bool ovl_sweep_ends(const struct ovl_sweeping *s, struct ovl_process *p)
{
    return ovl_sweep_interrupted(p) || *s->other_build || ovl_sweep_failed_enough(s);
}

bool ovl_sweep_passes_over(struct ovl_sweeping *s, size_t i)
{
    const struct ovl_launch *l = &s->plan.launch[i];
    bool there = ovl_sweep_is_there(s, l);
    s->skipped += there;
    s->doubtful += there && ovl_sweep_attempts(s, l)->doubtful;
    if (there || s->cut[i])
        return true;
    if (!ovl_sweep_lacks_work(s, l))
        return false;
    ovl_sweep_left_take(&s->left, l);
    printf("%zu/%zu %s, launch %zu: not started: no record sets its work (work_of)\n", i + 1, s->plan.count,
           ovl_launch_job(l), l->number);
    return true;
}
