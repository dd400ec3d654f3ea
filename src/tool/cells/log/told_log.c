/* What the sweep.log of a folder tells: each line follows from the one before, by its SHA-256. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/log/told_log.h"
#include "base/clock.h"
#include "base/input_file.h"
#include "base/path.h"
#include "base/sha256.h"
#include "tool/cells/log/wrong_data.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When what a line tells took place; NULL: it does not say. */
static const char *time_of(const json_t *entry)
{
    static const char *const fields[] = {"ended", "started", "budgeted", "resumed", "opened"};
    const char *at = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !at; i++)
        at = json_string_value(json_object_get(entry, fields[i]));
    return at;
}

/* Has what a failed attempt left wrong data still? */
static bool has_wrong_data(const char *prefix, const json_t *entry)
{
    const char *job = json_string_value(json_object_get(entry, "job"));
    long long launch = json_integer_value(json_object_get(entry, "launch")),
              attempt = json_integer_value(json_object_get(entry, "attempt"));
    struct ovl_path left = ovl_path("%s%s/%03lld.partial", prefix, job, launch);
    if (attempt > 1)
        left = ovl_path("%s%s/%03lld-%lld.partial", prefix, job, launch, attempt);
    return ovl_wrong_data_in(left.text);
}

/* Does an entry hold the SHA-256 of the line before, once one does? What the first one follows ovl_told_log_is_of()
   asks. `sha256` becomes its own. */
static bool follows(const json_t *entry, const char *line, size_t number, bool *hashed, char sha256[65])
{
    const char *previous = json_string_value(json_object_get(entry, "previous"));
    bool well = !entry || (previous ? number == 1 || strcmp(previous, sha256) == 0 : !*hashed);
    *hashed = *hashed || previous;
    ovl_sha256_bytes(line, strcspn(line, "\n"), sha256);
    return well;
}

/* An attempt that fails sooner, such as of a launcher that finds no node, has seen nothing that one could choose by. */
enum { SOONER = 10 };

static void fail(struct ovl_told_log *l, const char *key, double seconds)
{
    if (seconds >= json_number_value(json_object_get(l->failed, key)))
        json_object_set_new(l->failed, key, json_real(seconds));
}

static void take(struct ovl_told_log *l, const char *prefix, const json_t *entry)
{
    const char *of = json_string_value(json_object_get(entry, "job")), *at = time_of(entry),
               *start = json_string_value(json_object_get(entry, "started")),
               *status = json_string_value(json_object_get(entry, "status")),
               *previous = json_string_value(json_object_get(entry, "previous"));
    l->chained = previous && (l->chained || l->entries == 0);
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
    double now = at ? ovl_clock_utc_seconds(at) : NAN;
    if (start) {
        /* Of an attempt without an end its sweep was killed, at the latest now. */
        const json_t *open = json_object_get(l->open, key);
        if (open)
            fail(l, key, now - json_real_value(open));
        json_object_set_new(l->open, key, json_real(now));
        json_object_set_new(l->began, key, json_string(start));
    } else
        json_object_del(l->open, key);
    const char *sha256 = json_string_value(json_object_get(entry, "record_sha256"));
    double seconds = json_number_value(json_object_get(entry, "seconds"));
    const json_t *failed = json_object_get(l->failed, key);
    if (status && strcmp(status, "done") == 0) {
        if (json_object_get(l->done, key)) /* its record was removed, or changed, after it had been seen */
            json_object_set_new(l->again, key, json_string("again"));
        json_object_set_new(l->done, key, json_string(sha256 ? sha256 : ""));
        if (failed && SOONER * json_number_value(failed) >= seconds)
            json_object_set_new(l->again, key, json_string("again"));
    } else if (status)
        fail(l, key, seconds);
    if (status && !json_is_true(json_object_get(entry, "wrong_data")) &&
        json_integer_value(json_object_get(entry, "exit")) == OVL_WRONG_DATA)
        json_object_set_new(l->said, of, json_integer((json_int_t)l->lines));
    if (json_is_true(json_object_get(entry, "wrong_data")) && !l->odd && !has_wrong_data(prefix, entry))
        l->odd = ovl_text("%zu: what an attempt with wrong data left is gone, or shows none", l->lines);
    free(key);
}

struct ovl_told_log ovl_told_log_read(const char *prefix)
{
    struct ovl_told_log l = {.began = json_object(),
                             .done = json_object(),
                             .failed = json_object(),
                             .again = json_object(),
                             .said = json_object(),
                             .open = json_object(),
                             .last = json_string("")};
    FILE *log = ovl_input_file_open(ovl_path("%ssweep.log", prefix).text);
    char *line = NULL, sha256[65] = "";
    size_t room = 0;
    bool hashed = false;
    for (size_t n = 0; log && n < OVL_LOG_LINE && (n = ovl_input_line(&line, &room, OVL_LOG_LINE, log)) > 0;) {
        json_t *entry = json_loads(line, 0, NULL);
        if (!follows(entry, line, ++l.lines, &hashed, sha256) && !l.odd)
            l.odd = ovl_text("%zu: it does not follow from the line before: one of the two was edited", l.lines);
        if (json_is_object(entry))
            take(&l, prefix, entry);
        if (n >= OVL_LOG_LINE && !l.odd)
            l.odd = ovl_text("%zu: longer than any line of a log", l.lines);
        json_decref(entry);
    }
    free(line);
    if (log)
        fclose(log);
    return l;
}

bool ovl_told_log_wants(const struct ovl_told_log *l, const char *job)
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

bool ovl_told_log_is_of(const struct ovl_told_log *l, const json_t *plan, const char *path)
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

void ovl_told_log_free(struct ovl_told_log *l)
{
    for (size_t i = 0; i < l->job_count; i++)
        free(l->jobs[i]);
    free(l->jobs);
    json_decref(l->began);
    json_decref(l->done);
    json_decref(l->failed);
    json_decref(l->again);
    json_decref(l->said);
    json_decref(l->open);
    json_decref(l->last);
    free(l->odd);
}
