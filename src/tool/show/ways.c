/* Sets of rivals: cells of one work that differ in who carries the communication. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/show/ways.h"
#include "base/name.h"
#include "base/path.h"
#include "stats/stats.h"
#include "tool/cells/apart.h"
#include "tool/cells/lost.h"
#include "tool/cells/metric.h"
#include "tool/cells/owed.h"
#include "tool/cells/setting.h"
#include "tool/cells/turns.h"
#include "tool/show/place.h"
#include "tool/util/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"blocking", "host", "host-t", "library", "thread", "dpu"};
enum { NAMES = sizeof names / sizeof *names };

/* Are there threads of the library's own that progress messages? */
static bool library_progresses(const struct ovl_run *run)
{
    static const char *const variables[] = {"MPICH_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS"};
    const json_t *set = json_object_get(run->head, "environment");
    bool any = false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = json_string_value(json_object_get(set, variables[i]));
        any = any || (value && *value && strcmp(value, "0") != 0);
    }
    return any;
}

/* Its place among the names; their number: it is none. */
static size_t known(const char *name)
{
    size_t i = 0;
    while (i < NAMES && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* What its plan calls it when it is there to be compared with; "" without. */
static void find_baseline(char baseline[OVL_WAY_NAME], const struct ovl_member *m)
{
    json_t *plan = ovl_apart_plan(m->run->file);
    const json_t *jobs = json_object_get(plan, "jobs");
    *baseline = '\0';
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const json_t *job = json_array_get(jobs, i);
        const char *name = json_string_value(json_object_get(job, "name")),
                   *word = json_string_value(json_object_get(job, "baseline"));
        if (name && word && strcmp(name, m->job) == 0 && known(word) == NAMES && ovl_name_is_plain(word))
            snprintf(baseline, OVL_WAY_NAME, "%.30s", word);
    }
    json_decref(plan);
}

static void name_way(char name[OVL_WAY_NAME], const struct ovl_member *m)
{
    const char *mode = m->cell->mode;
    char baseline[OVL_WAY_NAME] = "";
    bool host = strcmp(mode, "host") == 0, tests = ovl_cell_tests(m->cell);
    if (host)
        find_baseline(baseline, m);
    if (*baseline)
        snprintf(name, OVL_WAY_NAME, "%.30s%s", baseline, tests ? "-t" : "");
    else
        snprintf(name, OVL_WAY_NAME, "%.30s",
                 !host                        ? mode
                 : library_progresses(m->run) ? "library"
                 : tests                      ? "host-t"
                                              : "host");
}

/* What a plan calls a baseline stands with the host that tests. */
static size_t place_of(const char *name)
{
    enum { HOST_T = 2 };
    size_t i = known(name);
    return i < NAMES ? i : HOST_T;
}

/* All that identifies the point but the way of doing it. A problem that is laid out on a grid of processes is the same
   on another number of ranks: a worker's core might have computed. */
static char *work_of(const struct ovl_member *m)
{
    bool laid_out = *ovl_cell_problem_text(m->cell, "procs");
    char *all = ovl_alloc(4096, 1);
    size_t n = 0;
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        char text[OVL_FIELD_TEXT_ROOM];
        bool layout = laid_out && (strcmp(f->name, "ranks") == 0 || strcmp(f->name, "procs") == 0);
        if (f->way || layout)
            continue;
        ovl_field_text(text, f, m->run, m->cell);
        if (strcmp(f->name, "size_bytes") == 0 && *text)
            snprintf(text, sizeof text, "%020.0f", m->cell->size_bytes); /* in order */
        n += (size_t)snprintf(all + n, 4096 - n, "%.200s\n", text);
        if (n >= 4096 - 256)
            break;
    }
    return all;
}

/* The median over launches with a claim, or over all possible ones where none has one, of what is told; NaN where one
 * does not. */
static double over(const struct ovl_way *r, double (*value)(const struct ovl_cell *cell))
{
    size_t n = 0;
    double *values = ovl_alloc(r->group->count + 1, sizeof *values), x;
    for (size_t i = 0; i < r->group->count; i++) {
        const struct ovl_member *m = &r->group->member[i];
        if ((r->launches == 0 ? !ovl_member_odd(m) : ovl_member_claims(m)) && !isnan(x = value(m->cell)))
            values[n++] = x;
    }
    x = ovl_stats_median(values, n);
    free(values);
    return x;
}

static double total_of(const struct ovl_cell *c)
{
    return c->summary[OVL_TOTAL].median;
}

static double per_core_of(const struct ovl_cell *c)
{
    return c->work_per_core.value;
}

static double slowdown_of(const struct ovl_cell *c)
{
    return c->derived[OVL_SLOWDOWN].value;
}

static double hidden_of(const struct ovl_cell *c)
{
    return c->derived[OVL_HIDDEN].value;
}

static double omb_of(const struct ovl_cell *c)
{
    return c->omb_percent;
}

static double cores_of(const struct ovl_cell *c)
{
    return c->cores_shared > 0 ? 0 : c->cores;
}

static double core_seconds_of(const struct ovl_cell *c)
{
    return c->cores_shared == 0 ? c->cores * total_of(c) : NAN;
}

/* Workers that nobody sees may have burnt anything. */
static double cpu_of(const struct ovl_cell *c)
{
    bool works = strcmp(c->mode, "dpu") == 0;
    return c->cpu_process_seconds * c->ranks + (works ? c->cpu_workers_seconds : 0);
}

/* With the interval of launches that have a claim; NaN where those are of unlike work, over which there is no median.
 */
static struct ovl_estimate metric_of(const struct ovl_way *r, const char *name,
                                     double (*value)(const struct ovl_cell *cell))
{
    struct ovl_error none;
    size_t n;
    const struct ovl_field *f = ovl_metric_find(name, &none);
    struct ovl_estimate e = ovl_metric_over(f, r->group->member, r->group->count, &n);
    return n > 0             ? e
           : r->launches > 0 ? (struct ovl_estimate){NAN, NAN, NAN}
                             : (struct ovl_estimate){over(r, value), NAN, NAN};
}

static bool claims(const struct ovl_member *m, const void *unused)
{
    (void)unused;
    return ovl_member_claims(m);
}

/* Is it what ovl_place_differs looks at? Of launches on two machines pairs are of one each. */
static bool is_of_place(const char *name)
{
    return strncmp(name, "hosts[]", strlen("hosts[]")) == 0 ||
           strncmp(name, "mpi.library", strlen("mpi.library")) == 0 || strncmp(name, "blas", strlen("blas")) == 0;
}

/* Or of workers that took no part? */
static bool is_beside(const char *name)
{
    return is_of_place(name) || strncmp(name, "offload.", strlen("offload.")) == 0;
}

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static bool is_numbered(const struct ovl_group *g)
{
    long *all = ovl_alloc(g->count + 1, sizeof *all);
    for (size_t i = 0; i < g->count; i++)
        all[i] = ovl_launch_number(g->member[i].run->file);
    qsort(all, g->count, sizeof *all, by_number);
    bool each = g->count > 0 && all[0] >= 0;
    for (size_t i = 1; i < g->count; i++)
        each = each && all[i] != all[i - 1];
    free(all);
    return each;
}

static void fill(struct ovl_way *r, const struct ovl_groups *groups, const struct ovl_group *g)
{
    *r = (struct ovl_way){.group = g, .work = work_of(g->member)};
    name_way(r->name, g->member);
    r->launches = ovl_group_claims(g);
    r->numbered = is_numbered(g);
    r->lost = r->launches > 0 && ovl_lost_many(groups, g, 0, claims, NULL); /* who claims nothing wins nothing */
    r->place = ovl_alloc(g->count + 1, sizeof *r->place);
    for (size_t i = 0; i < g->count; i++) {
        r->wrong += g->member[i].cell->validated == 0;
        r->place[i] = ovl_place_of(g->member[i].run);
    }
    ovl_setting_mixed(g, strcmp(g->member->cell->mode, "dpu") == 0 ? is_of_place : is_beside, r->mixed);
    r->total = metric_of(r, "total_seconds", total_of);
    r->per_core = metric_of(r, "work_per_core", per_core_of);
    r->slowdown = over(r, slowdown_of);
    r->hidden = over(r, hidden_of);
    r->omb = over(r, omb_of);
    r->cores = over(r, cores_of);
    r->core_seconds = over(r, core_seconds_of);
    r->cpu_seconds = over(r, cpu_of);
    r->to_host = (struct ovl_estimate){NAN, NAN, NAN};
}

static int by_work(const void *a, const void *b)
{
    const struct ovl_way *x = a, *y = b;
    int order = strcmp(x->work, y->work);
    size_t p = place_of(x->name), q = place_of(y->name);
    if (order == 0)
        order = p < q ? -1 : p > q;
    return order != 0 ? order : x->group < y->group ? -1 : x->group > y->group;
}

/* Of the set, the quickest host that tests nothing, did the same work, and has a machine and libraries like that way's;
   one that carries a claim, unless that way has none either. */
static const struct ovl_way *host_of(const struct ovl_way *way, const struct ovl_way *first, size_t count)
{
    const struct ovl_way *host = NULL;
    for (const struct ovl_way *r = first; r < first + count; r++)
        if (strcmp(r->name, "host") == 0 && r->wrong == 0 && (r->launches > 0 || way->launches == 0) &&
            !ovl_way_apart(way, r) && (r == way || !isnan(ovl_way_ratio(way, r).value)) &&
            (!host || r->total.value < host->total.value))
            host = r;
    return host;
}

static void hold_against_host(struct ovl_way *first, size_t count)
{
    for (struct ovl_way *r = first; r < first + count; r++) {
        const struct ovl_way *host = host_of(r, first, count);
        if (host)
            r->to_host = r == host ? (struct ovl_estimate){1, NAN, NAN} : ovl_way_ratio(r, host);
    }
}

static void free_way(struct ovl_way *r)
{
    for (size_t i = 0; i < r->group->count; i++)
        json_decref(r->place[i]);
    free(r->place);
    free(r->work);
}

static void leave_out(struct ovl_ways *t)
{
    bool *less = ovl_alloc(t->count + 1, sizeof *less);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        less[i] = ovl_group_gave_work(&t->groups, t->way[i].group);
    for (size_t i = 0; i < t->count; i++)
        if (less[i])
            free_way(&t->way[i]);
        else
            t->way[n++] = t->way[i];
    t->left_out = t->count - n;
    t->count = n;
    free(less);
}

/* Of a set. */
static void find_twins(struct ovl_way *first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            first[i].twin = first[i].twin || (k != i && strcmp(first[k].name, first[i].name) == 0);
}

void ovl_ways_make(struct ovl_ways *t, const struct ovl_record *record)
{
    *t = (struct ovl_ways){0};
    ovl_groups_make(&t->groups, &record, 1);
    t->count = t->groups.count;
    t->way = ovl_alloc(t->count + 1, sizeof *t->way);
    for (size_t i = 0; i < t->count; i++)
        fill(&t->way[i], &t->groups, &t->groups.group[i]);
    leave_out(t);
    qsort(t->way, t->count, sizeof *t->way, by_work);
    for (size_t i = 0, n; i < t->count; i += n) {
        for (n = 1; i + n < t->count && strcmp(t->way[i + n].work, t->way[i].work) == 0;)
            n++;
        find_twins(&t->way[i], n);
        hold_against_host(&t->way[i], n);
    }
}

void ovl_ways_free(struct ovl_ways *t)
{
    for (size_t i = 0; i < t->count; i++)
        free_way(&t->way[i]);
    free(t->way);
    ovl_groups_free(&t->groups);
}
