/* Plans of launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/plan/plan.h"
#include "base/rng.h"
#include "cli/program.h"
#include "tool/sweep/plan/read.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 5, SECONDS = 600, GRACE = 10, HOOK_SECONDS = 60 };

const char *ovl_launch_job(const struct ovl_launch *l)
{
    return json_string_value(json_object_get(l->job, "name"));
}

const char *ovl_plan_nonce(const struct ovl_plan *p)
{
    return json_string_value(json_object_get(p->json, "nonce"));
}

const char *ovl_plan_baseline(const struct ovl_plan *p, size_t job)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    const char *said = json_string_value(json_object_get(json_array_get(jobs, job), "baseline"));
    return said ? said : "";
}

json_t *ovl_plan_said(const struct ovl_plan *p, const json_t *job, const char *name)
{
    json_t *own = json_object_get(job, name);
    return own ? own : json_object_get(p->json, name);
}

/* Does the word, of so many characters, name that option, or begin its name as its program takes it? */
static bool is_option(const struct ovl_option *rows, const char *word, size_t length, const char *name)
{
    const char *meant =
        rows && strncmp(word, "--", 2) == 0 && length > 2 ? ovl_options_meant(rows, word + 2, length - 2) : NULL;
    return (length == strlen(name) && strncmp(word, name, length) == 0) || (meant && strcmp(meant, name + 2) == 0);
}

const char *ovl_plan_option(const json_t *job, const char *name)
{
    const json_t *options = json_object_get(job, "options");
    const char *program = json_string_value(json_object_get(job, "program")), *slash = strrchr(program, '/');
    const struct ovl_option *rows = ovl_program_rows(slash ? slash + 1 : program);
    const char *value = NULL;
    for (size_t i = 0; i < json_array_size(options); i++) {
        const char *word = json_string_value(json_array_get(options, i));
        size_t length = strcspn(word, "=");
        if (!is_option(rows, word, length, name))
            continue;
        if (word[length] == '=')
            value = word + length + 1;
        else {
            const char *next = json_string_value(json_array_get(options, ++i));
            value = next ? next : "";
        }
    }
    return value;
}

const char *ovl_plan_variable(const struct ovl_plan *p, const json_t *job, const char *name)
{
    const char *own = json_string_value(json_object_get(json_object_get(job, "environment"), name));
    return own ? own : json_string_value(json_object_get(json_object_get(p->json, "environment"), name));
}

json_t *ovl_plan_job(const struct ovl_plan *p, const char *name)
{
    const json_t *index = json_object_get(p->index, name);
    return index ? json_array_get(json_object_get(p->json, "jobs"), (size_t)json_integer_value(index)) : NULL;
}

const json_t *ovl_plan_hook(const struct ovl_plan *p, const json_t *job, const char *hook)
{
    return json_object_get(ovl_plan_said(p, job, hook), "command");
}

double ovl_plan_hook_seconds(const struct ovl_plan *p, const json_t *job, const char *hook)
{
    const json_t *said = json_object_get(ovl_plan_said(p, job, hook), "time_limit_seconds");
    return said ? json_number_value(said) : HOOK_SECONDS;
}

double ovl_plan_hooks_seconds(const struct ovl_plan *p, const json_t *job)
{
    static const char *const hooks[] = {"before", "after"};
    double most = 0;
    for (int i = 0; i < 2; i++)
        most += ovl_plan_hook(p, job, hooks[i]) ? ovl_plan_hook_seconds(p, job, hooks[i]) : 0;
    return most;
}

json_t *ovl_plan_work_of(const struct ovl_plan *p, const json_t *job)
{
    const char *name = json_string_value(ovl_plan_said(p, job, "work_of"));
    return name ? ovl_plan_job(p, name) : NULL;
}

size_t ovl_plan_launches(const struct ovl_plan *p, size_t job)
{
    const json_t *launches = ovl_plan_said(p, json_array_get(json_object_get(p->json, "jobs"), job), "launches");
    return launches ? (size_t)json_integer_value(launches) : LAUNCHES;
}

size_t ovl_plan_place(const struct ovl_plan *p, const char *job, size_t number)
{
    const json_t *index = json_object_get(p->index, job);
    const size_t *first = p->first + json_integer_value(index);
    return index && number >= 1 && number <= first[1] - first[0] ? first[0] + number - 1 : p->count;
}

/* Where the launches of each job stand, and what is set for any. */
static void index_jobs(struct ovl_plan *p)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    size_t n = json_array_size(jobs);
    p->index = json_object();
    p->variables = json_object();
    json_object_update(p->variables, json_object_get(p->json, "environment"));
    p->first = ovl_alloc(n + 1, sizeof *p->first);
    for (size_t i = 0; i < n; i++) {
        p->first[i + 1] = p->first[i] + ovl_plan_launches(p, i);
        json_object_set_new(p->index, json_string_value(json_object_get(json_array_get(jobs, i), "name")),
                            json_integer((json_int_t)i));
        json_object_update(p->variables, json_object_get(json_array_get(jobs, i), "environment"));
    }
}

bool *ovl_plan_sources(const struct ovl_plan *p)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    bool *source = ovl_alloc(json_array_size(jobs), sizeof *source);
    for (size_t k = 0; k < json_array_size(jobs); k++) {
        const char *of = json_string_value(ovl_plan_said(p, json_array_get(jobs, k), "work_of"));
        const json_t *index = of ? json_object_get(p->index, of) : NULL;
        if (index)
            source[json_integer_value(index)] = true;
    }
    return source;
}

/* The index of what comes i-th of n in that round: there and back, so that what drifts meets all jobs alike. */
static size_t turn(size_t round, size_t i, size_t n)
{
    return round % 2 == 1 ? i : n - 1 - i;
}

/* Launches that set the work of others come before all. */
static void put_first(struct ovl_plan *p)
{
    struct ovl_launch *before = p->launch, *after = ovl_alloc(p->count, sizeof *after);
    bool *source = ovl_plan_sources(p);
    size_t n = 0;
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < p->count; i++)
            if ((before[i].number == 1 && source[before[i].of]) == first)
                after[n++] = before[i];
    p->launch = after;
    free(before);
    free(source);
}

static double seconds_said(const struct ovl_plan *p, const json_t *job, const char *name, double unless_said)
{
    const json_t *said = ovl_plan_said(p, job, name);
    return said ? json_number_value(said) : unless_said;
}

static void put_in_order(struct ovl_plan *p)
{
    const json_t *jobs = json_object_get(p->json, "jobs");
    const char *order = json_string_value(json_object_get(p->json, "order"));
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)json_integer_value(json_object_get(p->json, "seed")));
    for (size_t round = 1, before = 1; before > 0; round++) {
        size_t first = p->count;
        for (size_t k = 0, n = json_array_size(jobs); k < n; k++) {
            size_t i = turn(round, k, n);
            json_t *job = json_array_get(jobs, i);
            if (round <= ovl_plan_launches(p, i))
                p->launch[p->count++] = (struct ovl_launch){job,
                                                            i,
                                                            p->first[i] + round - 1,
                                                            round,
                                                            seconds_said(p, job, "time_limit_seconds", SECONDS),
                                                            seconds_said(p, job, "grace_seconds", GRACE)};
        }
        before = p->count - first;
        for (size_t i = before; order && strcmp(order, "random") == 0 && i > 1; i--) {
            struct ovl_launch *a = &p->launch[first + i - 1], *b = &p->launch[first + ovl_rng_below(&rng, (uint32_t)i)];
            struct ovl_launch kept = *a;
            *a = *b;
            *b = kept;
        }
    }
    put_first(p);
}

int ovl_plan_load(struct ovl_plan *p, const char *path, const struct ovl_texts *set, struct ovl_error *err)
{
    struct ovl_plan_read r;
    *p = (struct ovl_plan){.json = NULL};
    if (ovl_plan_read(&r, path, set, err) != 0)
        return -1;
    *p = (struct ovl_plan){.json = json_incref(r.json), .scanned = r.scanned, .included = r.included};
    index_jobs(p);
    p->launch = ovl_alloc(p->first[r.count], sizeof *p->launch);
    ovl_plan_read_free(&r);
    put_in_order(p);
    return 0;
}

void ovl_plan_free(struct ovl_plan *p)
{
    json_decref(p->json);
    json_decref(p->index);
    json_decref(p->variables);
    free(p->first);
    free(p->launch);
    *p = (struct ovl_plan){.json = NULL};
}
