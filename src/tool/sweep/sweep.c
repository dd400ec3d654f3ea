/* `ovl sweep`: the launches of a plan, one after the other; what fails is told and does not stop the rest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/at_once.h"
#include "tool/sweep/attempt.h"
#include "tool/sweep/kept_plan.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/log.h"
#include "tool/sweep/preflight.h"
#include "tool/sweep/state.h"
#include "tool/sweep/there.h"
#include "tool/util/answer.h"
#include "tool/util/command.h"
#include "tool/util/lock.h"
#include "tool/util/process.h"
#include "tool/util/sign.h"
#include "tool/util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) offsetof(struct ovl_sweep_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "DIR", "folder for the records, a folder in it for each job (default sweep)", OVL_OPTION_TEXT,
     AT(output), 0, 0, NULL, NULL},
    {0, "dry-run", NULL, "print the commands in their order and start none", OVL_OPTION_ON, AT(dry_run), 0, 0, NULL,
     NULL},
    {0, "resume", NULL, "go on with what is missing in DIR, and try again what failed there", OVL_OPTION_ON, AT(resume),
     0, 0, NULL, NULL},
    {0, "work-from", "FROM",
     "take the units of work from a record, or from the first one in FROM/JOB or FROM: totals compare only at equal "
     "units",
     OVL_OPTION_TEXT, AT(work_from), 0, 0, NULL, NULL},
    {'S', "set", "NAME=VALUE", "what a variable of the plan is; the option may be given again", OVL_OPTION_TEXTS,
     AT(set), 0, 0, NULL, NULL},
    {0, "budget", "TIME",
     "run only what should fit into 90s, 20m, 1.5h, or what is left of the allocation (allocation), jobs by the plan's "
     "`priority`; the log tells what was left out",
     OVL_OPTION_TEXT, AT(budget), 0, 0, NULL, NULL},
    {0, "job", "REGEX", "run only jobs whose names match; the others stay to do", OVL_OPTION_TEXT, AT(job), 0, 0, NULL,
     NULL},
    {0, "retry", "N", "attempt a launch that failed so many times again, at once (default 0)", OVL_OPTION_COUNT,
     AT(retry), 0, 1000, NULL, NULL},
    {0, "at-once", "N", "run so many launches at once whose jobs name nodes of their own (default 1)", OVL_OPTION_COUNT,
     AT(at_once), 1, OVL_SWEEP_AT_ONCE, NULL, NULL},
    {0, "max-failures", "N", "end when so many launches have failed; --resume goes on", OVL_OPTION_COUNT,
     AT(max_failures), 1, 1000000, NULL, NULL},
    {0, "check", NULL,
     "start nothing: are launcher, programs, hooks and options right, and is there room for the ranks?", OVL_OPTION_ON,
     AT(check), 0, 0, NULL, NULL},
    {0, "status", NULL, "of a sweep's folder in place of a plan: what is done, failed, at work and to go",
     OVL_OPTION_ON, AT(status), 0, 0, NULL, NULL},
    {0, "digests", NULL, "print the SHA-256 of sweep.log's last line after each launch, to be sent to who judges",
     OVL_OPTION_ON, AT(digests), 0, 0, NULL, NULL},
    {0, "sign", "KEY", "sign plan.json and sweep.log by `ssh-keygen -Y sign`, as FILE.sig beside them", OVL_OPTION_TEXT,
     AT(sign), 0, 0, NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* With its log gone a sweep's records would pass for launches that took no attempt. */
static int refuse_untold(const struct ovl_sweeping *s, struct ovl_error *err)
{
    if (!ovl_sweep_there_untold(s))
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "%s has records of its launches, and its sweep.log is gone or empty: nothing tells how they "
                         "came about; put it back, or give another -o",
                         s->options->output);
}

static int open_log(struct ovl_sweeping *s, struct ovl_error *err)
{
    const char *path = s->log_path.text;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
    int rc = ovl_sweep_lock_take(&s->lock, s->options->output, fd, err);
    if (rc == 0)
        rc = ovl_sweep_log_read(&s->log, &s->plan, path, err);
    s->log.fd = fd;
    rc = rc == 0 ? refuse_untold(s, err) : rc;
    return rc == 0 && s->log.cut ? ovl_sweep_log_resumed(&s->log, err) : rc;
}

static bool is_complete(const struct ovl_sweeping *s)
{
    for (size_t i = 0; i < s->plan.count; i++)
        if (!ovl_sweep_is_there(s, &s->plan.launch[i]))
            return false;
    return true;
}

/* What is there already, and what will be started; a cut is in the log before any launch. */
static int begin(struct ovl_sweeping *s, struct ovl_error *err)
{
    if (ovl_sweep_there_look(s, err) != 0 || ovl_sweep_choose(s, err) != 0)
        return -1;
    ovl_sweep_tell_choice(s);
    if (is_complete(s)) /* a log whose SHA-256 was sent stays as it was */
        return 0;
    if (ovl_sweep_log_opened(&s->log, s->options->resume, s->options->job, json_object_get(s->plan.json, "set"), err) !=
            0 ||
        ovl_sweep_attempt_tell_killed(s, err) != 0)
        return -1;
    return s->left_out > 0 ? ovl_sweep_log_budgeted(&s->log, s->budget, s->left_out, err) : 0;
}

/* One launch, and again where it failed and may be. */
static int attempt(struct ovl_sweeping *s, size_t i, struct ovl_process *p, struct ovl_error *err)
{
    const struct ovl_launch *l = s->launch = &s->plan.launch[i];
    int rc = 0;
    for (uint64_t tries = 0; rc == 0 && tries <= s->options->retry; tries++) {
        size_t failed = s->failed;
        s->attempt = ovl_sweep_next_attempt(s, l);
        ovl_sweep_attempt_tell(s, i);
        rc = ovl_sweep_attempt_run(s, p, err);
        if (rc == 0)
            ovl_sweep_tell_left(s, i);
        else
            printf("\n");
        fflush(stdout);
        if (s->failed == failed || ovl_sweep_interrupted(p) || *s->other_build)
            break;
        s->failed -= tries < s->options->retry; /* it is attempted again, and counts once */
    }
    return rc;
}

static int run_in_turn(struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < s->plan.count && rc == 0 && !ovl_sweep_ends(s, p); i++)
        if (!ovl_sweep_passes_over(s, i))
            rc = attempt(s, i, p, err);
    return rc;
}

/* With --sign, signs the file. */
static int seal(const struct ovl_sweeping *s, const char *path, struct ovl_error *err)
{
    return s->options->sign ? ovl_sign(s->options->sign, path, err) : 0;
}

static int run_all(struct ovl_sweeping *s, struct ovl_error *err)
{
    struct ovl_process p = {OVL_PROCESS_ENDED, 0, 0};
    int rc = ovl_process_hold(err);
    ovl_sweep_begin_left(s);
    if (rc == 0)
        rc = (s->options->at_once > 1 ? ovl_sweep_run_at_once : run_in_turn)(s, &p, err);
    if (rc == 0 && ovl_sweep_failed_enough(s))
        printf("# --max-failures %llu: the sweep ends here; --resume goes on\n",
               (unsigned long long)s->options->max_failures);
    ovl_sweep_summary(s, p.how == OVL_PROCESS_INTERRUPTED);
    if (rc == 0)
        rc = seal(s, s->log_path.text, err);
    if (rc == 0)
        rc = ovl_sweep_there_still(s, err);
    if (rc != 0 && p.how == OVL_PROCESS_INTERRUPTED) /* the signal ends the program before anyone tells it */
        fprintf(stderr, "ovl sweep: %s\n", err->text);
    ovl_process_release();
    if (rc != 0)
        return -1;
    if (*s->other_build)
        return ovl_error_set(
            err, OVL_USAGE,
            "the last launch is %.350s; the sweep ends here: --resume with the build of the others, or "
            "give this one another -o",
            s->other_build);
    if (ferror(stdout))
        return ovl_error_set(
            err, OVL_ENVIRONMENT,
            "standard output could not be written; the sweep went on without it: %zu done, %zu failed; "
            "%.200s has all attempts",
            s->done, s->failed, s->log_path.text);
    return ovl_sweep_code(s, s->failed, ovl_sweep_to_go(s) > 0 || s->doubtful > 0);
}

/* Is the plan what its file says, byte by byte? */
static bool plain(const struct ovl_sweeping *s)
{
    return !s->options->work_from && s->plan.scanned == 0 && !s->plan.included && !json_object_get(s->plan.json, "set");
}

/* A budget in which nothing fits leaves nothing behind that would be in the way of the next call. With a log it is the
   times in there that tell. */
static int refuse_budget(struct ovl_sweeping *s, struct ovl_error *err)
{
    return access(s->log_path.text, F_OK) == 0 ? 0 : ovl_sweep_choose(s, err);
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct ovl_sweep_options o = {.output = "sweep"};
    struct ovl_sweeping s = {.options = &o};
    int first, rc = 0;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (o.json && !o.status)
        return ovl_error_set(err, OVL_USAGE, "--json goes with --status: sweep.log is the JSON of a sweep");
    if (argc - first != 1)
        return ovl_error_set(err, OVL_USAGE, "%s",
                             o.status ? "give one folder of a sweep" : "give one plan, a JSON file");
    if (o.status)
        return ovl_sweep_status(argv[first], &o, err);
    if (o.budget && ovl_sweep_time_budget(o.budget, &s.budget, err) != 0)
        return -1;
    if (ovl_plan_load(&s.plan, argv[first], &o.set, err) != 0)
        return -1;
    s.cut = ovl_alloc(s.plan.count, sizeof *s.cut);
    s.log_path = ovl_path("%s/sweep.log", o.output);
    if (!o.dry_run)
        ovl_signals_ignore_pipe(); /* it goes on without the reader of its output */
    rc = o.at_once > 1 ? ovl_sweep_at_once_check(&s.plan, err) : 0;
    if (rc == 0)
        rc = ovl_sweep_plan_work(&s.plan, o.work_from, o.output, err);
    if (rc == 0 && o.check)
        rc = ovl_sweep_choose(&s, err) == 0 ? ovl_sweep_check(&s) : -1;
    else if (rc == 0 && o.dry_run)
        rc = ovl_sweep_choose(&s, err) == 0 ? ovl_sweep_dry_run(&s) : -1;
    else if (rc == 0 && refuse_untold(&s, err) == 0 && refuse_budget(&s, err) == 0)
        rc = ovl_sweep_make_folder(o.output, err) == 0 &&
                     ovl_sweep_plan_keep(&s.plan, plain(&s) ? argv[first] : NULL, o.output, o.resume, err) == 0 &&
                     open_log(&s, err) == 0 && seal(&s, ovl_path("%s/plan.json", o.output).text, err) == 0 &&
                     begin(&s, err) == 0
                 ? run_all(&s, err)
                 : -1;
    else
        rc = -1;
    ovl_sweep_lock_release(&s.lock);
    free(s.cut);
    ovl_sweep_log_free(&s.log);
    ovl_sweep_left_free(&s.left);
    ovl_plan_free(&s.plan);
    return rc;
}

const struct ovl_tool_command ovl_command_sweep = {
    .name = "sweep",
    .arguments = "PLAN [options] | --status DIR",
    .summary = "run the launches of a plan, and go on after a stop",
    .options = options,
    .run = run,
};
