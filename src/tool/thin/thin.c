/* `ovl thin`: takes the samples out of old records, which are most of their bytes, and keeps what is made of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input_file.h"
#include "base/printable.h"
#include "record/record.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"
#include "tool/util/json_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct thin_options {
    int help, dry_run;
    const char *before;
};

#define AT(member) offsetof(struct thin_options, member)

static const struct ovl_option options[] = {
    {0, "before", "DATE", "records all of whose runs began before that day, such as 2026-01-31", OVL_OPTION_TEXT,
     AT(before), 0, 0, NULL, NULL},
    {0, "dry-run", NULL, "change nothing, and say what would become of each", OVL_OPTION_ON, AT(dry_run), 0, 0, NULL,
     NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* A record as it is read. */
struct whole {
    json_t *lines;
    const char *before;
    size_t cells; /* that have samples */
    bool young, cut;
};

static int take(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    struct whole *w = to;
    const char *kind = json_string_value(json_object_get(line, "record"));
    const char *started = json_string_value(json_object_get(line, "started"));
    (void)err;
    w->cut = w->cut || json_is_null(line) || number != json_array_size(w->lines) + 1; /* readers skip half lines */
    w->young = w->young || (kind && strcmp(kind, "run") == 0 && (!started || strcmp(started, w->before) >= 0));
    w->cells += json_object_get(line, "samples") != NULL;
    json_array_append(w->lines, line);
    return 0;
}

/* An older record has none, and by it a copy of a launch is known. */
static void keep_checksum(json_t *line)
{
    char sum[sizeof((struct ovl_cell *)NULL)->samples_sum];
    json_t *samples = json_object_get(line, "samples");
    if (json_object_size(samples) == 0 || json_object_get(line, "samples_crc32"))
        return;
    ovl_cell_checksum_json(samples, sum);
    json_object_set_new(line, "samples_crc32", json_string(sum));
}

/* What is left says on which day, and of which file. */
static void take_out(const struct whole *w, const char *sha256)
{
    static const char *const out[] = {"samples", "rank_samples", "block_times"};
    char day[16];
    time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    json_t *line;
    size_t i;
    json_array_foreach(w->lines, i, line) {
        const char *kind = json_string_value(json_object_get(line, "record"));
        if (kind && strcmp(kind, "run") == 0)
            json_object_set_new(line, "thinned", json_pack("{s:s, s:s}", "day", day, "sha256", sha256));
        keep_checksum(line);
        for (size_t k = 0; kind && strcmp(kind, "cell") == 0 && k < sizeof out / sizeof *out; k++)
            json_object_del(line, out[k]);
    }
}

static bool is_same(const char *path, const struct stat *was)
{
    struct stat now;
    return lstat(path, &now) == 0 && now.st_ino == was->st_ino && now.st_dev == was->st_dev &&
           now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

/* Programs append to a record without a lock: one that was written to since it was read stays as it is. */
static int replace(const char *path, const struct whole *w, const struct stat *was, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    bool whole = true;
    json_t *line;
    size_t i;
    ovl_input_file_forget(); /* this one may be replaced: all of it that stays is here */
    if (ovl_atomic_file_open(&o, path, err) != 0)
        return -1;
    json_array_foreach(w->lines, i, line) {
        whole &= json_dumpf(line, o.file, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0;
        fputc('\n', o.file);
    }
    if (!whole || !is_same(path, was)) {
        ovl_atomic_file_abandon(&o);
        return ovl_error_set(err, OVL_ENVIRONMENT, "%.200s: %s, and stays as it is", path,
                             whole ? "it was written to meanwhile" : "no room for what is left of it");
    }
    return ovl_atomic_file_close(&o, err);
}

static double bytes_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (double)file.st_size : 0;
}

/* Why a file is not to be replaced by another of its name, or NULL. */
static const char *why_kept(const char *path, const struct stat *file)
{
    return S_ISLNK(file->st_mode)                                  ? "a link"
           : file->st_nlink > 1                                    ? "it has other names, too"
           : !(file->st_mode & S_IWUSR) || access(path, W_OK) != 0 ? "it may not be written"
                                                                   : NULL;
}

/* A line on a file, whose name may hold anything. */
__attribute__((format(printf, 2, 3))) static void tell(const char *path, const char *format, ...)
{
    va_list args;
    ovl_printable_put(stdout, path);
    printf(": ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

/* Prints what became of a file. *done counts it where it was, or would be, made smaller. */
static int thin(const char *path, const struct thin_options *o, size_t *done, struct ovl_error *err)
{
    char sha256[65];
    struct whole w = {.lines = json_array(), .before = o->before};
    struct stat was;
    const char *kept = lstat(path, &was) == 0 ? why_kept(path, &was) : "it is gone";
    int rc = ovl_record_lines(path, take, &w, err);
    const char *why = kept           ? kept
                      : w.cut        ? "cut short"
                      : w.young      ? "not all of it is older"
                      : w.cells == 0 ? "it has no samples"
                                     : NULL;
    if (rc == 0 && why)
        tell(path, "left as it is: %s", why);
    else if (rc == 0)
        rc = ovl_json_file_sha256(path, sha256, err);
    if (rc == 0 && !why) {
        double before = bytes_of(path);
        take_out(&w, sha256);
        rc = o->dry_run ? 0 : replace(path, &w, &was, err);
        if (rc == 0 && o->dry_run)
            tell(path, "%zu cells would lose their samples", w.cells);
        else if (rc == 0)
            tell(path, "%.0f of %.0f bytes", bytes_of(path), before);
        *done += rc == 0;
    }
    json_decref(w.lines);
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct thin_options o = {0};
    struct ovl_inputs inputs = {.noise = true};
    size_t done = 0;
    int first, year, month, day, end = 0, rc = 0;
    if (ovl_command_parse(&ovl_command_thin, argc, argv, &o, &first, err) != 0)
        return -1;
    if (!o.before)
        return ovl_error_set(err, OVL_USAGE, "say by --before DATE which records are old enough to lose their samples");
    if (sscanf(o.before, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 || o.before[end] || end != 10 ||
        strspn(o.before, "0123456789-") != 10 || month < 1 || month > 12 || day < 1 || day > 31)
        return ovl_error_set(err, OVL_USAGE, "--before %.60s: give a day such as 2026-01-31", o.before);
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&inputs, argv[i], err);
    for (size_t i = 0; i < inputs.count && rc == 0; i++)
        rc = thin(inputs.path[i], &o, &done, err);
    if (rc == 0)
        printf("# %zu of %zu files %s\n", done, inputs.count, o.dry_run ? "would be thinned" : "thinned");
    ovl_inputs_free(&inputs);
    return rc == 0 ? OVL_OK : -1;
}

const struct ovl_tool_command ovl_command_thin = {
    .name = "thin",
    .arguments = "--before DATE DIR|FILE... [options]",
    .summary = "take the samples out of old records, and keep what is made of them",
    .options = options,
    .run = run,
};
