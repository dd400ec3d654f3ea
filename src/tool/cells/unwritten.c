/* Launches that ovl sweep left without a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/unwritten.h"
#include "base/path.h"
#include "tool/cells/apart.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of a path .../NNN.ending how long .../NNN is; 0: it is no such path. */
static size_t numbered(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && strcmp(name + digits, ending) == 0 ? (size_t)(name - path) + digits : 0;
}

static bool is_there(const char *path, size_t length, const char *ending)
{
    return access(ovl_path("%.*s%s", (int)length, path, ending).text, F_OK) == 0;
}

bool ovl_unwritten_log(const char *path)
{
    size_t length = numbered(path, ".log"), before = numbered(path, ".before.log");
    if (before > 0 && !is_there(path, before, ".log")) /* its hook has failed: it was not even started */
        length = before;
    return length > 0 && !is_there(path, length, ".jsonl") && !is_there(path, length, ".partial");
}

bool ovl_unwritten_partial(const char *path)
{
    size_t length = numbered(path, ".partial");
    return length > 0 && !is_there(path, length, ".jsonl");
}

/* FOLDER/NAME of a path FOLDER/JOB/NNN.log. */
static struct ovl_path beside(const char *path, const char *name)
{
    const char *from = strrchr(path, '/');
    while (from && from > path && from[-1] != '/')
        from--;
    return ovl_path("%.*s%s", from ? (int)(from - path) : 0, path, name);
}

/* When what a line tells took place; NULL: it does not say. */
static const char *time_of(const json_t *entry)
{
    static const char *const fields[] = {"ended", "started", "budgeted", "resumed", "opened"};
    const char *at = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !at; i++)
        at = json_string_value(json_object_get(entry, fields[i]));
    return at;
}

/* When the last attempt at it began, or, with no file of it, when the last line was written; false: the log does not
   tell. */
static bool by_log(struct ovl_unwritten *u, const char *job, json_int_t number)
{
    FILE *log = fopen(beside(u->file, "sweep.log").text, "re");
    char *line = NULL;
    size_t room = 0;
    bool never = access(u->file, F_OK) != 0;
    u->started[0] = '\0';
    while (log && getline(&line, &room, log) > 0) {
        json_t *entry = json_loads(line, 0, NULL);
        const char *of = json_string_value(json_object_get(entry, "job")),
                   *at = never ? time_of(entry) : json_string_value(json_object_get(entry, "started"));
        if (at && never)
            snprintf(u->started, sizeof u->started, "%.20s", at);
        else if (of && at && strcmp(of, job) == 0 && json_integer_value(json_object_get(entry, "launch")) == number)
            snprintf(u->started, sizeof u->started, "%.20s", at);
        json_decref(entry);
    }
    free(line);
    if (log)
        fclose(log);
    return *u->started;
}

static void by_file(struct ovl_unwritten *u)
{
    struct stat file;
    struct tm utc;
    if (stat(u->file, &file) == 0 && gmtime_r(&file.st_mtime, &utc))
        strftime(u->started, sizeof u->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* "ialltoall" of a program /usr/bin/ovl_ialltoall. */
static char *benchmark_of(const char *path, const char *job)
{
    json_t *plan = json_load_file(beside(path, "plan.json").text, 0, NULL);
    const json_t *jobs = json_object_get(plan, "jobs");
    const char *name = "";
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const char *of = json_string_value(json_object_get(json_array_get(jobs, i), "name")),
                   *program = json_string_value(json_object_get(json_array_get(jobs, i), "program"));
        if (!of || !program || strcmp(of, job) != 0)
            continue;
        const char *slash = strrchr(program, '/');
        name = slash ? slash + 1 : program;
        name = strncmp(name, "ovl_", 4) == 0 ? name + 4 : "";
    }
    char *text = ovl_text("%s", name);
    json_decref(plan);
    return text;
}

static bool was_begun(const char *folder, const char *job)
{
    struct dirent **entry;
    bool begun = false;
    int n = scandir(ovl_path("%s/%s", folder, job).text, &entry, NULL, NULL);
    for (int i = 0; i < n; i++) {
        begun = begun || (*entry[i]->d_name >= '0' && *entry[i]->d_name <= '9');
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return begun;
}

void ovl_unwritten_jobs(char ***path, size_t *count, const char *folder)
{
    json_t *plan = access(ovl_path("%s/sweep.log", folder).text, R_OK) == 0
                       ? json_load_file(ovl_path("%s/plan.json", folder).text, 0, NULL)
                       : NULL;
    const json_t *jobs = json_object_get(plan, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const char *job = json_string_value(json_object_get(json_array_get(jobs, i), "name"));
        if (!job || was_begun(folder, job))
            continue;
        *path = ovl_grow_one(*path, *count, sizeof **path);
        (*path)[(*count)++] = ovl_text("%s/%s/001.jsonl", folder, job);
    }
    json_decref(plan);
}

void ovl_unwritten_add(struct ovl_record *record, const char *path)
{
    const char *slash = strrchr(path, '/');
    char job[OVL_MEMBER_JOB];
    record->unwritten = ovl_grow_one(record->unwritten, record->unwritten_count, sizeof *record->unwritten);
    struct ovl_unwritten *u = &record->unwritten[record->unwritten_count++];
    *u = (struct ovl_unwritten){.file = path};
    ovl_apart_job(job, path);
    if (!by_log(u, job, strtol(slash ? slash + 1 : path, NULL, 10)))
        by_file(u);
    u->benchmark = benchmark_of(path, job);
}
