/* Telling jobs apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/apart.h"
#include "base/error.h"
#include "base/path.h"
#include "tool/cells/turns.h"
#include "tool/util/json_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ovl_apart_job(char job[OVL_MEMBER_JOB], const char *file)
{
    const char *slash = strrchr(file, '/'), *from = slash;
    *job = '\0';
    while (from && from > file && from[-1] != '/')
        from--;
    if (!slash || from == slash || slash - from >= OVL_MEMBER_JOB)
        return;
    if (access(ovl_path("%.*splan.json", (int)(from - file), file).text, R_OK) == 0)
        snprintf(job, OVL_MEMBER_JOB, "%.*s", (int)(slash - from), from);
}

struct ovl_path ovl_apart_folder(const char *file)
{
    char job[OVL_MEMBER_JOB];
    const char *slash = strrchr(file, '/');
    ovl_apart_job(job, file);
    return ovl_path("%.*s", *job ? (int)(slash - file) : 0, file);
}

json_t *ovl_apart_plan(const char *file)
{
    const struct ovl_path folder = ovl_apart_folder(file);
    struct ovl_error unread;
    return *folder.text ? ovl_json_file_load(ovl_path("%s/../plan.json", folder.text).text, NULL, &unread) : NULL;
}

bool ovl_apart_gives_work(const char *file)
{
    char name[OVL_MEMBER_JOB];
    json_t *plan = ovl_apart_plan(file), *job;
    const char *all = json_string_value(json_object_get(plan, "work_of"));
    bool known = false, baseline = false;
    size_t k;
    ovl_apart_job(name, file);
    bool gives = all && strcmp(all, name) == 0;
    json_array_foreach(json_object_get(plan, "jobs"), k, job) {
        const char *own = json_string_value(json_object_get(job, "name")),
                   *of = json_string_value(json_object_get(job, "work_of"));
        gives = gives || (of && strcmp(of, name) == 0);
        if (own && strcmp(own, name) == 0) {
            known = true;
            baseline = json_object_get(job, "baseline");
        }
    }
    json_decref(plan);
    return !known || (gives && !baseline);
}

static bool has_job(const struct ovl_member *m, size_t n, size_t side, const char *job)
{
    for (size_t i = 0; i < n; i++)
        if (m[i].side == side && strcmp(m[i].job, job) == 0)
            return true;
    return false;
}

/* Does a sweep of either side have two of its jobs there? */
static bool in_one_sweep(const struct ovl_member *m, size_t n)
{
    json_t *job_of = json_object();
    bool several = false;
    for (size_t i = 0; i < n && !several; i++) {
        const char *name = strrchr(m[i].run->file, '/');
        size_t length = name ? (size_t)(name - m[i].run->file) - strlen(m[i].job) : 0;
        if (!*m[i].job)
            continue;
        const struct ovl_path folder = ovl_path("%.*s", (int)length, m[i].run->file);
        const char *other = json_string_value(json_object_get(job_of, folder.text));
        several = other && strcmp(other, m[i].job) != 0;
        json_object_set_new_nocheck(job_of, folder.text, json_string_nocheck(m[i].job));
    }
    json_decref(job_of);
    return several;
}

/* Did a launch of one job of the first side, in the order of time, begin between two of another? A job that begins when
   another one ends may be the same one by another name. */
static bool take_turns(const struct ovl_member *m, size_t n)
{
    json_t *first = json_object(), *last = json_object(), *ended;
    const char *job;
    bool turns = false;
    for (size_t i = 0; i < n && m[i].side == m[0].side; i++) {
        const json_t *least = json_object_get(first, m[i].job), *most = json_object_get(last, m[i].job);
        double began = ovl_run_began(m[i].run);
        if (!least || began < json_real_value(least))
            json_object_set_new_nocheck(first, m[i].job, json_real(began));
        if (!most || began > json_real_value(most))
            json_object_set_new_nocheck(last, m[i].job, json_real(began));
    }
    for (size_t i = 0; i < n && m[i].side == m[0].side && !turns; i++) {
        double began = ovl_run_began(m[i].run);
        json_object_foreach(last, job, ended)
            turns = turns || (strcmp(job, m[i].job) != 0 && began < json_real_value(ended) &&
                              began > json_real_value(json_object_get(first, job)));
    }
    json_decref(first);
    json_decref(last);
    return turns;
}

static bool share_a_job(const struct ovl_member *m, size_t n)
{
    for (size_t i = 0; i < n && m[i].side == m[0].side; i++)
        if (!(i > 0 && strcmp(m[i].job, m[i - 1].job) == 0) && has_job(m, n, m[n - 1].side, m[i].job))
            return true;
    return false;
}

static bool are_apart(const struct ovl_member *m, size_t n)
{
    return (in_one_sweep(m, n) || take_turns(m, n)) && (m[n - 1].side == m[0].side || share_a_job(m, n));
}

static void set_apart(struct ovl_member *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *key = ovl_text("%s\t%s", m[i].key, m[i].job);
        free(m[i].key);
        m[i].key = key;
        m[i].apart = true;
    }
}

void ovl_apart_jobs(struct ovl_member *m, size_t n, int (*in_order)(const void *, const void *))
{
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && strcmp(m[i].key, m[i + same].key) == 0;)
            same++;
        if (!are_apart(m + i, same))
            continue;
        set_apart(m + i, same);
        qsort(m + i, same, sizeof *m, in_order);
    }
}
