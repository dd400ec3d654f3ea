/* Launches that ovl sweep left without a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/inputs/unwritten.h"
#include "base/path.h"
#include "cli/catalog.h"
#include "tool/cells/apart.h"
#include "tool/cells/log/told_log.h"
#include "tool/cells/log/wrong_data.h"
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

static void by_file(struct ovl_unwritten *u)
{
    struct stat file;
    struct tm utc;
    if (stat(u->file, &file) == 0 && gmtime_r(&file.st_mtime, &utc))
        strftime(u->started, sizeof u->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* What each job's program measures, by the name of the job. */
static json_t *read_plan(const char *path)
{
    struct ovl_error unread;
    json_t *plan = ovl_json_file_load(path, NULL, &unread), *benchmarks = json_object();
    const json_t *jobs = json_object_get(plan, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const char *of = json_string_value(json_object_get(json_array_get(jobs, i), "name")),
                   *program = json_string_value(json_object_get(json_array_get(jobs, i), "program"));
        if (of && program)
            json_object_set_new(benchmarks, of, json_string(ovl_catalog_measures(program)));
    }
    json_decref(plan);
    return benchmarks;
}

/* What the folder of a sweep tells, read once: PREFIX is "FOLDER/", or "". */
static const json_t *told_of(struct ovl_unwritten_told *told, const char *prefix)
{
    if (!told->folders)
        told->folders = json_object();
    if (!json_object_get(told->folders, prefix)) {
        struct ovl_told_log l = ovl_told_log_read(prefix);
        json_object_set_new_nocheck(told->folders, prefix,
                                    json_pack("{s:O, s:O, s:O, s:O, s:o, s:b}", "began", l.began, "done", l.done,
                                              "again", l.again, "last", l.last, "benchmarks",
                                              read_plan(ovl_path("%splan.json", prefix).text), "chained",
                                              (int)l.chained));
        ovl_told_log_free(&l);
    }
    return json_object_get(told->folders, prefix);
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
    const struct ovl_told_log *log;
    size_t records; /* seen so far */
};

static bool is_owed(struct look *o, size_t launch)
{
    char *key = ovl_text("%s\t%zu", o->job, launch);
    const struct ovl_path path = ovl_path("%s/%s/%03zu", o->folder, o->job, launch);
    bool begun = json_object_get(o->log->began, key);
    free(key);
    o->records += is_there(path.text, strlen(path.text), ".jsonl");
    /* What --budget left out was never begun. */
    return (begun || launch == 1 || !o->log->budgeted) && !has_left(path.text);
}

static void add_owed(struct ovl_unwritten_list *list, struct look *o, size_t launches)
{
    bool wanted = ovl_told_log_wants(o->log, o->job);
    size_t records = o->records;
    for (size_t launch = 1; launch <= launches; launch++)
        if (is_owed(o, launch) && wanted) {
            list->path = ovl_grow_one(list->path, list->count, sizeof *list->path);
            list->path[list->count++] = ovl_text("%s/%s/%03zu.jsonl", o->folder, o->job, launch);
        }
    if (wanted || o->records > records)
        return;
    char *before = list->unasked;
    list->unasked = ovl_text("%s%s%s", before ? before : "", before ? ", " : "", o->job);
    free(before);
}

/* The file in which a program of ovl says that data were wrong, while no cell that it left is: a text, or NULL. */
static char *printed_of(const char *folder, const char *job, size_t launches)
{
    for (size_t launch = 1; launch <= launches; launch++) {
        size_t attempt = ovl_wrong_data_only_said(folder, job, launch);
        char of[32] = "";
        if (attempt > 1)
            snprintf(of, sizeof of, "-%zu", attempt);
        if (attempt > 0)
            return ovl_text(
                "/%.100s/%03zu%s.log: it says that data were wrong, and no cell beside it is: which cell is "
                "not known",
                job, launch, of);
    }
    return NULL;
}

/* Which line of the log tells of a program of ovl that ended with the code of wrong data, and left no wrong cell, or
   whose output says so: a text that follows the folder's name; NULL: none of these jobs did. */
static char *said_of(const json_t *plan, const char *folder, const char *only, const struct ovl_told_log *log)
{
    json_t *job;
    size_t i;
    json_array_foreach(json_object_get(plan, "jobs"), i, job) {
        const char *name = json_string_value(json_object_get(job, "name")),
                   *program = json_string_value(json_object_get(job, "program"));
        const json_t *line = name ? json_object_get(log->said, name) : NULL;
        if (!name || !program || !*ovl_catalog_measures(program) || (only && strcmp(name, only) != 0))
            continue;
        if (line)
            return ovl_text(
                "/sweep.log:%lld: %.100s of job %.100s ended with %d, wrong data, and its record has no wrong "
                "cell: which cell is not known",
                (long long)json_integer_value(line), program, name, OVL_WRONG_DATA);
        char *printed = printed_of(folder, name, launches_of(plan, job));
        if (printed)
            return printed;
    }
    return NULL;
}

int ovl_unwritten_jobs(struct ovl_unwritten_list *list, const char *folder, const char *only, struct ovl_error *err)
{
    struct ovl_error unread;
    const struct ovl_path path = ovl_path("%s/plan.json", folder);
    json_t *plan = ovl_json_file_load(path.text, NULL, &unread), *job;
    struct ovl_told_log log = ovl_told_log_read(ovl_path("%s/", folder).text);
    size_t before = list->count, i;
    struct look o = {.folder = folder, .log = &log};
    json_array_foreach(json_object_get(plan, "jobs"), i, job) {
        o.job = json_string_value(json_object_get(job, "name"));
        if (o.job && (!only || strcmp(o.job, only) == 0))
            add_owed(list, &o, launches_of(plan, job));
    }
    char *said = said_of(plan, folder, only, &log);
    bool there = access(path.text, F_OK) == 0, whole = plan != NULL;
    if (there && log.entries > 0 && !log.odd && !ovl_told_log_is_of(&log, plan, path.text))
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
    else if (log.lines > 0 && !log.chained && o.records > 0 && list->untold_count++ == 0)
        list->untold =
            ovl_text("%s/sweep.log has lines without a SHA-256: nothing tells which attempts left the records", folder);
    int rc = log.odd ? ovl_error_set(err, OVL_WRONG_DATA, "%.300s/sweep.log:%s; give the folder as ovl sweep left it",
                                     folder, log.odd)
                     : 0;
    if (rc == 0 && said && !list->attempts)
        rc = ovl_error_set(err, OVL_WRONG_DATA, "%.300s%s", folder, said);
    free(said);
    ovl_told_log_free(&log);
    return rc;
}

static const char *told_text(struct ovl_unwritten_told *told, const char *path, const char *what)
{
    const char *slash = strrchr(path, '/');
    char job[OVL_MEMBER_JOB];
    ovl_apart_job(job, path);
    char *key = ovl_text("%s\t%ld", job, strtol(slash ? slash + 1 : path, NULL, 10));
    const char *text =
        *job ? json_string_value(json_object_get(json_object_get(told_of(told, beside(path, "").text), what), key))
             : NULL;
    free(key);
    return text;
}

const char *ovl_unwritten_began(struct ovl_unwritten_told *told, const char *path)
{
    return told_text(told, path, "began");
}

bool ovl_unwritten_again(struct ovl_unwritten_told *told, const char *path)
{
    return ovl_unwritten_launch(path) && told_text(told, path, "again");
}

const char *ovl_unwritten_sha256(struct ovl_unwritten_told *told, const char *path)
{
    return ovl_unwritten_launch(path) ? told_text(told, path, "done") : NULL;
}

/* Does the log of that sweep, each of whose lines holds a SHA-256, tell of no whole record by this name? `rest` is the
   path within its folder. */
static bool is_stranger(const json_t *folder, const char *rest)
{
    const char *slash = strchr(rest, '/'), *name = slash ? slash + 1 : "";
    long number = strtol(name, NULL, 10);
    char *key = ovl_text("%.*s\t%ld", slash ? (int)(slash - rest) : 0, rest, number),
         *named = ovl_text("%03ld.jsonl", number);
    const char *sha256 = json_string_value(json_object_get(json_object_get(folder, "done"), key));
    bool known = strcmp(name, named) == 0 && sha256 && *sha256;
    free(key);
    free(named);
    return json_is_true(json_object_get(folder, "chained")) && !known;
}

bool ovl_unwritten_stranger(struct ovl_unwritten_told *told, const char *path)
{
    bool stranger = false;
    /* Of all sweeps in whose folder it is, which may be this one. */
    for (size_t n = strlen(path) + 1; n-- > 0 && !stranger && strncmp(path + n, "../", 3) != 0;)
        if ((n == 0 ? *path != '/' : path[n - 1] == '/') &&
            access(ovl_path("%.*splan.json", (int)n, path).text, F_OK) == 0)
            stranger = is_stranger(told_of(told, ovl_path("%.*s", (int)n, path).text), path + n);
    return stranger;
}

void ovl_unwritten_add(struct ovl_record *record, const char *path, struct ovl_unwritten_told *told)
{
    const json_t *folder = told_of(told, beside(path, "").text);
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
