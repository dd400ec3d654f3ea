/* `ovl sweep`: the launches of a plan, one after the other; what fails is told and does not stop the rest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/record.h"
#include "tool/command.h"
#include "tool/output.h"
#include "tool/plan.h"
#include "tool/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 4096 };

struct sweep_options {
    int help, dry_run, resume;
    const char *output;
};

#define AT(member) offsetof(struct sweep_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "DIR", "folder for the records, a folder in it for each job (default sweep)", OVL_OPTION_TEXT,
     AT(output), 0, 0, NULL, NULL},
    {0, "dry-run", NULL, "print the commands in their order and start none", OVL_OPTION_ON, AT(dry_run), 0, 0, NULL,
     NULL},
    {0, "resume", NULL, "go on with what is missing in DIR, and try again what failed there", OVL_OPTION_ON, AT(resume),
     0, 0, NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct sweeping {
    const struct sweep_options *options;
    struct ovl_plan plan;
    int lock; /* on DIR/sweep.log */
    size_t done, failed, doubtful, skipped;
};

/* DIR/JOB/003.jsonl; begun as .003.jsonl, which no command reads with its folder; 003.log and 003.partial. */
static void put_path(char path[PATH], const struct sweeping *s, const struct ovl_launch *l, const char *dot,
                     const char *kind)
{
    snprintf(path, PATH, "%s/%s/%s%03zu.%s", s->options->output, ovl_launch_job(l), dot, l->number, kind);
}

/* A word as a shell reads it back. */
static void print_word(const char *word)
{
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%") == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
    putchar('\'');
}

static int dry_run(struct sweeping *s)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_launch *l = &s->plan.launch[i];
        char record[PATH];
        put_path(record, s, l, "", "jsonl");
        json_t *words = ovl_launch_command(&s->plan, l, record), *environment = ovl_launch_environment(&s->plan, l);
        const char *name;
        json_t *value;
        printf("timeout %g ", l->seconds);
        if (json_object_size(environment) > 0)
            printf("env ");
        json_object_foreach(environment, name, value) {
            printf("%s=", name);
            print_word(json_string_value(value));
            putchar(' ');
        }
        for (size_t w = 0; w < json_array_size(words); w++) {
            print_word(json_string_value(json_array_get(words, w)));
            putchar(w + 1 < json_array_size(words) ? ' ' : '\n');
        }
        json_decref(words);
        json_decref(environment);
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

/* The plan is kept with its results: other launches must not be taken for its own. */
static int keep_plan(const struct sweeping *s, struct ovl_error *err)
{
    char path[PATH];
    struct ovl_output o;
    json_error_t at;
    snprintf(path, sizeof path, "%s/plan.json", s->options->output);
    if (access(path, F_OK) == 0) {
        json_t *kept = json_load_file(path, 0, &at);
        bool same = kept && json_equal(kept, s->plan.json);
        json_decref(kept);
        if (!s->options->resume)
            return ovl_error_set(err, OVL_USAGE,
                                 "%s holds a sweep already; --resume goes on with it, or give another -o",
                                 s->options->output);
        return same ? 0
                    : ovl_error_set(err, OVL_USAGE, "%s holds the sweep of another plan (see %s); give another -o",
                                    s->options->output, path);
    }
    if (ovl_output_open(&o, path, err) != 0)
        return -1;
    json_dumpf(s->plan.json, o.file, JSON_INDENT(1));
    fputc('\n', o.file);
    return ovl_output_close(&o, err);
}

/* Two sweeps into one folder would spoil each other's times. */
static int open_log(struct sweeping *s, struct ovl_error *err)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/sweep.log", s->options->output);
    s->lock = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (s->lock < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: another sweep is at work in this folder", path);
    return 0;
}

static void write_log(const struct sweeping *s, const struct ovl_launch *l, const char *status, const char *why,
                      const struct ovl_process *p)
{
    char now[32], *text;
    time_t t = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    json_t *line = json_pack("{s:s, s:s, s:i, s:s, s:s, s:i, s:f}", "ended", now, "job", ovl_launch_job(l), "launch",
                             (int)l->number, "status", status, "why", why, "exit", p->code, "seconds", p->seconds);
    text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    if (text)
        dprintf(s->lock, "%s\n", text);
    free(text);
    json_decref(line);
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
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
}

/* Names what a launch came to, and puts its record in its place. */
static void conclude(struct sweeping *s, const struct ovl_launch *l, const struct ovl_process *p)
{
    char hidden[PATH], path[PATH], log[PATH], why[OVL_ERROR_TEXT] = "", line[200];
    put_path(hidden, s, l, ".", "jsonl");
    put_path(log, s, l, "", "log");
    bool ended = p->how == OVL_PROCESS_ENDED && (p->code == OVL_OK || p->code == OVL_INCONCLUSIVE);
    bool good = ended && complete(hidden, why);
    put_path(path, s, l, "", good ? "jsonl" : "partial");
    if (rename(hidden, path) != 0 && good) {
        snprintf(why, sizeof why, "cannot rename its record: %s", strerror(errno));
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
    write_log(s, l, good ? "done" : "failed", why, p);
    s->done += good;
    s->failed += !good;
    s->doubtful += good && p->code == OVL_INCONCLUSIVE;
    printf("%s in %.1f s%s%s", good ? "done" : "FAILED", p->seconds, *why ? ": " : "", why);
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
    put_path(path, s, l, "", "jsonl");
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

static int launch(struct sweeping *s, const struct ovl_launch *l, struct ovl_process *p, struct ovl_error *err)
{
    char record[PATH], log[PATH], folder[PATH];
    snprintf(folder, sizeof folder, "%s/%s", s->options->output, ovl_launch_job(l));
    put_path(record, s, l, ".", "jsonl");
    put_path(log, s, l, "", "log");
    if (make_folder(folder, err) != 0)
        return -1;
    unlink(record); /* of a sweep that was killed */
    json_t *words = ovl_launch_command(&s->plan, l, record), *environment = ovl_launch_environment(&s->plan, l);
    int rc = words && environment ? ovl_process_run(words, environment, log, l->seconds, p, err)
                                  : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a command");
    json_decref(words);
    json_decref(environment);
    return rc;
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
        printf("%zu/%zu %s, launch %zu: ", i + 1, s->plan.count, ovl_launch_job(l), l->number);
        rc = launch(s, l, &p, err);
        if (rc != 0)
            break;
        took[i] = p.seconds;
        conclude(s, l, &p);
        print_left(s, took, i);
        fflush(stdout);
    }
    free(took);
    printf("%zu done, %zu failed, %zu were there already, %zu to go%s\n", s->done, s->failed, s->skipped,
           s->plan.count - s->done - s->failed - s->skipped,
           p.how == OVL_PROCESS_INTERRUPTED ? "; --resume goes on" : "");
    if (s->failed > 0)
        printf("of what failed, %s/JOB/NNN.log has the output and sweep.log the reason\n", s->options->output);
    fflush(stdout);
    ovl_process_release();
    if (rc != 0)
        return -1;
    return s->failed > 0 ? OVL_MISSED : s->doubtful > 0 ? OVL_INCONCLUSIVE : OVL_OK;
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
    if (o.dry_run)
        rc = dry_run(&s);
    else
        rc = make_folder(o.output, err) == 0 && keep_plan(&s, err) == 0 && open_log(&s, err) == 0 ? run_all(&s, err)
                                                                                                  : -1;
    if (s.lock >= 0)
        close(s.lock);
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
