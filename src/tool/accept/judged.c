/* Judging launches, and hashing what they were judged from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/judged.h"
#include "base/path.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/accept/bound.h"
#include "tool/accept/evidence/attempts.h"
#include "tool/accept/evidence/evidence.h"
#include "tool/accept/evidence/odd_work.h"
#include "tool/accept/evidence/replayed.h"
#include "tool/accept/limits.h"
#include "tool/cells/setting.h"
#include "tool/util/json_file.h"
#include "tool/validate/validate.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* FAIL where `ovl validate` finds a problem in a file. */
static int judge_valid(const struct ovl_inputs *sources, json_t *verdicts, struct ovl_error *err)
{
    struct ovl_schema *schema = ovl_validate_schema(err);
    char reason[500];
    size_t wrong = 0;
    int rc = schema ? 0 : -1;
    for (size_t i = 0; i < sources->count && rc == 0; i++) {
        struct ovl_validity v;
        rc = ovl_validate_file(sources->path[i], schema, NULL, &v, err);
        if (rc != 0 || v.problems == 0 || wrong++ > 0)
            continue;
        char *shown = ovl_printable_copy(sources->path[i]);
        ovl_utf8_print(reason, sizeof reason, "ovl validate finds %zu in %.120s: %s", v.problems,
                       ovl_evidence_end(shown), v.first);
        free(shown);
    }
    ovl_schema_free(schema);
    if (rc == 0 && wrong > 0)
        ovl_evidence_add(verdicts, "all", "validate", wrong, sources->count, "FAIL", reason);
    return rc;
}

int ovl_judged_make(struct ovl_judged *j, const char *limits, struct ovl_error *err)
{
    struct ovl_groups groups;
    j->limits = ovl_limits_load(limits, err);
    j->sources.noise = true;
    if (!j->limits || ovl_inputs_read(&j->sources, false, &j->record, &j->copies, err) != 0 ||
        ovl_jobs_make(&j->jobs, &j->record, err) != 0)
        return -1;
    ovl_groups_make_all(&groups, &j->record);
    j->repeated = groups.repeated;
    j->verdicts = ovl_limits_judge(j->limits, &groups, &j->jobs);
    bool read = ovl_evidence_judge(&j->jobs, j->limits, j->verdicts, err) == 0;
    int rc = read ? judge_valid(&j->sources, j->verdicts, err) : -1;
    ovl_replayed_judge(&groups, &j->jobs, j->verdicts);
    ovl_odd_work_judge(&groups, &j->jobs, j->verdicts);
    ovl_evidence_noise(&j->jobs, j->verdicts);
    ovl_bound_judge(&j->jobs, j->limits, j->verdicts);
    j->setting = ovl_setting_of(&j->record);
    j->attempts = ovl_attempts_json(&j->jobs);
    ovl_groups_free(&groups);
    return rc;
}

void ovl_judged_free(struct ovl_judged *j)
{
    json_decref(j->limits);
    json_decref(j->verdicts);
    json_decref(j->setting);
    json_decref(j->attempts);
    ovl_jobs_free(&j->jobs);
    ovl_record_free(&j->record);
    ovl_inputs_free(&j->sources);
}

/* Workers that were not on a DPU: in how many cells, by their placement. */
static void note_emulated(FILE *out, const struct ovl_record *record)
{
    const char *where = "";
    size_t cells = 0, n = 0, library = 0;
    for (size_t r = 0; r < record->run_count; r++)
        for (size_t c = 0; c < record->runs[r].cell_count; c++) {
            const struct ovl_cell *cell = &record->runs[r].cells[c];
            bool workers = strcmp(cell->engine, "worker") == 0;
            cells += workers;
            library += !workers && strcmp(cell->mode, "dpu") == 0;
            if (workers && strcmp(cell->placement, "bluefield") != 0 && n++ == 0)
                where = cell->placement;
        }
    if (n > 0)
        fprintf(
            out,
            "# note     the workers were no DPU but emulated (placement %.24s) in %zu of %zu cells that have some\n",
            where, n, cells);
    if (library > 0)
        fprintf(out, "# note     mode dpu by the MPI library alone in %zu cells: nothing shows who carried them\n",
                library);
}

void ovl_judged_head(FILE *out, const struct ovl_judged *j)
{
    fprintf(out, "# ovl accept: %zu launch%s\n", j->record.run_count, j->record.run_count == 1 ? "" : "es");
    if (j->copies > 0)
        fprintf(out, "# note  %zu cop%s of a launch passed over\n", j->copies, j->copies == 1 ? "y" : "ies");
    if (j->repeated > 0)
        fprintf(out, "# note  %zu cell%s that a launch has twice: the worse counts\n", j->repeated,
                j->repeated == 1 ? "" : "s");
    ovl_inputs_note_unchecked(out, &j->record);
    note_emulated(out, &j->record);
    ovl_inputs_note_disturbed(out, &j->record, "");
    ovl_inputs_note_warnings(out, &j->record, true);
    ovl_attempts_print(out, &j->jobs);
}

static size_t count(const json_t *verdicts, const char *verdict, json_int_t from_rule)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(verdicts); i++) {
        const json_t *v = json_array_get(verdicts, i);
        n += json_integer_value(json_object_get(v, "rule")) >= from_rule &&
             strcmp(json_string_value(json_object_get(v, "verdict")), verdict) == 0;
    }
    return n;
}

size_t ovl_judged_count(const struct ovl_judged *j, const char *verdict)
{
    return count(j->verdicts, verdict, 0);
}

/* Nothing judged by a rule is nothing accepted. */
const char *ovl_judged_verdict(const struct ovl_judged *j)
{
    if (count(j->verdicts, "FAIL", 0) > 0)
        return "FAIL";
    return count(j->verdicts, "INCONCLUSIVE", 0) > 0 || count(j->verdicts, "PASS", 1) == 0 ? "INCONCLUSIVE" : "PASS";
}

int ovl_judged_exit(const struct ovl_judged *j)
{
    const char *verdict = ovl_judged_verdict(j);
    return strcmp(verdict, "PASS") == 0 ? OVL_OK : strcmp(verdict, "FAIL") == 0 ? OVL_MISSED : OVL_INCONCLUSIVE;
}

/* Of the file as it is now, or with a digest that was taken before. */
static json_t *hashed(const char *path, const char *before, struct ovl_error *err)
{
    char digest[65];
    if (!before && ovl_json_file_sha256(path, digest, err) != 0)
        return NULL;
    json_t *entry = json_pack("{s:s, s:s}", "path", path, "sha256", before ? before : digest);
    if (!entry)
        ovl_error_set(err, OVL_ENVIRONMENT, "%s: a report cannot hold this name, which is no UTF-8; rename it", path);
    return entry;
}

/* The list with the entry, or NULL where that is none. */
static json_t *with(json_t *all, json_t *entry)
{
    if (json_array_append_new(all, entry) == 0)
        return all;
    json_decref(all);
    return NULL;
}

json_t *ovl_judged_hashes(const struct ovl_judged *j, const char *limits, struct ovl_error *err)
{
    json_t *entry = hashed(limits, NULL, err), *inputs = entry ? json_array() : NULL;
    for (size_t i = 0; i < j->sources.count && inputs; i++)
        inputs = with(inputs, hashed(j->sources.path[i], NULL, err));
    if (inputs)
        return json_pack("{s:o, s:o}", "limits", entry, "inputs", inputs);
    json_decref(entry);
    return NULL;
}

/* What programs printed, and what failed attempts left. */
static int is_output(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && (strcmp(dot, ".log") == 0 || strcmp(dot, ".partial") == 0);
}

static json_t *outputs_of(const struct ovl_sweep *s, struct ovl_error *err)
{
    const json_t *jobs = json_object_get(s->plan.json, "jobs");
    json_t *all = json_array();
    for (size_t i = 0; i < json_array_size(jobs) && all; i++) {
        struct dirent **entries;
        const char *job = json_string_value(json_object_get(json_array_get(jobs, i), "name"));
        const struct ovl_path folder = ovl_path("%s/%s", s->folder, job);
        int n = scandir(folder.text, &entries, is_output, alphasort);
        for (int k = 0; k < n; k++) {
            if (all)
                all = with(all, hashed(ovl_path("%s/%s", folder.text, entries[k]->d_name).text, NULL, err));
            free(entries[k]);
        }
        if (n >= 0)
            free(entries);
    }
    return all;
}

json_t *ovl_judged_sweep_hashes(const struct ovl_judged *j, bool again, struct ovl_error *err)
{
    json_t *all = json_array();
    for (size_t i = 0; i < j->jobs.sweep_count && all; i++) {
        const struct ovl_sweep *s = &j->jobs.sweep[i];
        json_t *plan = hashed(s->plan_path, again ? NULL : s->plan_sha256, err);
        json_t *log = plan && s->log_path ? hashed(s->log_path, again ? NULL : s->log_sha256, err) : json_null();
        json_t *outputs = plan && log ? outputs_of(s, err) : NULL;
        json_t *entry = outputs ? json_pack("{s:O, s:O, s:O}", "plan", plan, "log", log, "outputs", outputs) : NULL;
        json_decref(outputs);
        json_decref(plan);
        json_decref(log);
        all = with(all, entry);
    }
    return all;
}
