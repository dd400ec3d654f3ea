/* `ovl sweep`: the launches of a plan, one after the other; what fails is told and does not stop the rest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/record.h"
#include "tool/command.h"
#include "tool/json_file.h"
#include "tool/launch.h"
#include "tool/process.h"
#include "tool/sweep_log.h"
#include "tool/sweep_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096 };

struct sweep_options {
    int help, dry_run, resume;
    const char *output, *work_from;
};

#define AT(member) offsetof(struct sweep_options, member)

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
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct sweeping {
    const struct sweep_options *options;
    struct ovl_plan plan;
    char log_path[PATH]; /* DIR/sweep.log */
    int lock;            /* on it, open for adding lines */
    struct ovl_sweep_log log;
    size_t done, failed, doubtful, skipped;
};

/* What an attempt leaves: DIR/JOB/003.log, its record .003.jsonl, which no command reads with its folder, and that as
   003.partial when it failed; of the second attempt 003-2.log and so on. */
static void put_path(char path[PATH], const struct sweeping *s, const struct ovl_launch *l, size_t attempt,
                     const char *dot, const char *kind)
{
    char again[24] = "";
    if (attempt > 1)
        snprintf(again, sizeof again, "-%zu", attempt);
    snprintf(path, PATH, "%s/%s/%s%03zu%s.%s", s->options->output, ovl_launch_job(l), dot, l->number, again, kind);
}

/* The whole record, of whichever attempt: DIR/JOB/003.jsonl. */
static void put_record_path(char path[PATH], const struct sweeping *s, const struct ovl_launch *l)
{
    put_path(path, s, l, 1, "", "jsonl");
}

static int dry_run(const struct sweeping *s)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        char record[PATH];
        put_record_path(record, s, l);
        ovl_launch_print(stdout, &s->plan, l, s->options->output, record);
    }
    printf("# %zu launches\n", s->plan.count);
    return OVL_OK;
}

static int make_folder(const char *folder, struct ovl_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot make this folder: %s", folder, strerror(errno));
    return 0;
}

/* Two sweeps into one folder would spoil each other's times. */
static int open_log(struct sweeping *s, struct ovl_error *err)
{
    const char *path = s->log_path;
    s->lock = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (s->lock < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: another sweep is at work in this folder", path);
    if (ovl_sweep_log_read(&s->log, &s->plan, path, err) != 0)
        return -1;
    return s->log.cut ? ovl_sweep_log_resumed(&s->log, s->lock, path, err) : 0;
}

/* Is every run of the file there to its end? */
static bool complete(const char *path, char why[OVL_ERROR_TEXT])
{
    struct ovl_record record = {NULL, 0};
    struct ovl_error err;
    bool whole = ovl_record_read_brief(&record, path, &err) == 0;
    snprintf(why, OVL_ERROR_TEXT, "%s", whole ? "" : err.text);
    for (size_t r = 0; r < record.run_count && whole; r++) {
        const char *status = json_string_value(json_object_get(record.runs[r].end, "status"));
        whole = status && strcmp(status, "complete") == 0;
        if (!whole)
            snprintf(why, OVL_ERROR_TEXT, "its record %s", status ? "ended early" : "has no end line");
    }
    ovl_record_free(&record);
    return whole;
}

/* The last line that a job printed says most often why it failed. */
static void last_line(const char *log, char text[200])
{
    char line[200];
    FILE *in = fopen(log, "re");
    text[0] = '\0';
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "ovl", 3) == 0 || (*line && *line != '-' && *line != '=' && strncmp(text, "ovl", 3) != 0))
            strcpy(text, line);
    }
    if (in)
        fclose(in);
    ovl_printable_bytes(text);
}

/* Names what an attempt came to, and puts its record in its place. */
static int conclude(struct sweeping *s, const struct ovl_launch *l, size_t attempt, const struct ovl_process *p,
                    struct ovl_error *err)
{
    char hidden[PATH], path[PATH], log[PATH], why[OVL_ERROR_TEXT] = "", line[200], sha256[65] = "";
    struct ovl_error unread;
    put_path(hidden, s, l, attempt, ".", "jsonl");
    put_path(log, s, l, attempt, "", "log");
    bool ended = p->how == OVL_PROCESS_ENDED && (p->code == OVL_OK || p->code == OVL_INCONCLUSIVE);
    bool good = ended && complete(hidden, why);
    if (good)
        put_record_path(path, s, l);
    else
        put_path(path, s, l, attempt, "", "partial");
    if (rename(hidden, path) != 0 && good) {
        snprintf(why, sizeof why, "cannot rename its record: %s", strerror(errno));
        good = false;
    }
    if (good && ovl_json_file_sha256(path, sha256, &unread) != 0) {
        snprintf(why, sizeof why, "%s", unread.text);
        good = false;
    }
    last_line(log, line);
    if (p->how == OVL_PROCESS_TIME_OUT)
        snprintf(why, sizeof why, "not done after %g s, killed", l->seconds);
    else if (p->how == OVL_PROCESS_INTERRUPTED)
        snprintf(why, sizeof why, "interrupted");
    else if (!ended)
        snprintf(why, sizeof why, "exit code %d%s%s", p->code, *line ? ": " : "", line);
    else if (good && p->code == OVL_INCONCLUSIVE)
        snprintf(why, sizeof why, "some cells are invalid");
    s->done += good;
    s->failed += !good;
    s->doubtful += good && p->code == OVL_INCONCLUSIVE;
    printf("%s in %.1f s%s%s", good ? "done" : "FAILED", p->seconds, *why ? ": " : "", why);
    return ovl_sweep_log_ended(&s->log, s->lock, s->log_path, l, attempt,
                               &(struct ovl_attempt_end){why, good ? sha256 : NULL, p}, err);
}

/* Of the launches of a job that ran, or of all, the mean time. */
static double expected(const double *took, const struct sweeping *s, size_t before, const json_t *job)
{
    double sum = 0, all = 0;
    size_t n = 0, m = 0;
    for (size_t i = 0; i < before; i++) {
        if (took[i] < 0)
            continue;
        all += took[i];
        m++;
        if (s->plan.launch[i].job == job) {
            sum += took[i];
            n++;
        }
    }
    return n ? sum / (double)n : m ? all / (double)m : 0;
}

static bool there(const struct sweeping *s, const struct ovl_launch *l)
{
    char path[PATH];
    put_record_path(path, s, l);
    return access(path, F_OK) == 0;
}

static void print_left(const struct sweeping *s, const double *took, size_t i)
{
    double left = 0;
    for (size_t k = i + 1; k < s->plan.count; k++)
        if (!there(s, &s->plan.launch[k]))
            left += expected(took, s, i + 1, s->plan.launch[k].job);
    if (i + 1 == s->plan.count)
        printf("\n");
    else if (left < 100)
        printf("; about %.0f s left\n", left);
    else
        printf("; about %.0f min left\n", left / 60);
}

static struct ovl_attempts *attempts_at(const struct sweeping *s, const struct ovl_launch *l)
{
    return &s->log.launch[ovl_plan_place(&s->plan, ovl_launch_job(l), l->number)];
}

/* The number of the next attempt: no earlier one is written over, not even one that the log lost. */
static size_t next_attempt(const struct sweeping *s, const struct ovl_launch *l)
{
    char log[PATH], partial[PATH];
    size_t n = attempts_at(s, l)->count;
    do {
        n++;
        put_path(log, s, l, n, "", "log");
        put_path(partial, s, l, n, "", "partial");
    } while (access(log, F_OK) == 0 || access(partial, F_OK) == 0);
    return n;
}

/* What an attempt was at when its sweep was killed is partial too. */
static void keep_unended(const struct sweeping *s, const struct ovl_launch *l, size_t attempt)
{
    char hidden[PATH], partial[PATH];
    for (size_t n = 1; n < attempt; n++) {
        put_path(hidden, s, l, n, ".", "jsonl");
        put_path(partial, s, l, n, "", "partial");
        if (access(hidden, F_OK) == 0 && access(partial, F_OK) != 0)
            rename(hidden, partial);
    }
}

static int launch(struct sweeping *s, const struct ovl_launch *l, size_t attempt, struct ovl_process *p,
                  struct ovl_error *err)
{
    char record[PATH], log[PATH], folder[PATH];
    snprintf(folder, sizeof folder, "%s/%s", s->options->output, ovl_launch_job(l));
    put_path(record, s, l, attempt, ".", "jsonl");
    put_path(log, s, l, attempt, "", "log");
    if (make_folder(folder, err) != 0 || ovl_sweep_log_started(&s->log, s->lock, s->log_path, l, attempt, err) != 0)
        return -1;
    attempts_at(s, l)->count = attempt;
    keep_unended(s, l, attempt);
    unlink(record); /* without a log of its own it is nobody's */
    json_t *words = ovl_launch_command(&s->plan, l, s->options->output, record),
           *environment = ovl_launch_environment(&s->plan, l);
    int rc = words && environment ? ovl_process_run(words, environment, log, l->seconds, p, err)
                                  : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a command");
    json_decref(words);
    json_decref(environment);
    return rc == 0 ? conclude(s, l, attempt, p, err) : -1;
}

static void print_summary(const struct sweeping *s, bool interrupted)
{
    size_t attempts = 0;
    for (size_t i = 0; i < s->plan.count; i++)
        attempts += s->log.launch[i].count;
    printf("%zu done, %zu failed, %zu were there already, %zu to go%s\n", s->done, s->failed, s->skipped,
           s->plan.count - s->done - s->failed - s->skipped, interrupted ? "; --resume goes on" : "");
    printf("%zu attempt%s for %zu launches\n", attempts, attempts == 1 ? "" : "s", s->plan.count);
    if (s->failed > 0)
        printf(
            "of what failed, %s/JOB/NNN.log (NNN-2.log of a second attempt) has the output and sweep.log the reason\n",
            s->options->output);
    fflush(stdout);
}

/* Did the launch fail whose work this one should do? */
static bool lacks_work(const struct sweeping *s, const struct ovl_launch *l)
{
    char from[PATH];
    return ovl_plan_work_of(&s->plan, l->job) && ovl_launch_work_from(&s->plan, l, s->options->output, from) &&
           access(from, R_OK) != 0;
}

static int run_all(struct sweeping *s, struct ovl_error *err)
{
    struct ovl_process p = {OVL_PROCESS_ENDED, 0, 0};
    double *took = calloc(s->plan.count, sizeof *took);
    if (!took)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    int rc = ovl_process_hold(err);
    for (size_t i = 0; i < s->plan.count && rc == 0 && p.how != OVL_PROCESS_INTERRUPTED; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        took[i] = -1;
        if (there(s, l)) {
            s->skipped++;
            continue;
        }
        if (lacks_work(s, l)) {
            printf("%zu/%zu %s, launch %zu: not started: no record sets its work (work_of)\n", i + 1, s->plan.count,
                   ovl_launch_job(l), l->number);
            continue;
        }
        size_t attempt = next_attempt(s, l);
        printf("%zu/%zu %s, launch %zu", i + 1, s->plan.count, ovl_launch_job(l), l->number);
        if (attempt > 1)
            printf(", attempt %zu", attempt);
        printf(": ");
        rc = launch(s, l, attempt, &p, err);
        took[i] = p.seconds;
        if (rc == 0)
            print_left(s, took, i);
        else
            printf("\n");
        fflush(stdout);
    }
    free(took);
    print_summary(s, p.how == OVL_PROCESS_INTERRUPTED);
    ovl_process_release();
    if (rc != 0)
        return -1;
    return s->failed > 0 ? OVL_MISSED : s->doubtful > 0 ? OVL_INCONCLUSIVE : OVL_OK;
}

/* --work-from is as good as the plan's own word for it: it is kept with the plan. */
static int take_work(struct sweeping *s, struct ovl_error *err)
{
    char from[PATH];
    if (s->options->work_from &&
        json_object_set_new(s->plan.json, "work_from", json_string(s->options->work_from)) != 0)
        return ovl_error_set(err, OVL_USAGE, "--work-from %s: this name is no UTF-8; rename it", s->options->work_from);
    const char *named = json_string_value(json_object_get(s->plan.json, "work_from"));
    if (named && access(named, R_OK) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot take work from it: %s", named, strerror(errno));
    for (size_t i = 0; named && i < s->plan.count; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        if (l->number == 1 && !ovl_launch_work_from(&s->plan, l, s->options->output, from))
            printf("# job %s takes no work from %s: its own is calibrated, or set by its options\n", ovl_launch_job(l),
                   named);
    }
    return 0;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct sweep_options o = {.output = "sweep"};
    struct sweeping s = {.options = &o, .lock = -1};
    int first, rc = 0;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (argc - first != 1)
        return ovl_error_set(err, OVL_USAGE, "give one plan, a JSON file");
    if (ovl_plan_load(&s.plan, argv[first], err) != 0)
        return -1;
    snprintf(s.log_path, sizeof s.log_path, "%s/sweep.log", o.output);
    rc = take_work(&s, err);
    if (rc == 0 && o.dry_run)
        rc = dry_run(&s);
    else if (rc == 0)
        rc = make_folder(o.output, err) == 0 &&
                     ovl_sweep_plan_keep(&s.plan, o.work_from ? NULL : argv[first], o.output, o.resume, err) == 0 &&
                     open_log(&s, err) == 0
                 ? run_all(&s, err)
                 : -1;
    if (s.lock >= 0)
        close(s.lock);
    ovl_sweep_log_free(&s.log);
    ovl_plan_free(&s.plan);
    return rc;
}

const struct ovl_command ovl_command_sweep = {
    .name = "sweep",
    .arguments = "PLAN [options]",
    .summary = "run the launches of a plan, and go on after a stop",
    .exits = "0 all done, 1 a launch failed, 2 all done and a cell invalid, 3 wrong call, 4 damaged plan,\n"
             "5 folder not usable",
    .options = options,
    .run = run,
};
