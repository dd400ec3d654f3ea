/* Outcomes of attempts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/outcome.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "cli/catalog.h"
#include "record/derived/noise.h"
#include "record/plausible.h"
#include "record/status.h"
#include "tool/cells/one_build.h"
#include "tool/sweep/state.h"
#include "tool/util/json_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_workers(const json_t *job)
{
    const json_t *modes = json_object_get(job, "modes");
    const char *mode = ovl_plan_option(job, "--mode");
    bool dpu = mode && strstr(mode, "dpu");
    for (size_t i = 0; i < json_array_size(modes); i++)
        dpu = dpu || strcmp(json_string_value(json_array_get(modes, i)), "dpu") == 0;
    return dpu;
}

/* Are the workers programs of their own (--workers 0, or a map that says whose they are)? */
static bool has_workers_apart(const json_t *job)
{
    const char *workers = ovl_plan_option(job, "--workers");
    return has_workers(job) && ((workers && strcmp(workers, "0") == 0) || ovl_plan_option(job, "--dpu-map"));
}

/* mpiexec is not told how many nodes to take: what it took is held against the plan. Workers that are programs of their
   own may have nodes of their own, which a record does not count. */
bool ovl_sweep_outcome_on_nodes(const struct ovl_run *run, const json_t *job, char why[OVL_ERROR_TEXT])
{
    json_int_t wanted = json_integer_value(json_object_get(job, "nodes"));
    json_int_t nodes = json_integer_value(json_object_get(run->head, "nodes"));
    if (wanted == 0 || nodes == wanted || (nodes < wanted && has_workers_apart(job)))
        return true;
    snprintf(why, OVL_ERROR_TEXT,
             "its ranks were on %lld node%s and the plan says %lld: tell the launcher by its options (such as -ppn)",
             (long long)nodes, nodes == 1 ? "" : "s", (long long)wanted);
    return false;
}

/* A launcher that does not speak the library's language starts processes that each find themselves alone. */
static bool of_its_ranks(const struct ovl_run *run, const json_t *job, char why[OVL_ERROR_TEXT])
{
    json_int_t wanted = json_integer_value(json_object_get(job, "ranks"));
    json_int_t ranks = json_integer_value(json_object_get(run->head, "ranks"));
    json_int_t processes = ranks + json_integer_value(json_object_get(run->head, "workers"));
    if (wanted == 0 || (ranks <= wanted && wanted <= processes))
        return true;
    if (processes == 1)
        snprintf(why, OVL_ERROR_TEXT,
                 "its record is of one rank and the plan says %lld: the launcher is not of this MPI library, or srun "
                 "lacks --mpi (see ovl doctor)",
                 (long long)wanted);
    else
        snprintf(why, OVL_ERROR_TEXT, "its record is of %lld ranks and %lld workers, and the plan says %lld processes",
                 (long long)ranks, (long long)(processes - ranks), (long long)wanted);
    return false;
}

static bool of_its_program(const struct ovl_run *run, const json_t *job, char why[OVL_ERROR_TEXT])
{
    const char *program = json_string_value(json_object_get(job, "program"));
    const char *wanted = program ? ovl_catalog_measures(program) : "", *is = ovl_run_text(run, "benchmark");
    if (!*wanted || strcmp(is, wanted) == 0)
        return true;
    snprintf(why, OVL_ERROR_TEXT, "its record is of %.100s, and the plan's program is %.300s", *is ? is : "nothing",
             program);
    return false;
}

/* What the program would have said by its exit code, which a launcher or a script may keep for itself. */
static bool of_right_data(const struct ovl_run *run, bool *doubtful, char why[OVL_ERROR_TEXT])
{
    for (size_t c = 0; c < run->cell_count; c++) {
        if (run->cells[c].validated == 0) {
            snprintf(why, OVL_ERROR_TEXT, "its record has a cell with wrong data");
            return false;
        }
        *doubtful |= strcmp(run->cells[c].status, "invalid") == 0 || ovl_cell_alone(&run->cells[c]) ||
                     ovl_cell_idle(&run->cells[c]) || !ovl_cell_plausible(&run->cells[c], why) ||
                     !ovl_cell_samples_plausible(&run->cells[c]);
        why[0] = '\0';
    }
    if (ovl_run_is_noise(run)) {
        struct ovl_noise_verdict v;
        ovl_noise_judge(run, &v);
        *doubtful |= ovl_noise_first(&v) != OVL_NOISE_KINDS;
    }
    if (run->cell_count + run->node_count == 0)
        snprintf(why, OVL_ERROR_TEXT, "its record has no cell: nothing was measured");
    return run->cell_count + run->node_count > 0;
}

bool ovl_sweep_outcome_whole(const char *record, const struct ovl_launch *l, bool *doubtful, char why[OVL_ERROR_TEXT])
{
    struct ovl_record all = {.runs = NULL};
    struct ovl_error err;
    bool whole = ovl_record_read(&all, record, &err) == 0;
    *doubtful = false;
    snprintf(why, OVL_ERROR_TEXT, "%s", whole ? "" : err.text);
    if (whole && all.run_count == 0) {
        whole = false;
        snprintf(why, OVL_ERROR_TEXT, "its record has no run line: it is none of a program of ovl");
    }
    for (size_t r = 0; r < all.run_count && whole; r++) {
        const struct ovl_run *run = &all.runs[r];
        whole = !ovl_run_unended(run);
        if (!whole)
            snprintf(why, OVL_ERROR_TEXT, "its record %s",
                     !run->end ? "has no end line"
                     : strcmp(ovl_run_unended(run), "damaged") == 0
                         ? "is damaged: its end tells of other cells than it has"
                         : "ended early");
        else
            whole = of_its_program(run, l->job, why) && of_its_ranks(run, l->job, why) &&
                    ovl_sweep_outcome_on_nodes(run, l->job, why) && of_right_data(run, doubtful, why);
    }
    ovl_record_free(&all);
    return whole;
}

bool ovl_sweep_outcome_one_build(const struct ovl_sweeping *s, const struct ovl_launch *l, const char *record,
                                 char why[OVL_ERROR_TEXT])
{
    struct ovl_path earlier = ovl_path("%s", "");
    char what[OVL_ONE_BUILD_WHAT];
    const json_t *program = json_object_get(l->job, "program");
    for (size_t i = 0; i < s->plan.count && !*earlier.text; i++) {
        const struct ovl_launch *other = &s->plan.launch[i];
        if (json_equal(json_object_get(other->job, "program"), program) && ovl_sweep_is_there(s, other))
            earlier = ovl_sweep_record_path(s, other);
    }
    if (!*earlier.text || ovl_one_build_files(earlier.text, record, what))
        return true;
    snprintf(why, OVL_ERROR_TEXT, "of another build than %.150s (%s)", earlier.text, what);
    return false;
}

bool ovl_sweep_outcome_own(const struct ovl_sweeping *s, const char *record, const char *sha256,
                           char why[OVL_ERROR_TEXT])
{
    struct stat here, there;
    struct ovl_error unread;
    char other[65];
    if (stat(record, &here) != 0)
        return true;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct ovl_path path = ovl_sweep_record_path(s, &s->plan.launch[i]);
        if (stat(path.text, &there) != 0 || there.st_size != here.st_size ||
            ovl_json_file_sha256(path.text, other, &unread) != 0 || strcmp(other, sha256) != 0)
            continue;
        snprintf(why, OVL_ERROR_TEXT, "its record is %.300s once more: the launcher measured nothing", path.text);
        return false;
    }
    return true;
}

void ovl_sweep_outcome_words(const char *log, char text[200])
{
    char line[200];
    FILE *in = ovl_input_file_open(log);
    text[0] = '\0';
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "ovl", 3) == 0 || (*line && *line != '-' && *line != '=' && strncmp(text, "ovl", 3) != 0))
            strcpy(text, line);
    }
    if (in)
        fclose(in);
    ovl_printable_bytes(text);
}
