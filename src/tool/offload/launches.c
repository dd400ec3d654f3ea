/* Launches with and without the library, in turns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/offload/launches.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/printable.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "record/derived/writer.h"
#include "record/offload/lines.h"
#include "tool/offload/pairs.h"
#include "tool/util/process.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRACE = 10 };

struct launching {
    const struct ovl_offload_launches *o;
    char id[64];
    struct ovl_path folder, log, report;
    json_t *words, *environment, *plain; /* plain: of launches without the library */
    regex_t metric;
    bool compiled;
    struct ovl_writer writer;
    struct ovl_record record; /* of what was measured */
    struct ovl_rng rng;
};

static int compile(struct launching *l, struct ovl_error *err)
{
    char why[200];
    if (!l->o->metric)
        return 0;
    int rc = regcomp(&l->metric, l->o->metric, REG_EXTENDED | REG_NEWLINE);
    l->compiled = rc == 0;
    if (rc != 0) {
        regerror(rc, &l->metric, why, sizeof why);
        return ovl_error_set(err, OVL_USAGE, "--metric %.200s: %s", l->o->metric, why);
    }
    if (l->metric.re_nsub == 1 || l->metric.re_nsub == 2)
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "--metric %.200s: give one group, which is the value, or two, its name and the value: "
                         "'^([0-9]+) +([0-9.]+)' takes the first two columns",
                         l->o->metric);
}

/* The nodes that the command starts on must see it too, so it is not in TMPDIR. */
static int make_folder(struct launching *l, struct ovl_error *err)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot tell which folder this is: %s", strerror(errno));
    l->folder = ovl_path("%s/.ovl-offload-XXXXXX", here);
    if (!mkdtemp(l->folder.text))
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot make %s: %s; go to a folder that can be written",
                             l->folder.text, strerror(errno));
    l->log = ovl_path("%s/log", l->folder.text);
    l->report = ovl_path("%s/report.jsonl", l->folder.text);
    return 0;
}

/* LD_PRELOAD without the libraries, where a shell loads it into all programs. */
static json_t *plain_environment(void)
{
    const char *set = getenv("LD_PRELOAD"), *separators = ": ";
    json_t *plain = json_object();
    if (!set || !strstr(set, "libovl_offload.so"))
        return plain;
    char *words = ovl_text("%s", set), *rest, *kept = ovl_text("%s", "");
    for (char *word = strtok_r(words, separators, &rest); word; word = strtok_r(NULL, separators, &rest)) {
        char *before = kept;
        if (strstr(word, "libovl_offload.so") || strstr(word, "libovl_heap.so"))
            continue;
        kept = ovl_text("%s%s%s", before, *before ? ":" : "", word);
        free(before);
    }
    json_object_set_new(plain, "LD_PRELOAD", json_string_nocheck(kept));
    free(kept);
    free(words);
    return plain;
}

static int open_all(struct launching *l, struct ovl_error *err)
{
    struct ovl_error why;
    uint64_t seed = (uint64_t)ovl_clock_raw_ns() ^ (uint64_t)getpid() << 32;
    char now[32];
    if (compile(l, err) != 0 || make_folder(l, err) != 0)
        return -1;
    ovl_clock_utc(now);
    snprintf(l->id, sizeof l->id, "%s-%08x", now, (unsigned)(ovl_rng_mix(seed) >> 32));
    l->rng = ovl_rng_seeded(seed);
    l->words = json_array();
    for (char **word = l->o->command; *word; word++)
        json_array_append_new(l->words, json_string(*word));
    l->plain = plain_environment();
    l->environment = json_deep_copy(l->o->environment);
    json_object_set_new(l->environment, "OVL_OFFLOAD_REPORT", json_string_nocheck(l->report.text));
    if (ovl_writer_open(&l->writer, l->o->record, &why) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--report %s: cannot write: %s", l->o->record, strerror(errno));
    return 0;
}

static void close_all(struct launching *l)
{
    struct ovl_error none;
    if (l->compiled)
        regfree(&l->metric);
    unlink(l->log.text);
    unlink(l->report.text);
    rmdir(l->folder.text);
    json_decref(l->words);
    json_decref(l->environment);
    json_decref(l->plain);
    ovl_writer_close(&l->writer, &none);
    ovl_record_free(&l->record);
}

/* The whole group must be one: of 1.5D+03, as Fortran writes 1500, the begin would be another. */
static bool is_number(const char *line, const regmatch_t *group, double *x)
{
    char text[64], *end;
    size_t n = (size_t)(group->rm_eo - group->rm_so);
    if (n >= sizeof text)
        return false;
    memcpy(text, line + group->rm_so, n);
    text[n] = '\0';
    *x = strtod(text, &end);
    return end > text && end[strspn(end, " \t")] == '\0' && isfinite(*x);
}

/* The last value of each name counts. */
static json_t *values_in(const struct launching *l)
{
    json_t *values = json_object();
    FILE *in = l->o->metric ? fopen(l->log.text, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    while (in && getline(&line, &room, in) > 0) {
        regmatch_t m[3];
        bool named = l->metric.re_nsub == 2;
        char name[64] = "value";
        double x;
        if (regexec(&l->metric, line, 3, m, 0) != 0 || m[1].rm_so < 0 || (named && m[2].rm_so < 0) ||
            !is_number(line, &m[named ? 2 : 1], &x))
            continue;
        if (named)
            ovl_utf8_print(name, sizeof name, "%.*s", (int)(m[1].rm_eo - m[1].rm_so), line + m[1].rm_so);
        ovl_printable_bytes(name);
        json_object_set_new(values, name, json_real(x));
    }
    free(line);
    if (in)
        fclose(in);
    return values;
}

/* The last lines that a launch left, on stderr. */
static void show_log(const struct launching *l)
{
    enum { MOST = 2000 };
    char text[MOST + 1];
    FILE *in = fopen(l->log.text, "re");
    if (!in)
        return;
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    fseek(in, size > MOST ? size - MOST : 0, SEEK_SET);
    text[fread(text, 1, MOST, in)] = '\0';
    fclose(in);
    fputs(text, stderr);
}

static int keep(struct launching *l, json_t *line, struct ovl_error *err)
{
    struct ovl_error why;
    int rc = ovl_offload_keep(&l->record.offloads, line, err);
    if (rc == 0 && ovl_writer_line(&l->writer, json_incref(line), &why) != 0)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "--report %s: cannot write: %s", l->o->record, strerror(errno));
    json_decref(line);
    return rc;
}

/* Of the programs of a launch the first one that was refused, or else the first one. NULL: none told anything. */
static json_t *first_line(const char *path)
{
    FILE *in = fopen(path, "re");
    json_t *line = NULL, *next;
    while (in && !json_is_string(json_object_get(line, "refused")) &&
           (next = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL))) {
        bool taken = !line || json_is_string(json_object_get(next, "refused"));
        json_decref(taken ? line : next);
        line = taken ? next : line;
    }
    if (in)
        fclose(in);
    return line;
}

/* What the library told of a launch; it must have been on, or nothing is compared: then NULL. */
static json_t *read_report(const struct launching *l, size_t pair, struct ovl_error *err)
{
    json_t *line = first_line(l->report.text);
    unlink(l->report.text);
    const char *refused = json_string_value(json_object_get(line, "refused"));
    if (refused)
        ovl_error_set(err, OVL_ENVIRONMENT, "launch %zu: %s", pair, refused);
    else if (!line) {
        show_log(l);
        ovl_error_set(err, OVL_ENVIRONMENT, "the library told nothing of launch %zu, and so nothing was offloaded: %s",
                      pair,
                      getenv("OVL_OFFLOAD") && strcmp(getenv("OVL_OFFLOAD"), "off") == 0
                          ? "OVL_OFFLOAD=off is set"
                          : "no process of the command called MPI_Init with the library before it, or its nodes do not "
                            "share this folder");
    }
    if (refused || !line) {
        json_decref(line);
        return NULL;
    }
    json_object_set_new(line, "comparison", json_string(l->id));
    json_object_set_new(line, "pair", json_integer((json_int_t)pair));
    return line;
}

/* 1: a signal came. */
static int launch(struct launching *l, size_t pair, bool with, struct ovl_error *err)
{
    struct ovl_process p;
    const char *side = with ? "with" : "without";
    const struct ovl_process_request request = {.words = l->words,
                                                .environment = with ? l->environment : l->plain,
                                                .log = l->log.text,
                                                .limit = l->o->limit,
                                                .grace = GRACE};
    char now[32];
    if (ovl_process_signal_waits()) /* that came between two launches */
        return 1;
    if (ovl_process_run(&request, &p, err) != 0)
        return -1;
    if (p.how == OVL_PROCESS_INTERRUPTED)
        return 1;
    if (p.how == OVL_PROCESS_TIME_OUT || p.code != 0) {
        show_log(l);
        if (p.how == OVL_PROCESS_TIME_OUT)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "launch %zu %s the library did not end within %g s: give a larger --time-limit", pair,
                                 side, l->o->limit);
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "launch %zu %s the library ended with code %d, its last lines are above", pair, side,
                             p.code);
    }
    json_t *report = with ? read_report(l, pair, err) : NULL; /* first, so that no launch is kept that had none */
    if (with && !report)
        return -1;
    ovl_clock_utc(now);
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:O, s:f, s:s?, s:b, s:o}", "record", "launch", "ovl_version",
                  OVL_VERSION, "ended", now, "comparison", l->id, "pair", (json_int_t)pair, "pairs",
                  (json_int_t)l->o->pairs, "side", side, "command", l->words, "wall_seconds", p.seconds, "metric",
                  l->o->metric, "more_is_better", l->o->more_is_better, "values", values_in(l));
    printf("%zu/%zu %-7s %.3f s\n", pair, l->o->pairs, side, p.seconds);
    bool seen = fflush(stdout) == 0 && !ferror(stdout);
    int rc = keep(l, line, err);
    if (rc == 0 && report)
        rc = keep(l, report, err);
    else
        json_decref(report);
    if (rc == 0 && !seen && !l->o->record && !l->o->chart)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "standard output cannot be written, and nothing else would keep the comparison: give "
                             "--report or --chart");
    return rc;
}

static int conclude(const struct launching *l, struct ovl_error *err)
{
    struct ovl_offload_pairs p;
    ovl_offload_pairs_make(&p, &l->record, l->id);
    printf("\n");
    ovl_offload_pairs_print(stdout, &p);
    int rc = l->o->metric && p.count < 2
                 ? ovl_error_set(err, OVL_WRONG_DATA,
                                 "--metric %.200s: no line that the program printed has a number there", l->o->metric)
                 : 0;
    if (rc == 0 && l->o->chart)
        rc = ovl_offload_pairs_chart(&p, l->o->chart, err);
    ovl_offload_pairs_free(&p);
    return rc;
}

int ovl_offload_launches(const struct ovl_offload_launches *o, struct ovl_error *err)
{
    struct launching l = {.o = o, .writer = {.fd = -1}};
    bool first = false;
    int rc = open_all(&l, err);
    if (rc == 0 && (rc = ovl_process_hold(err)) == 0) {
        for (size_t i = 0; i < 2 * o->pairs && rc == 0; i++) {
            first = i % 2 == 0 ? ovl_rng_below(&l.rng, 2) == 1 : first;
            rc = launch(&l, i / 2 + 1, (i % 2 == 0) == first, err);
        }
    }
    if (rc == 0)
        rc = conclude(&l, err);
    close_all(&l);
    ovl_process_release(); /* a signal that came ends the program here */
    return rc;
}
