/* Scans: a job with lists of values becomes a job for each combination of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"
#include "base/utf8.h"
#include "tool/sweep/plan/each.h"
#include "tool/sweep/plan/read.h"
#include "tool/util/json_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 16, NAME = 100 };

/* A list of values: of a field, or of the option of that index. */
struct list {
    const char *field; /* NULL: an option */
    size_t option;
    const json_t *values;
    char mark[32]; /* stands before the value in the job's name: "r", "n", or the option's letters */
};

/* `places`: where a job with "each" is to run; NULL: it is none. */
static size_t find_lists(const json_t *job, const json_t *places, struct list *list)
{
    static const struct {
        const char *field, *mark;
    } fields[] = {{"ranks", "r"}, {"nodes", "n"}};
    const json_t *options = json_object_get(job, "options");
    size_t n = 0;
    for (size_t i = 0; i < 2; i++)
        if (json_is_array(json_object_get(job, fields[i].field))) {
            list[n] = (struct list){.field = fields[i].field, .values = json_object_get(job, fields[i].field)};
            snprintf(list[n++].mark, sizeof list->mark, "%s", fields[i].mark);
        }
    if (places)
        list[n++] = (struct list){.field = "hosts", .values = places};
    for (size_t i = 0; i < json_array_size(options); i++) {
        const char *before = i > 0 ? json_string_value(json_array_get(options, i - 1)) : NULL;
        if (!json_is_array(json_array_get(options, i)) || n++ >= LISTS)
            continue;
        list[n - 1] = (struct list){.option = i, .values = json_array_get(options, i)};
        if (before && *before == '-')
            snprintf(list[n - 1].mark, sizeof list->mark, "%.30s", before + strspn(before, "-"));
    }
    return n;
}

/* "-r4", "-m64K_1M": what is no letter of a name becomes _. */
static void add_to_name(char *name, size_t room, const struct list *list, const json_t *value)
{
    size_t n = strlen(name);
    const char *text = json_string_value(value);
    size_t hosts = json_array_size(value);
    for (size_t i = 0; i < hosts; i++)
        n += ovl_utf8_print(name + n, room - n, "-%s", json_string_value(json_array_get(value, i)));
    if (hosts > 0)
        return;
    if (text)
        snprintf(name + n, room - n, "-%s%s", list->mark, text + strspn(text, "-"));
    else
        snprintf(name + n, room - n, "-%s%lld", list->mark, (long long)json_integer_value(value));
    for (char *c = name + n; *c; c++)
        if (!strchr(ovl_name_letters, *c))
            *c = '_';
}

static void add_job(struct ovl_plan_read *r, const char *file, size_t job, const char *base, json_t *made)
{
    r->source = ovl_grow_one(r->source, r->count, sizeof *r->source);
    r->source[r->count++] = (struct ovl_plan_source){ovl_text("%s", file), job, base ? ovl_text("%s", base) : NULL};
    json_array_append(json_object_get(r->json, "jobs"), made);
}

/* The combination of that number: the last list turns fastest. */
static json_t *combine(const json_t *job, const struct list *list, size_t lists, size_t number)
{
    char name[4 * NAME];
    json_t *made = json_deep_copy(job);
    size_t all = 1, rest = number;
    snprintf(name, sizeof name, "%s", json_string_value(json_object_get(job, "name")));
    for (size_t i = 0; i < lists; i++)
        all *= json_array_size(list[i].values);
    for (size_t i = 0; i < lists; i++) {
        all /= json_array_size(list[i].values);
        json_t *value = json_array_get(list[i].values, rest / all);
        rest %= all;
        add_to_name(name, sizeof name, &list[i], value);
        if (list[i].field)
            json_object_set(made, list[i].field, value);
        else
            json_array_set(json_object_get(made, "options"), list[i].option, value);
    }
    json_object_set_new(made, "name", json_string(name));
    return made;
}

static int fault(const char *file, size_t job, const char *wanted, struct ovl_error *err)
{
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/jobs/%zu", job);
    return ovl_json_file_fault(file, pointer, wanted, err);
}

/* How many jobs, up to `most` + 1. */
static size_t count_jobs(const struct list *list, size_t lists, size_t most)
{
    size_t all = 1;
    for (size_t i = 0; i < lists; i++)
        all = json_array_size(list[i].values) > 0 && all > most / json_array_size(list[i].values)
                  ? most + 1
                  : all * json_array_size(list[i].values);
    return all;
}

static int scan(struct ovl_plan_read *r, const char *file, json_t *job, size_t at, const json_t *places,
                struct ovl_error *err)
{
    struct list list[LISTS];
    const char *base = json_string_value(json_object_get(job, "name"));
    size_t most = places ? OVL_PLAN_EACH : OVL_PLAN_JOBS, lists = find_lists(job, places, list),
           all = lists <= LISTS ? count_jobs(list, lists, most) : 0;
    char wanted[160];
    if (lists > LISTS)
        return fault(file, at, "16 lists of values at most are wanted in a job", err);
    if (all == 0)
        return fault(file, at, "a list of values has none", err);
    snprintf(wanted, sizeof wanted, "this %s makes the plan have over %zu jobs: give fewer %s, or plans apart",
             places ? "\"each\"" : "scan", most, places ? "hosts or \"rounds\"" : "values");
    if (lists > 0 && (all > most || r->count + all > most))
        return fault(file, at, wanted, err);
    for (size_t i = 0; i < all; i++) {
        json_t *made = combine(job, list, lists, i);
        const char *name = json_string_value(json_object_get(made, "name"));
        if (lists > 0 && strlen(name) > NAME) {
            json_decref(made);
            return fault(file, at, "the names that this scan makes are over 100 characters: shorten name or values",
                         err);
        }
        add_job(r, file, at, lists > 0 ? base : NULL, made);
        json_decref(made);
    }
    r->scanned += lists > 0 ? all : 0;
    return 0;
}

/* A job with "each" becomes one a place, which tells its hosts, and its nodes unless they are said. */
int ovl_plan_scan(struct ovl_plan_read *r, const char *file, const json_t *jobs, size_t at, struct ovl_error *err)
{
    json_t *job = json_array_get(jobs, at), *places;
    char wanted[OVL_EACH_WANTED];
    if (!json_object_get(job, "each") && json_object_get(job, "rounds"))
        return fault(file, at, "\"rounds\" goes with \"each\": \"pair\"", err);
    if (!json_object_get(job, "each")) {
        if (!json_object_get(job, "hosts"))
            return scan(r, file, job, at, NULL, err);
        json_t *one = json_deep_copy(job), *names = json_array();
        const char *wrong = ovl_each_hosts_of(names, json_object_get(job, "hosts"));
        json_object_set_new(one, "hosts", names);
        int rc = wrong ? fault(file, at, wrong, err) : scan(r, file, one, at, NULL, err);
        json_decref(one);
        return rc;
    }
    if (!(places = ovl_each_places(job, json_object_get(r->json, "hosts"), wanted)))
        return fault(file, at, wanted, err);
    json_t *one = json_deep_copy(job);
    if (!json_object_get(one, "nodes"))
        json_object_set_new(one, "nodes", json_integer((json_int_t)json_array_size(json_array_get(places, 0))));
    json_object_del(one, "each");
    json_object_del(one, "rounds");
    int rc = scan(r, file, one, at, places, err);
    json_decref(one);
    json_decref(places);
    return rc;
}
