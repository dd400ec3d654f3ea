/* Launches that failed beside single files of a sweep, and folders of sweeps whose log does not tell all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/path.h"
#include "base/printable.h"
#include "tool/cells/apart.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/inputs/unwritten.h"
#include "tool/cells/options/run_of_options.h"
#include "tool/cells/turns.h"
#include "tool/util/json_file.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How long the path of the folder is that a file is in; 0: it is in this one. */
static size_t folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Of a sweep's launch that is given by itself: who takes all that were good hides what failed. Files of one folder
   follow each other. */
void ovl_inputs_look_beside(struct ovl_inputs *s, const char *path)
{
    struct dirent **entries;
    int length = (int)folder_of(path);
    const char *last = s->count > 0 ? s->path[s->count - 1] : "";
    if (!ovl_unwritten_launch(path) ||
        (folder_of(last) == (size_t)length && strncmp(last, path, (size_t)length) == 0 && *last))
        return;
    int n = scandir(length > 0 ? ovl_path("%.*s", length, path).text : ".", &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const struct ovl_path at = ovl_path("%.*s%s", length, path, entries[i]->d_name);
        if ((ovl_unwritten_log(at.text) || ovl_unwritten_partial(at.text)) && s->beside++ == 0)
            s->beside_first = ovl_text("%s", at.text);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static bool is_with_samples(const json_t *cell, const char *text)
{
    (void)text;
    return json_object_get(cell, "samples") != NULL;
}

/* Was the file thinned from the one with that SHA-256? It tells what it was, which binds none of its values. */
static bool is_thinned_from(const struct ovl_run *run, const char *sha256)
{
    const char *before = json_string_value(json_object_get(json_object_get(run->head, "thinned"), "sha256"));
    return before && strcmp(before, sha256) == 0 && !ovl_json_file_has_line(run->file, is_with_samples);
}

/* Why a file is no record of its launch, by the log; NULL: it may be. `run` is one of it, or NULL. */
static char *fault_of(const char *path, const struct ovl_run *run, struct ovl_unwritten_told *told, size_t *thinned)
{
    const char *began = ovl_unwritten_launch(path) ? ovl_unwritten_began(told, path) : NULL,
               *sha256 = ovl_unwritten_sha256(told, path), *started = run ? ovl_run_text(run, "started") : NULL;
    char own[65] = "";
    struct ovl_error unread;
    if (ovl_unwritten_stranger(told, path))
        return ovl_text(
            "%s: sweep.log tells of no such launch: the file is of elsewhere, or lines at the end of the log "
            "are gone",
            path);
    if (began && started && fabs(ovl_clock_utc_seconds(started) - ovl_clock_utc_seconds(began)) > OVL_CLOCKS_APART)
        return ovl_text("%s began at %.20s, and its attempt by sweep.log at %.20s: it is a record of another launch",
                        path, started, began);
    if (!sha256 || !*sha256)
        return NULL;
    if (run && is_thinned_from(run, sha256)) {
        ++*thinned;
        return NULL;
    }
    if (ovl_json_file_sha256(path, own, &unread) != 0 || strcmp(own, sha256) == 0)
        return NULL;
    return ovl_text("%s is not the file that its attempt left, by the SHA-256 in sweep.log", path);
}

/* FOLDER/ of FOLDER/JOB/NNN.jsonl. */
static size_t sweep_of(const char *path)
{
    size_t n = folder_of(path);
    return n > 0 ? folder_of(ovl_path("%.*s", (int)n - 1, path).text) : 0;
}

/* Is the launch, none of whose runs count, another file of the sweep over again? Who reads a file twice has no launch
   less. */
static bool is_copy(const struct ovl_record *record, const char *path, const struct ovl_run *run)
{
    char here[PATH_MAX], there[PATH_MAX];
    for (const struct ovl_run *r = record->runs; run && r < run; r++)
        if (strcmp(ovl_run_text(r, "run_id"), ovl_run_text(run, "run_id")) == 0)
            return realpath(path, here) && realpath(r->file, there) && strcmp(here, there) != 0 &&
                   *ovl_apart_folder(here).text && sweep_of(here) == sweep_of(there) &&
                   strncmp(here, there, sweep_of(here)) == 0;
    return false;
}

/* By the folder of a job. */
static void count_attempts(struct ovl_inputs *s, const char *path, bool again)
{
    char *job = ovl_text("%.*s", (int)folder_of(path), path);
    s->made = s->made ? s->made : json_object();
    if (!json_object_get(s->made, job))
        json_object_set_new_nocheck(s->made, job, json_pack("[i, i]", 0, 0));
    json_t *of = json_object_get(s->made, job), *launches = json_array_get(of, 0), *others = json_array_get(of, 1);
    json_integer_set(launches, json_integer_value(launches) + 1);
    json_integer_set(others, json_integer_value(others) + again);
    s->launches++;
    s->again += again;
    free(job);
}

void ovl_inputs_look_at_record(struct ovl_inputs *s, struct ovl_record *record, const char *path, size_t first,
                               size_t kept, struct ovl_unwritten_told *told)
{
    size_t copies = 0;
    bool counts = kept > first, launch = ovl_unwritten_launch(path);
    const struct ovl_run *run = record->run_count > first ? &record->runs[first] : NULL;
    if (!counts && !launch)
        return;
    bool again = counts && launch && ovl_unwritten_again(told, path);
    if (counts && launch)
        count_attempts(s, path, again);
    for (size_t r = first; r < kept && launch; r++) {
        const char *began = ovl_unwritten_began(told, path);
        record->runs[r].again = again;
        record->runs[r].began = began ? fmax(ovl_clock_utc_seconds(began), 0) : 0;
    }
    char *fault = fault_of(path, run, told, counts ? &s->thinned : &copies);
    if (!counts && (fault || is_copy(record, path, run)))
        ovl_unwritten_add(record, path, told);
    if (fault && s->owed.untold_count++ == 0)
        s->owed.untold = fault;
    else
        free(fault);
}

/* `of`: "", or which ones, such as "FOLDER/JOB/: ". */
static void too_many_again(struct ovl_inputs *s, const char *of, size_t again, size_t launches)
{
    enum { FEW = 2 }; /* of which one that was interrupted may be half */
    if (launches > FEW && 2 * again > launches && s->owed.untold_count++ == 0)
        s->owed.untold = ovl_text("%s%zu of %zu launches were made again after an earlier attempt: who tries until it "
                                  "is quick finds it so",
                                  of, again, launches);
}

void ovl_inputs_look_at_attempts(struct ovl_inputs *s)
{
    const char *job;
    json_t *of;
    too_many_again(s, "", s->again, s->launches);
    if (json_object_size(s->made) < 2) /* which are all */
        return;
    json_object_foreach(s->made, job, of) {
        char *which = ovl_text("%s: ", job);
        too_many_again(s, which, (size_t)json_integer_value(json_array_get(of, 1)),
                       (size_t)json_integer_value(json_array_get(of, 0)));
        free(which);
    }
}

static void note_untold(FILE *out, const struct ovl_inputs *s)
{
    fputs("# not known ", out);
    ovl_printable_put(out, s->owed.untold);
    if (s->owed.untold_count > 1)
        fprintf(out, "; and %zu more", s->owed.untold_count - 1);
    fputs("\n", out);
}

/* Leaves in `all` what `one` has, too. */
static void keep_common(json_t *all, const json_t *one)
{
    for (size_t i = json_array_size(all); i-- > 0;) {
        bool found = false;
        for (size_t k = 0; k < json_array_size(one) && !found; k++)
            found = json_equal(json_array_get(all, i), json_array_get(one, k));
        if (!found)
            json_array_remove(all, i);
    }
}

/* A job of a sweep of which launches are known, and no cell; ovl_noise has none. */
static void look_at_jobs(struct ovl_inputs *s, const struct ovl_record *record)
{
    json_t *left = json_object(), *gone = json_object();
    char job[OVL_MEMBER_JOB];
    const char *name;
    json_t *launches;
    for (size_t r = 0; r < record->run_count; r++) {
        ovl_apart_job(job, record->runs[r].file);
        json_object_set_new_nocheck(record->runs[r].cell_count > 0 ? left : gone, job, json_true());
    }
    for (size_t u = 0; u < record->unwritten_count; u++) {
        ovl_apart_job(job, record->unwritten[u].file);
        if (strcmp(record->unwritten[u].benchmark, "noise") != 0)
            json_object_set_new_nocheck(gone, job, json_true());
    }
    json_object_foreach(gone, name, launches)
        if (*name && !json_object_get(left, name) && s->owed.untold_count++ == 0)
            s->owed.untold = ovl_text("job %s: no launch of it left a cell", name);
    json_decref(left);
    json_decref(gone);
}

void ovl_inputs_look_at_cells(struct ovl_inputs *s, const struct ovl_record *record)
{
    json_t *jobs = json_object(), *all;
    const char *of;
    for (size_t r = 0; r < record->run_count; r++) {
        const struct ovl_run *run = &record->runs[r];
        if (ovl_run_unended(run))
            continue;
        char *job = ovl_text("%.*s%s", (int)folder_of(run->file), run->file, ovl_run_text(run, "benchmark"));
        json_t *lacking = ovl_run_lacking(run);
        if (json_object_get(jobs, job))
            keep_common(json_object_get(jobs, job), lacking);
        else
            json_object_set_nocheck(jobs, job, lacking);
        json_decref(lacking);
        free(job);
    }
    json_object_foreach(jobs, of, all)
        if (json_array_size(all) > 0 && s->owed.untold_count++ == 0)
            s->owed.untold = ovl_text("%s: no launch has %s, for which their options ask", of,
                                      json_string_value(json_array_get(all, 0)));
    json_decref(jobs);
    if (!s->filtered)
        look_at_jobs(s, record);
}

void ovl_inputs_look_since(struct ovl_inputs *s, const struct ovl_record *record, const char *since, FILE *out)
{
    size_t launches = 0, again = 0;
    for (size_t r = 0; r < record->run_count && !s->owed.untold; r++)
        if (strcmp(ovl_run_text(&record->runs[r], "started"), since) >= 0) {
            launches++;
            again += record->runs[r].again;
        }
    char *of = ovl_text("since %s ", since);
    too_many_again(s, of, again, launches);
    if (launches > 0 && s->owed.untold)
        note_untold(out, s);
    free(of);
}

void ovl_inputs_look_at_folders(struct ovl_inputs *s, size_t first)
{
    size_t n = 0, last = 0;
    for (size_t i = first; i < s->count; i++) { /* those of a folder follow each other */
        char job[OVL_MEMBER_JOB];
        size_t length = folder_of(s->path[i]);
        ovl_apart_job(job, s->path[i]);
        if (*job || (n > 0 && folder_of(s->path[last]) == length && strncmp(s->path[last], s->path[i], length) == 0))
            continue;
        last = i;
        n++;
    }
    s->together = n > s->together ? n : s->together;
}

void ovl_inputs_note_beside(FILE *out, const struct ovl_inputs *s)
{
    if (s->together > 1)
        fprintf(out, "# note     %zu folders without a plan.json: their launches of one cell are taken together\n",
                s->together);
    if (s->owed.untold)
        note_untold(out, s);
    if (s->thinned > 0)
        fprintf(out, "# note     %zu record%s thinned: without samples their values are taken at their word\n",
                s->thinned, s->thinned == 1 ? " was" : "s were");
    if (s->owed.unasked) {
        fputs("# note     ovl sweep --job left out, and nothing is known of: ", out);
        ovl_printable_put(out, s->owed.unasked);
        fputs("\n", out);
    }
    if (s->again > 0 && !s->owed.untold)
        fprintf(out, "# note     %zu of %zu launches %s made again after an earlier attempt\n", s->again, s->launches,
                s->again == 1 ? "was" : "were");
    if (s->beside == 0)
        return;
    fprintf(out,
            "# note     %zu launch%s that failed stand%s beside these files and count%s for nothing; give folders: ",
            s->beside, s->beside == 1 ? "" : "es", s->beside == 1 ? "s" : "", s->beside == 1 ? "s" : "");
    ovl_printable_put(out, s->beside_first);
    fputs("\n", out);
}

json_t *ovl_inputs_untold(const struct ovl_inputs *s, size_t sides)
{
    json_t *all = json_array();
    for (size_t i = 0; i < sides; i++)
        if (s[i].owed.untold)
            json_array_append_new(all, ovl_printable_json(s[i].owed.untold));
    return all;
}

int ovl_inputs_exit(const struct ovl_inputs *s, int code)
{
    return code == OVL_OK && s->owed.untold ? OVL_INCONCLUSIVE : code;
}
