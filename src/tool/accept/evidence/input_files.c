/* Files that options name, held by their digests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/evidence/input_files.h"
#include "base/utf8.h"
#include "cli/input_options.h"
#include "cli/presets/model_text.h"
#include "tool/accept/evidence/evidence.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/util/json_file.h"

#include <stdio.h>
#include <string.h>

enum { REASON = 400, SHOWN = 80 };

/* The digest that limits have of that file, or NULL. */
static const char *bound_to(const json_t *limits, const char *option, const char *file)
{
    const json_t *list = json_object_get(limits, "input_files");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(one, "option")), option) == 0 &&
            strcmp(json_string_value(json_object_get(one, "file")), file) == 0)
            return json_string_value(json_object_get(one, "sha256"));
    }
    return NULL;
}

static const char *told_by(const struct ovl_run *run, const char *option)
{
    char name[64];
    snprintf(name, sizeof name, "%s", option);
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
    return json_string_value(json_object_get(json_object_get(run->head, "input_files"), name));
}

/* Of one file of a launch: 2 where it is another, 1 where that cannot be told, else 0. */
static int judge_file(const struct ovl_run *run, const json_t *limits, const struct ovl_input_option *o,
                      const char *file, char reason[REASON])
{
    const char *bound = bound_to(limits, o->name, file), *told = told_by(run, o->name);
    int length = (int)ovl_utf8_cut(file, SHOWN);
    if (!bound && (o->of_site || !json_object_get(limits, "plans")))
        return 0;
    if (!bound)
        snprintf(reason, REASON, "the limits name the plan, and not what is in --%s %.*s: bind them again", o->name,
                 length, file);
    else if (!told)
        snprintf(reason, REASON, "a record does not tell what was in --%s %.*s", o->name, length, file);
    else if (strcmp(bound, told) != 0)
        snprintf(reason, REASON, "a launch read --%s %.*s with another SHA-256 than the limits have", o->name, length,
                 file);
    return !bound || !told ? 1 : strcmp(bound, told) != 0 ? 2 : 0;
}

static void judge_sweep(const struct ovl_jobs *j, int sweep, const json_t *limits, json_t *verdicts)
{
    static const char *const verdict[] = {"PASS", "INCONCLUSIVE", "FAIL"};
    const json_t *jobs = json_object_get(j->sweep[sweep].plan.json, "jobs");
    char label[48], one[REASON], reason[REASON] = "launches read the files that the limits name";
    size_t bad = 0, n = 0, bound = 0;
    int worst = 0;
    for (size_t r = 0; r < j->record->run_count; r++) {
        const struct ovl_job *job = &j->job[j->run[r].job];
        int found = 0;
        for (const struct ovl_input_option *o = ovl_input_options; o->name && job->sweep == sweep; o++) {
            const char *file = ovl_job_input_file(json_array_get(jobs, job->of_plan), o);
            int this = file ? judge_file(&j->record->runs[r], limits, o, file, one) : 0;
            bound += file && bound_to(limits, o->name, file);
            found = this > found ? this : found;
            if (this > worst) {
                worst = this;
                strcpy(reason, one);
            }
        }
        bad += found > 0;
        n += job->sweep == sweep;
    }
    snprintf(label, sizeof label, "sweep %d", sweep + 1);
    if (bound > 0 || bad > 0)
        ovl_evidence_add(verdicts, label, "input_files", bad, n, verdict[worst], reason);
}

void ovl_input_files_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    for (size_t i = 0; i < j->sweep_count; i++)
        judge_sweep(j, (int)i, limits, verdicts);
}

static int bind_file(json_t *limits, const char *path, const struct ovl_input_option *o, const char *file,
                     struct ovl_error *err)
{
    struct ovl_path from = ovl_path("%s", file);
    char sha256[65];
    bool installed;
    const char *bound = bound_to(limits, o->name, file);
    int rc = o->models ? ovl_model_path(o->models, file, &from, &installed, err) : 0;
    if (rc == 0)
        rc = ovl_json_file_sha256(from.text, sha256, err);
    if (rc != 0 && o->of_site) {
        if (!bound)
            printf("--%s %s is not here: it is not bound\n", o->name, file);
        return 0;
    }
    if (rc != 0)
        return -1;
    if (bound && strcmp(bound, sha256) != 0)
        return ovl_json_file_fault(path, "/input_files",
                                   "the SHA-256 of another file has this name; remove it to bind the one that is here",
                                   err);
    if (!bound)
        json_array_append_new(json_object_get(limits, "input_files"),
                              json_pack("{s:s, s:s, s:s}", "option", o->name, "file", file, "sha256", sha256));
    return 0;
}

int ovl_input_files_bind(json_t *limits, const char *path, const struct ovl_plan *p, struct ovl_error *err)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    int rc = 0;
    if (!json_object_get(limits, "input_files"))
        json_object_set_new(limits, "input_files", json_array());
    for (size_t i = 0; i < json_array_size(jobs) && rc == 0; i++)
        for (const struct ovl_input_option *o = ovl_input_options; o->name && rc == 0; o++) {
            const char *file = ovl_job_input_file(json_array_get(jobs, i), o);
            rc = file ? bind_file(limits, path, o, file, err) : 0;
        }
    if (json_array_size(json_object_get(limits, "input_files")) == 0)
        json_object_del(limits, "input_files");
    return rc;
}
