/* Finding and reading the files that a command line names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/inputs/inputs.h"
#include "base/path.h"
#include "tool/cells/log/wrong_data.h"
#include "tool/util/entry.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_to(char ***paths, size_t *count, const char *path)
{
    *paths = ovl_grow_one(*paths, *count, sizeof **paths);
    (*paths)[(*count)++] = ovl_text("%s", path);
}

static void add(struct ovl_inputs *s, const char *path)
{
    add_to(&s->path, &s->count, path);
}

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

static bool is_record(const char *name)
{
    return ends_in(name, ".jsonl");
}

bool ovl_inputs_partial(const char *path)
{
    return ends_in(path, ".partial") || ovl_wrong_data_hidden(path);
}

bool ovl_inputs_partial_wrong(const char *path)
{
    return ovl_inputs_partial(path) && ovl_wrong_data_in(path);
}

/* One that is looked at, in another that is. */
struct folder {
    const struct folder *above;
    const char *path;
    struct stat file;
};

/* Does a link lead from there back to it? */
static bool is_in(const struct stat *file, const struct folder *f)
{
    while (f && (f->file.st_dev != file->st_dev || f->file.st_ino != file->st_ino))
        f = f->above;
    return f != NULL;
}

static int add_folder(struct ovl_inputs *s, const struct folder *in, struct ovl_error *err);

static int check(const struct ovl_inputs *s, const char *path, const struct stat *file, struct ovl_error *err)
{
    const char *fault = ovl_entry_fault(path, file, s->within);
    return fault ? ovl_error_set(err, OVL_ENVIRONMENT, "%s: %s", path, fault) : 0;
}

/* What has that name in a folder. One that leads nowhere and has no record's name is nobody's. */
static int add_entry(struct ovl_inputs *s, const struct folder *in, const char *name, const char *path,
                     struct ovl_error *err)
{
    struct folder f = {.above = in, .path = path};
    if (stat(path, &f.file) != 0)
        return is_record(name) || (errno != ENOENT && errno != ELOOP)
                   ? ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno))
                   : 0;
    if (!(s->failed && ovl_unwritten_record(path)) && check(s, path, &f.file, err) != 0)
        return -1;
    if (S_ISDIR(f.file.st_mode))
        return is_in(&f.file, in) ? 0 : add_folder(s, &f, err);
    if (S_ISREG(f.file.st_mode) && (is_record(name) || (s->failed && ovl_inputs_partial(name))))
        add(s, path);
    else if (S_ISREG(f.file.st_mode) && s->failed && ovl_unwritten_log(path))
        add_to(&s->owed.path, &s->owed.count, path);
    return 0;
}

/* Of a launch that is under way, or was when its sweep was killed, only wrong data count. */
static void add_hidden(struct ovl_inputs *s, const char *path)
{
    struct stat file;
    if (ovl_wrong_data_hidden(path) && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
        !(s->within && ovl_entry_fault(path, &file, true)) && ovl_wrong_data_in(path))
        add(s, path);
}

static int add_folder(struct ovl_inputs *s, const struct folder *in, struct ovl_error *err)
{
    struct dirent **entries;
    int n = scandir(in->path, &entries, NULL, alphasort), rc = 0;
    if (n < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", in->path, strerror(errno));
    if (s->failed)
        rc = ovl_unwritten_jobs(&s->owed, in->path, NULL, err);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        char *path = ovl_text("%s/%s", in->path, name);
        if (rc == 0 && name[0] != '.')
            rc = add_entry(s, in, name, path, err);
        else if (rc == 0 && s->failed)
            add_hidden(s, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

/* The path as FOLDER/JOB or FOLDER/JOB/NAME where plan.json is in FOLDER, however it was called: "JOB/", ".", or by a
   link; else as it was, without what ends in "/" or "/.". To be freed. */
static char *by_own_name(const char *path, bool folder)
{
    char *own = ovl_text("%s", path), real[PATH_MAX];
    for (char *two = strstr(own, "//"); two; two = strstr(two, "//")) /* "JOB//001.jsonl" */
        memmove(two, two + 1, strlen(two));
    for (size_t n = strlen(own); folder && n > 1 && (own[n - 1] == '/' || (own[n - 1] == '.' && own[n - 2] == '/'));)
        own[--n] = '\0';
    char *slash = strrchr(own, '/');
    size_t length = folder ? strlen(own) : slash ? (size_t)(slash - own) : 0;
    const struct ovl_path in = ovl_path("%.*s", length ? (int)length : 1, length ? own : ".");
    const char *last = strrchr(in.text, '/') ? strrchr(in.text, '/') + 1 : in.text;
    struct stat file;
    bool link = lstat(in.text, &file) == 0 && S_ISLNK(file.st_mode); /* a job's, if the sweep's log is beside it */
    bool plain =
        *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0 &&
        access(ovl_path("%.*s%s", (int)(last - in.text), in.text, link ? "sweep.log" : "plan.json").text, F_OK) == 0;
    if (!plain && access(ovl_path("%s/plan.json", in.text).text, F_OK) != 0 && realpath(in.text, real) &&
        access(ovl_path("%s/../plan.json", real).text, F_OK) == 0) {
        bool here = strcmp(in.text, ".") == 0;
        char *named =
            ovl_text("%s%s../%s%s%s", here ? "" : in.text, here ? "" : "/", strrchr(real, '/') + 1, folder ? "" : "/",
                     folder  ? ""
                     : slash ? slash + 1
                             : own);
        free(own);
        own = named;
    }
    return own;
}

/* A job of a sweep that is given by itself owes what its sweep's log tells. */
static int look_above(struct ovl_inputs *s, const char *folder, struct ovl_error *err)
{
    const char *slash = strrchr(folder, '/');
    const struct ovl_path above = ovl_path("%.*s", slash ? (int)(slash - folder) : 1, slash ? folder : ".");
    return access(ovl_path("%s/plan.json", folder).text, F_OK) != 0
               ? ovl_unwritten_jobs(&s->owed, above.text, slash ? slash + 1 : folder, err)
               : 0;
}

static int add_named(struct ovl_inputs *s, const char *path, struct ovl_error *err)
{
    struct folder top = {.path = path};
    size_t before = s->count;
    if (stat(path, &top.file) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    if (!S_ISDIR(top.file.st_mode)) {
        if (s->within && check(s, path, &top.file, err) != 0)
            return -1;
        if (s->failed)
            ovl_inputs_look_beside(s, path);
        add(s, path);
        return 0;
    }
    if (add_folder(s, &top, err) != 0 || (s->failed && look_above(s, path, err) != 0))
        return -1;
    size_t records = 0;
    for (size_t i = before; i < s->count; i++)
        records += is_record(s->path[i]) && !ovl_inputs_partial(s->path[i]);
    return records > 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "%s: no record file in this folder (*.jsonl)", path);
}

int ovl_inputs_add(struct ovl_inputs *s, const char *path, struct ovl_error *err)
{
    struct stat file;
    size_t first = s->count;
    char *own = by_own_name(path, stat(path, &file) == 0 && S_ISDIR(file.st_mode));
    int rc = add_named(s, own, err);
    if (rc == 0)
        ovl_inputs_look_at_folders(s, first);
    free(own);
    return rc;
}

void ovl_inputs_free(struct ovl_inputs *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->path[i]);
    for (size_t i = 0; i < s->owed.count; i++)
        free(s->owed.path[i]);
    free(s->path);
    free(s->owed.path);
    free(s->owed.untold);
    free(s->owed.unasked);
    free(s->beside_first);
    json_decref(s->made);
    *s = (struct ovl_inputs){.path = NULL};
}

/* Is one run the other, or the beginning of it? Its file may have been copied before it was whole. */
static bool same_run(const struct ovl_run *a, const struct ovl_run *b)
{
    for (size_t c = 0; c < a->cell_count && c < b->cell_count; c++) {
        if (a->cells[c].validated != b->cells[c].validated)
            return false;
        for (int q = 0; q < OVL_QUANTITIES; q++) {
            double x = a->cells[c].summary[q].median, y = b->cells[c].summary[q].median;
            if (x != y && !(isnan(x) && isnan(y)))
                return false;
        }
    }
    return true;
}

/* Has it more of the run than the other? */
static bool has_more(const struct ovl_run *a, const struct ovl_run *b)
{
    return a->cell_count > b->cell_count || (a->cell_count == b->cell_count && a->end && !b->end);
}

/* What two copies of a run have in common: its id; of what a failed attempt left its file, which may be given twice,
   and never is the record of another launch. */
static const char *identity(const struct ovl_run *run, char real[PATH_MAX])
{
    return ovl_inputs_partial(run->file) && realpath(run->file, real) ? real : ovl_run_text(run, "run_id");
}

/* Puts the runs from `first` on that were not read before in front, and returns where the others begin. What is found
   of ovl_noise goes to the end too, and is counted. `seen` has the place of each run by its identity, where the copy
   stands that has most of it; *other becomes one of an id that another launch has. */
static size_t sort_out(struct ovl_record *record, size_t first, json_t *seen, bool with_noise, size_t *noise,
                       const struct ovl_run **other)
{
    size_t kept = first;
    for (size_t r = first; r < record->run_count; r++) {
        struct ovl_run run = record->runs[r];
        char real[PATH_MAX];
        const char *id = identity(&run, real);
        record->runs[r] = record->runs[kept];
        record->runs[kept] = run;
        bool of_noise = !with_noise && ovl_run_is_noise(&run);
        *noise += of_noise;
        const json_t *place = json_object_get(seen, id);
        if (id == real && json_integer_value(place) >= (json_int_t)first) /* of this very file */
            place = NULL;
        struct ovl_run *again = place ? &record->runs[json_integer_value(place)] : NULL;
        if (!of_noise && again && !same_run(again, &record->runs[kept]))
            *other = &record->runs[kept];
        if (!of_noise && again && has_more(&record->runs[kept], again)) {
            run = *again;
            *again = record->runs[kept];
            record->runs[kept] = run;
        }
        if (of_noise || place)
            continue;
        json_object_set_new_nocheck(seen, id, json_integer((json_int_t)kept));
        kept++;
    }
    return kept;
}

/* Of what a failed launch left only the cells with wrong data are kept: nothing else of it is a measurement. Returns
   how many these are. */
static size_t keep_wrong(struct ovl_record *record, size_t first)
{
    size_t all = 0;
    for (size_t r = first; r < record->run_count; r++) {
        struct ovl_run *run = &record->runs[r];
        size_t kept = 0;
        for (size_t c = 0; c < run->cell_count; c++)
            if (run->cells[c].validated == 0)
                run->cells[kept++] = run->cells[c];
            else
                ovl_cell_free(&run->cells[c]);
        run->cell_count = kept;
        all += kept;
    }
    return all;
}

/* A launch that failed did not come to its end, whatever its record says. */
static void forget_end(struct ovl_run *run)
{
    json_decref(run->end);
    run->end = NULL;
}

/* Does what was read of the file from `first` on come to no end, and tell of no wrong data that its last line, which is
   cut, has? */
static bool is_cut_at_wrong(const struct ovl_record *record, size_t first, const char *path)
{
    for (size_t r = first; r < record->run_count; r++)
        for (size_t c = 0; c < record->runs[r].cell_count; c++)
            if (record->runs[r].cells[c].validated == 0)
                return false;
    return record->run_count > first && !record->runs[record->run_count - 1].end && ovl_wrong_data_in(path);
}

static int refuse_cut(const char *path, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_WRONG_DATA,
                         "%.300s: wrong data, of a cell whose line is cut short or stands behind a damaged one: "
                         "which cell is not known",
                         path);
}

/* A file of a failed launch may hold anything, and is passed over where it is no record. What stands before a damaged
   line was measured all the same. */
static int read_one(const struct ovl_inputs *s, const char *path, bool brief, struct ovl_record *record,
                    struct ovl_unwritten_told *told, struct ovl_error *err)
{
    size_t first = record->run_count;
    int rc = (brief ? ovl_record_read_brief : ovl_record_read)(record, path, err);
    if (rc == 0 && s->failed && !ovl_inputs_partial(path) && is_cut_at_wrong(record, first, path))
        return refuse_cut(path, err);
    if (!ovl_inputs_partial(path) ||
        (is_record(path) && !s->failed)) /* of a launch under way all is shown on request */
        return rc;
    if (keep_wrong(record, first) == 0 && !s->owed.attempts && ovl_wrong_data_in(path))
        return refuse_cut(path, err);
    bool lost = ovl_unwritten_partial(path);
    size_t kept = first;
    if (lost && record->run_count == first)
        ovl_unwritten_add(record, path, told);
    for (size_t r = first; r < record->run_count; r++) {
        struct ovl_run run = record->runs[r];
        if (run.cell_count == 0 && !lost)
            continue;
        if (run.cell_count == 0 || rc != 0)
            forget_end(&run);
        record->runs[r] = record->runs[kept];
        record->runs[kept++] = run;
    }
    ovl_record_cut(record, kept);
    return 0;
}

int ovl_inputs_read(struct ovl_inputs *s, bool brief, struct ovl_record *record, size_t *copies, struct ovl_error *err)
{
    json_t *seen = json_object();
    struct ovl_unwritten_told told = {NULL};
    size_t noise = 0;
    int rc = 0;
    for (size_t r = 0; r < record->run_count; r++)
        json_object_set_new(seen, ovl_run_text(&record->runs[r], "run_id"), json_integer((json_int_t)r));
    for (size_t i = 0; i < s->count && rc == 0; i++) {
        size_t first = record->run_count;
        rc = read_one(s, s->path[i], brief, record, &told, err);
        const struct ovl_run *other = NULL;
        size_t before = noise,
               kept = rc == 0 ? sort_out(record, first, seen, s->noise, &noise, &other) : record->run_count;
        if (other)
            rc = ovl_error_set(err, OVL_WRONG_DATA,
                               "%s: another launch of run_id %.60s holds other values; leave one of them out",
                               s->path[i], ovl_run_text(other, "run_id"));
        *copies += record->run_count - kept - (noise - before);
        if (rc == 0 && s->failed && !ovl_inputs_partial(s->path[i]))
            ovl_inputs_look_at_record(s, record, s->path[i], first, kept, &told);
        ovl_record_cut(record, kept);
    }
    for (size_t i = 0; i < s->owed.count && rc == 0; i++)
        ovl_unwritten_add(record, s->owed.path[i], &told);
    ovl_inputs_look_at_attempts(s);
    if (s->failed)
        ovl_inputs_look_at_cells(s, record);
    ovl_unwritten_told_free(&told);
    json_decref(seen);
    if (rc == 0 && noise > 0 && record->run_count == 0)
        return ovl_error_set(err, OVL_USAGE, "%s: a record of ovl_noise, which has no cells: `ovl show` prints it",
                             s->path[0]);
    if (rc == 0 && record->offloads && record->run_count == 0 && !s->offloads)
        return ovl_error_set(err, OVL_USAGE, "%s: a record of ovl offload, which has no cells: `ovl show` prints it",
                             s->path[0]);
    return rc;
}
