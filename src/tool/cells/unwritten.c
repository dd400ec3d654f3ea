/* Launches that ovl sweep left without a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/unwritten.h"
#include "base/input_file.h"
#include "base/path.h"
#include "base/sha256.h"
#include "tool/cells/apart.h"
#include "tool/util/json_file.h"

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

/* A folder or a pipe of that name is none. */
static bool is_there(const char *path, size_t length, const char *ending)
{
    struct stat file;
    return stat(ovl_path("%.*s%s", (int)length, path, ending).text, &file) == 0 && S_ISREG(file.st_mode);
}

bool ovl_unwritten_launch(const char *path)
{
    return numbered(path, ".jsonl") > 0;
}

bool ovl_unwritten_log(const char *path)
{
    size_t length = numbered(path, ".log"), before = numbered(path, ".before.log");
    if (before > 0 && !is_there(path, before, ".log")) /* its hook has failed: it was not even started */
        length = before;
    return length > 0 && !is_there(path, length, ".jsonl") && !is_there(path, length, ".partial");
}

bool ovl_unwritten_record(const char *path)
{
    size_t length = numbered(path, ".jsonl");
    return length > 0 && is_there(path, length, ".log") &&
           ovl_unwritten_log(ovl_path("%.*s.log", (int)length, path).text);
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

/* Is that there which an attempt left that failed? */
static bool has_partial(const char *path, const json_t *entry)
{
    const char *job = json_string_value(json_object_get(entry, "job"));
    long long launch = json_integer_value(json_object_get(entry, "launch")),
              attempt = json_integer_value(json_object_get(entry, "attempt"));
    struct ovl_path left = ovl_path("%s%s/%03lld", beside(path, "").text, job, launch);
    if (attempt > 1)
        left = ovl_path("%s%s/%03lld-%lld", beside(path, "").text, job, launch, attempt);
    return is_there(left.text, strlen(left.text), ".partial");
}

/* Does a line hold the SHA-256 of the one before, as those before it do? `sha256` becomes its own. */
static bool follows(const json_t *entry, const char *line, size_t number, char sha256[65])
{
    static const char field[] = "previous";
    const char *previous = json_string_value(json_object_get(entry, field));
    bool chained = *sha256,
         well = !entry || number == 1 || (previous ? !chained || strcmp(previous, sha256) == 0 : !chained);
    if (previous || chained)
        ovl_sha256_bytes(line, strcspn(line, "\n"), sha256);
    return well;
}

/* Of its sweep.log: when the last attempt at each launch began, by "JOB<tab>NUMBER"; in *last when its last line was
   written; in *odd what is wrong with it, to be freed, or NULL. */
static json_t *read_log(const char *path, json_t **last, char **odd)
{
    FILE *log = ovl_input_file_open(beside(path, "sweep.log").text);
    json_t *began = json_object();
    char *line = NULL, sha256[65] = "";
    size_t room = 0, number = 0;
    *last = json_string("");
    *odd = NULL;
    while (log && getline(&line, &room, log) > 0) {
        json_t *entry = json_loads(line, 0, NULL);
        if (!follows(entry, line, ++number, sha256) && !*odd)
            *odd = ovl_text("%zu: it does not follow from the line before: one of the two was edited", number);
        const char *of = json_string_value(json_object_get(entry, "job")), *at = time_of(entry),
                   *start = json_string_value(json_object_get(entry, "started"));
        if (at)
            json_string_set(*last, at);
        char *key = ovl_text("%s\t%lld", of ? of : "", (long long)json_integer_value(json_object_get(entry, "launch")));
        if (of && start)
            json_object_set_new(began, key, json_string(start));
        if (of && json_is_true(json_object_get(entry, "wrong_data")) && !*odd && !has_partial(path, entry))
            *odd = ovl_text("%zu: what an attempt with wrong data left is gone", number);
        free(key);
        json_decref(entry);
    }
    free(line);
    if (log)
        fclose(log);
    return began;
}

static void by_file(struct ovl_unwritten *u)
{
    struct stat file;
    struct tm utc;
    if (stat(u->file, &file) == 0 && gmtime_r(&file.st_mtime, &utc))
        strftime(u->started, sizeof u->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* "ialltoall" of a program /usr/bin/ovl_ialltoall, by the name of each job. */
static json_t *read_plan(const char *path)
{
    struct ovl_error unread;
    json_t *plan = ovl_json_file_load(beside(path, "plan.json").text, NULL, &unread), *benchmarks = json_object();
    const json_t *jobs = json_object_get(plan, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const char *of = json_string_value(json_object_get(json_array_get(jobs, i), "name")),
                   *program = json_string_value(json_object_get(json_array_get(jobs, i), "program"));
        if (!of || !program)
            continue;
        const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
        json_object_set_new(benchmarks, of, json_string(strncmp(name, "ovl_", 4) == 0 ? name + 4 : ""));
    }
    json_decref(plan);
    return benchmarks;
}

/* What its sweep's folder tells, read once. */
static const json_t *told_of(struct ovl_unwritten_told *told, const char *path)
{
    const struct ovl_path folder = beside(path, "");
    json_t *last, *began;
    char *odd;
    if (!told->folders)
        told->folders = json_object();
    if (!json_object_get(told->folders, folder.text)) {
        began = read_log(path, &last, &odd);
        free(odd);
        json_object_set_new_nocheck(
            told->folders, folder.text,
            json_pack("{s:o, s:o, s:o}", "began", began, "last", last, "benchmarks", read_plan(path)));
    }
    return json_object_get(told->folders, folder.text);
}

void ovl_unwritten_told_free(struct ovl_unwritten_told *told)
{
    json_decref(told->folders);
    told->folders = NULL;
}

static bool has_left(const char *launch)
{
    static const char *const endings[] = {".jsonl", ".partial", ".log", ".before.log"};
    bool has = false;
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
        has = has || is_there(launch, strlen(launch), endings[e]);
    return has;
}

int ovl_unwritten_jobs(char ***path, size_t *count, const char *folder, struct ovl_error *err)
{
    struct ovl_error unread;
    char *odd;
    json_t *plan = access(ovl_path("%s/sweep.log", folder).text, R_OK) == 0
                       ? ovl_json_file_load(ovl_path("%s/plan.json", folder).text, NULL, &unread)
                       : NULL;
    json_t *jobs = json_object_get(plan, "jobs"), *job, *at, *last,
           *owed = read_log(ovl_path("%s/job/001.jsonl", folder).text, &last, &odd);
    const char *of;
    size_t i;
    int rc = odd ? ovl_error_set(err, OVL_WRONG_DATA, "%.300s/sweep.log:%s; give the folder as ovl sweep left it",
                                 folder, odd)
                 : 0;
    json_array_foreach(jobs, i, job) { /* the first launch of each, begun or not */
        const char *name = json_string_value(json_object_get(job, "name"));
        if (name)
            json_object_set(owed, ovl_path("%s\t1", name).text, json_true());
    }
    json_object_foreach(owed, of, at) {
        int length = (int)strcspn(of, "\t");
        const struct ovl_path launch = ovl_path("%s/%.*s/%03ld", folder, length, of, strtol(of + length + 1, NULL, 10));
        if (!plan || has_left(launch.text))
            continue;
        *path = ovl_grow_one(*path, *count, sizeof **path);
        (*path)[(*count)++] = ovl_text("%s.jsonl", launch.text);
    }
    free(odd);
    json_decref(owed);
    json_decref(last);
    json_decref(plan);
    return rc;
}

void ovl_unwritten_add(struct ovl_record *record, const char *path, struct ovl_unwritten_told *told)
{
    const json_t *folder = told_of(told, path);
    const char *slash = strrchr(path, '/');
    char job[OVL_MEMBER_JOB];
    record->unwritten = ovl_grow_one(record->unwritten, record->unwritten_count, sizeof *record->unwritten);
    struct ovl_unwritten *u = &record->unwritten[record->unwritten_count++];
    *u = (struct ovl_unwritten){.file = path};
    ovl_apart_job(job, path);
    char *key = ovl_text("%s\t%ld", job, strtol(slash ? slash + 1 : path, NULL, 10));
    bool never = access(path, F_OK) != 0;
    const char *at = json_string_value(json_object_get(json_object_get(folder, "began"), key));
    at = at || !never ? at : json_string_value(json_object_get(folder, "last"));
    free(key);
    snprintf(u->started, sizeof u->started, "%.20s", at ? at : "");
    if (!*u->started)
        by_file(u);
    const char *benchmark = json_string_value(json_object_get(json_object_get(folder, "benchmarks"), job));
    u->benchmark = ovl_text("%s", benchmark ? benchmark : "");
}
