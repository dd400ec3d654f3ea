/* Records held against the jobs of a plan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/planned/held.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "cli/link.h"
#include "cli/sizes.h"
#include "machine/topology.h"
#include "record/derived/link_model.h"
#include "tool/accept/planned/work.h"
#include "tool/cells/facet.h"
#include "tool/cells/options/of_options.h"
#include "tool/cells/options/run_of_options.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/outcome.h"
#include "tool/sweep/plan/each.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A record, its launch, and what is wrong. */
struct holding {
    const struct ovl_jobs *jobs;
    size_t at; /* of the run in the record */
    const struct ovl_run *run;
    const struct ovl_sweep *sweep;
    const struct ovl_launch *launch;
    const json_t *may_differ;
    char *why;
};

__attribute__((format(printf, 2, 3))) static bool wrong(const struct holding *h, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(h->why, OVL_HELD_WHY, format, values);
    va_end(values);
    ovl_printable_bytes(h->why); /* a plan's texts may be anybody's */
    return false;
}

static const char *word(const struct holding *h, size_t i)
{
    const char *text = json_string_value(json_array_get(json_object_get(h->run->head, "command"), i));
    return text ? text : "nothing";
}

/* Does the plan itself make one machine look like several? */
static bool is_emulated(const struct holding *h)
{
    const json_t *launcher = ovl_plan_said(&h->sweep->plan, h->launch->job, "launcher");
    const char *kind = json_string_value(json_object_get(launcher, "kind"));
    return (kind && strcmp(kind, "cluster") == 0) ||
           ovl_plan_variable(&h->sweep->plan, h->launch->job, "OVL_CLUSTER") != NULL;
}

/* The MPI library says what is a node, and a variable has it say two of one machine. */
static bool by_machines(const struct holding *h)
{
    const json_t *hosts = json_object_get(h->run->head, "hosts");
    json_int_t nodes = json_integer_value(json_object_get(h->run->head, "nodes"));
    json_t *machines = json_object();
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const char *machine = json_string_value(json_object_get(json_array_get(hosts, i), "machine"));
        if (machine)
            json_object_set_new(machines, machine, json_true());
    }
    json_int_t n = (json_int_t)json_object_size(machines);
    json_decref(machines);
    return !json_object_get(h->launch->job, "nodes") || nodes < 2 || n >= nodes || is_emulated(h) ||
           wrong(h, "its %lld nodes are %lld machine%s, by hosts[].machine", (long long)nodes, (long long)n,
                 n == 1 ? "" : "s");
}

/* What passes at once on an idle link, as scripts/cluster has it, unless the plan says otherwise. */
static bool has_burst(const json_t *launcher, const char *told)
{
    const json_t *options = json_object_get(launcher, "options");
    double rate = ovl_link_emulated_rate(told), burst = ovl_link_settle_seconds(told) * rate,
           most = 8 * rate < 2e9 ? 80 << 10 : 128 << 10;
    for (size_t i = 0; i + 1 < json_array_size(options); i++) {
        uint64_t bytes;
        const char *word = json_string_value(json_array_get(options, i)),
                   *value = json_string_value(json_array_get(options, i + 1));
        if (word && strcmp(word, "--burst") == 0)
            most = value && ovl_options_size(value, &bytes) == 0 ? (double)bytes : 0;
    }
    return burst <= most * (1 + 1e-9);
}

/* What a link adds each way, in microseconds, as the launcher's options say it and as the run tells it. */
static bool by_latency(const struct holding *h, const json_t *launcher, const char *told)
{
    const json_t *options = json_object_get(launcher, "options");
    const char *at = told ? strstr(told, " latency_us=") : NULL, *wanted = "0", *has = at ? strchr(at, '=') + 1 : "0";
    for (size_t i = 0; i + 1 < json_array_size(options); i++)
        if (strcmp(json_string_value(json_array_get(options, i)), "--latency") == 0)
            wanted = json_string_value(json_array_get(options, i + 1));
    return strtol(has, NULL, 10) == strtol(wanted, NULL, 10) ||
           wrong(h, "the plan's launcher adds %ld us of latency, and it ran with %ld us", strtol(wanted, NULL, 10),
                 strtol(has, NULL, 10));
}

/* The wire that the plan's launcher emulates. */
static bool by_rate(const struct holding *h)
{
    const json_t *launcher = ovl_plan_said(&h->sweep->plan, h->launch->job, "launcher");
    const char *kind = json_string_value(json_object_get(launcher, "kind"));
    const char *rate = json_string_value(json_object_get(launcher, "rate"));
    const char *told = json_string_value(json_object_get(json_object_get(h->run->head, "environment"), "OVL_CLUSTER"));
    double has = 8 * ovl_link_cluster_rate(h->run);
    rate = rate ? rate : "1gbit"; /* as scripts/cluster */
    if (!kind || strcmp(kind, "cluster") != 0)
        return true;
    if (fabs(has / ovl_link_bits(rate) - 1) < 1e-6 && has_burst(launcher, told))
        return by_latency(h, launcher, told);
    return wrong(h, "the plan's launcher emulates %.20s, and it ran with OVL_CLUSTER of %.80s", rate,
                 told ? told : "nothing");
}

/* Half of the plan's nodes have ranks, or more: those without may be the DPUs of the others. On one node alone nothing
   meets the wire. */
static bool on_nodes(const struct holding *h, size_t used)
{
    size_t wanted = (size_t)json_integer_value(json_object_get(h->launch->job, "nodes"));
    return wanted < 2 || (used > 1 && 2 * used >= wanted) ||
           wrong(h,
                 "its ranks are on %zu of the plan's %zu nodes: half of them may be DPUs, and one node alone uses no "
                 "network",
                 used, wanted);
}

/* Nodes have as many ranks, or one more: else most messages would never meet the wire. Workers may have nodes alone. */
static bool by_places(const struct holding *h)
{
    const json_t *at = json_object_get(h->run->head, "rank_hosts");
    size_t nodes = json_array_size(json_object_get(h->run->head, "hosts")), least = SIZE_MAX, most = 0, used = 0;
    for (size_t k = 0; k < nodes; k++) {
        size_t n = 0;
        for (size_t i = 0; i < json_array_size(at); i++)
            n += json_integer_value(json_array_get(at, i)) == (json_int_t)k;
        least = n < least && (n > 0 || json_integer_value(json_object_get(h->run->head, "workers")) == 0) ? n : least;
        most = n > most ? n : most;
        used += n > 0;
    }
    if (ovl_json_lists(h->may_differ, "rank_hosts[]"))
        return true;
    if (json_array_size(at) == 0 || nodes == 0) /* a record of before it was told */
        return on_nodes(h, (size_t)json_integer_value(json_object_get(h->run->head, "nodes")));
    return !json_object_get(h->launch->job, "nodes") ||
           (on_nodes(h, used) &&
            (most <= least + 1 ||
             wrong(h, "its nodes have %zu to %zu ranks: spread them evenly, or allow rank_hosts[] in may_differ", least,
                   most)));
}

/* The nodes that the plan names, and no other. */
static bool by_hosts(const struct holding *h)
{
    json_t *names = json_array(), *host, *name;
    const json_t *said = json_object_get(h->launch->job, "hosts");
    const char *other = said && ovl_each_hosts_of(names, said) ? "what the plan has as hosts" : NULL;
    size_t i, k;
    json_array_foreach(json_object_get(h->run->head, "hosts"), i, host) {
        const char *is = json_string_value(json_object_get(host, "name"));
        bool named = !said || !is;
        json_array_foreach(names, k, name)
            named = named || ovl_each_same_host(is, json_string_value(name));
        other = named ? other : is;
    }
    json_decref(names);
    return !other || wrong(h, "it ran on %.80s, which is none of the plan's hosts", other);
}

static bool by_processes(const struct holding *h)
{
    long long wanted = json_integer_value(json_object_get(h->launch->job, "ranks")), ranks = 0, workers = 0;
    json_unpack(h->run->head, "{s:I, s:I}", "ranks", &ranks, "workers", &workers);
    char why[OVL_ERROR_TEXT];
    if (ranks + workers != wanted)
        return wrong(h, "it is of %lld ranks and %lld workers, and the plan says %lld processes", ranks, workers,
                     wanted);
    return ovl_sweep_outcome_on_nodes(h->run, h->launch->job, why) ? by_hosts(h) && by_machines(h) && by_places(h)
                                                                   : wrong(h, "%s", why);
}

/* Variables that the plan sets and a record tells. */
static bool by_set_variables(const struct holding *h)
{
    json_t *wanted = ovl_launch_environment(&h->sweep->plan, h->launch), *value;
    const json_t *has = json_object_get(h->run->head, "environment");
    const char *name;
    bool good = true;
    json_object_foreach(wanted, name, value) {
        const char *told = json_string_value(json_object_get(has, name));
        char *set = ovl_printable_copy(json_string_value(value)); /* as records are when they are read */
        if (!good || strcmp(name, OVL_TOPOLOGY_TELL) == 0 || (!told && !ovl_topology_is_told(name)))
            ; /* see ovl_held_untold() */
        else if (!told)
            good = wrong(h, "the plan sets %.60s, and it ran without", name);
        else if (strcmp(told, set) != 0)
            good = wrong(h, "the plan sets %.60s to %.40s, and it ran with %.40s", name, set, told);
        free(set);
    }
    json_decref(wanted);
    return good;
}

/* Does the plan set it for another job? Then its jobs differ in it, and this one is to be without. */
static bool is_of_others(const struct holding *h, const char *name)
{
    const json_t *jobs = json_object_get(h->sweep->plan.json, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++)
        if (json_object_get(json_object_get(json_array_get(jobs, i), "environment"), name))
            return true;
    return false;
}

/* Those of the site and the user are there in all launches, and the head tells them (tool/accept/evidence/attempts.h).
 */
static bool by_variables(const struct holding *h)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(h->run->head, "environment"), name, value) {
        if (ovl_plan_variable(&h->sweep->plan, h->launch->job, name))
            continue;
        if (strcmp(name, "OVL_CLUSTER") == 0 && !is_emulated(h))
            return wrong(h, "it ran on an emulated network, and the plan does not: OVL_CLUSTER is %.60s",
                         json_string_value(value));
        if (!ovl_environment_per_job(h->run, name, value) && is_of_others(h, name))
            return wrong(h, "it ran with %.60s of %.40s, which the plan sets for other jobs", name,
                         json_string_value(value));
    }
    return by_set_variables(h);
}

/* The record has the variables of rank 0. */
static bool by_ranks(const struct holding *h)
{
    const json_t *names = json_object_get(h->run->head, "environment_differs");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!name || !ovl_json_lists(h->may_differ, name))
            return wrong(h, "its ranks differ in %.60s", name ? name : "what has no name");
    }
    return true;
}

/* A name without a folder is found by the launcher. */
static bool by_program(const struct holding *h)
{
    const char *wanted = json_string_value(json_object_get(h->launch->job, "program")), *ran = word(h, 0);
    const char *slash = strrchr(ran, '/');
    if (!strchr(wanted, '/') && slash)
        ran = slash + 1;
    return strcmp(wanted, ran) == 0 || wrong(h, "it is of %.80s, and the plan says %.80s", ran, wanted);
}

/* The last words: where sweep puts the record, JOB/.003.jsonl, or JOB/.003-2.jsonl of a second attempt. */
static bool by_place(const struct holding *h, size_t at)
{
    char place[160];
    if (strcmp(word(h, at), "--json") != 0)
        return wrong(h, "%.80s %.40s is not in the plan", word(h, at), word(h, at + 1));
    snprintf(place, sizeof place, "%.100s/.%03zu", ovl_launch_job(h->launch), h->launch->number);
    const char *given = ovl_work_tail(word(h, at + 1));
    if (strncmp(given, place, strlen(place)) != 0 || !strchr(".-", given[strlen(place)]))
        return wrong(h, "it was written as %.100s, and not as this launch", given);
    return at + 2 == json_array_size(json_object_get(h->run->head, "command")) ||
           wrong(h, "%.80s %.40s is not in the plan", word(h, at + 2), word(h, at + 3));
}

static bool by_words(const struct holding *h)
{
    json_t *words = ovl_launch_options(h->launch->job);
    size_t n = json_array_size(words), i = 0;
    while (i < n && strcmp(json_string_value(json_array_get(words, i)), word(h, i + 1)) == 0)
        i++;
    bool good = i == n || wrong(h, "its command has %.60s where the plan has %.60s", word(h, i + 1),
                                json_string_value(json_array_get(words, i)));
    json_decref(words);
    i++;
    return good && ovl_work_held(h->jobs, h->at, h->launch, &i, h->why) && by_place(h, i);
}

/* As they took effect: another version, or schema, has other defaults, and may lack options. */
static bool by_options(const struct holding *h, const struct ovl_program_options *o)
{
    json_t *wanted = ovl_options_json(o->rows, o->values), *value;
    const json_t *has = json_object_get(h->run->head, "options");
    const char *name;
    bool good = true, ours = ovl_version_is_known(ovl_run_text(h->run, "ovl_version")) &&
                             strcmp(ovl_run_text(h->run, "schema"), OVL_RECORD_SCHEMA) == 0;
    json_object_del(wanted, "json");
    json_object_del(wanted, "work_from");
    json_object_foreach(wanted, name, value) {
        const json_t *told = json_object_get(has, name);
        if (good && !told && ours)
            good = wrong(h, "it does not tell its option %.40s", name);
        if (!good || !told || ovl_json_same(told, value) ||
            (!ours && ovl_option_unsaid(name, told, json_object_get(h->launch->job, "options"))))
            continue;
        char *text = json_dumps(told, JSON_ENCODE_ANY | JSON_COMPACT);
        good = wrong(h, "its option %.40s is %.80s, by another default than that of this version", name,
                     text ? text : "?");
        free(text);
    }
    json_decref(wanted);
    return good;
}

/* The last --workers of each node; of 0 they are programs of their own, of which a plan tells nothing. */
static bool by_workers(const struct holding *h, const struct ovl_program_options *o)
{
    json_t *wanted = ovl_options_json(o->rows, o->values);
    const char *mode = "", *engine = "";
    json_int_t each = 0, nodes = 0, workers = 0;
    json_unpack(wanted, "{s?s, s?s, s?I}", "mode", &mode, "engine", &engine, "workers", &each);
    json_unpack(h->run->head, "{s:I, s:I}", "nodes", &nodes, "workers", &workers);
    bool offloads = strstr(mode, "dpu") && strcmp(engine, "worker") == 0, apart = offloads && each == 0;
    json_decref(wanted);
    return apart || workers == offloads * each * nodes ||
           wrong(h, "it is of %lld workers on %lld nodes, and its command has %lld on each", workers, nodes, each);
}

static bool by_cells(const struct holding *h, const struct ovl_program_options *o)
{
    json_t *lacking = ovl_run_of_options(o, h->run);
    bool whole =
        json_array_size(lacking) == 0 || wrong(h, "it lacks %s", json_string_value(json_array_get(lacking, 0)));
    json_decref(lacking);
    return whole;
}

/* The record's own options, and what it does not tell of them by the plan: an older version lacks some. */
static bool by_contents(const struct holding *h, const struct ovl_program_options *o)
{
    char why[OVL_OF_OPTIONS_WHY];
    json_t *options = ovl_options_json(o->rows, o->values);
    bool good = true;
    json_object_update(options, json_object_get(h->run->head, "options"));
    for (size_t i = 0; i < h->run->cell_count && good; i++)
        if (!ovl_cell_of_options(h->run->head, options, &h->run->cells[i], why))
            good = ovl_cell_solves(&h->run->cells[i]) ? wrong(h, "cell %zu contradicts its options: %s", i + 1, why)
                                                      : wrong(h, "its cell of %.0f bytes contradicts its options: %s",
                                                              h->run->cells[i].size_bytes, why);
    json_decref(options);
    return good;
}

bool ovl_held(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, const json_t *may_differ,
              enum ovl_held_by *by, char why[OVL_HELD_WHY])
{
    const struct ovl_run *of = &j->record->runs[run];
    const struct holding h = {j, run, of, &j->sweep[j->job[j->run[run].job].sweep], l, may_differ, why};
    struct ovl_program_options o = {.rows = NULL};
    *by = ovl_job_is_ours(l->job) ? OVL_HELD_COMMAND : OVL_HELD_START;
    why[0] = '\0';
    bool good = by_processes(&h) && by_rate(&h) && by_variables(&h) && by_ranks(&h);
    if (good && *by == OVL_HELD_COMMAND)
        good = by_program(&h) && by_words(&h);
    if (*by == OVL_HELD_COMMAND && ovl_job_options_parse(&o, l->job)) {
        *by = OVL_HELD_CELLS;
        good = good && by_options(&h, &o) && by_workers(&h, &o) && by_cells(&h, &o) && by_contents(&h, &o);
    }
    ovl_program_options_free(&o);
    return good;
}

bool ovl_held_untold(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, char name[OVL_HELD_WHY])
{
    json_t *wanted = ovl_launch_environment(&j->sweep[j->job[j->run[run].job].sweep].plan, l), *value;
    const json_t *has = json_object_get(j->record->runs[run].head, "environment");
    const char *one;
    name[0] = '\0';
    json_object_foreach(wanted, one, value) {
        if (!*name && strcmp(one, OVL_TOPOLOGY_TELL) != 0 && !ovl_topology_is_told(one) && !json_object_get(has, one))
            ovl_utf8_print(name, OVL_HELD_WHY, "%.100s", one);
    }
    json_decref(wanted);
    return *name;
}
