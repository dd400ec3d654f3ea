/* The log of a sweep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/log.h"
#include "base/clock.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "base/path.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "tool/cells/log/told_log.h"
#include "tool/cells/log/wrong_data.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/launcher/started_by.h"
#include "tool/util/json_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ATTEMPTS = 1000000 };

static int write_all(int fd, const char *text, size_t n)
{
    if (ovl_output_file_write(fd, text, n) != 0)
        return -1;
    return fdatasync(fd) == 0 || errno == EINVAL ? 0 : -1; /* EINVAL: a device has nothing to wait for */
}

/* Takes the reference to `line`. */
static int add(struct ovl_sweep_log *log, const char *before, json_t *line, struct ovl_error *err)
{
    json_object_set_new(line, "previous", json_string(log->last));
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(6)); /* NULL: a text in it is no UTF-8 */
    char *whole = ovl_text("%s%s\n", before, text ? text : "");
    int rc = 0;
    json_decref(line);
    if (!text || write_all(log->fd, whole, strlen(whole)) != 0)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s; the sweep ends here, --resume goes on with it",
                           log->path, text ? strerror(errno) : "a text is no UTF-8");
    else
        ovl_sha256_bytes(text, strlen(text), log->last);
    free(text);
    free(whole);
    return rc;
}

int ovl_sweep_log_resumed(struct ovl_sweep_log *log, struct ovl_error *err)
{
    char now[32];
    ovl_clock_utc(now);
    return add(log, "\n", json_pack("{s:s, s:I}", "resumed", now, "cut_line", (json_int_t)log->lines), err);
}

int ovl_sweep_log_opened(struct ovl_sweep_log *log, bool resume, const char *jobs, json_t *set, struct ovl_error *err)
{
    char now[32], host[256] = "";
    ovl_clock_utc(now);
    gethostname(host, sizeof host - 1);
    ovl_printable_bytes(host);
    return add(log, "",
               json_pack("{s:s, s:b, s:s, s:I, s:s*, s:O*}", "opened", now, "resume", (int)resume, "host", host, "pid",
                         (json_int_t)getpid(), "jobs", jobs, "set", set),
               err);
}

int ovl_sweep_log_started(struct ovl_sweep_log *log, const struct ovl_launch *l, size_t attempt, json_t *launcher,
                          struct ovl_error *err)
{
    char now[32];
    json_t *told = launcher ? json_array() : NULL;
    ovl_clock_utc(now);
    for (size_t i = 0; i < json_array_size(launcher); i++) /* a word need not be UTF-8 */
        json_array_append_new(told, ovl_printable_json(json_string_value(json_array_get(launcher, i))));
    return add(log, "",
               json_pack("{s:s, s:s, s:I, s:I, s:o*}", "started", now, "job", ovl_launch_job(l), "launch",
                         (json_int_t)l->number, "attempt", (json_int_t)attempt, "launcher", told),
               err);
}

int ovl_sweep_log_budgeted(struct ovl_sweep_log *log, double seconds, size_t left_out, struct ovl_error *err)
{
    char now[32];
    ovl_clock_utc(now);
    log->budgeted = true;
    return add(
        log, "",
        json_pack("{s:s, s:f, s:I}", "budgeted", now, "budget_seconds", seconds, "left_out", (json_int_t)left_out),
        err);
}

int ovl_sweep_log_ended(struct ovl_sweep_log *log, const struct ovl_launch *l, size_t attempt,
                        const struct ovl_attempt_end *end, struct ovl_error *err)
{
    char now[32], text[OVL_ERROR_TEXT];
    ovl_clock_utc(now);
    snprintf(text, sizeof text, "%s", end->why);
    ovl_printable_bytes(text);
    return add(log, "",
               json_pack("{s:s, s:s, s:I, s:I, s:s, s:s, s:i, s:f, s:s*, s:b}", "ended", now, "job", ovl_launch_job(l),
                         "launch", (json_int_t)l->number, "attempt", (json_int_t)attempt, "status",
                         end->record_sha256 ? "done" : "failed", "why", text, "exit", end->process->code, "seconds",
                         end->process->seconds, "record_sha256", end->record_sha256, "wrong_data", end->wrong_data),
               err);
}

static void put_text(char *text, size_t room, const json_t *line, const char *name)
{
    const char *said = json_string_value(json_object_get(line, name));
    snprintf(text, room, "%s", said ? said : "");
}

static void count_start(struct ovl_attempts *a, const json_t *line)
{
    json_int_t attempt = json_integer_value(json_object_get(line, "attempt"));
    a->unended += a->open;
    a->count++;
    if (attempt > 0 && (uint64_t)attempt > a->count) { /* numbers that the log lost */
        a->unended += (size_t)attempt - a->count;
        a->count = (size_t)attempt;
    }
    a->open = true;
    put_text(a->began, sizeof a->began, line, "started");
}

/* `hooks`: seconds that the times may hold and `seconds` not. Where these contradict each other the longest counts. */
static void count_end(struct ovl_attempts *a, const json_t *line, bool done, double hooks)
{
    if (!a->open)
        count_start(a, line);
    a->open = false;
    a->failed += !done;
    bool wrong = json_is_true(json_object_get(line, "wrong_data"));
    a->wrong += wrong;
    a->said += !wrong && json_integer_value(json_object_get(line, "exit")) == OVL_WRONG_DATA;
    if (!done)
        return;
    memcpy(a->started, a->began, sizeof a->started);
    put_text(a->ended, sizeof a->ended, line, "ended");
    put_text(a->record_sha256, sizeof a->record_sha256, line, "record_sha256");
    a->whole = a->count;
    a->odd = a->latest_odd;
    a->doubtful = json_integer_value(json_object_get(line, "exit")) == OVL_INCONCLUSIVE;
    double span = ovl_clock_utc_seconds(a->ended) - ovl_clock_utc_seconds(a->started);
    a->timed = json_is_number(json_object_get(line, "seconds"));
    a->seconds = fmax(fmax(0, json_number_value(json_object_get(line, "seconds"))), fabs(span) - 1 - hooks);
}

static void count_text(json_t *counts, const char *text)
{
    json_object_set_new(counts, text, json_integer(json_integer_value(json_object_get(counts, text)) + 1));
}

/* The launcher's words as one text. */
static void count_launcher(json_t *counts, const json_t *words)
{
    char text[512] = "";
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? " " : "", word ? word : "?");
    }
    ovl_printable_bytes(text); /* of the last character there may be a half */
    if (*text)
        count_text(counts, text);
}

/* What a line tells of the sweep itself. *last is when the attempt before ended, or started; NaN: not known. */
static void note_work(struct ovl_sweep_work *w, const json_t *line, double *last)
{
    const char *started = json_string_value(json_object_get(line, "started"));
    const char *ended = json_string_value(json_object_get(line, "ended"));
    const char *host = json_string_value(json_object_get(line, "host"));
    const char *job = json_string_value(json_object_get(line, "job"));
    if (json_object_get(line, "opened")) {
        w->starts++;
        count_text(w->hosts, host ? host : "?");
    }
    if (!started && !ended)
        return;
    double now = ovl_clock_utc_seconds(started ? started : ended);
    double pause = started ? fabs(now - *last) : *last - now; /* a clock that was set back hides one as long */
    if (pause > w->pause) {
        w->pause = pause;
        snprintf(w->before, sizeof w->before, "%.100s, launch %lld", job ? job : "?",
                 (long long)json_integer_value(json_object_get(line, "launch")));
    }
    count_launcher(w->launchers, json_object_get(line, "launcher"));
    *last = now;
}

/* What is wanted of the end of an attempt, in a log of version 0.2.0 on; `later`: of one since, which has its starts.
 */
static const char *wanted_of_end(const struct ovl_attempts *a, const json_t *line, bool done, bool later)
{
    const json_t *seconds = json_object_get(line, "seconds"), *exit = json_object_get(line, "exit");
    json_int_t code = json_integer_value(exit);
    if (!a->open || (size_t)json_integer_value(json_object_get(line, "attempt")) != a->count)
        return "the start of the attempt that ended is wanted before it";
    if (!json_is_number(seconds) || !(json_number_value(seconds) >= 0) ||
        (later && !json_is_boolean(json_object_get(line, "wrong_data"))) || !json_is_integer(exit))
        return "exit, seconds from 0 and wrong_data are wanted here";
    if (done && ((code != OVL_OK && code != OVL_INCONCLUSIVE) || !json_object_get(line, "record_sha256")))
        return "done is wanted of exit codes 0 and 2 alone, and with record_sha256";
    return NULL;
}

/* Does the line, of a version that chains them, tell when it was written? */
static bool is_timed(const json_t *line)
{
    static const char *const when[] = {"started", "ended", "opened", "resumed"};
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        const json_t *told = json_object_get(line, when[i]);
        if (told && json_object_get(line, "previous") &&
            (!json_is_string(told) || isnan(ovl_clock_utc_seconds(json_string_value(told)))))
            return false;
    }
    return true;
}

/* One line that is JSON: NULL, or what is wanted in it. */
static const char *take(struct ovl_sweep_log *log, const struct ovl_plan *plan, const json_t *line)
{
    const json_t *attempt = json_object_get(line, "attempt");
    const char *job = json_string_value(json_object_get(line, "job"));
    const char *status = json_string_value(json_object_get(line, "status"));
    json_int_t number = json_integer_value(json_object_get(line, "launch"));
    bool start = json_object_get(line, "started"), end = json_object_get(line, "ended");
    log->budgeted = log->budgeted || json_object_get(line, "budgeted");
    log->resumed += json_object_get(line, "resumed") != NULL;
    if (!is_timed(line))
        return "a time in UTC such as 2026-01-31T23:59:59Z is wanted in what it tells";
    if (log->work.starts > 0 && log->resumed > log->work.starts + 1) /* the line of one start may be cut */
        return "resumed is wanted once a start of the sweep";
    if (!start && !end &&
        (json_object_get(line, "resumed") || json_object_get(line, "budgeted") || json_object_get(line, "opened")))
        return NULL;
    if (start == end || !job || number < 1)
        return "started or ended, job and launch are wanted here";
    if (attempt && (json_integer_value(attempt) < 1 || json_integer_value(attempt) > MOST_ATTEMPTS))
        return "attempt: a number from 1 to 1000000 is wanted here";
    if (end && (!status || (strcmp(status, "done") != 0 && strcmp(status, "failed") != 0)))
        return "status: done or failed is wanted here";
    size_t place = ovl_plan_place(plan, job, (size_t)number);
    if (place == plan->count)
        return "plan.json beside it has no such launch";
    if (start) {
        count_start(&log->launch[place], line);
        const json_t *launcher = json_object_get(line, "launcher");
        if (!launcher && log->work.starts > 0 && json_object_get(line, "previous"))
            return "launcher is wanted here";
        log->launch[place].latest_odd = !ovl_started_by_plan(plan, job, launcher);
        return NULL;
    }
    const char *wanted =
        json_object_get(line, "previous")
            ? wanted_of_end(&log->launch[place], line, strcmp(status, "done") == 0, log->work.starts > 0)
            : NULL;
    if (wanted)
        return wanted;
    count_end(&log->launch[place], line, strcmp(status, "done") == 0,
              ovl_plan_hooks_seconds(plan, ovl_plan_job(plan, job)));
    if (strcmp(status, "done") == 0)
        log->launch[place].line = log->lines;
    return NULL;
}

static int damaged(const char *path, size_t line, const char *wanted, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "%s:%zu: %s; give the log as ovl sweep left it", path, line, wanted);
}

/* Does the line hold the SHA-256 of what stands before it? NULL, or what is wanted. */
static const char *follow(struct ovl_sweep_log *log, const json_t *line)
{
    const json_t *previous = json_object_get(line, "previous");
    if (!previous && log->chained)
        return "it does not say which line it follows, as those before do";
    log->unchained += !previous;
    log->chained = previous;
    if (!previous || (json_is_string(previous) && strcmp(json_string_value(previous), log->last) == 0))
        return NULL;
    return log->lines == 1 ? "it does not follow from the plan.json beside it: one of the two was edited"
                           : "it does not follow from the line before: one of the two was edited";
}

/* A line that holds nothing of those before stands for nothing, if it was sent. */
static void note_digest(struct ovl_sweep_log *log, const json_t *line)
{
    bool end = json_object_get(line, "ended");
    log->work.ended += end;
    if (json_object_get(line, "previous"))
        json_object_set_new(log->work.digests, log->last,
                            json_integer(end || json_object_get(line, "started") ? (json_int_t)log->work.ended : -1));
}

static int read_lines(struct ovl_sweep_log *log, const struct ovl_plan *plan, const char *path, FILE *in,
                      struct ovl_error *err)
{
    char *text = NULL;
    size_t n, room = 0, cut = 0; /* the line before, when it is no JSON */
    double last = NAN;
    int rc = 0;
    while (rc == 0 && (n = ovl_input_line(&text, &room, OVL_LOG_LINE, in)) > 0) {
        log->lines++;
        log->cut = text[n - 1] != '\n';
        json_t *line = n < OVL_LOG_LINE && strlen(text) == n ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
        const char *wanted = line ? follow(log, line) : NULL;
        if (line && !wanted)
            wanted = take(log, plan, line);
        if (cut > 0 && !json_object_get(line, "resumed"))
            rc = damaged(path, cut, "no JSON", err);
        else if (wanted)
            rc = damaged(path, log->lines, wanted, err);
        else
            note_work(&log->work, line, &last);
        cut = line ? 0 : log->lines;
        ovl_sha256_bytes(text, n - !log->cut, log->last);
        note_digest(log, line);
        json_decref(line);
    }
    if (rc == 0 && ferror(in))
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    if (rc == 0 && cut > 0 && !log->cut)
        rc = damaged(path, cut, "no JSON", err);
    free(text);
    return rc;
}

/* An attempt that was under way when the sweep was killed may have found wrong data, and so may one whose lines were
   cut from the log. */
static void look_at_unended(struct ovl_sweep_log *log, const struct ovl_plan *plan)
{
    const char *slash = strrchr(log->path, '/');
    const struct ovl_path folder = ovl_path("%.*s", slash ? (int)(slash - log->path) : 1, slash ? log->path : ".");
    for (size_t i = 0; i < plan->count; i++) {
        const struct ovl_launch *l = &plan->launch[i];
        struct ovl_attempts *a = &log->launch[l->place];
        size_t seen =
            ovl_wrong_data_attempts(folder.text, ovl_launch_job(l), l->number, a->count, ovl_job_is_ours(l->job));
        a->wrong = seen > a->wrong ? seen : a->wrong;
    }
}

int ovl_sweep_log_read(struct ovl_sweep_log *log, const struct ovl_plan *plan, const char *path, struct ovl_error *err)
{
    FILE *in;
    *log =
        (struct ovl_sweep_log){.path = path,
                               .launch = ovl_alloc(plan->count, sizeof *log->launch),
                               .work = {.hosts = json_object(), .launchers = json_object(), .digests = json_object()}};
    ovl_json_sha256(plan->json, log->last);
    if (!(in = ovl_input_file_open(path)) && errno != ENOENT)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, ovl_input_file_why(errno));
    if (!in) {
        look_at_unended(log, plan);
        return 0;
    }
    int rc = read_lines(log, plan, path, in, err);
    for (size_t i = 0; i < plan->count; i++)
        log->launch[i].unended += log->launch[i].open;
    look_at_unended(log, plan);
    fclose(in);
    return rc;
}

void ovl_sweep_log_free(struct ovl_sweep_log *log)
{
    if (log->fd > 0)
        close(log->fd);
    free(log->launch);
    json_decref(log->work.hosts);
    json_decref(log->work.launchers);
    json_decref(log->work.digests);
    *log = (struct ovl_sweep_log){.launch = NULL};
}
