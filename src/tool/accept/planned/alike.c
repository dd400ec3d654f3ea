/* Launches in the same setting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/planned/alike.h"
#include "base/utf8.h"
#include "tool/cells/one_build.h"
#include "tool/cells/setting.h"
#include "tool/cells/unlike.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/util/json_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ovl_alike_open(struct ovl_alike *a, const struct ovl_jobs *jobs, const json_t *limits)
{
    size_t n = jobs->record->run_count;
    *a = (struct ovl_alike){jobs, json_object_get(limits, "may_differ"), ovl_alloc(n, sizeof *a->setting)};
    for (size_t r = 0; r < n; r++)
        a->setting[r] = ovl_setting_of_run(&jobs->record->runs[r], true);
}

void ovl_alike_close(struct ovl_alike *a)
{
    for (size_t r = 0; r < a->jobs->record->run_count; r++)
        json_decref(a->setting[r]);
    free(a->setting);
    *a = (struct ovl_alike){.jobs = NULL};
}

/* The plan's job of a run; NULL: it is of no sweep. */
static const json_t *job_of(const struct ovl_alike *a, size_t run, const struct ovl_plan **plan)
{
    const struct ovl_job *job = &a->jobs->job[a->jobs->run[run].job];
    if (job->sweep == OVL_NO_SWEEP)
        return NULL;
    *plan = &a->jobs->sweep[job->sweep].plan;
    return json_array_get(json_object_get((*plan)->json, "jobs"), job->of_plan);
}

static bool equal(const json_t *a, const json_t *b)
{
    return a && b ? json_equal(a, b) : a == b;
}

/* What a run has where it has it: is it what the plan gives to its job, and nothing where it gives none? */
static bool as_planned(const struct ovl_alike *a, size_t run, const char *name, const char *planned)
{
    const char *has = json_string_value(json_object_get(a->setting[run], name));
    return has && planned ? strcmp(has, planned) == 0 : !has && !planned;
}

/* Does the plan set that variable otherwise for the one's job, and has each what it sets? */
static bool set_apart(const struct ovl_alike *a, size_t run, size_t other, const char *name)
{
    const struct ovl_plan *plan, *others;
    const json_t *one = job_of(a, run, &plan), *two = job_of(a, other, &others);
    return one && two && as_planned(a, run, name, ovl_plan_variable(plan, one, name)) &&
           as_planned(a, other, name, ovl_plan_variable(others, two, name));
}

static bool same_number(const struct ovl_run *a, const struct ovl_run *b, const char *name)
{
    return equal(json_object_get(a->head, name), json_object_get(b->head, name));
}

/* Is it one of the words between the underscores of a name? */
static bool has_word(const char *name, const char *word)
{
    for (size_t n = strlen(word); *name; name += strcspn(name, "_"), name += *name == '_')
        if (strncmp(name, word, n) == 0 && (name[n] == '_' || name[n] == '\0'))
            return true;
    return false;
}

/* Does the plan set variables otherwise for the one's job, or, where `binding`, such as say where processes run? */
static bool environment_apart(const json_t *one, const json_t *two, bool binding)
{
    static const char *const of_binding[] = {"BIND", "BINDING", "PIN", "AFFINITY", "MAP", "MAPPING", "PLACE", "PLACES"};
    const json_t *mine = json_object_get(one, "environment"), *theirs = json_object_get(two, "environment");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)mine, name, value) {
        bool binds = !binding;
        for (size_t i = 0; i < sizeof of_binding / sizeof *of_binding; i++)
            binds = binds || has_word(name, of_binding[i]);
        if (binds && !equal(value, json_object_get(theirs, name)))
            return true;
    }
    return false;
}

/* Has one other processes, or does the plan start them by another launcher or with other variables, so that their
   thread levels or, where `binding`, their bindings differ? */
static bool started_apart(const struct ovl_alike *a, size_t run, size_t other, bool binding)
{
    const struct ovl_run *x = &a->jobs->record->runs[run], *y = &a->jobs->record->runs[other];
    const struct ovl_plan *plan, *others;
    const json_t *one = job_of(a, run, &plan), *two = job_of(a, other, &others);
    bool planned = one && two &&
                   (!equal(ovl_plan_said(plan, one, "launcher"), ovl_plan_said(others, two, "launcher")) ||
                    environment_apart(one, two, binding) || environment_apart(two, one, binding));
    return planned || !same_number(x, y, "ranks") || !same_number(x, y, "workers") || !same_number(x, y, "nodes");
}

bool ovl_alike_planned_there(const struct ovl_alike *a, size_t run, size_t other)
{
    static const char *const places[] = {"nodes", "hosts", "launcher"};
    const struct ovl_plan *plan, *others;
    const json_t *one = job_of(a, run, &plan), *two = job_of(a, other, &others);
    bool same = one && two;
    for (size_t i = 0; i < sizeof places / sizeof *places && same; i++)
        same = equal(ovl_plan_said(plan, one, places[i]), ovl_plan_said(others, two, places[i]));
    const char *x = same ? ovl_plan_variable(plan, one, "OVL_CLUSTER") : NULL,
               *y = same ? ovl_plan_variable(others, two, "OVL_CLUSTER") : NULL;
    return same && strcmp(x ? x : "", y ? y : "") == 0;
}

static bool is_excused(const struct ovl_alike *a, size_t run, size_t other, const char *name)
{
    static const char *const of_start[] = {"binding[]", "rank_hosts[]", "mpi.thread_level", "offload.cores_shared",
                                           "input_files.dpu_map"};
    if (ovl_json_lists(a->may_differ, name))
        return true;
    for (size_t i = 0; i < sizeof of_start / sizeof *of_start; i++)
        if (strcmp(of_start[i], name) == 0)
            return started_apart(a, run, other, strcmp(name, "mpi.thread_level") != 0);
    return set_apart(a, run, other, name);
}

/* What workers have says nothing of a run of another job that has none. */
static bool is_of_workers(const struct ovl_alike *a, size_t run, size_t other, const char *name)
{
    const json_t *workers = json_object_get(a->jobs->record->runs[other].head, "workers");
    return a->jobs->run[run].job != a->jobs->run[other].job && strncmp(name, "offload.", strlen("offload.")) == 0 &&
           !(json_number_value(workers) > 0);
}

/* Says where the one has something else than the other, or the other lacks it. */
static bool differs(const struct ovl_alike *a, size_t run, size_t other, bool swapped, char what[OVL_ALIKE_WHAT])
{
    json_t *value;
    const char *name;
    json_object_foreach(a->setting[run], name, value) {
        const json_t *theirs = json_object_get(a->setting[other], name);
        if (equal(value, theirs) || (theirs && swapped) || is_excused(a, run, other, name) ||
            (!theirs && is_of_workers(a, run, other, name)))
            continue;
        const char *one = json_string_value(value), *two = theirs ? json_string_value(theirs) : "not set";
        ovl_utf8_print(what, OVL_ALIKE_WHAT, "%.60s: %.60s, and %.60s", name, swapped ? two : one, swapped ? one : two);
        return true;
    }
    return false;
}

/* Launches of one program are of one build; jobs of a plan may have programs of several. */
static bool of_one_build(const struct ovl_alike *a, size_t run, size_t other, char what[OVL_ALIKE_WHAT])
{
    const struct ovl_plan *plan, *others;
    const json_t *one = job_of(a, run, &plan), *two = job_of(a, other, &others);
    return (one && two && !equal(json_object_get(one, "program"), json_object_get(two, "program"))) ||
           ovl_one_build(a->jobs->record->runs[run].head, a->jobs->record->runs[other].head, a->may_differ, what);
}

/* Where the ranks sat, unless the plan starts them otherwise. */
static bool placed_alike(const struct ovl_alike *a, size_t run, size_t other, char what[OVL_ALIKE_WHAT])
{
    const json_t *one = json_object_get(a->jobs->record->runs[run].head, "rank_hosts"),
                 *two = json_object_get(a->jobs->record->runs[other].head, "rank_hosts");
    if (equal(one, two) || is_excused(a, run, other, "rank_hosts[]"))
        return true;
    snprintf(what, OVL_ALIKE_WHAT, "rank_hosts[]: the nodes on which ranks sat");
    return false;
}

/* Batch systems may give each job nodes of its own. */
static bool on_one_machine(const struct ovl_alike *a, size_t run, size_t other, char what[OVL_ALIKE_WHAT])
{
    snprintf(what, OVL_ALIKE_WHAT, "hosts[].machine: no machine of the other's");
    return ovl_share_machine(&a->jobs->record->runs[run], &a->jobs->record->runs[other]) ||
           ovl_json_lists(a->may_differ, "hosts[].machine");
}

bool ovl_alike(const struct ovl_alike *a, size_t run, size_t other, char what[OVL_ALIKE_WHAT])
{
    return run == other || (!differs(a, run, other, false, what) && !differs(a, other, run, true, what) &&
                            placed_alike(a, run, other, what) && on_one_machine(a, run, other, what) &&
                            of_one_build(a, run, other, what));
}
