/* Finding the sweeps and commands that launches belong to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/jobs.h"
#include "base/path.h"
#include "tool/util/json_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Splits "FOLDER/JOB/NAME": the folder "." or ".." where the path does not name it. false when JOB has no name. */
static bool split(const char *file, struct ovl_path *folder, struct ovl_path *job, const char **name)
{
    char real[PATH_MAX];
    const char *slash = strrchr(file, '/');
    size_t n = slash ? (size_t)(slash - file) : 0;
    *name = slash ? slash + 1 : file;
    while (n > 0 && file[n - 1] == '/')
        n--;
    const struct ovl_path whole = ovl_path("%.*s", slash ? (int)n : 1, slash ? (n > 0 ? file : "/") : ".");
    const char *path = whole.text;
    slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    if (*last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
        *folder = strcmp(path, ".") == 0 ? ovl_path("..") : ovl_path("%s/..", path);
        slash = realpath(path, real) ? strrchr(real, '/') : NULL;
        *job = ovl_path("%s", slash ? slash + 1 : "");
        return *job->text != '\0';
    }
    *job = ovl_path("%s", last);
    for (n = (size_t)(last - path); n > 1 && path[n - 1] == '/';)
        n--;
    *folder = ovl_path("%.*s", n > 0 ? (int)n : 1, n > 0 ? path : ".");
    return true;
}

/* "003.jsonl": 3; else 0. */
static size_t number_of(const char *name)
{
    char again[32];
    size_t number = strtoul(name, NULL, 10);
    snprintf(again, sizeof again, "%03zu.jsonl", number);
    return strcmp(name, again) == 0 ? number : 0;
}

/* FOLDER/NAME when that is a file. */
static char *file_in(const char *folder, const char *name, struct stat *file)
{
    char *path = strcmp(folder, ".") == 0 ? ovl_text("%s", name) : ovl_text("%s/%s", folder, name);
    if (stat(path, file) == 0 && S_ISREG(file->st_mode))
        return path;
    free(path);
    return NULL;
}

static void sweep_free(struct ovl_sweep *s)
{
    free(s->folder);
    free(s->plan_path);
    free(s->log_path);
    free(s->runs);
    ovl_plan_free(&s->plan);
    ovl_sweep_log_free(&s->log);
}

/* 1: the launch is of this sweep, or should be; 0: it has nothing to do with the plan.json there; -1. */
static int sweep_load(struct ovl_sweep *s, const char *job, size_t number, struct ovl_error *err)
{
    if (ovl_json_file_sha256(s->plan_path, s->plan_sha256, err) != 0 ||
        (s->log_path && ovl_json_file_sha256(s->log_path, s->log_sha256, err) != 0))
        return -1;
    int rc = ovl_plan_load(&s->plan, s->plan_path, NULL, err);
    if (rc == 0 && s->plan.included) /* its files are no part of what is hashed */
        rc = ovl_error_set(err, OVL_WRONG_DATA, "%s: /include: a sweep keeps its plan whole", s->plan_path);
    if (rc != 0)
        return !s->log_path && err->code == OVL_WRONG_DATA ? 0 : -1;
    if (!s->log_path && ovl_plan_place(&s->plan, job, number) == s->plan.count)
        return 0;
    s->runs = ovl_alloc(s->plan.count, sizeof *s->runs);
    const struct ovl_path none = ovl_path("%s/sweep.log", s->folder);
    rc = ovl_sweep_log_read(&s->log, &s->plan, s->log_path ? s->log_path : none.text, err);
    s->log.path = s->log_path;
    return rc != 0 ? -1 : 1;
}

/* *sweep becomes the index of the sweep in that folder, or OVL_NO_SWEEP. */
static int find_sweep(struct ovl_jobs *j, const char *folder, const char *job, size_t number, int *sweep,
                      struct ovl_error *err)
{
    struct stat plan, log;
    struct ovl_sweep s = {.plan_path = file_in(folder, "plan.json", &plan)};
    *sweep = OVL_NO_SWEEP;
    if (!s.plan_path) {
        char *orphan = file_in(folder, "sweep.log", &log);
        j->planless += orphan != NULL;
        free(orphan);
        return 0;
    }
    for (size_t i = 0; i < j->sweep_count; i++)
        if (j->sweep[i].device == plan.st_dev && j->sweep[i].inode == plan.st_ino) {
            free(s.plan_path);
            *sweep = (int)i;
            return 0;
        }
    s.folder = ovl_text("%s", folder);
    s.log_path = file_in(folder, "sweep.log", &log);
    s.device = plan.st_dev;
    s.inode = plan.st_ino;
    int found = sweep_load(&s, job, number, err);
    if (found <= 0) {
        sweep_free(&s);
        return found;
    }
    j->sweep = ovl_grow_one(j->sweep, j->sweep_count, sizeof *j->sweep);
    *sweep = (int)j->sweep_count;
    j->sweep[j->sweep_count++] = s;
    return 0;
}

/* The job of that key, which is taken; a new one where there is none. */
static size_t find_job(struct ovl_jobs *j, char *key, int sweep, size_t of_plan, size_t launches)
{
    const json_t *at = json_object_get(j->index, key);
    if (at) {
        free(key);
        return (size_t)json_integer_value(at);
    }
    json_object_set_new_nocheck(j->index, key, json_integer((json_int_t)j->count)); /* a folder may be no UTF-8 */
    j->job = ovl_grow_one(j->job, j->count, sizeof *j->job);
    j->job[j->count] = (struct ovl_job){sweep, of_plan, key, launches};
    return j->count++;
}

/* Without a plan: what was started alike must have the same cells. */
static void join_command(struct ovl_jobs *j, size_t r, const char *folder)
{
    static const char *const no_matter[] = {"json", "seed", "quiet",   "progress", "format",
                                            "full", "help", "version", "self_test"};
    const json_t *head = j->record->runs[r].head;
    const json_t *environment = json_object_get(head, "environment");
    json_t *options = json_copy(json_object_get(head, "options"));
    for (size_t i = 0; i < sizeof no_matter / sizeof *no_matter; i++)
        json_object_del(options, no_matter[i]);
    json_t *all = json_pack("[s, O?, O?, O?, O?, o?]", "command", json_object_get(head, "benchmark"),
                            json_object_get(head, "ranks"), json_object_get(head, "nodes"),
                            json_object_get(environment, "OVL_CLUSTER"), options);
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    j->run[r].job = find_job(j, ovl_text("%s\t%s", text, folder), OVL_NO_SWEEP, 0, 0);
    j->run[r].launch = j->job[j->run[r].job].launches++;
    free(text);
    json_decref(all);
}

static void join_sweep(struct ovl_jobs *j, size_t r, int sweep, const char *job, size_t number)
{
    struct ovl_sweep *s = &j->sweep[sweep];
    size_t i = (size_t)json_integer_value(json_object_get(s->plan.index, job));
    j->run[r].job = find_job(j, ovl_text("sweep %d %s", sweep, job), sweep, i, ovl_plan_launches(&s->plan, i));
    j->run[r].launch = number - 1;
    s->runs[ovl_plan_place(&s->plan, job, number)]++;
}

static int join(struct ovl_jobs *j, size_t r, struct ovl_error *err)
{
    struct ovl_path folder, job;
    char real[PATH_MAX];
    const char *file = j->record->runs[r].file, *name;
    int sweep = OVL_NO_SWEEP;
    if (split(file, &folder, &job, &name) && find_sweep(j, folder.text, job.text, number_of(name), &sweep, err) != 0)
        return -1;
    if (sweep != OVL_NO_SWEEP) {
        const struct ovl_sweep *s = &j->sweep[sweep];
        if (ovl_plan_place(&s->plan, job.text, number_of(name)) < s->plan.count) {
            join_sweep(j, r, sweep, job.text, number_of(name));
            return 0;
        }
        if (s->log_path)
            return ovl_error_set(err, OVL_WRONG_DATA, "%s: %s has no such launch; take the file out of the sweep", file,
                                 s->plan_path);
    }
    folder = ovl_path("%.*s", name > file ? (int)(name - file) : 1, name > file ? file : ".");
    join_command(j, r, realpath(folder.text, real) ? real : folder.text);
    return 0;
}

void ovl_jobs_order(struct ovl_inputs *sources)
{
    struct ovl_path folder, job;
    char *path;
    const char *name;
    struct stat file;
    for (size_t i = 0, kept = 0; i < sources->count; i++) {
        char *plan =
            split(path = sources->path[i], &folder, &job, &name) ? file_in(folder.text, "plan.json", &file) : NULL;
        if (plan) {
            memmove(&sources->path[kept + 1], &sources->path[kept], (i - kept) * sizeof *sources->path);
            sources->path[kept++] = path;
        }
        free(plan);
    }
}

int ovl_jobs_make(struct ovl_jobs *j, const struct ovl_record *record, struct ovl_error *err)
{
    *j = (struct ovl_jobs){
        .record = record, .run = ovl_alloc(record->run_count, sizeof *j->run), .index = json_object()};
    int rc = 0;
    for (size_t r = 0; r < record->run_count && rc == 0; r++)
        rc = join(j, r, err);
    return rc;
}

void ovl_jobs_free(struct ovl_jobs *j)
{
    for (size_t i = 0; i < j->sweep_count; i++)
        sweep_free(&j->sweep[i]);
    for (size_t i = 0; i < j->count; i++)
        free(j->job[i].key);
    json_decref(j->index);
    free(j->sweep);
    free(j->job);
    free(j->run);
    *j = (struct ovl_jobs){.run = NULL};
}

const struct ovl_sweep *ovl_jobs_sweep(const struct ovl_jobs *j, size_t run, const struct ovl_attempts **attempts)
{
    const struct ovl_job_run *at = &j->run[run];
    const struct ovl_job *job = &j->job[at->job];
    *attempts = NULL;
    if (job->sweep == OVL_NO_SWEEP)
        return NULL;
    const struct ovl_sweep *s = &j->sweep[job->sweep];
    const json_t *name = json_object_get(json_array_get(json_object_get(s->plan.json, "jobs"), job->of_plan), "name");
    if (s->log_path)
        *attempts = &s->log.launch[ovl_plan_place(&s->plan, json_string_value(name), at->launch + 1)];
    return s;
}

const char *ovl_jobs_baseline(const struct ovl_jobs *j, size_t run)
{
    const struct ovl_job *job = &j->job[j->run[run].job];
    return job->sweep == OVL_NO_SWEEP ? "" : ovl_plan_baseline(&j->sweep[job->sweep].plan, job->of_plan);
}

/* Did the launch before or behind this one, of the same job, end between two lines of the log? */
static bool neighbour_between(const struct ovl_jobs *j, size_t run, const struct ovl_attempts *a, size_t first,
                              size_t last)
{
    size_t launch = j->run[run].launch, launches = j->job[j->run[run].job].launches;
    bool before = launch > 0 && a[-1].line > first && a[-1].line < last;
    return before || (launch + 1 < launches && a[1].line > first && a[1].line < last);
}

bool ovl_jobs_in_turns(const struct ovl_jobs *j, size_t run, size_t other)
{
    const struct ovl_attempts *a, *b;
    ovl_jobs_sweep(j, run, &a);
    ovl_jobs_sweep(j, other, &b);
    if (!a || !b || a->line == 0 || b->line == 0)
        return true;
    size_t first = a->line < b->line ? a->line : b->line, last = a->line + b->line - first;
    return !neighbour_between(j, run, a, first, last) && !neighbour_between(j, other, b, first, last);
}

size_t ovl_jobs_slots(const struct ovl_jobs *j, const struct ovl_group *group, size_t *slot)
{
    size_t *first = ovl_alloc(j->count, sizeof *first), n = 0;
    for (size_t i = 0; i < j->count; i++)
        first[i] = SIZE_MAX;
    for (size_t m = 0; m < group->count; m++) {
        const struct ovl_job_run *run = &j->run[group->member[m].run - j->record->runs];
        if (first[run->job] == SIZE_MAX) {
            first[run->job] = n;
            n += j->job[run->job].launches;
        }
        slot[m] = first[run->job] + run->launch;
    }
    free(first);
    return n;
}
