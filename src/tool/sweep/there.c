/* What a sweep finds in its folder. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/there.h"
#include "tool/sweep/outcome.h"
#include "tool/util/json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ovl_attempts *ovl_sweep_attempts(const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    return &s->log.launch[l->place];
}

size_t ovl_sweep_next_attempt(const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    size_t n = ovl_sweep_attempts(s, l)->count;
    do
        n++;
    while (access(ovl_sweep_path(s, l, n, "", "log").text, F_OK) == 0 ||
           access(ovl_sweep_path(s, l, n, "", "partial").text, F_OK) == 0);
    return n;
}

/* A sweep that was killed had logged this record as whole, and could not give it its name any more. */
static bool is_unnamed(const struct ovl_sweeping *s, const struct ovl_launch *l, const struct ovl_path *hidden)
{
    char sha256[65];
    const struct ovl_attempts *a = ovl_sweep_attempts(s, l);
    struct ovl_error err;
    return a->whole > 0 && a->whole == a->count && *a->record_sha256 &&
           ovl_json_file_sha256(hidden->text, sha256, &err) == 0 && strcmp(sha256, a->record_sha256) == 0;
}

static void adopt(const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    const struct ovl_path hidden = ovl_sweep_path(s, l, ovl_sweep_attempts(s, l)->whole, ".", "jsonl"),
                          path = ovl_sweep_record_path(s, l);
    if (!is_unnamed(s, l, &hidden) || rename(hidden.text, path.text) != 0)
        return;
    printf("# %s: its sweep was killed before it had this name; it is the file that sweep.log has\n", path.text);
}

/* Where all lines of the log hold a SHA-256: did an attempt leave this file? */
static bool is_logged(const struct ovl_sweeping *s, const struct ovl_launch *l, const char *path,
                      char why[OVL_ERROR_TEXT])
{
    const struct ovl_attempts *a = ovl_sweep_attempts(s, l);
    struct ovl_error err;
    char sha256[65];
    if (!s->log.chained || s->log.unchained > 0 ||
        (*a->record_sha256 && ovl_json_file_sha256(path, sha256, &err) == 0 && strcmp(sha256, a->record_sha256) == 0))
        return true;
    snprintf(why, OVL_ERROR_TEXT, "sweep.log tells of no attempt that left this file, by its SHA-256");
    return false;
}

/* Did `ovl thin` make it from the record that the log has? It is there, though nothing can be computed from it. */
static bool is_thinned(const struct ovl_sweeping *s, const struct ovl_launch *l, const char *path)
{
    const char *left = ovl_sweep_attempts(s, l)->record_sha256;
    struct ovl_record brief = {.runs = NULL};
    struct ovl_error err;
    bool thinned = ovl_record_read_brief(&brief, path, &err) == 0 && brief.run_count > 0;
    for (size_t r = 0; r < brief.run_count; r++) {
        const char *from = json_string_value(json_object_get(json_object_get(brief.runs[r].head, "thinned"), "sha256"));
        thinned = thinned && from && (!*left || strcmp(from, left) == 0);
    }
    ovl_record_free(&brief);
    return thinned;
}

static bool is_whole(const struct ovl_sweeping *s, const struct ovl_launch *l, const char *path,
                     char why[OVL_ERROR_TEXT])
{
    struct stat file;
    bool doubtful;
    snprintf(why, OVL_ERROR_TEXT, "it is no file");
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) /* a pipe would keep who reads it waiting */
        return false;
    if (is_thinned(s, l, path))
        return true;
    bool whole = ovl_sweep_outcome_whole(path, l, &doubtful, why) && is_logged(s, l, path, why);
    ovl_sweep_attempts(s, l)->doubtful |= doubtful;
    return whole;
}

bool ovl_sweep_there_ask(const struct ovl_sweeping *s, const struct ovl_launch *l, char why[OVL_ERROR_TEXT])
{
    const struct ovl_path path = ovl_sweep_record_path(s, l),
                          hidden = ovl_sweep_path(s, l, ovl_sweep_attempts(s, l)->whole, ".", "jsonl");
    if (access(path.text, F_OK) != 0)
        return (ovl_sweep_attempts(s, l)->unnamed = is_unnamed(s, l, &hidden));
    bool whole = is_whole(s, l, path.text, why);
    ovl_sweep_attempts(s, l)->no_record = !whole;
    return whole;
}

static bool has_records(const struct ovl_sweeping *s)
{
    for (size_t i = 0; i < s->plan.count; i++)
        if (access(ovl_sweep_record_path(s, &s->plan.launch[i]).text, F_OK) == 0)
            return true;
    return false;
}

bool ovl_sweep_there_untold(const struct ovl_sweeping *s)
{
    struct stat log;
    bool told = stat(s->log_path.text, &log) == 0 && (!S_ISREG(log.st_mode) || log.st_size > 0);
    bool of_none = s->log.launch && s->log.lines > 0 && !s->log.chained && s->log.unchained == 0;
    return (!told || of_none) && has_records(s);
}

int ovl_sweep_there_still(const struct ovl_sweeping *s, struct ovl_error *err)
{
    struct stat named, written;
    struct ovl_path first = s->log_path;
    bool logged = stat(s->log_path.text, &named) == 0 && fstat(s->log.fd, &written) == 0 &&
                  named.st_dev == written.st_dev && named.st_ino == written.st_ino;
    size_t gone = 0;
    for (size_t i = 0; i < s->plan.count && logged; i++) {
        const struct ovl_path path = ovl_sweep_record_path(s, &s->plan.launch[i]);
        const struct ovl_attempts *a = ovl_sweep_attempts(s, &s->plan.launch[i]);
        const char *left = *a->named ? a->named : a->record_sha256;
        char sha256[65];
        if ((*a->named || access(path.text, F_OK) == 0) &&
            (ovl_json_file_sha256(path.text, sha256, err) != 0 || strcmp(sha256, left) != 0) &&
            !is_thinned(s, &s->plan.launch[i], path.text) && gone++ == 0)
            first = path;
    }
    if (logged && gone == 0)
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s: somebody else left, removed or changed it while the sweep ran%s",
                         first.text,
                         !logged    ? ": nothing tells how its records came about; give another -o"
                         : gone > 1 ? ", and others; --resume runs these launches again"
                                    : "; --resume runs this launch again");
}

/* A file that has a record's name and is not the record of this launch is as good as none, and is kept as what a failed
   attempt leaves. */
static int look_at_there(struct ovl_sweeping *s, const struct ovl_launch *l, struct ovl_error *err)
{
    char why[OVL_ERROR_TEXT];
    const struct ovl_path path = ovl_sweep_record_path(s, l);
    if (access(path.text, F_OK) != 0 || is_whole(s, l, path.text, why))
        return 0;
    size_t of = ovl_sweep_attempts(s, l)->whole; /* the attempt that left it */
    struct ovl_path partial = ovl_sweep_path(s, l, of, "", "partial");
    if (of == 0 || access(partial.text, F_OK) == 0)
        partial = ovl_sweep_path(s, l, ovl_sweep_next_attempt(s, l), "", "partial");
    if (rename(path.text, partial.text) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: no record of its launch (%s), and cannot be renamed: %s",
                             path.text, why, strerror(errno));
    printf("# %s: no record of its launch (%s); it is now %s\n", path.text, why, partial.text);
    return 0;
}

int ovl_sweep_there_look(struct ovl_sweeping *s, struct ovl_error *err)
{
    if (s->log.unchained > 0 && has_records(s))
        return ovl_error_set(err, OVL_USAGE,
                             "%s has records of its launches, and lines of its sweep.log hold no SHA-256 of the line "
                             "before: nothing tells whether all are there; put it back, or give another -o",
                             s->options->output);
    for (size_t i = 0; i < s->plan.count; i++) {
        if (look_at_there(s, &s->plan.launch[i], err) != 0)
            return -1;
        if (!ovl_sweep_is_there(s, &s->plan.launch[i]))
            adopt(s, &s->plan.launch[i]);
    }
    return 0;
}
