/* Plans of launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/plan.h"
#include "base/rng.h"
#include "tool/command.h"
#include "tool/json_file.h"
#include "version.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAUNCHES = 5, SECONDS = 600 };

const char *ovl_launch_job(const struct ovl_launch *l)
{
    return json_string_value(json_object_get(l->job, "name"));
}

/* What a job says itself, else what the plan says for all. */
static json_t *said(const json_t *plan, const json_t *job, const char *name)
{
    json_t *own = json_object_get(job, name);
    return own ? own : json_object_get(plan, name);
}

size_t ovl_plan_launches(const struct ovl_plan *p, size_t job)
{
    const json_t *launches = said(p->json, json_array_get(json_object_get(p->json, "jobs"), job), "launches");
    return launches ? (size_t)json_integer_value(launches) : LAUNCHES;
}

size_t ovl_plan_place(const struct ovl_plan *p, const char *job, size_t number)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    size_t before = 0;
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        size_t launches = ovl_plan_launches(p, i);
        if (strcmp(job, json_string_value(json_object_get(json_array_get(jobs, i), "name"))) == 0)
            return number >= 1 && number <= launches ? before + number - 1 : p->count;
        before += launches;
    }
    return p->count;
}

static int check_job(const char *path, const json_t *jobs, size_t i, struct ovl_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    char pointer[64];
    const char *name = json_string_value(json_object_get(json_array_get(jobs, i), "name"));
    size_t n = strlen(name);
    snprintf(pointer, sizeof pointer, "/jobs/%zu/name", i);
    if (n == 0 || n > 100 || name[0] == '.' || name[0] == '-' || strspn(name, letters) != n)
        return ovl_json_file_fault(path, pointer, "letters, digits, _ - and . are wanted here: it names a folder", err);
    for (size_t k = 0; k < i; k++)
        if (strcmp(name, json_string_value(json_object_get(json_array_get(jobs, k), "name"))) == 0)
            return ovl_json_file_fault(path, pointer, "another job has this name already", err);
    return 0;
}

/* Rounds of all jobs, so that what drifts meets all of them alike. */
static void put_in_order(struct ovl_plan *p)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    const char *order = json_string_value(json_object_get(p->json, "order"));
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)json_integer_value(json_object_get(p->json, "seed")));
    for (size_t round = 1, before = 1; before > 0; round++) {
        size_t first = p->count;
        for (size_t i = 0; i < json_array_size(jobs); i++) {
            json_t *job = json_array_get(jobs, i);
            const json_t *limit = said(p->json, job, "time_limit_seconds");
            if (round <= ovl_plan_launches(p, i))
                p->launch[p->count++] = (struct ovl_launch){job, round, limit ? json_number_value(limit) : SECONDS};
        }
        before = p->count - first;
        for (size_t i = before; order && strcmp(order, "random") == 0 && i > 1; i--) {
            struct ovl_launch *a = &p->launch[first + i - 1], *b = &p->launch[first + ovl_rng_below(&rng, (uint32_t)i)];
            struct ovl_launch kept = *a;
            *a = *b;
            *b = kept;
        }
    }
}

int ovl_plan_load(struct ovl_plan *p, const char *path, struct ovl_error *err)
{
    size_t most = 0;
    *p = (struct ovl_plan){.json = ovl_json_file_load(path, "plan.schema.json", err)};
    const json_t *jobs = json_object_get(p->json, "jobs");
    int rc = p->json ? 0 : -1;
    if (rc == 0 && json_array_size(jobs) == 0)
        rc = ovl_json_file_fault(path, "/jobs", "a job is wanted here: nothing to run", err);
    for (size_t i = 0; i < json_array_size(jobs) && rc == 0; i++) {
        rc = check_job(path, jobs, i, err);
        most += ovl_plan_launches(p, i);
    }
    p->launch = rc == 0 ? calloc(most ? most : 1, sizeof *p->launch) : NULL;
    if (rc == 0 && !p->launch)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu launches", most);
    if (p->launch)
        put_in_order(p);
    else
        ovl_plan_free(p);
    return rc;
}

void ovl_plan_free(struct ovl_plan *p)
{
    json_decref(p->json);
    free(p->launch);
    *p = (struct ovl_plan){NULL, NULL, 0};
}

static void add(json_t *words, const char *word)
{
    json_array_append_new(words, json_string(word));
}

static void add_number(json_t *words, const char *option, const json_t *number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(number));
    add(words, option);
    add(words, text);
}

static void add_option(json_t *words, const char *option, const json_t *text)
{
    if (!text)
        return;
    add(words, option);
    add(words, json_string_value(text));
}

/* "FOLDER/NAME" with the folder of this program when there is such a file, else the name as it is. */
static void beside(char path[4096], const char *between, const char *name)
{
    char program[2048];
    ovl_command_folder(program);
    snprintf(path, 4096, "%s/%s%s", program, between, name);
    if (strchr(name, '/') || access(path, X_OK) != 0)
        snprintf(path, 4096, "%s", name);
}

static void add_program(json_t *words, const json_t *job)
{
    char path[4096];
    beside(path, "", json_string_value(json_object_get(job, "program")));
    add(words, path);
}

static void add_environment(json_t *words, json_t *environment, const char *option)
{
    const char *name;
    json_t *value;
    json_object_foreach(environment, name, value) {
        char text[4096];
        snprintf(text, sizeof text, "%s=%s", name, json_string_value(value));
        if (*option)
            add(words, option);
        add(words, text);
    }
}

/* The mpiexec that belongs to the MPI library that the drivers were built with; it may have words of its own. */
static void add_mpiexec(json_t *words)
{
    const char *said = getenv("OVL_MPIEXEC");
    for (said = said && *said ? said : OVL_MPIEXEC; *said;) {
        size_t n = strcspn(said, " ");
        if (n > 0)
            json_array_append_new(words, json_stringn(said, n));
        said += n + (said[n] == ' ');
    }
}

/* The launcher's words, up to the program. */
static void add_launcher(json_t *words, const json_t *launcher, const json_t *job, json_t *environment)
{
    char path[4096];
    const char *kind = json_string_value(json_object_get(launcher, "kind"));
    const char *program = json_string_value(json_object_get(launcher, "program"));
    const json_t *options = json_object_get(launcher, "options"), *nodes = json_object_get(job, "nodes");
    const json_t *ranks = json_object_get(job, "ranks");
    json_int_t per_node = json_integer_value(ranks) / (nodes ? json_integer_value(nodes) : 1);
    bool cluster = kind && strcmp(kind, "cluster") == 0, rsh = kind && strcmp(kind, "mpirun_rsh") == 0;
    kind = kind ? kind : "mpiexec";
    snprintf(path, sizeof path, "%s", program ? program : kind);
    if (cluster && !program)
        beside(path, "../../scripts/", "cluster");
    if (!program && strcmp(kind, "mpiexec") == 0)
        add_mpiexec(words);
    else
        add(words, path);
    if (cluster) {
        json_t *each = json_integer(per_node > 0 ? per_node : 1);
        add(words, "run");
        if (nodes)
            add_number(words, "--nodes", nodes);
        add_number(words, "--ppn", each);
        json_decref(each);
        add_option(words, "--rate", json_object_get(launcher, "rate"));
    }
    add_number(words, rsh ? "-np" : "-n", ranks);
    if (strcmp(kind, "srun") == 0 && nodes)
        add_number(words, "-N", nodes);
    add_option(words, "-hostfile", rsh ? json_object_get(launcher, "hostfile") : NULL);
    add_option(words, "-dpufile", rsh ? json_object_get(launcher, "dpufile") : NULL);
    for (size_t i = 0; i < json_array_size(options); i++)
        add(words, json_string_value(json_array_get(options, i)));
    /* These two pass on only what they are told. */
    if (cluster || rsh)
        add_environment(words, environment, cluster ? "--env" : "");
    if (cluster)
        add(words, "--");
}

json_t *ovl_launch_environment(const struct ovl_plan *p, const struct ovl_launch *l)
{
    json_t *all = json_object();
    json_object_update(all, json_object_get(p->json, "environment"));
    json_object_update(all, json_object_get(l->job, "environment"));
    return all;
}

json_t *ovl_launch_command(const struct ovl_plan *p, const struct ovl_launch *l, const char *record)
{
    json_t *words = json_array(), *environment = ovl_launch_environment(p, l);
    const json_t *options = json_object_get(l->job, "options"), *modes = json_object_get(l->job, "modes");
    char list[256] = "";
    add_launcher(words, said(p->json, l->job, "launcher"), l->job, environment);
    add_program(words, l->job);
    for (size_t i = 0; i < json_array_size(options); i++)
        add(words, json_string_value(json_array_get(options, i)));
    for (size_t i = 0; i < json_array_size(modes); i++) {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? "," : "", json_string_value(json_array_get(modes, i)));
    }
    if (*list) {
        add(words, "--mode");
        add(words, list);
    }
    add(words, "--json");
    add(words, record);
    json_decref(environment);
    return words;
}
