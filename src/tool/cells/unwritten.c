/* Launches that ovl sweep left without a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/unwritten.h"
#include "base/input_file.h"
#include "base/path.h"
#include "base/sha256.h"
#include "cli/catalog.h"
#include "tool/cells/apart.h"
#include "tool/util/json_file.h"

#include <regex.h>
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

/* Does a line hold the SHA-256 of the one before, once one does? What the first one follows is_of() asks. `sha256`
   becomes its own. */
static bool follows(const json_t *entry, const char *line, size_t number, bool *chained, char sha256[65])
{
    const char *previous = json_string_value(json_object_get(entry, "previous"));
    bool well = !entry || (previous ? number == 1 || strcmp(previous, sha256) == 0 : !*chained);
    *chained = *chained || previous;
    ovl_sha256_bytes(line, strcspn(line, "\n"), sha256);
    return well;
}

/* What the sweep.log beside a path tells. Launches are "JOB<tab>NUMBER". */
struct log {
    json_t *began;         /* when the last attempt at each began */
    json_t *done;          /* of which an attempt ended with a whole record: its SHA-256, "" in an older log */
    json_t *last;          /* when its last line was written */
    char *odd;             /* what is wrong with it, to be freed, or NULL */
    char first[65];        /* what its first line follows: the SHA-256 of the plan; "" in one of an older version */
    size_t lines, entries; /* of which are JSON objects */
    char **jobs;           /* --job of each time that it was opened; whole: it was opened without */
    size_t job_count;
    bool chained, budgeted, whole; /* a line holds a SHA-256; it tells that --budget left launches out */
};

static void take(struct log *l, const char *path, const json_t *entry)
{
    const char *of = json_string_value(json_object_get(entry, "job")), *at = time_of(entry),
               *start = json_string_value(json_object_get(entry, "started")),
               *status = json_string_value(json_object_get(entry, "status")),
               *previous = json_string_value(json_object_get(entry, "previous"));
    l->entries++;
    if (at)
        json_string_set(l->last, at);
    if (l->lines == 1)
        snprintf(l->first, sizeof l->first, "%s", previous ? previous : "");
    l->budgeted = l->budgeted || json_object_get(entry, "budgeted");
    const char *jobs = json_string_value(json_object_get(entry, "jobs"));
    if (jobs) {
        l->jobs = ovl_grow_one(l->jobs, l->job_count, sizeof *l->jobs);
        l->jobs[l->job_count++] = ovl_text("%s", jobs);
    } else if (json_object_get(entry, "opened"))
        l->whole = true;
    if (!of)
        return;
    char *key = ovl_text("%s\t%lld", of, (long long)json_integer_value(json_object_get(entry, "launch")));
    if (start)
        json_object_set_new(l->began, key, json_string(start));
    const char *sha256 = json_string_value(json_object_get(entry, "record_sha256"));
    if (status && strcmp(status, "done") == 0)
        json_object_set_new(l->done, key, json_string(sha256 ? sha256 : ""));
    if (json_is_true(json_object_get(entry, "wrong_data")) && !l->odd && !has_partial(path, entry))
        l->odd = ovl_text("%zu: what an attempt with wrong data left is gone", l->lines);
    free(key);
}

static struct log read_log(const char *path)
{
    struct log l = {.began = json_object(), .done = json_object(), .last = json_string("")};
    FILE *log = ovl_input_file_open(beside(path, "sweep.log").text);
    char *line = NULL, sha256[65] = "";
    size_t room = 0;
    while (log && getline(&line, &room, log) > 0) {
        json_t *entry = json_loads(line, 0, NULL);
        if (!follows(entry, line, ++l.lines, &l.chained, sha256) && !l.odd)
            l.odd = ovl_text("%zu: it does not follow from the line before: one of the two was edited", l.lines);
        if (json_is_object(entry))
            take(&l, path, entry);
        json_decref(entry);
    }
    free(line);
    if (log)
        fclose(log);
    return l;
}

/* Was a job among those that --job named, or were all wanted? */
static bool wants(const struct log *l, const char *job)
{
    bool wanted = l->whole || l->job_count == 0;
    regex_t names;
    for (size_t i = 0; i < l->job_count && !wanted; i++) {
        if (regcomp(&names, l->jobs[i], REG_EXTENDED | REG_NOSUB) != 0)
            return true;
        wanted = regexec(&names, job, 0, NULL, 0) == 0;
        regfree(&names);
    }
    return wanted;
}

static void close_log(struct log *l)
{
    for (size_t i = 0; i < l->job_count; i++)
        free(l->jobs[i]);
    free(l->jobs);
    json_decref(l->began);
    json_decref(l->done);
    json_decref(l->last);
    free(l->odd);
}

static void by_file(struct ovl_unwritten *u)
{
    struct stat file;
    struct tm utc;
    if (stat(u->file, &file) == 0 && gmtime_r(&file.st_mtime, &utc))
        strftime(u->started, sizeof u->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* "iallreduce" of a program /usr/bin/ovl_allreduce; "" of one that is none of ours. */
static const char *measured_by(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (strcmp(b->program, name) == 0)
            return b->name;
    return strncmp(name, "ovl_", 4) == 0 ? name + 4 : "";
}

/* What each job's program measures, by the name of the job. */
static json_t *read_plan(const char *path)
{
    struct ovl_error unread;
    json_t *plan = ovl_json_file_load(beside(path, "plan.json").text, NULL, &unread), *benchmarks = json_object();
    const json_t *jobs = json_object_get(plan, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const char *of = json_string_value(json_object_get(json_array_get(jobs, i), "name")),
                   *program = json_string_value(json_object_get(json_array_get(jobs, i), "program"));
        if (of && program)
            json_object_set_new(benchmarks, of, json_string(measured_by(program)));
    }
    json_decref(plan);
    return benchmarks;
}

/* What its sweep's folder tells, read once. */
static const json_t *told_of(struct ovl_unwritten_told *told, const char *path)
{
    const struct ovl_path folder = beside(path, "");
    if (!told->folders)
        told->folders = json_object();
    if (!json_object_get(told->folders, folder.text)) {
        struct log l = read_log(path);
        json_object_set_new_nocheck(told->folders, folder.text,
                                    json_pack("{s:O, s:O, s:O, s:o}", "began", l.began, "done", l.done, "last", l.last,
                                              "benchmarks", read_plan(path)));
        close_log(&l);
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

/* Is the log of that plan, as it was read or with whole numbers as integers, as ovl sweep has it? */
static bool is_of(const struct log *l, const json_t *plan, const char *path)
{
    struct ovl_error unread;
    char sha256[65];
    if (!plan || !*l->first)
        return plan != NULL;
    ovl_json_sha256(plan, sha256);
    json_t *typed = strcmp(sha256, l->first) != 0 ? ovl_json_file_load(path, "plan.schema.json", &unread) : NULL;
    if (typed)
        ovl_json_sha256(typed, sha256);
    json_decref(typed);
    return strcmp(sha256, l->first) == 0;
}

/* How many launches a job has by its plan. */
static size_t launches_of(const json_t *plan, const json_t *job)
{
    enum { USUAL = 5, MOST = 10000 }; /* sweep/plan/plan.c, sweep/plan/plan.schema.json */
    const json_t *said = json_object_get(job, "launches");
    said = said ? said : json_object_get(plan, "launches");
    double n = said ? json_number_value(said) : USUAL; /* 20 may be written 20.0 */
    return n < 1 ? 1 : n > MOST ? MOST : (size_t)n;
}

/* A launch of a plan in its folder. */
struct look {
    const char *folder, *job;
    const struct log *log;
    size_t records, unlogged; /* seen so far: with a record, and with one that the log does not tell of */
    struct ovl_path first;    /* of these */
};

static bool is_owed(struct look *o, size_t launch)
{
    char *key = ovl_text("%s\t%zu", o->job, launch);
    const struct ovl_path path = ovl_path("%s/%s/%03zu", o->folder, o->job, launch);
    bool begun = json_object_get(o->log->began, key), record = is_there(path.text, strlen(path.text), ".jsonl"),
         unlogged = record && o->log->chained && !json_object_get(o->log->done, key);
    free(key);
    o->records += record;
    if (unlogged && o->unlogged++ == 0)
        o->first = path;
    /* What --budget left out was never begun. */
    return (begun || launch == 1 || !o->log->budgeted) && !has_left(path.text);
}

static void add_owed(struct ovl_unwritten_list *list, struct look *o, size_t launches)
{
    bool wanted = wants(o->log, o->job);
    for (size_t launch = 1; launch <= launches; launch++)
        if (is_owed(o, launch) && wanted) {
            list->path = ovl_grow_one(list->path, list->count, sizeof *list->path);
            list->path[list->count++] = ovl_text("%s/%s/%03zu.jsonl", o->folder, o->job, launch);
        }
}

int ovl_unwritten_jobs(struct ovl_unwritten_list *list, const char *folder, const char *only, struct ovl_error *err)
{
    struct ovl_error unread;
    const struct ovl_path path = ovl_path("%s/plan.json", folder);
    json_t *plan = ovl_json_file_load(path.text, NULL, &unread), *job;
    struct log log = read_log(ovl_path("%s/job/001.jsonl", folder).text);
    size_t before = list->count, i;
    struct look o = {.folder = folder, .log = &log};
    json_array_foreach(json_object_get(plan, "jobs"), i, job) {
        o.job = json_string_value(json_object_get(job, "name"));
        if (o.job && (!only || strcmp(o.job, only) == 0))
            add_owed(list, &o, launches_of(plan, job));
    }
    bool there = access(path.text, F_OK) == 0, whole = plan != NULL;
    if (there && log.entries > 0 && !log.odd && !is_of(&log, plan, path.text))
        log.odd = ovl_text("1: it does not follow from the plan.json beside it: one of the two was edited or cut");
    json_decref(plan);
    if (log.lines == 0 && o.records == 0) /* no sweep was here */
        while (list->count > before)
            free(list->path[--list->count]);
    if (log.lines == 0 && o.records > 0 && list->untold_count++ == 0)
        list->untold =
            ovl_text("%s/sweep.log is gone or empty, and there are records: nothing tells how they came about", folder);
    else if (!whole && (there ? log.lines == 0 : log.entries > 0) && list->untold_count++ == 0)
        list->untold = ovl_text("%s/plan.json is %s: nothing tells which launches are owed", folder,
                                there ? "damaged, and sweep.log gone or empty" : "gone, and sweep.log is there");
    else if (o.unlogged > 0 && list->untold_count++ == 0)
        list->untold =
            ovl_text("%s/sweep.log does not tell of %s.jsonl: lines at its end are gone", folder, o.first.text);
    int rc = log.odd ? ovl_error_set(err, OVL_WRONG_DATA, "%.300s/sweep.log:%s; give the folder as ovl sweep left it",
                                     folder, log.odd)
                     : 0;
    close_log(&log);
    return rc;
}

/* By its folder's own name, whatever it was called: "JOB/", ".", or a link. What is too long is as it was. */
static struct ovl_path by_own_name(const char *path)
{
    char real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const struct ovl_path folder = ovl_path("%.*s.", slash ? (int)(slash + 1 - path) : 0, path);
    return realpath(folder.text, real) ? ovl_path("%s/%s", real, slash ? slash + 1 : path) : ovl_path("%s", path);
}

static const char *told_text(struct ovl_unwritten_told *told, const char *path, const char *what)
{
    const struct ovl_path own = by_own_name(path);
    const char *slash = strrchr(own.text, '/');
    char job[OVL_MEMBER_JOB];
    ovl_apart_job(job, own.text);
    char *key = ovl_text("%s\t%ld", job, strtol(slash ? slash + 1 : own.text, NULL, 10));
    const char *text =
        *job ? json_string_value(json_object_get(json_object_get(told_of(told, own.text), what), key)) : NULL;
    free(key);
    return text;
}

const char *ovl_unwritten_began(struct ovl_unwritten_told *told, const char *path)
{
    return told_text(told, path, "began");
}

const char *ovl_unwritten_sha256(struct ovl_unwritten_told *told, const char *path)
{
    return ovl_unwritten_launch(path) ? told_text(told, path, "done") : NULL;
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
